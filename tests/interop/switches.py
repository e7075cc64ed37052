"""The owner's switches of our node at real gateways: what connect tells them, and who is asked how often."""

from hosts import *


def tells(gateway, node_id, wanted):
    """The gateway's view of the permission, once the node has connected anew."""
    def look():
        node = gateway.node(node_id)
        return node and node.get("connected") and (node.get("permissions") or {}).get("camera") == wanted

    wait_until(look, f"camera={wanted} at {NAMES[gateway.kind]}", 60, pause=PAUSE)


def paired(test, kind):
    gateway = Gateway(test, kind)
    node = NodeHost(test, gateway, "ours", "box")
    node.start()
    request = node.wait(lambda: gateway.device_request("box"), "to ask for pairing")
    gateway.ok("device.pair.approve", {"requestId": request["requestId"]})
    node_id = request["deviceId"]
    node.wait(lambda: (gateway.node(node_id) or {}).get("connected"), "to be connected")
    return gateway, node, node_id


def approve(gateway, node_id, what):
    request = wait_until(lambda: gateway.surface_request(node_id), what, 60, pause=PAUSE)
    gateway.ok("node.pair.approve", {"requestId": request["requestId"]})


def test_one_approval_for_all_times_at_9(test):
    gateway, node, node_id = paired(test, "9")
    approve(gateway, node_id, "the request for its commands")
    tells(gateway, node_id, False)
    node.home.cli("node", "enable", "camera")
    approve(gateway, node_id, "the request for the camera")
    tells(gateway, node_id, True)
    # Off and on again, announced or not, programs allowed or not: nobody has to approve the same twice.
    node.home.cli("node", "disable", "camera", "announce")
    tells(gateway, node_id, False)
    node.home.cli("node", "enable", "camera", "announce")
    tells(gateway, node_id, True)
    equal(gateway.surface_request(node_id), None, "a second request")
    check(node.process.child.poll() is None, "the node has ended")


def test_it_comes_back_to_2(test):
    gateway, node, node_id = paired(test, "2")
    tells(gateway, node_id, False)
    node.home.cli("node", "enable", "camera")
    tells(gateway, node_id, True)
    node.home.cli("node", "disable", "camera")
    tells(gateway, node_id, False)
    check(node.process.child.poll() is None, "the node has ended")


run_tests(globals())
