"""Approving commands: what the approver is shown, who may decide, deciding in the terminal, and approvals under attack."""

import hashlib

from harness import *


def operator(gateway, scopes=ALL_SCOPES, name="desk", mode="ui", identity=None):
    client = Client(gateway.port)
    check(client.connect(scopes=scopes, mode=mode, client_id="openclaw-macos", identity=identity,
                         client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": mode,
                                 "displayName": name})["ok"], "connect")
    return client


def asking(argv, node="f" * 64, **more):
    return {"command": "ls -l", "commandArgv": argv, "host": "node", "nodeId": node, "agentId": "main", **more}


def run(client, node_id, argv, approval=None, **more):
    params = {"command": argv, "agentId": "main", **more}
    if approval:
        params.update(runId=approval, approved=True, approvalDecision="allow-once")
    return client.call("node.invoke", {"nodeId": node_id, "command": "system.run", "params": params,
                                       "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})


def later(client, request):
    """The last answer to a request whose earlier frames may have been read already."""
    kept = [f for f in client.events if f.get("id") == request]
    return kept[-1] if kept else client.answer(request)


def test_the_approver_sees_what_runs(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway)
    rows = {
        "disguised": (["/tmp/evil", "-c", "ls -l"], "/tmp/evil -c 'ls -l'"),
        "shell": (["/bin/sh", "-lc", "ls -l"], "/bin/sh -lc 'ls -l'"),
        "cursor": (["echo", "a\x1b[2K\rls", "x\ny"], r"echo $'a\x1b[2K\rls' $'x\ny'"),
        "turned": (["/tmp/\u202egpj.sh", "\u200b", "a\u00a0b"], r"$'/tmp/\u202egpj.sh' $'\u200b' $'a\u00a0b'"),
        "quoted": (["rm", "-rf", "it's", ""], r"rm -rf 'it'\''s' ''"),
    }
    for name, (argv, wanted) in rows.items():
        desk.send("exec.approval.request", asking(argv, id=name))
        event = desk.event("exec.approval.requested")
        equal(event["request"]["command"], wanted, name)
        equal(event["request"]["commandArgv"], argv)
        equal(event["requestedBy"], "desk")
    desk.send("exec.approval.request", {"command": "ls \x1b[8m; rm -rf ~", "id": "text"})
    equal(desk.event("exec.approval.requested")["request"]["command"], r"ls \x1b[8m; rm -rf ~")
    # A plan cannot bring its own words either.
    plan = {"argv": ["/tmp/evil"], "cwd": "/srv", "rawCommand": "ls", "commandText": "ls", "agentId": "main", "sessionKey": "s1"}
    desk.send("exec.approval.request", {**asking(["ls"], id="plan"), "systemRunPlan": plan, "resolvedPath": "/bin/ls\x1b[1A",
                                        "security": "allowlist", "ask": "on-miss", "env": {"FOO": "shown\x1b[8m\u202e"}})
    equal(desk.event("exec.approval.requested")["request"]["command"], "/tmp/evil")
    out = home.cli("approvals", "pending", port=gateway.port).out
    for _, wanted in rows.values():
        contains(out, wanted)
    for part in ("/srv", "main", "s1", r"FOO=shown\x1b[8m\u{202e}", "not on the list", r"/bin/ls\x1b[1A", "asked by", "left)"):
        contains(out, part)
    for part in ("\x1b", "\u202e", "\u200b"):
        check(part not in out, f"{part!r} must not reach the terminal")
    many = desk.call("exec.approval.request", asking(["echo", "x" * 70000], id="huge"))
    contains(many["error"]["message"], "too large to be approved")


def test_nobody_but_the_owner_approves_for_themselves(test):
    home = test.machine("gw")
    gateway = home.gateway()
    scopes = ["operator.read", "operator.write", "operator.approvals"]
    agent, other = operator(gateway, scopes, "agent"), operator(gateway, scopes, "other", identity=test.identity())
    owner, program = operator(gateway), operator(gateway, name="program", mode="backend")
    for client, name in ((agent, "a"), (program, "p")):
        request = client.send("exec.approval.request", asking(["ls"], id=name, twoPhase=True))
        client.answer(request)
        for decision in ("allow-once", "allow-always"):
            refused = client.call("exec.approval.resolve", {"id": name, "decision": decision})
            equal(refused["error"]["details"]["code"], "APPROVAL_OWN_REQUEST")
            refused = client.call("approval.resolve", {"id": name, "kind": "exec", "decision": decision})
            equal(refused["error"]["details"]["code"], "APPROVAL_OWN_REQUEST")
        other.ok("exec.approval.resolve", {"id": name, "decision": "allow-once"})
        equal(later(client, request)["payload"]["decision"], "allow-once")
    agent.answer(agent.send("exec.approval.request", asking(["ls"], id="twice", twoPhase=True)))
    refused = operator(gateway, scopes, "again").call("exec.approval.resolve", {"id": "twice", "decision": "allow-once"})
    equal(refused["error"]["details"]["code"], "APPROVAL_OWN_REQUEST", "a second connection is no second look")
    request = agent.send("exec.approval.request", asking(["ls"], id="withdrawn", twoPhase=True))
    agent.answer(request)
    agent.ok("exec.approval.resolve", {"id": "withdrawn", "decision": "deny"})
    request = owner.send("exec.approval.request", asking(["ls"], id="own", twoPhase=True))
    owner.answer(request)
    owner.ok("exec.approval.resolve", {"id": "own", "decision": "allow-once"})
    reader = operator(gateway, ["operator.read", "operator.write"])
    refused = reader.call("exec.approval.resolve", {"id": "own", "decision": "deny"})
    contains(refused["error"]["message"], "missing scope: operator.approvals")
    node = Client(gateway.port)
    node.connect(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])
    try:
        check(not node.call("exec.approval.resolve", {"id": "own", "decision": "deny"})["ok"], "a node decides nothing")
    except Closed:
        pass


def test_two_decide_at_once(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk, one, two = operator(gateway), operator(gateway, name="one"), operator(gateway, name="two")
    for i in range(20):
        request = desk.send("exec.approval.request", asking(["ls"], id=f"race-{i}", twoPhase=True))
        desk.answer(request)
        asked = [(one, one.send("exec.approval.resolve", {"id": f"race-{i}", "decision": "allow-once"})),
                 (two, two.send("exec.approval.resolve", {"id": f"race-{i}", "decision": "deny"}))]
        won = [client.answer(sent)["ok"] for client, sent in asked]
        equal(sorted(won), [False, True], "exactly one decision counts")
        equal(later(desk, request)["payload"]["decision"], "allow-once" if won[0] else "deny")


def test_ten_thousand_requests(test):
    home = test.machine("gw")
    gateway = home.gateway()
    flood, desk = operator(gateway, name="flood", identity=test.identity()), operator(gateway)
    before = gateway.memory_kb()
    refused = 0
    for start in range(0, 10000, 100):
        sent = [flood.send("exec.approval.request", asking(["echo", "x" * 2000], twoPhase=True)) for _ in range(100)]
        wanted = set(sent)
        while wanted:
            frame = flood.ws.recv_json()
            if frame.get("id") in wanted:
                wanted.remove(frame["id"])
                refused += not frame["ok"]
    equal(refused, 10000 - 64, "refused requests")
    equal(len(desk.ok("exec.approval.list", {})), 64)
    grown = gateway.memory_kb() - before
    check(grown < 20000 or "asan" in BINARY or "tsan" in BINARY, f"the gateway grew by {grown} KB")
    desk.ok("exec.approval.list", {})
    request = desk.send("exec.approval.request", asking(["ls"], id="mine", twoPhase=True))
    equal(desk.answer(request)["payload"]["status"], "accepted", "the owner can still ask")


def test_a_restart_forgets_approvals(test):
    home, gateway, box, node = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    desk = operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    request = desk.send("exec.approval.request", asking(["uname"], node_id, id="early", twoPhase=True))
    desk.answer(request)
    desk.ok("exec.approval.resolve", {"id": "early", "decision": "allow-once"})
    port = gateway.port
    gateway.stop(signal.SIGKILL)
    again = home.gateway(port=port)
    wait_until(lambda: usable(home, again.port, "box"), "the node to come back")
    desk = operator(again)
    equal(run(desk, node_id, ["uname"], "early")["error"]["details"]["code"], "UNKNOWN_APPROVAL_ID")


def test_approvals_do_not_stretch(test):
    home, gateway, box, node = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    desk = operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    argv = ["env"]

    def approved(name, **more):
        request = desk.send("exec.approval.request", asking(argv, node_id, id=name, twoPhase=True, **more))
        desk.answer(request)
        desk.ok("exec.approval.resolve", {"id": name, "decision": "allow-once"})

    approved("one", env={"FOO": "x"})
    for changed in ({"env": {"FOO": "y"}}, {"env": {"FOO": "x", "BAR": "y"}}, {"env": {}}):
        equal(run(desk, node_id, argv, "one", **changed)["error"]["details"]["code"], "APPROVAL_ENV_MISMATCH")
    for changed in ({"cwd": "/"}, {"agentId": "other"}, {"sessionKey": "s"}):
        equal(run(desk, node_id, argv, "one", env={"FOO": "x"}, **changed)["error"]["details"]["code"],
              "APPROVAL_REQUEST_MISMATCH")
    # Names that the hash passes over do not travel along.
    done = run(desk, node_id, argv, "one", env={"FOO": "x", "BAR-1": "unseen", "N": 5})
    out = done["payload"]["payload"]["stdout"]
    check("FOO=x" in out.splitlines(), "what was hashed is set")
    check(not [line for line in out.splitlines() if line.startswith(("BAR-1=", "N="))], "nothing else is")
    equal(run(desk, node_id, argv, "one", env={"FOO": "x"})["error"]["details"]["code"], "APPROVAL_REQUIRED", "replayed")
    # Other spellings of the word are nobody's approval.
    for extra in ({"Approved": True}, {"approved": "true"}, {"approved": 1}, {"options": {"approved": True}},
                  {"params": {"approved": True, "approvalDecision": "allow-always"}}, {"approval_decision": "allow-once"},
                  {"approvalDecision": "ALLOW-ONCE"}, {"systemRunPlan": {"approved": True, "argv": argv}}):
        contains(run(desk, node_id, argv, **extra)["error"]["message"], "approval required", str(extra))


def test_deciding_from_the_command_line(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway)

    def ask(name):
        request = desk.send("exec.approval.request", asking(["uname", "-s"], id=name, twoPhase=True))
        desk.answer(request)
        return request

    contains(home.cli("approvals", "approve", port=gateway.port, code=1).err, "no command waits")
    first, second, third = ask("abc-1"), ask("abc-2"), ask("xyz")
    contains(home.cli("approvals", "approve", "--yes", port=gateway.port, code=1).err, "name one")
    contains(home.cli("approvals", "approve", "abc", "--yes", port=gateway.port, code=1).err, "abc-1, abc-2")
    contains(home.cli("approvals", "approve", "x", port=gateway.port, code=1).err, "no terminal to ask on")
    home.cli("approvals", "approve", "x", "--yes", port=gateway.port)
    equal(later(desk, third)["payload"]["decision"], "allow-once")
    done = home.cli_json("approvals", "approve", "abc-1", "--always", "--json", port=gateway.port)
    equal((done["id"], done["decision"], done["ok"]), ("abc-1", "allow-always", True))
    equal(later(desk, first)["payload"]["decision"], "allow-always")
    home.cli("approvals", "deny", port=gateway.port)
    equal(later(desk, second)["payload"]["decision"], "deny")
    contains(home.cli("approvals", "deny", "abc-1", port=gateway.port, code=1).err, "no command waits under abc-1")
    ask("asked")
    screen = Terminal(test, home, gateway.port, "approvals", "approve", "as")
    screen.wait_for("[y/N]")
    contains(screen.text, "uname -s")
    screen.type("\n")
    screen.end(1)
    equal([a["id"] for a in desk.ok("exec.approval.list", {})], ["asked"])


def test_nodes_run_waits_for_approval(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    desk = operator(gateway)

    def start(*args):
        return Process(test, "run", [BINARY, "nodes", "run", "--node", "box", *args],
                       home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))

    def waiting():
        return wait_until(lambda: desk.ok("exec.approval.list", {}), "the request")[0]

    run_it = start("--env", "FOO=x", "--cwd", os.path.realpath(test.dir), "--", "env")
    hint = run_it.wait_for(r"openclaw approvals approve (\S+)")
    shown = waiting()
    equal((shown["request"]["cwd"], shown["request"]["envKeys"]), (os.path.realpath(test.dir), ["FOO"]))
    home.cli("approvals", "approve", hint.group(1), "--yes", port=gateway.port)
    equal(run_it.wait_exit(), 0)
    contains(run_it.output(), "FOO=x")
    run_it = start("--", "uname")
    run_it.wait_for("approvals watch")
    home.cli("approvals", "deny", port=gateway.port)
    equal(run_it.wait_exit(), 1)
    contains(run_it.output(), "the approval was denied")
    run_it = start("--", "uname")
    run_it.wait_for("approvals watch")
    waiting()
    run_it.stop(signal.SIGKILL)
    wait_until(lambda: not desk.ok("exec.approval.list", {}), "the request of somebody who left to go away")


def test_the_file_of_this_machine(test):
    box = test.machine("box")
    path = os.path.join(box.home, ".openclaw", "exec-approvals.json")
    contains(box.cli("approvals", "get").out, "does not exist")
    contains(box.cli("approvals", "allowlist", "add", "/usr/bin/uname").out, "/usr/bin/uname")
    equal(os.stat(path).st_mode & 0o777, 0o600)
    saved = json.load(open(path, encoding="utf-8"))
    equal([e["pattern"] for e in saved["agents"]["*"]["allowlist"]], ["/usr/bin/uname"])
    shown = box.cli_json("approvals", "get", "--json")
    check("token" not in shown["file"].get("socket", {}), "the token stays in the file")
    contains(box.cli("approvals", "set", "--stdin", stdin=b'{"version":1,"defaults":{"security":"ful"}}', code=1).err, "security")
    box.cli("approvals", "set", "--stdin", stdin=b'{"version":1,"defaults":{"security":"full"}}')
    contains(box.cli("approvals", "get").out, "full")
    contains(box.cli("approvals", "get", "--gateway", "--node", "x", code=1).err, "two different files")
    os.chmod(path, 0o400)
    contains(box.cli("approvals", "allowlist", "add", "/usr/bin/id", code=1).err, "read-only")
    gateway = test.machine("gw").gateway()
    contains(box.cli("approvals", "get", "--gateway", port=gateway.port).out, os.path.join(test.dir, "gw"))


def test_watching(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway)

    def ask(name, **more):
        request = desk.send("exec.approval.request", asking(["rm", name], id=name, twoPhase=True, **more))
        desk.answer(request)
        return request

    early = ask("early")
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("[D] deny")
    contains(screen.text, "rm early")
    screen.type("\n")
    equal(later(desk, early)["payload"]["decision"], "deny", "Enter denies")
    screen.wait_for("resolved deny")
    once = ask("once")
    screen.wait_for("[D] deny", 2)
    screen.type("yes\n")
    screen.wait_for("[D] deny", 3)
    screen.type("o\n")
    equal(later(desk, once)["payload"]["decision"], "allow-once")
    screen.wait_for("resolved allow-once")
    ask("elsewhere")
    screen.wait_for("[D] deny", 4)
    behind = ask("behind")
    screen.wait_for("more wait")
    screen.type("o")  # half an answer, to the command that goes away now
    operator(gateway, name="other desk").ok("exec.approval.resolve", {"id": "elsewhere", "decision": "deny"})
    screen.wait_for("Decided elsewhere: deny by other desk")
    screen.wait_for("[D] deny", 5)
    contains(screen.text, "rm behind")
    screen.type("\n")
    equal(later(desk, behind)["payload"]["decision"], "deny", "what was typed before does not count")
    ask("short", timeoutMs=1)
    always = ask("always")
    screen.wait_for("rm always")
    screen.type("a\n")
    equal(later(desk, always)["payload"]["decision"], "allow-always")
    ask("left")
    screen.wait_for("rm left")
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)
    equal([a["id"] for a in desk.ok("exec.approval.list", {})], ["left"], "Ctrl-C decides nothing")
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("rm left")
    screen.type("\x04")
    screen.end(0)
    equal([a["id"] for a in desk.ok("exec.approval.list", {})], ["left"], "the end of input decides nothing")


def test_the_local_socket(test):
    box = test.machine("box")
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    path = os.path.join(box.home, ".openclaw", "exec-approvals.json")
    entry = json.load(open(path, encoding="utf-8"))["socket"]
    equal(os.stat(entry["path"]).st_mode & 0o777, 0o600)

    def send(*lines):
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(DEADLINE)

        def connect():
            try:
                peer.connect(entry["path"])
            except BlockingIOError:  # so many at once that they have not been let in yet
                return False
            return True

        wait_until(connect, "room at the socket")
        try:
            peer.sendall(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        except ConnectionError:
            pass  # what is too much is not even read to its end
        return peer

    def said(peer):
        data = b""
        while not data.endswith(b"\n"):
            try:
                piece = peer.recv(4096)
            except ConnectionError:
                piece = b""
            if not piece:
                return data
            data += piece
        return json.loads(data)

    def wish(command, token=entry["token"]):
        return {"type": "request", "token": token, "id": "mine", "request": {"command": command, "agentId": "main"}}

    equal(said(send(wish("evil", token="x" * 32))), b"", "a wrong token gets nothing")
    equal(said(send({"type": "request", "request": {"command": "evil"}})), b"")
    equal(said(send({"big": "x" * 100000})), b"", "lines are bounded")
    peer = send(wish("rm \x1b[2K x"))
    screen.wait_for(r"rm \x1b[2K x")
    screen.wait_for("[D] deny")
    screen.type("o\n")
    equal(said(peer), {"type": "decision", "id": "mine", "decision": "allow-once"})
    peer = send(wish("second"))
    screen.wait_for("[D] deny", 2)
    screen.type("\n")
    equal(said(peer)["decision"], "deny")
    peer = send(wish("third"))
    screen.wait_for("third")
    peer.close()
    screen.wait_for("Whoever asked has left")
    # Lines of the other kind are checked, count once, and are not obeyed.
    import hmac
    text, now = json.dumps({"command": ["id"]}), int(time.time() * 1000)
    mac = hmac.new(entry["token"].encode(), f"n:{now}:{text}".encode(), hashlib.sha256).hexdigest()
    line = {"type": "exec", "id": "e", "nonce": "n", "ts": now, "hmac": mac, "requestJson": text}
    equal(said(send(line))["error"]["code"], "UNAVAILABLE")
    equal(said(send(line)), b"", "replayed")
    # Many who say nothing do not keep it busy for ever, nor does a second prompter get in.
    contains(box.cli("approvals", "watch", "--local", code=1).err, "no terminal")
    other = Terminal(test, box, 1, "approvals", "watch", "--local")
    other.wait_for("another program already asks")
    other.end(1)
    idle = [send() for _ in range(16)]
    equal(said(send(wish("crowd"))), b"", "connections are bounded")
    for peer in idle:
        peer.close()
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)
    check(not os.path.exists(entry["path"]), "the socket is taken away")
    os.chmod(os.path.dirname(path), 0o777)
    open_to_all = Terminal(test, box, 1, "approvals", "watch", "--local")
    open_to_all.wait_for("others can change")
    open_to_all.end(1)


def test_the_person_at_the_node_is_asked(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    contains(run(desk, node_id, ["uname", "-s"])["error"]["message"], "approval required", "nobody is there")
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")

    def ask(argv):
        return desk.send("node.invoke", {"nodeId": node_id, "command": "system.run", "params": {"command": argv},
                                         "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 60000})

    request = ask(["uname", "-s"])
    screen.wait_for("uname -s")
    screen.type("\n")
    contains(desk.answer(request)["error"]["message"], "user denied")
    request = ask(["uname", "-s"])
    screen.wait_for("[D] deny", 2)
    screen.type("o\n")
    equal(desk.answer(request)["payload"]["payload"]["stdout"], "Linux\n")
    request = ask(["uname", "-s"])
    screen.wait_for("[D] deny", 3)
    screen.type("a\n")
    equal(desk.answer(request)["payload"]["payload"]["stdout"], "Linux\n")
    equal(run(desk, node_id, ["uname"])["payload"]["payload"]["stdout"], "Linux\n", "always is remembered")
    request = ask(["id"])
    screen.wait_for("runs       id")
    os.kill(screen.child.pid, signal.SIGKILL)
    screen.end(-signal.SIGKILL)
    contains(desk.answer(request)["error"]["message"], "approval required", "nobody decided")
    box.approvals("deny")
    contains(run(desk, node_id, ["uname"])["error"]["message"], "SYSTEM_RUN_DISABLED", "deny is not asked about")


def test_a_command_that_waits_is_cancelled_for_good(test):
    """Also when the list has come to allow it meanwhile."""
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk, other = operator(gateway), operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    mark = os.path.join(test.dir, "mark")
    request = desk.send("node.invoke", {"nodeId": node_id, "command": "system.run", "params": {"command": ["touch", mark]},
                                        "idempotencyKey": "waits", "timeoutMs": 60000})
    screen.wait_for("touch")
    box.approvals("allowlist", ["*"], ask="on-miss")
    equal(other.ok("node.invoke.cancel", {"idempotencyKey": "waits"})["found"], True)
    contains(desk.answer(request)["error"]["message"], "was not started")
    check(not os.path.exists(mark), "it ran")
    os.kill(screen.child.pid, signal.SIGKILL)
    screen.end(-signal.SIGKILL)


def test_a_plan_cannot_say_which_script_was_seen(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk, agent = operator(gateway), operator(gateway)
    node_id = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    path, evil = os.path.join(os.path.realpath(test.dir), "x.sh"), b"echo evil\n"
    with open(path, "wb") as f:
        f.write(b"echo harmless\n")
    plan = agent.ok("node.invoke", {"nodeId": node_id, "command": "system.run.prepare", "idempotencyKey": "p",
                                    "params": {"command": ["bash", path], "agentId": "main"}})["payload"]["plan"]
    plan["mutableFileOperand"]["sha256"] = hashlib.sha256(evil).hexdigest()
    agent.answer(agent.send("exec.approval.request", {**asking(plan["argv"], node_id, id="s", twoPhase=True), "systemRunPlan": plan}))
    desk.ok("exec.approval.resolve", {"id": "s", "decision": "allow-once"})
    with open(path, "wb") as f:
        f.write(evil)
    contains(run(agent, node_id, ["bash", path], "s")["error"]["message"], "execution plan mismatch")


def test_watching_for_programs(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway)
    desk.answer(desk.send("exec.approval.request", asking(["ls"], id="one", twoPhase=True)))
    watch = Process(test, "watch", [BINARY, "approvals", "watch", "--json"],
                    home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))

    def lines():
        return [json.loads(line) for line in watch.output().splitlines()]

    wait_until(lambda: len(lines()) == 1, "the first line")
    desk.answer(desk.send("exec.approval.request", asking(["ls"], id="two", twoPhase=True)))
    desk.ok("exec.approval.resolve", {"id": "one", "decision": "deny"})
    wait_until(lambda: len(lines()) == 3, "all lines")
    equal([(e["event"], e["id"]) for e in lines()], [("requested", "one"), ("requested", "two"), ("resolved", "one")])
    gateway.stop()
    equal(watch.wait_exit(), 1)


run_tests(globals())
