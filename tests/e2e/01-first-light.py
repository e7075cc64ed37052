"""The whole path: start a gateway, start a node, approve it, run a command on it."""

from harness import *


def test_a_command_runs_on_an_approved_node(test):
    home, gateway, box, _ = paired_node(test)
    done = home.cli("nodes", "run", "--node", "box", "--", "sh", "-c", "echo out; echo err >&2; exit 3", port=gateway.port, code=3)
    equal(done.stdout, b"out\n", "stdout")
    contains(done.err, "err\n", "stderr")
    status = home.cli("nodes", "status", port=gateway.port)
    contains(status.out, "Connected: 1")
    contains(status.out, "box")


def test_nothing_runs_before_the_approval(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals("full")
    node = box.node(gateway.port)
    node.wait_for(r"nodes approve", "the line that says what to do")
    wait_until(lambda: [n for n in home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"] if n["connected"]],
               "the node")
    done = home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port, code=None)
    check(done.returncode != 0, "an unapproved node ran a command")
    contains(done.err, "node surface approval", "the refusal names the gate")
    contains(done.err, "openclaw nodes approve", "the refusal names the fix")


def test_approval_survives_both_restarts(test):
    home, gateway, box, node = paired_node(test)
    port = gateway.port
    equal(gateway.stop(), 0, "gateway exit")
    gateway = home.gateway(port=port)
    wait_until(lambda: usable(home, port, "box"), "the node after the gateway's restart")
    equal(node.stop(), 0, "node exit")
    box.node(port)
    wait_until(lambda: usable(home, port, "box"), "the node after its own restart")
    home.cli("nodes", "run", "--node", "box", "--", "true", port=port)


def test_a_local_policy_of_deny_is_the_default(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the approved node")
    done = home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port, code=None)
    check(done.returncode != 0, "a node without a policy ran a command")
    contains(done.err, "SYSTEM_RUN_DISABLED: security=deny")
    contains(done.err, "local exec approvals", "the refusal names the gate")


run_tests(globals())
