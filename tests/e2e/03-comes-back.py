"""A node always comes back: gateway restarts, silence, refused connections, names that do not resolve."""

from harness import *


def test_the_node_starts_before_the_gateway(test):
    home = test.machine("gw")
    probe = socket.create_server(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    probe.close()
    box = test.machine("box")
    node = box.node(port)
    node.wait_for(r"(?i)refused|retry", "a word about the missing gateway")
    home.gateway(port=port)
    wait_until(lambda: home.cli_json("nodes", "status", "--json", port=port)["nodes"], "the node")
    check(node.child.poll() is None, "the node ended")


def test_a_crashed_gateway_loses_nothing(test):
    home, gateway, box, node = paired_node(test)
    port = gateway.port
    gateway.child.kill()
    gateway.wait_exit()
    home.gateway(port=port)
    wait_until(lambda: usable(home, port, "box"), "the approved node after the crash")
    check(node.child.poll() is None, "the node ended")


def test_names_that_do_not_resolve_are_retried(test):
    box = test.machine("box")
    node = Process(test, "node", [BINARY, "node", "run", "--host", "no-such-host.invalid", "--port", "1", "--tls"], box.env())
    node.wait_for(r"no-such-host\.invalid", "the name in the message")
    node.wait_for(r"(?i)retry", "that it goes on")
    check(node.child.poll() is None, "the node ended")
    equal(node.stop(), 0, "exit status after SIGTERM")


def test_a_wrong_token_ends_the_node(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    node = box.node(gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": "wrong-" + TOKEN})
    check(node.wait_exit() != 0, "the node must end non-zero")
    contains(node.output(), "token mismatch")
    contains(node.output(), "OPENCLAW_GATEWAY_TOKEN", "the message names what to set")
    check("wrong-" + TOKEN not in node.output() + gateway.output(), "a token was printed")


def test_a_node_that_has_its_own_token_needs_no_shared_one(test):
    home, gateway, box, node = paired_node(test)
    node.stop()
    box.node(gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": None})
    wait_until(lambda: usable(home, gateway.port, "box"), "the node with its device token")


def test_a_changed_shared_token_does_not_lock_a_known_node_out(test):
    """The gateway says that the device's own token would do."""
    home, gateway, box, node = paired_node(test)
    node.stop()
    again = box.node(gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": "the-one-of-last-year"})
    again.wait_for(r"going on with the token of this device")
    wait_until(lambda: usable(home, gateway.port, "box"), "the node with its device token")
    home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port)
    again.stop()
    os.unlink(os.path.join(box.state, "identity", "device-auth.json"))
    third = box.node(gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": "the-one-of-last-year"})
    equal(third.wait_exit(), 1, "exit code without a token of its own")
    contains(third.output(), "OPENCLAW_GATEWAY_TOKEN")


def test_two_nodes_do_not_share_an_identity(test):
    home, gateway, box, node = paired_node(test)
    second = box.node(gateway.port, name="second")
    check(second.wait_exit() != 0, "the second node must end")
    contains(second.output(), "another node already runs")
    check(usable(home, gateway.port, "box"), "the first node is undisturbed")


run_tests(globals())
