"""Exec approvals: the files of node and gateway edited from afar, and commands that an operator approves one by one."""

import stat

from harness import *


def operator(test, gateway, scopes=ALL_SCOPES, identity=None, name="desk"):
    client = Client(gateway.port)
    check(client.connect(scopes=scopes, identity=identity, mode="ui", client_id="openclaw-macos",
                         client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui",
                                 "displayName": name})["ok"], "connect")
    return client


def node_id_of(client):
    return client.ok("node.list", {})["nodes"][0]["nodeId"]


def refusal(client, method, params, message, code=None):
    answer = client.call(method, params)
    check(not answer["ok"], f"{method} must fail")
    contains(answer["error"]["message"], message)
    if code:
        equal(answer["error"]["details"]["code"], code)
    return answer["error"]


def plan(node_id, argv, **more):
    text = " ".join(argv)
    return {"command": text, "commandArgv": argv, "host": "node", "nodeId": node_id,
            "systemRunPlanV2": {"version": 2, "argv": argv, "cwd": None, "rawCommand": text, "agentId": "main",
                                "sessionKey": None}, **more}


def run(client, node_id, argv, approval=None, decision="allow-once", **more):
    params = {"command": argv, "agentId": "main", **more}
    if approval:
        params.update(runId=approval, approved=True, approvalDecision=decision)
    return client.call("node.invoke", {"nodeId": node_id, "command": "system.run", "params": params,
                                       "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})


def test_the_file_of_a_node(test):
    home, gateway, box, _ = paired_node(test, "deny")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    path = os.path.join(box.home, ".openclaw", "exec-approvals.json")
    before = desk.ok("exec.approvals.node.get", {"nodeId": node})
    equal(before["path"], path)
    equal(before["exists"], True)
    equal(before["hash"], hashlib.sha256(open(path, "rb").read()).hexdigest())
    equal(before["file"]["defaults"]["security"], "deny")
    new = {"version": 1, "defaults": {"security": "allowlist", "ask": "off"},
           "agents": {"*": {"allowlist": [{"pattern": os.path.realpath(shutil.which("uname"))}]}}}
    refusal(desk, "exec.approvals.node.set", {"nodeId": node, "file": new},
            "exec approvals base hash required; reload and retry")
    refusal(desk, "exec.approvals.node.set", {"nodeId": node, "file": new, "baseHash": "0" * 64},
            "exec approvals changed; reload and retry")
    bad = {"version": 1, "agents": {"*": {"allowlist": ["/bin/true"]}}}
    refusal(desk, "exec.approvals.node.set", {"nodeId": node, "file": bad, "baseHash": before["hash"]},
            "invalid exec.approvals.node.set params: at /file/agents/*/allowlist/0: must be object")
    refusal(desk, "exec.approvals.node.set", {"nodeId": node, "baseHash": before["hash"],
                                              "file": {"version": 1, "defaults": {"security": "ful"}}}, "security")
    after = desk.ok("exec.approvals.node.set", {"nodeId": node, "file": new, "baseHash": before["hash"]})
    check("token" not in after["file"]["socket"], "the token of the socket stays on the node")
    check(after["file"]["agents"]["*"]["allowlist"][0]["id"], "entries get an id")
    equal(stat.S_IMODE(os.stat(path).st_mode), 0o600)
    saved = json.load(open(path, encoding="utf-8"))
    equal(len(saved["socket"]["token"]), 32)
    contains(run(desk, node, ["uname"])["payload"]["payload"]["stdout"], "Linux")
    refusal(desk, "node.invoke", {"nodeId": node, "command": "system.execApprovals.get", "params": {},
                                  "idempotencyKey": "k"}, "node.invoke does not allow system.execApprovals.*")
    weak = operator(test, gateway, ["operator.read", "operator.write", "operator.approvals", "operator.pairing"])
    refusal(weak, "exec.approvals.node.get", {"nodeId": node}, "missing scope: operator.admin")
    os.chmod(path, 0o400)
    again = desk.ok("exec.approvals.node.get", {"nodeId": node})
    refusal(desk, "exec.approvals.node.set", {"nodeId": node, "file": new, "baseHash": again["hash"]}, "read-only")
    contains(json.dumps(desk.ok("node.describe", {"nodeId": node})["gates"]), "system.run")
    check("system.execApprovals.get" not in desk.ok("node.describe", {"nodeId": node})["gates"], "no gate of its own")


def test_the_file_of_the_gateway(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(test, gateway)
    path = os.path.join(home.home, ".openclaw", "exec-approvals.json")
    none = desk.ok("exec.approvals.get", {})
    equal(none["exists"], False)
    equal(none["hash"], hashlib.sha256(b"").hexdigest())
    check(not os.path.exists(path), "looking creates nothing")
    made = desk.ok("exec.approvals.set", {"file": {"version": 1, "agents": {
        "default": {"security": "full", "allowlist": [{"pattern": "/bin/a"}]}, "main": {"ask": "off"}}}})
    equal(made["exists"], True)
    equal(made["file"]["agents"]["main"]["security"], "full")
    equal(made["file"]["agents"]["main"]["allowlist"][0]["pattern"], "/bin/a")
    check("default" not in made["file"]["agents"], "default became main")
    token = json.load(open(path, encoding="utf-8"))["socket"]["token"]
    refusal(desk, "exec.approvals.set", {"file": made["file"]},
            "exec approvals base hash required; re-run exec.approvals.get and retry")
    refusal(desk, "exec.approvals.set", {"file": made["file"], "baseHash": none["hash"]},
            "exec approvals changed since last load; re-run exec.approvals.get and retry")
    desk.ok("exec.approvals.set", {"file": made["file"], "baseHash": made["hash"]})
    equal(json.load(open(path, encoding="utf-8"))["socket"]["token"], token, "the token survives")
    with open(path, "w", encoding="utf-8") as f:
        f.write("{ not json")
    refusal(desk, "exec.approvals.get", {}, "damaged")


def test_one_asks_another_decides(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk, phone = operator(test, gateway), operator(test, gateway, name="phone")
    node = node_id_of(desk)
    argv = ["uname", "-s"]
    refused = run(desk, node, argv)
    contains(refused["error"]["message"], "SYSTEM_RUN_DENIED: approval required")
    request = desk.send("exec.approval.request", plan(node, argv, id="run-1", twoPhase=True))
    accepted = desk.answer(request)["payload"]
    equal(accepted["status"], "accepted")
    equal(accepted["id"], "run-1")
    event = phone.event("exec.approval.requested")
    equal(event["id"], "run-1")
    equal(event["request"]["command"], "uname -s")
    equal(event["request"]["systemRunBindingV1"], {"version": 1, "argv": argv, "cwd": None, "agentId": "main",
                                                    "sessionKey": None, "envHash": None})
    equal([a["id"] for a in phone.ok("exec.approval.list", {})], ["run-1"])
    refusal(desk, "exec.approval.request", plan(node, argv, id="run-1"), "approval id already pending")
    equal(run(desk, node, argv, "run-1")["error"]["details"]["code"], "APPROVAL_REQUIRED")
    waiting = phone.send("exec.approval.waitDecision", {"id": "run-1"})
    refusal(phone, "exec.approval.resolve", {"id": "run-1", "decision": "perhaps"}, "invalid decision")
    equal(phone.ok("exec.approval.resolve", {"id": "run-1", "decision": "allow-once"}), {"ok": True})
    resolved = desk.event("exec.approval.resolved")
    equal(resolved["decision"], "allow-once")
    equal(resolved["resolvedBy"], "phone")
    decided = [e for e in phone.events if e.get("id") == waiting] or [phone.answer(waiting)]
    equal(decided[0]["payload"]["decision"], "allow-once")
    final = [e for e in desk.events if e.get("id") == request] or [desk.answer(request)]
    equal(final[0]["payload"]["decision"], "allow-once")
    late = refusal(phone, "exec.approval.resolve", {"id": "run-1", "decision": "deny"}, "approval already resolved")
    equal((late["details"]["cause"], late["details"]["remedy"]), ("ALREADY_DECIDED", "list-approvals"))
    equal(phone.ok("exec.approval.list", {}), [])
    # What the caller says now does not matter: the plan runs.
    done = run(desk, node, ["rm", "-rf", "/"], "run-1")
    equal(done["payload"]["payload"]["stdout"], "Linux\n")
    equal(run(desk, node, argv, "run-1")["error"]["details"]["code"], "APPROVAL_REQUIRED", "once means once")


def test_approvals_fit_one_request(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    argv = ["uname", "-s"]

    def ask(decision, **more):
        name = str(uuid.uuid4())
        params = {"id": name, "command": "echo harmless", "commandArgv": argv, "host": "node", "nodeId": node,
                  "agentId": "main", **more}
        request = desk.send("exec.approval.request", params)
        shown = desk.event("exec.approval.requested")
        desk.ok("exec.approval.resolve", {"id": name, "decision": decision})
        final = [e for e in desk.events if e.get("id") == request] or [desk.answer(request)]
        equal(final[0]["payload"]["decision"], decision)
        return name, shown

    def code(*args, **more):
        return run(desk, node, *args, **more)["error"]["details"]["code"]

    name, shown = ask("allow-once")
    equal(shown["request"]["command"], "uname -s", "a text that hides the command is not shown")
    equal(code(["uname", "-a"], name), "APPROVAL_REQUEST_MISMATCH")
    equal(code(argv, name, cwd="/tmp"), "APPROVAL_REQUEST_MISMATCH")
    equal(code(argv, name, agentId="other"), "APPROVAL_REQUEST_MISMATCH")
    equal(code(argv, name, sessionKey="s"), "APPROVAL_REQUEST_MISMATCH")
    equal(code(argv + [5], name), "APPROVAL_REQUEST_MISMATCH")
    equal(code(argv, name, env={"FOO": "x"}), "APPROVAL_ENV_BINDING_MISSING")
    equal(code(argv, "no-such"), "UNKNOWN_APPROVAL_ID")
    equal(code(argv, " "), "MISSING_RUN_ID")
    other = operator(test, gateway)
    equal(run(other, node, argv, name)["error"]["details"]["code"], "APPROVAL_CLIENT_MISMATCH")
    contains(run(desk, node, argv, name)["payload"]["payload"]["stdout"], "Linux")
    name, shown = ask("allow-once", env={"FOO": "x", "bad-name": "y"})
    equal(shown["request"]["envKeys"], ["FOO"])
    check(shown["request"]["systemRunBindingV1"]["envHash"].startswith("cfd452ec"), "the hash of FOO=x")
    equal(code(argv, name, env={"FOO": "y"}), "APPROVAL_ENV_MISMATCH")
    contains(run(desk, node, argv, name, env={"FOO": "x"})["payload"]["payload"]["stdout"], "Linux")
    name, _ = ask("deny")
    equal(code(argv, name), "APPROVAL_REQUIRED")
    name, _ = ask("allow-once", nodeId="f" * 64)
    equal(code(argv, name), "APPROVAL_NODE_MISMATCH")
    # Somebody who may only invoke cannot make it up.
    weak = operator(test, gateway, ["operator.read", "operator.write"])
    refusal(weak, "exec.approval.request", plan(node, argv), "missing scope: operator.approvals")
    contains(run(weak, node, argv, decision="allow-always")["error"]["message"], "approval required")
    check(not [e for e in weak.events if str(e.get("event")).startswith("exec.approval")], "events need the scope")


def test_allow_always_is_remembered(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    for argv in (["uname", "-s"], ["sh", "-c", "uname -s"]):
        name = str(uuid.uuid4())
        desk.ok("node.invoke", {"nodeId": node, "command": "system.run.prepare", "idempotencyKey": name + "p",
                                "params": {"command": argv, "agentId": "main"}})
        params = plan(node, argv, id=name)
        params["systemRunPlanV2"]["rawCommand"] = argv[2] if len(argv) == 3 else "uname -s"
        request = desk.send("exec.approval.request", params)
        desk.event("exec.approval.requested")
        desk.ok("exec.approval.resolve", {"id": name, "decision": "allow-always"})
        contains(run(desk, node, argv, name)["payload"]["payload"]["stdout"], "Linux", str(argv))
        contains(run(desk, node, argv, name)["payload"]["payload"]["stdout"], "Linux", "as often as one likes")
    contains(run(desk, node, ["uname"])["payload"]["payload"]["stdout"], "Linux", "listed now")
    contains(run(desk, node, ["sh", "-c", "uname"])["payload"]["payload"]["stdout"], "Linux", "what the script runs is listed")
    for argv in (["sh", "-c", "id"], ["sh", "-i"], ["sh", "-c", "uname; id"]):
        contains(run(desk, node, argv)["error"]["message"], "approval required", "a shell is never listed")
    listed = desk.ok("exec.approvals.node.get", {"nodeId": node})["file"]["agents"]["main"]["allowlist"]
    equal(len(listed), 1)


def test_an_approved_script_must_stay_what_it_was(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    folder = os.path.realpath(test.dir)
    script = os.path.join(folder, "job.sh")
    write = lambda text: open(script, "w", encoding="utf-8").write(text)
    argv = ["sh", "job.sh"]

    def approve():
        """What is asked for is what the node says it would run; newer gateways keep all of it, older ones less."""
        name = str(uuid.uuid4())
        said = desk.ok("node.invoke", {"nodeId": node, "command": "system.run.prepare", "idempotencyKey": name + "p",
                                       "params": {"command": argv, "cwd": folder, "agentId": "main"}})["payload"]
        equal(said["plan"]["mutableFileOperand"]["path"], script)
        equal(said["execPolicy"], {"security": "allowlist", "ask": "on-miss"})
        params = plan(node, argv, id=name, cwd=folder)
        params["systemRunPlanV2"]["cwd"] = folder
        desk.send("exec.approval.request", params)
        desk.event("exec.approval.requested")
        desk.ok("exec.approval.resolve", {"id": name, "decision": "allow-once"})
        return name

    write("echo first")
    equal(run(desk, node, argv, approve(), cwd=folder)["payload"]["payload"]["stdout"], "first\n")
    name = approve()
    write("echo second")
    contains(run(desk, node, argv, name, cwd=folder)["error"]["message"], "execution plan mismatch")
    equal(run(desk, node, argv, approve(), cwd=folder)["payload"]["payload"]["stdout"], "second\n")


def test_no_decision_is_a_refusal(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    done = desk.ok("exec.approval.request", plan(node, ["uname"], id="slow", timeoutMs=1))
    equal(done["decision"], None)
    equal(run(desk, node, ["uname"], "slow")["error"]["details"]["code"], "APPROVAL_EXPIRED")
    refusal(desk, "exec.approval.waitDecision", {"id": "never"}, "approval expired or not found")
    refusal(desk, "exec.approval.resolve", {"id": "never", "decision": "deny"}, "unknown approval id")
    refusal(desk, "exec.approval.request", {"command": "x", "host": "node"}, "nodeId is required for host=node")
    refusal(desk, "exec.approval.request", {"command": "x", "agentId": "*"}, "at /agentId: must be one agent")
    everybody = {"argv": ["x"], "cwd": None, "rawCommand": "x", "agentId": "*", "sessionKey": None}
    refusal(desk, "exec.approval.request", {"command": "x", "host": "node", "nodeId": "f" * 64, "systemRunPlan": everybody},
            "at /agentId: must be one agent")
    refusal(desk, "exec.approval.request", {"command": "x", "host": "node", "nodeId": node},
            "commandArgv is required for host=node")
    for _ in range(64):
        desk.send("exec.approval.request", plan(node, ["uname"]))
    refusal(desk, "exec.approval.request", plan(node, ["uname"]), "too many approvals")


def test_the_names_of_newer_clients(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(test, gateway)
    request = desk.send("exec.approval.request", {"command": "ls", "id": "one", "twoPhase": True})
    desk.answer(request)
    equal(desk.ok("plugin.approval.list", {}) + desk.ok("openclaw.approval.list", {}), [])
    seen = desk.ok("approval.get", {"id": "one"})["approval"]
    equal((seen["status"], seen["presentation"]["commandText"]), ("pending", "ls"))
    refusal(desk, "approval.get", {"id": "two"}, "approval not found")
    refusal(desk, "approval.resolve", {"id": "one", "kind": "plugin", "decision": "deny"}, "invalid")
    done = desk.ok("approval.resolve", {"id": "one", "kind": "exec", "decision": "deny"})
    equal((done["applied"], done["approval"]["status"], done["approval"]["resolver"]["id"]), (True, "denied", "desk"))
    again = desk.ok("approval.resolve", {"id": "one", "kind": "exec", "decision": "allow-once"})
    equal((again["applied"], again["approval"]["decision"]), (False, "deny"))
    desk.event("exec.approval.resolved")


def test_our_command_line(test):
    home, gateway, box, _ = paired_node(test, "deny")
    uname = os.path.realpath(shutil.which("uname"))
    contains(home.cli("approvals", "get", "--node", "box", port=gateway.port).out, "deny")
    home.cli("approvals", "set", "--node", "box", "--stdin", port=gateway.port,
             stdin=b'{"version":1,"defaults":{"security":"allowlist","ask":"off"}}')
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port, code=1)
    contains(home.cli("approvals", "allowlist", "add", "--node", "box", uname, port=gateway.port).out, uname)
    contains(home.cli("approvals", "allowlist", "add", "--node", "box", uname, port=gateway.port).err, "Already allowlisted.")
    home.cli("nodes", "run", "--node", "box", "--", "uname", port=gateway.port)
    shown = home.cli_json("approvals", "allowlist", "remove", uname, "--node", "box", "--json", port=gateway.port)
    equal(shown["file"]["agents"]["*"]["allowlist"], [])
    home.cli("approvals", "allowlist", "remove", "--node", "box", uname, port=gateway.port, code=1)
    home.cli("approvals", "allowlist", "eat", uname, port=gateway.port, code=2)
    contains(home.cli("approvals", "get", port=gateway.port).out, "does not exist")
    contains(home.cli("approvals", "pending", port=gateway.port).out, "No pending approvals.")
    desk = operator(test, gateway)
    request = desk.send("exec.approval.request", {"command": "ls", "id": "wish"})
    desk.event("exec.approval.requested")
    contains(home.cli("approvals", "pending", port=gateway.port).out, "wish")
    contains(home.cli("approvals", "resolve", "wish", "perhaps", port=gateway.port, code=2).err, "allow-once, allow-always and deny")
    home.cli("approvals", "resolve", "wish", "allow-once", port=gateway.port)
    equal(desk.answer(request)["payload"]["decision"], "allow-once")


def test_fallback_is_for_people_who_had_time(test):
    home, gateway, box, _ = paired_node(test)
    with open(os.path.join(box.home, ".openclaw", "exec-approvals.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "defaults": {"security": "full", "ask": "always", "askFallback": "full"}}, f)
    desk = operator(test, gateway)
    node = node_id_of(desk)
    # Whoever gives people a moment only wanted no answer; and nobody but the gateway can say that there was none.
    equal(desk.ok("exec.approval.request", plan(node, ["uname"], id="hasty", timeoutMs=1))["decision"], None)
    contains(run(desk, node, ["uname"], "hasty")["error"]["message"], "approval expired")
    answer = run(desk, node, ["uname"], runId="hasty", approvalUnanswered=True)
    contains(answer["error"]["message"], "SYSTEM_RUN_DENIED: approval required")


def test_deny_stays_deny(test):
    home, gateway, box, _ = paired_node(test, "deny")
    desk = operator(test, gateway)
    node = node_id_of(desk)
    request = desk.send("exec.approval.request", plan(node, ["uname"], id="one"))
    asked = desk.event("exec.approval.requested")["request"]
    contains(asked["unbound"][0], "the node did not look at its files: SYSTEM_RUN_DISABLED: security=deny")
    desk.ok("exec.approval.resolve", {"id": "one", "decision": "allow-once"})
    contains(run(desk, node, ["uname"], "one")["error"]["message"], "SYSTEM_RUN_DISABLED: security=deny")
    check(request, "sent")


run_tests(globals())
