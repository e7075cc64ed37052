"""2026.9.6 (protocol 4): its command line and node host under our gateway, our node under its gateway."""

from peers import *


def test_its_command_line_and_node_with_our_gateway(test):
    home, gateway, _, _ = paired_node(test)
    user = Peer(test, "9", "user")
    contains(user.cli("nodes", "status", port=gateway.port).out, "box")
    contains(user.cli("nodes", "describe", "--node", "box", port=gateway.port).out, "system.run")
    which = user.cli_json("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")

    real = Peer(test, "9", "realbox")
    real.node(gateway.port)
    pending = wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the real node's request", 120)
    user.cli("nodes", "approve", pending[0]["requestId"], port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "realbox"), "the real node", 60)
    which = home.cli_json("nodes", "invoke", "--node", "realbox", "--command", "system.which", "--params", '{"bins":["sh"]}',
                          port=gateway.port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")


def test_our_node_under_its_gateway(test):
    host = Peer(test, "9", "realgw")
    gateway = host.gateway(free_port())
    box = test.machine("box")
    node = box.node(gateway.port)
    user = Peer(test, "9", "user")

    def pending():
        done = user.cli("nodes", "pending", "--json", port=gateway.port, code=None)
        start = done.out.find("[")
        return done.returncode == 0 and start >= 0 and json.loads(done.out[start:])

    requests = wait_until(pending, "our node's surface request", 180)
    user.cli("nodes", "approve", requests[0]["requestId"], port=gateway.port)

    def which():
        done = user.cli("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}',
                        port=gateway.port, code=None)
        return done.returncode == 0 and done

    answer = json.loads(wait_until(which, "system.which through the real gateway", 120).out)
    check(answer["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {answer}")
    check(node.child.poll() is None, "our node ended")


run_tests(globals())
