"""2026.2.26 (protocol 3): its command line and node host under our gateway, our node under its gateway."""

from peers import *


def test_its_command_line_drives_our_gateway_and_node(test):
    home, gateway, _, _ = paired_node(test)
    user = Peer(test, "2", "user")
    status = user.cli("nodes", "status", port=gateway.port)
    contains(status.out, "Connected: 1")
    contains(status.out, "box")
    described = user.cli("nodes", "describe", "--node", "box", port=gateway.port)
    contains(described.out, "system.run")
    which = user.cli_json("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")
    contains(user.cli("devices", "list", port=gateway.port).out, "Paired (")
    contains(user.cli("gateway", "health", port=gateway.port).out, "OK")
    check("nodes" in user.cli_json("gateway", "call", "node.list", "--json", port=gateway.port), "gateway call")


def test_its_command_line_approves_our_node(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.node(gateway.port)
    user = Peer(test, "2", "user")
    pending = wait_until(lambda: user.cli_json("nodes", "pending", "--json", port=gateway.port), "the request")
    user.cli("nodes", "approve", pending[0]["requestId"], port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the approved node")


def test_its_node_host_joins_our_gateway(test):
    home = test.machine("gw")
    gateway = home.gateway()
    real = Peer(test, "2", "realbox")
    real.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the real node's request", 90)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "realbox"), "the real node", 60)
    which = home.cli_json("nodes", "invoke", "--node", "realbox", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")


def test_our_node_under_its_gateway(test):
    host = Peer(test, "2", "realgw")
    gateway = host.gateway(free_port())
    box = test.machine("box")
    node = box.node(gateway.port)
    user = Peer(test, "2", "user")
    wait_until(lambda: "box" in user.cli("nodes", "status", port=gateway.port).out, "our node", 90)
    which = user.cli_json("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")
    check(node.child.poll() is None, "our node ended")
    # Our own command line against the real gateway.
    contains(box.cli("nodes", "status", port=gateway.port).out, "Connected: 1")


def test_our_node_waits_for_its_device_approval(test):
    host = Peer(test, "2", "realgw")
    gateway = host.gateway(free_port())
    proxy = HostProxy(gateway.port)
    box = test.machine("box")
    node = box.node(proxy.port)
    node.wait_for(r"(?i)approv", "our node to say that it waits")
    home = test.machine("admin")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "our node after the approval", 60)
    check(node.child.poll() is None, "our node ended")
    proxy.close()


run_tests(globals())
