"""The owner's switches of our node at real gateways: what connect tells them, and who is asked how often. Part of the matrix of
each real gateway, which runs there already."""

from hosts import *


def tells(gateway, node_id, wanted):
    """The gateway's view of the permission, once the node has connected anew."""
    def look():
        node = gateway.node(node_id)
        return node and node.get("connected") and (node.get("permissions") or {}).get("camera") == wanted

    wait_until(look, f"camera={wanted} at {NAMES[gateway.kind]}", 60, pause=PAUSE)


def paired(test, gateway):
    node = NodeHost(test, gateway, "ours", "switches")
    node.start()
    request = node.wait(lambda: gateway.device_request("switches"), "to ask for pairing")
    gateway.ok("device.pair.approve", {"requestId": request["requestId"]})
    node_id = request["deviceId"]
    node.wait(lambda: (gateway.node(node_id) or {}).get("connected"), "to be connected")
    return node, node_id


def approve(gateway, node_id, what):
    request = wait_until(lambda: gateway.surface_request(node_id), what, 60, pause=PAUSE)
    gateway.ok("node.pair.approve", {"requestId": request["requestId"]})


def one_approval_for_all_times(test, gateway):
    node, node_id = paired(test, gateway)
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
    node.stop()


def comes_back(test, gateway):
    """Where commands need no approval."""
    node, node_id = paired(test, gateway)
    tells(gateway, node_id, False)
    node.home.cli("node", "enable", "camera")
    tells(gateway, node_id, True)
    node.home.cli("node", "disable", "camera")
    tells(gateway, node_id, False)
    check(node.process.child.poll() is None, "the node has ended")
    node.stop()
