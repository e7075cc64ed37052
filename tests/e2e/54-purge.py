"""openclaw purge: what goes, what stays, and who is asked."""

import manager
from harness import *

manager.enter()

TREE = {".openclaw": ["canvas-window.json", "consent.json", "exec-approvals.json", "exec-approvals.json.lock", "exec-log.jsonl",
                      "exec-log.1.jsonl", "exec-refused.jsonl", "gateway.sqlite", "gateway.sqlite-wal", "gateway.sqlite.lock", "node.json",
                      "node.json.3f2b.tmp", "node-runs.log", "node-sandbox.json", "node-status.json", "openclaw.json",
                      "screen-token.json", "service-gateway.env", "service-node.env"],
        ".openclaw/canvas/deep": ["page.html"], ".openclaw/gateway/tls": ["gateway-cert.pem"], ".openclaw/identity": ["device.json"],
        ".openclaw/sandbox/run": ["x"], ".openclaw/workspace": ["report.txt"]}


def fill(home, tree=None):
    for folder, names in (tree or TREE).items():
        os.makedirs(os.path.join(home, folder), exist_ok=True)
        for name in names:
            with open(os.path.join(home, folder, name), "w", encoding="utf-8") as f:
                f.write("{}")


def everything(home):
    return sorted(os.path.relpath(os.path.join(folder, name), home) for folder, _, names in os.walk(home) for name in names)


def test_all_of_it_and_nothing_else(test):
    m = test.machine("desk")
    fill(m.home)
    fill(m.home, {"Documents": ["letter"], ".openclaw-work": ["openclaw.json"]})
    outside = os.path.join(m.home, "Documents")
    os.symlink(outside, os.path.join(m.state, "workspace", "link"))
    os.symlink(outside, os.path.join(m.state, "sandbox", "link"))
    os.mkdir(os.path.join(m.state, "sandbox", "shut"), 0o000)
    before = everything(m.home)
    # Without a terminal and a word nothing happens, and what would is shown.
    for args in ((), ("--json",)):
        refused = m.cli("purge", *args, code=1)
        contains(refused.err, "nothing was removed")
        contains(refused.err, "fix: openclaw purge --yes")
        equal(everything(m.home), before, "files")
    shown = m.cli("purge", code=1).out
    for name in ("openclaw.json", "identity", "gateway.sqlite", "workspace"):
        contains(shown, name)
    told = m.cli_json("purge", "--yes", "--json")
    equal((told["ok"], told["kept"], told["stateDir"]), (True, [], m.state))
    contains(told["removed"], os.path.join(m.state, "identity"))
    equal(everything(m.home), [".openclaw-work/openclaw.json", "Documents/letter"], "files")
    check(not os.path.exists(m.state), "the state directory")
    contains(m.cli("purge").out, "nothing to remove")


def test_what_is_made_by_a_life_goes(test):
    """Whatever a gateway and a node leave behind is in the table of purge."""
    m = test.machine("desk")
    m.approvals("full")
    m.switches(canvas=True)
    gateway = m.gateway()
    node = m.node(gateway.port)
    wait_until(lambda: m.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    m.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(m, gateway.port, "desk"), "a node that can be used")
    m.cli("nodes", "run", "--node", "desk", "--", "/bin/echo", "hello", port=gateway.port)
    m.cli("nodes", "allow", "camera.snap", port=gateway.port)
    # Who runs is in the way, and nothing goes.
    contains(m.cli("purge", "--yes", code=1).err, f"a gateway runs with {m.state}")
    node.stop()
    contains(m.cli("purge", "--yes", code=1).err, f"a gateway runs with {m.state}")
    port = gateway.port
    gateway.stop()
    node = m.node(port)
    wait_until(lambda: os.path.exists(os.path.join(m.state, "node-status.json")), "a node that runs")
    contains(m.cli("purge", "--yes", code=1).err, f"a node runs with {m.state}")
    check(os.path.exists(os.path.join(m.state, "gateway.sqlite")), "something was removed all the same")
    node.stop()
    equal(m.cli_json("purge", "--yes", "--json")["kept"], [], "unknown files")
    check(not os.path.exists(m.state), "the state directory")


def test_beside_others(test):
    """What the reference has there stays, with what both use."""
    m = test.machine("desk")
    fill(m.home)
    fill(m.home, {".openclaw/agents/main/sessions": ["s.jsonl"], ".openclaw/credentials": ["x.json"]})
    said = m.cli("purge", "--yes")
    contains(said.err, f"stays: {m.state}/agents")
    contains(said.err, "--shared")
    left = everything(m.home)
    for name in ("agents/main/sessions/s.jsonl", "credentials/x.json", "openclaw.json", "identity/device.json", "workspace/report.txt",
                 "exec-approvals.json", "canvas/deep/page.html", "node.json"):
        check(f".openclaw/{name}" in left, f"{name} is gone")
    for name in ("gateway.sqlite", "consent.json", "exec-log.jsonl", "service-node.env"):
        check(f".openclaw/{name}" not in left, f"{name} is left")
    m.cli("purge", "--yes", "--shared")
    equal(everything(m.home), [".openclaw/agents/main/sessions/s.jsonl", ".openclaw/credentials/x.json"], "files")


def test_places_that_are_not_ours(test):
    m = test.machine("desk")
    fill(m.home, {"workspace": ["thesis"], "canvas": ["painting"]})
    for env in ({"OPENCLAW_STATE_DIR": m.home}, {"OPENCLAW_STATE_DIR": m.home + "/x/.."}, {"OPENCLAW_STATE_DIR": "/"}):
        os.makedirs(m.home + "/x", exist_ok=True)
        contains(m.cli("purge", "--yes", env=env, code=1).err, "itself: remove by hand")
    need_root()
    theirs = os.path.join(test.dir, "theirs")
    fill(theirs)
    os.chown(os.path.join(theirs, ".openclaw"), 65534, 65534)
    contains(m.cli("purge", "--yes", env={"OPENCLAW_STATE_DIR": theirs + "/.openclaw"}, code=1).err, "belongs to another user")
    equal(len(everything(theirs)), sum(map(len, TREE.values())), "files of somebody else")
    # Rules that other state directories use stay, and are named.
    fill(m.home, {".openclaw": ["exec-approvals.json"], "elsewhere": ["gateway.sqlite"]})
    kept = m.cli_json("purge", "--yes", "--json", env={"OPENCLAW_STATE_DIR": m.home + "/elsewhere"})["kept"]
    equal(kept, [m.home + "/.openclaw/exec-approvals.json"])


def test_asked_on_a_terminal(test):
    m = test.machine("desk")
    fill(m.home)
    before = everything(m.home)
    for answer in ("\n", "n\n", "maybe\n"):
        terminal = Terminal(test, m, 1, "purge")
        terminal.wait_for("[y/N]")
        terminal.type(answer)
        terminal.end(1)
        equal(everything(m.home), before, "files")
    terminal = Terminal(test, m, 1, "purge")
    terminal.wait_for("[y/N]")
    terminal.type("y\n")
    terminal.end(0)
    equal(everything(m.home), [], "files")


def test_services(test):
    m = manager.Manager(test.machine("desk"))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    m.cli("gateway", "install", "--port", str(port))
    m.cli("node", "install", "--port", str(port))
    shown = m.cli("purge", code=1)
    contains(shown.out, "service: running, pid", "plan")
    pids = [m.show(f"openclaw-{name}.service", "MainPID") for name in ("gateway", "node")]
    m.cli("purge", "--yes")
    check(not any(os.path.exists(f"/proc/{pid}") for pid in pids), "a process is left")
    check(not os.path.exists(m.machine.state), "the state directory")
    equal([f for f in everything(m.machine.home) if "openclaw" in f], [], "files")
    # Somebody else's unit by that name is not stopped, and nothing goes before that is clear.
    fill(m.machine.home)
    os.makedirs(m.units, exist_ok=True)
    with open(os.path.join(m.units, "openclaw-node.service"), "w", encoding="utf-8") as f:
        f.write("[Service]\nExecStart=/bin/true\n")
    contains(m.cli("purge", "--yes", code=1).err, "is not from this program")
    check(os.path.exists(os.path.join(m.machine.state, "openclaw.json")), "something was removed all the same")
    m.stop()


run_tests(globals())
