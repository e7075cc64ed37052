"""Variables that a caller sets for a command: harmless ones pass, others only as part of what was approved, and what loads code or
configuration into programs only where the owner has named it."""
import json
import os
import shutil
import uuid

from harness import BINARY, Client, Process, Terminal, check, contains, equal, paired_node, run_tests, wait_until

ENV = os.path.realpath(shutil.which("env"))
PRINTENV = os.path.realpath(shutil.which("printenv"))
LOADERS = ("SPA_PLUGIN_DIR", "SDL_DYNAMIC_API", "ZIPOPT", "LD_PRELOAD", "FOO_PLUGIN_PATH", "SOME_OPTS", "GTK_MODULES", "PATH",
           "GVBINDIR", "WIRESHARK_DATA_DIR", "WIRESHARK_EXTCAP_DIR", "TASKDATA", "PARALLEL", "FLASK_APP", "WINEDLLOVERRIDES")


def run(home, gateway, *args, **kw):
    return home.cli("nodes", "run", "--node", "box", *args, port=gateway.port, **kw)


def test_code_loading_variables_reach_no_program(test):
    home, gateway, box, _ = paired_node(test, "full")  # ask is off: everything runs, and every other name passes
    flags = [word for name in (*LOADERS, "FOO", "TERM_PROGRAM") for word in ("--env", f"{name}=given-by-the-caller")]
    for argv in (["env"], ["sh", "-c", "env"]):
        done = run(home, gateway, *flags, "--", *argv)
        equal(sorted(line.split("=")[0] for line in done.out.splitlines() if line.endswith("given-by-the-caller")),
              ["FOO", "TERM_PROGRAM"])
        contains(done.err, "the node did not pass on")
        for name in LOADERS:
            contains(done.err, name)
    box.config({"node": {"exec": {"env": {"allow": ["ZIPOPT"]}}}})
    wait_until(lambda: "ZIPOPT=given-by-the-caller" in run(home, gateway, *flags, "--", "env").out, "the owner's exception")


def test_a_listed_program_with_a_variable_is_not_on_the_list(test):
    home, gateway, box, _ = paired_node(test, "allowlist", [PRINTENV])
    equal(run(home, gateway, "--env", "LANG=C.UTF-8", "--", "printenv", "LANG").out, "C.UTF-8\n")
    equal(run(home, gateway, "--env", "TERM_PROGRAM=tmux", "--", "printenv", "TERM_PROGRAM").out, "tmux\n")
    refused = run(home, gateway, "--env", "FOO=bar", "--", "printenv", "FOO", code=1)  # ask is off
    contains(refused.err, "allowlist miss (the list allows it, but not with the variable FOO)")
    contains(refused.err, "fix: on the node name FOO in the list node.exec.env.allow of openclaw.json")
    box.cli("config", "set", "node.exec.env.allow", '["FOO"]')
    wait_until(lambda: run(home, gateway, "--env", "FOO=bar", "--", "printenv", "FOO", code=None).out == "bar\n",
               "what the refusal says to help")


def test_who_approves_sees_the_values(test):
    home, gateway, box, _ = paired_node(test, "allowlist", [PRINTENV])
    box.approvals("allowlist", [PRINTENV], ask="on-miss")
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("Waiting")
    run_it = Process(test, "run", [BINARY, "nodes", "run", "--node", "box", "--env", "FOO=bar\x1b[8m", "--", "printenv", "FOO"],
                     home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    screen.wait_for("[D] deny")
    contains(screen.text, r"FOO=bar\x1b[8m")
    contains(screen.text, "but not with the variable FOO")
    pending = home.cli_json("approvals", "pending", "--json", port=gateway.port)
    contains(json.dumps(pending), "FOO")
    asked = desk.ok("exec.approval.list", {})[0]
    equal(asked["request"]["env"], {"FOO": "bar\x1b[8m"})
    screen.type("o\n")
    equal(run_it.wait_exit(), 0)
    contains(run_it.output(), "bar")
    screen.type("q\n")
    screen.end(0)


def test_variables_that_are_a_list(test):
    """A list has no names: it is refused, with and without an approval, and the gateway is still there."""
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos", identity=test.identity())["ok"], "connect")
    node = client.ok("node.list", {})["nodes"][0]["nodeId"]
    client.ok("exec.approval.request", {"id": "a1", "command": "x", "commandArgv": ["ls"], "host": "node", "nodeId": node,
                                        "twoPhase": True, "timeoutMs": 60000})
    for more in ({}, {"runId": "a1", "approved": True, "approvalDecision": "allow-once"}):
        answer = client.call("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": str(uuid.uuid4()),
                                             "params": {"command": ["ls"], "env": ["x"], **more}})
        contains(json.dumps(answer), "env: must be object")
    check(home.cli_json("gateway", "health", "--json", port=gateway.port)["ok"], "health")


run_tests(globals())
