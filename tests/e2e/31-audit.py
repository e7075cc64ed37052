"""The audit: every run, refusal and decision is written down, at the gateway and on the node."""

import sqlite3

from harness import *


def operator(gateway, scopes=ALL_SCOPES, name="desk"):
    client = Client(gateway.port)
    check(client.connect(scopes=scopes, mode="ui", client_id="openclaw-macos",
                         client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui",
                                 "displayName": name})["ok"], "connect")
    return client


def run(client, node_id, argv, **more):
    return client.call("node.invoke", {"nodeId": node_id, "command": "system.run", "params": {"command": argv, **more},
                                       "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})


def history(client, **params):
    return client.ok("exec.audit.list", params)["items"]


def test_runs(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    rows = [(["sh", "-c", "echo hello; exit 3"], {"outcome": "exited", "exitCode": 3, "bytes": 6}),
            (["sh", "-c", "kill -9 $$"], {"outcome": "killed", "signal": 9}),
            (["/no/such/program"], {"outcome": "not-started"})]
    for argv, wanted in rows:
        run(desk, node, argv, agentId="clerk", sessionKey="s-1", cwd="/", env={"SECRET": "hunter2"})
        got = history(desk, limit=1)[0]
        equal((got["kind"], got["nodeId"], got["claimed"], got["cwd"], got["env"], got["nodeSays"]["gate"], got["argv"]),
              ("run", node, {"agentId": "clerk", "sessionKey": "s-1"}, "/", "SECRET", "full", argv))
        equal((got["by"]["name"], got["by"]["client"], got["by"]["auth"], got["by"]["role"], sorted(got["by"]["scopes"])),
              ("desk", "openclaw-macos", "shared-secret", "operator", sorted(ALL_SCOPES)))
        equal({k: got["end"][k] for k in wanted}, wanted, str(argv))
        check(got["end"]["durationMs"] >= 0 and got["end"]["atMs"] >= got["atMs"], "times")
    run(desk, node, ["sleep", "60"], timeoutMs=1)
    equal(history(desk, limit=1)[0]["end"]["outcome"], "timed-out")
    run(desk, node, ["echo", "x" * 50000])
    big = history(desk, limit=1)[0]
    check(len(big["command"]) < 1100 and len(big["argvSha256"]) == 64, "a long command is cut, with a hash")
    equal((big["argv"][0], len(big["argv"][1])), ("echo", 4096 - 5))
    run(desk, node, ["printf", "\u202e\x1b[2K"])
    odd = history(desk, limit=1)[0]
    equal((odd["argv"], odd["command"]), (["printf", "\u202e\x1b[2K"], r"printf $'\u202e\x1b[2K'"))
    run(desk, node, ["sh", "-c", "head -c 300000 /dev/zero; head -c 7 /dev/zero >&2"])
    equal({k: history(desk, limit=1)[0]["end"][k] for k in ("stdoutBytes", "stderrBytes", "bytes")},
          {"stdoutBytes": 300000, "stderrBytes": 7, "bytes": 300007}, "what was written, not what was kept")
    equal(len(history(desk)), 7)
    equal(len(history(desk, nodeId="f" * 64)), 0)
    equal(len(history(desk, sinceMs=big["atMs"] + 3600000)), 0)
    check("hunter2" not in json.dumps(history(desk)), "values of the environment are not kept")
    check(not operator(gateway, ["operator.read", "operator.write"]).call("exec.audit.list", {})["ok"], "needs the scope")
    shown = home.cli("approvals", "history", "--limit", "10", "--since", "1h", "--node", "box", port=gateway.port).out
    for part in ("exit 3", "signal 9", "says", "clerk", "timed-out", "full"):
        contains(shown, part)
    equal(len(home.cli_json("approvals", "history", "--json", "--limit", "2", port=gateway.port)["items"]), 2)
    home.cli("approvals", "history", "--since", "yesterday-ish", port=gateway.port, code=2)


def test_refusals_and_decisions(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    desk = operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    run(desk, node, ["uname"])
    got = history(desk, limit=1)[0]
    equal((got["kind"], got["end"]["outcome"], got["gate"], got["nodeSays"]["gate"]),
          ("run", "refused", "node-policy", "allowlist-miss"))
    contains(got["end"]["reason"], "SYSTEM_RUN_DENIED")
    run(desk, node, ["uname"], approved=True, runId="forged", agentId="\x1b[2K")
    got = history(desk, limit=1)[0]
    equal((got["kind"], got["code"], got["gate"], got["command"], got["claimed"]["agentId"]),
          ("refused", "UNKNOWN_APPROVAL_ID", "approval", "uname", r"\x1b[2K"))
    box.approvals("allowlist", ask="always")
    for name, decision in (("yes", "allow-once"), ("no", "deny")):
        request = {"command": "x", "commandArgv": ["uname"], "host": "node", "nodeId": node, "id": name, "twoPhase": True}
        desk.answer(desk.send("exec.approval.request", request))
        desk.ok("exec.approval.resolve", {"id": name, "decision": decision})
        # Two tables, and both may have a line of this millisecond.
        got = next(item for item in history(desk, limit=2) if item.get("approvalId") == name)
        equal((got["kind"], got["approvalId"], got["decision"], got["decidedBy"], got["command"], got["nodeId"]),
              ("approval", name, decision, "desk", "uname", node))
    run(desk, node, ["uname"], approved=True, approvalDecision="allow-once", runId="yes")
    got = history(desk, limit=1)[0]
    equal((got["gate"], got["approvalId"], got["decision"], got["decidedBy"], got["end"]["exitCode"]),
          ("approval", "yes", "allow-once", "desk", 0))
    check(got["decidedAtMs"] <= got["atMs"], "when it was decided")
    desk.ok("exec.approval.request", {"command": "ls", "id": "late", "timeoutMs": 1})
    got = history(desk, limit=1)[0]
    equal((got["approvalId"], got["decision"]), ("late", "expired"))


def test_a_name_proves_nothing(test):
    """Everybody can call themselves "owner": what is written down and shown is which device it was, or that it was none."""
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    node = operator(gateway).ok("node.list", {})["nodes"][0]["nodeId"]
    key = test.identity()
    liar, asker = Client(gateway.port), operator(gateway, name="root, the owner")
    check(liar.connect(identity=key, mode="ui", client_id="openclaw-macos",
                       client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui",
                               "displayName": "owner"})["ok"], "connect")
    request = {"command": "x", "commandArgv": ["uname"], "host": "node", "nodeId": node, "twoPhase": True}
    for name, by, auth, device in (("one", liar, "device", key.device_id), ("two", asker, "shared-secret", None)):
        asker.answer(asker.send("exec.approval.request", {**request, "id": name}))
        if name == "one":
            waiting = asker.ok("exec.approval.list", {})[0]["asker"]
            equal((waiting["auth"], waiting["name"], waiting["ip"]), ("shared-secret", "root, the owner", "127.0.0.1"))
            facts, claims = home.cli("approvals", "pending", port=gateway.port).out.split("unchecked:")
            contains(facts, "somebody with the shared secret from 127.0.0.1")
            contains(claims, "root, the owner")
            check("root, the owner" not in facts, f"a name stands among the facts:\n{facts}")
        by.ok("exec.approval.resolve", {"id": name, "decision": "allow-once"})
        decided = history(asker, limit=1)[0]
        run(asker, node, ["uname"], approved=True, approvalDecision="allow-once", runId=name)
        for got in (decided, history(asker, limit=1)[0]):
            equal((got["decider"]["auth"], got["decider"].get("deviceId"), got["decider"]["ip"]),
                  (auth, device, "127.0.0.1"), got["kind"])
        equal((decided["asker"]["auth"], decided["asker"]["name"]), ("shared-secret", "root, the owner"))
    shown = home.cli("approvals", "history", port=gateway.port).out
    contains(shown, f"[{key.device_id[:8]}]")
    liar.answer(liar.send("exec.approval.request", {**request, "id": "three"}))
    contains(home.cli("approvals", "pending", port=gateway.port).out, f"device {key.device_id[:12]} from 127.0.0.1")


def test_the_books_cannot_be_changed(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    run(desk, node, ["true"])
    run(desk, node, ["true"], approved=True)
    desk.close()
    gateway.stop()
    db = sqlite3.connect(os.path.join(home.state, "gateway.sqlite"))
    for table in ("exec_audit", "exec_refusals"):
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET doc = '{{}}'", f"UPDATE {table} SET at_ms = 0"):
            try:
                db.execute(statement)
                raise Failure(f"{statement} was possible")
            except sqlite3.IntegrityError as refused:
                contains(str(refused), "append-only")
    db.rollback()
    db.close()
    again = home.gateway()
    equal(len(history(operator(again))), 2, "a restart keeps the audit")


def test_a_run_that_the_gateway_did_not_survive(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    mark = os.path.join(test.dir, "started")
    desk.send("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": "k", "timeoutMs": 60000,
                              "params": {"command": ["sh", "-c", f"touch {mark}; sleep 30"]}})
    wait_until(lambda: os.path.exists(mark), "the program")
    gateway.stop(signal.SIGKILL)
    again = home.gateway()
    desk = operator(again)
    got = history(desk)[0]
    contains(got["command"], mark)
    equal(got["end"]["outcome"], "unknown")
    contains(got["end"]["reason"], "the gateway stopped before it ended")
    contains(home.cli("approvals", "history", port=again.port).out, "unknown: the gateway")


def test_the_log_of_the_node(test):
    home, gateway, box, node = paired_node(test)
    desk = operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    run(desk, node_id, ["sh", "-c", "echo hello; exit 3"], agentId="clerk", env={"TERM": "hunter2"})
    run(desk, node_id, ["/no/such/program"])
    run(desk, node_id, ["sleep", "60"], timeoutMs=1)
    box.approvals("deny")
    run(desk, node_id, ["uname"])
    path = os.path.join(box.state, "exec-log.jsonl")
    equal(os.stat(path).st_mode & 0o777, 0o600)
    check("hunter2" not in open(path, encoding="utf-8").read(), "values of the environment are not kept")
    items = box.cli_json("approvals", "history", "--local", "--json")["items"]
    equal([(i["kind"], i.get("end", {}).get("outcome")) for i in items],
          [("refused", None), ("run", "timed-out"), ("run", "not-started"), ("run", "exited")])
    equal((items[3]["end"]["exitCode"], items[3]["end"]["bytes"], items[3]["claimed"]["agentId"], items[3]["env"]),
          (3, 6, "clerk", "TERM"))
    equal((items[3]["by"]["id"], items[3]["by"]["name"], items[3]["gate"]), ("shared-secret", "desk", "full"))
    equal(items[3]["gateway"], f"127.0.0.1:{gateway.port}")
    shown = box.cli("approvals", "history", "--local").out
    contains(shown, "refused by the node: SYSTEM_RUN_DISABLED: security=deny (gate: local exec approvals; "
             "fix: openclaw approvals security allowlist)")
    contains(shown, "exit 3")
    equal((items[0]["grounds"]["remedy"], "fix: " in items[0]["reason"]), ("security-allowlist", False))
    contains(home.cli("approvals", "history", port=gateway.port).out,
             f"fix: openclaw approvals security allowlist --node {node_id[:12]})\n")
    # A line of an older node has the sentence as its reason.
    with open(os.path.join(box.state, "exec-refused.jsonl"), "w", encoding="utf-8") as lines:
        print(json.dumps({"atMs": 1, "kind": "refused", "command": "old", "gate": "allowlist-miss", "cause": "ALLOWLIST_MISS",
                          "reason": "no (gate: local exec approvals; fix: on the node run: openclaw approvals ask on-miss)"}), file=lines)
    contains(box.cli("approvals", "history", "--local").out,
             "refused by the node: no (gate: local exec approvals; fix: on the node run: openclaw approvals ask on-miss)")
    box.cli("approvals", "history", "--local", "--node", "box", code=2)
    # A command that takes the node down with it has left its line before.
    box.approvals("full")
    desk.send("node.invoke", {"nodeId": node_id, "command": "system.run", "idempotencyKey": "k",
                              "params": {"command": ["sh", "-c", f"kill -9 {node.child.pid}"]}})
    node.wait_exit()
    desk.close()
    last = box.cli_json("approvals", "history", "--local", "--json", "--limit", "1")["items"][0]
    contains(last["command"], "kill -9")
    check("end" not in last, "its end is not known")
    box.node(gateway.port)
    desk = operator(gateway)
    ended = wait_until(lambda: [i for i in history(desk) if i.get("end", {}).get("outcome") == "node-stopped"],
                       "the node to report what it left behind")[0]
    contains(ended["command"], "kill -9")
    last = box.cli_json("approvals", "history", "--local", "--json", "--limit", "1")["items"][0]
    equal(last["end"]["outcome"], "node-stopped")
    for shown in (cells(box.cli("approvals", "history", "--local", "--limit", "1")),
                  cells(home.cli("approvals", "history", "--limit", "1", port=gateway.port))):
        equal(shown[0][5:], ["ended with the node, which stopped", "not known"])


def cells(done):
    """The rows of a table, with lines that were wrapped put together."""
    rows = []
    for line in done.out.splitlines()[3:]:
        parts = [p.strip() for p in line.split("│")[1:-1]]
        if parts and parts[0] and re.match(r"\d{4}-", parts[0]):
            rows.append(parts)
        elif parts and rows:
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], parts)]
    return rows


def test_an_approved_run_does_not_read_as_a_refusal(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]

    def ask(name, decision):
        request = {"command": "x", "commandArgv": ["uname"], "host": "node", "nodeId": node, "id": name, "twoPhase": True}
        desk.answer(desk.send("exec.approval.request", request))
        desk.ok("exec.approval.resolve", {"id": name, "decision": decision})

    check(not run(desk, node, ["uname"])["ok"], "it runs unasked")
    ask("used", "allow-once")
    check(run(desk, node, ["uname"], approved=True, approvalDecision="allow-once", runId="used")["ok"], "approved")
    ask("unused", "allow-once")
    ask("no", "deny")
    equal(len(home.cli_json("approvals", "history", "--json", port=gateway.port)["items"]), 5, "everything is there")
    shown = cells(home.cli("approvals", "history", port=gateway.port))
    ends = [row[5].split(" [")[0] for row in shown]
    equal(sorted(ends[:2]), ["allow-once by desk", "not decided: taken back by desk"], "two of one millisecond may change places")
    equal(ends[2:], ["exit 0", "approval needed"])
    contains(shown[2][3], "approval by desk", "gate of the run")
    shown = cells(box.cli("approvals", "history", "--local"))
    equal([row[5] for row in shown], ["exit 0", "approval needed"], "by the node's log")


run_tests(globals())
