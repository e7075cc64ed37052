"""What people read when they decide about commands, and that doing what it says works."""

import pwd
import shlex

from harness import *


def operator(gateway):
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")
    return client


def asked_node(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    return home, gateway, box


def start_run(test, home, port, *argv, **env):
    return Process(test, "run", [BINARY, "nodes", "run", "--node", "box", "--", *argv],
                   home.env(OPENCLAW_GATEWAY_PORT=str(port), **env))


def follow(home, port, text):
    """Does what a fix says."""
    words = shlex.split(re.search(r"fix: openclaw (.*)", text).group(1))
    return home.cli(*words, port=port)


def test_q_ends_the_watch_when_nothing_waits(test):
    home = test.machine("gw")
    gateway = home.gateway()
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("q or Ctrl-C ends it")
    screen.type("x\nq\n")
    screen.end(0)


def test_where_it_runs_is_shown(test):
    home, gateway, _ = asked_node(test)
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("Waiting")
    run_it = start_run(test, home, gateway.port, "uname")
    screen.wait_for("[D] deny")
    contains(screen.text, f"in         the node's own directory ({os.path.realpath(test.dir)})")
    screen.type("\n")
    equal(run_it.wait_exit(), 1)
    screen.type("q\n")
    screen.end(0)
    # At the node itself.
    screen = Terminal(test, test.machine("box"), 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    run_it = start_run(test, home, gateway.port, "uname")
    screen.wait_for("[D] deny")
    contains(screen.text, f"in         the node's own directory ({os.path.realpath(test.dir)})")
    screen.type("\n")
    run_it.wait_exit()
    screen.type("q\n")
    screen.end(0)


def test_always_says_for_whom_and_can_be_taken_back(test):
    home, gateway, _ = asked_node(test)
    program = os.path.realpath(shutil.which("uname"))
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("Waiting")
    run_it = start_run(test, home, gateway.port, "uname")
    screen.wait_for("[D] deny")
    contains(screen.text, f"lets {program} run without asking from then on, with any arguments, for agent main")
    screen.type("a\n")
    equal(run_it.wait_exit(), 0)
    screen.type("q\n")
    screen.end(0)
    for name in ("uname", program):
        refused = home.cli("approvals", "allowlist", "remove", name, "--node", "box", port=gateway.port, code=1)
        contains(refused.err, "is not on the list of agent *, but on that of main")
    follow(home, gateway.port, refused.err)
    refused = home.cli("approvals", "allowlist", "remove", program, "--node", "box", port=gateway.port, code=1)
    contains(refused.err, "no list has")
    check(program not in follow(home, gateway.port, refused.err).out, "it is gone")


def test_what_was_added_by_its_name_is_removed_by_its_name(test):
    home, gateway, box = asked_node(test)
    for machine, where in ((home, ["--node", "box"]), (box, [])):
        program = os.path.realpath(shutil.which("ls"))
        contains(machine.cli("approvals", "allowlist", "add", "ls", *where, port=gateway.port).out, program)
        check(program not in machine.cli("approvals", "allowlist", "remove", "ls", *where, port=gateway.port).out, "removed")


def test_a_request_that_was_taken_back_is_not_called_a_decision(test):
    home, gateway, _ = asked_node(test)
    desk = operator(gateway)
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("Waiting")
    run_it = start_run(test, home, gateway.port, "uname", USER=None, LOGNAME=None)
    screen.wait_for("[D] deny")
    name = f"{pwd.getpwuid(os.getuid()).pw_name}@"
    equal(desk.event("exec.approval.requested")["requestedBy"][:len(name)], name)
    run_it.child.send_signal(signal.SIGINT)
    equal(run_it.wait_exit(), 130)
    over = desk.event("exec.approval.resolved")
    equal((over["decision"], over["cause"]), ("deny", "WITHDRAWN"))
    screen.wait_for("Taken back by whoever asked")
    screen.text = ""
    run_it = start_run(test, home, gateway.port, "uname")
    screen.wait_for("[D] deny")
    run_it.stop(signal.SIGKILL)
    equal(desk.event("exec.approval.resolved")["cause"], "ASKER_LEFT")
    screen.wait_for("Whoever asked has left; it does not run.")
    screen.text = ""
    run_it = start_run(test, home, gateway.port, "uname")
    screen.wait_for("[D] deny")
    asked = desk.ok("exec.approval.list", {})[0]["id"]
    desk.ok("exec.approval.resolve", {"id": asked, "decision": "deny"})
    screen.wait_for("Decided elsewhere: deny by")
    run_it.wait_exit()
    screen.type("q\n")
    screen.end(0)


def test_nothing_to_kill_is_said(test):
    home, gateway, _, _ = paired_node(test)
    handle = home.cli("nodes", "run", "--node", "box", "--background", "--", "sleep", "1000", port=gateway.port).out.strip()
    done = home.cli("nodes", "runs", "kill", handle, "--node", "box", port=gateway.port)
    check("nothing to kill" not in done.err, f"it was killed: {done.err}")
    done = home.cli("nodes", "runs", "kill", handle, "--node", "box", port=gateway.port)
    contains(done.err, "It had ended already: there was nothing to kill.")
    equal(home.cli_json("nodes", "runs", "kill", handle, "--node", "box", "--json", port=gateway.port)["alreadyEnded"], True)


def test_without_a_terminal_the_fix_says_yes(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals("full")
    box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    refused = home.cli("nodes", "approve", port=gateway.port, code=1, stdin=b"")
    check(re.search(r"fix: openclaw nodes approve \S+ --yes", refused.err), refused.err)
    follow(home, gateway.port, refused.err)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node")


def test_lines_are_not_called_a_document(test):
    home = test.machine("gw")
    told = home.cli("approvals", "watch", "--help").out
    contains(told, "print one JSON object per line on stdout")
    check("one JSON document" not in told, told)
    contains(home.cli("approvals", "pending", "--help").out, "print one JSON document on stdout")


run_tests(globals())
