"""Being asked: an approval is about one command, shown with what its node says, and ends with whoever asked for it."""

import threading

from harness import *


def operator(gateway, name="desk", **more):
    client = Client(gateway.port)
    check(client.connect(client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui",
                                 "displayName": name}, client_id="openclaw-macos", mode="ui", **more)["ok"], "connect")
    return client


def asking(argv, node="f" * 64, **more):
    return {"command": "ls", "commandArgv": argv, "host": "node", "nodeId": node, "agentId": "main", "twoPhase": True, **more}


def start_run(test, home, port, *args, node="box"):
    return Process(test, "run", [BINARY, "nodes", "run", "--node", node, *args], home.env(OPENCLAW_GATEWAY_PORT=str(port)))


def waiting(desk):
    return wait_until(lambda: desk.ok("exec.approval.list", {}), "the request")[0]


class Talker:
    """A node that is asked what it would run, and says what the test wants."""

    def __init__(self, test, home, gateway, approval, *more):
        self.identity = test.identity()
        self.approval = approval
        self.asked = []
        self.client = Client(gateway.port)
        self.client.connect(role="node", identity=self.identity, commands=["system.run", "system.run.prepare", *more],
                            caps=["system"])
        home.cli("nodes", "approve", "--yes", port=gateway.port)
        wait_until(lambda: usable(home, gateway.port, "e2e node", "system.run.prepare"), "the node")
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            while True:
                frame = self.client.ws.recv_json()
                if frame.get("event") == "node.invoke.request":
                    self.reply(frame["payload"])
                self.hear(frame)
        except (Closed, OSError, ValueError):
            pass

    def hear(self, frame):
        pass

    def reply(self, invoke):
        params = json.loads(invoke["paramsJSON"])
        self.asked.append((invoke["command"], params))
        answer = {"id": invoke["id"], "nodeId": self.identity.device_id, "ok": True}
        if invoke["command"] == "system.run.prepare":
            plan = {"version": 2, "argv": params["command"], "cwd": params.get("cwd"), "rawCommand": "x", "agentId": None,
                    "sessionKey": None}
            answer["payloadJSON"] = json.dumps({"cmdText": "x", "plan": plan, "approval": self.approval})
        elif params.get("approved"):
            answer["payloadJSON"] = json.dumps({"exitCode": 0, "timedOut": False, "success": True, "stdout": "", "stderr": ""})
        else:
            answer.update(ok=False, error={"code": "SYSTEM_RUN_DENIED", "message": "SYSTEM_RUN_DENIED: approval required"})
        self.client.send("node.invoke.result", answer)


def test_an_id_means_one_command(test):
    gateway = test.machine("gw").gateway()
    desk, agent = operator(gateway), operator(gateway, "agent", identity=test.identity())
    accepted = agent.ok("exec.approval.request", asking(["uname"], id="mine", timeoutMs=1))
    equal(desk.event("exec.approval.requested")["request"]["command"], "uname")
    over = desk.event("exec.approval.resolved")
    equal((over["id"], over["decision"], over["resolvedBy"], over["terminalStatus"]), ("mine", "deny", None, "expired"))
    equal(over["request"]["commandArgv"], ["uname"])
    equal(accepted["status"], "accepted")
    refused = agent.call("exec.approval.request", asking(["rm", "-rf", "/"], id="mine"))
    check(not refused["ok"], "an id that ran out of time was used again")
    agent.ok("exec.approval.request", asking(["uname"], id="denied"))
    desk.ok("exec.approval.resolve", {"id": "denied", "decision": "deny"})
    equal("terminalStatus" in desk.event("exec.approval.resolved"), False, "somebody decided that one")
    equal(desk.ok("exec.approval.list", {}), [])
    check(not desk.call("exec.approval.resolve", {"id": "mine", "decision": "allow-once"})["ok"], "a late yes")


def test_what_was_seen_is_looked_at_once_more(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway)
    desk.ok("exec.approval.request", asking(["uname"], id="seen"))
    desk.ok("exec.approval.request", asking(["rm", "-rf", "/"], id="seen-too"))
    screen = Terminal(test, home, gateway.port, "approvals", "approve", "seen")
    screen.wait_for("[y/N]")
    contains(screen.text, "uname")
    desk.ok("exec.approval.resolve", {"id": "seen", "decision": "deny"})
    screen.type("y\n")
    screen.wait_for("it was decided elsewhere, or its time is over")
    screen.end(1)
    equal([a["id"] for a in desk.ok("exec.approval.list", {})], ["seen-too"], "a yes to the one is none to the other")


def test_a_signal_takes_the_request_back(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    desk = operator(gateway)
    mark = os.path.join(test.dir, "mark")
    for signo in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        run_it = start_run(test, home, gateway.port, "--", "touch", mark)
        run_it.wait_for("approvals watch")
        asked = waiting(desk)["id"]
        run_it.child.send_signal(signo)
        equal(run_it.wait_exit(), 128 + signo, str(signo))
        contains(run_it.output(), "it was not run")
        equal(desk.ok("exec.approval.list", {}), [], "what waits")
        over = desk.event("exec.approval.resolved")
        equal((over["id"], over["decision"]), (asked, "deny"), "taken back before it left")
        contains(over["resolvedBy"], "@", "who took it back")
        check(not desk.call("exec.approval.resolve", {"id": asked, "decision": "allow-once"})["ok"], "approved too late")
    check(not os.path.exists(mark), "it ran")
    # Typed on a terminal, which is as it was afterwards.
    screen = Terminal(test, home, gateway.port, "nodes", "run", "--tty", "--node", "box", "--", "touch", mark)
    screen.wait_for("approvals watch")
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)
    run_it = start_run(test, home, gateway.port, "--json", "--", "touch", mark)
    waiting(desk)
    run_it.child.send_signal(signal.SIGTERM)
    equal(run_it.wait_exit(), 143)
    contains(run_it.output(), '"code": "CANCELLED"')
    check(not os.path.exists(mark), "it ran")


def test_the_gateway_dies_while_somebody_is_asked(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="always")
    run_it = start_run(test, home, gateway.port, "--", "uname")
    run_it.wait_for("approvals watch")
    waiting(operator(gateway))
    gateway.stop(signal.SIGKILL)
    equal(run_it.wait_exit(), 1)
    contains(run_it.output(), "was not started")
    check("unknown" not in run_it.output(), "nothing is unknown about it")


def test_what_the_node_says_is_shown(test):
    home = test.machine("gw")
    gateway = home.gateway()
    node = Talker(test, home, gateway, {"resolvedPath": "/usr/bin/uname", "reason": "/usr/bin/uname is not on the list",
                                        "wouldAllow": ["/usr/bin/uname"], "security": "allowlist", "ask": "on-miss"})
    desk = operator(gateway)
    node_id = node.identity.device_id
    lies = {"resolvedPath": "/bin/harmless", "security": "full", "ask": "off", "reason": "just a check", "cwd": "/srv"}
    desk.ok("exec.approval.request", asking(["uname", "-a"], node_id, id="one", sessionKey="s1", **lies))
    shown = home.cli("approvals", "pending", port=gateway.port).out
    facts, claims = shown.split("as whoever asked says, unchecked:")
    for part in ("uname -a", "/srv", "e2e node", "/usr/bin/uname is not on the list", "security allowlist, ask on-miss",
                 "lets /usr/bin/uname run without asking", "program    /usr/bin/uname"):
        contains(facts, part)
    for part in ("main", "s1"):
        contains(claims, part)
    check("harmless" not in shown and "just a check" not in shown, "the node knows better")
    command, params = node.asked[-1]
    equal((command, params["command"], params["cwd"]), ("system.run.prepare", ["uname", "-a"], "/srv"))
    screen = Terminal(test, home, gateway.port, "approvals", "watch")
    screen.wait_for("[a] allow always (lets /usr/bin/uname run without asking")
    node.approval = {"resolvedPath": "/bin/sh", "reason": "sh can run any other command", "wouldAllow": []}
    screen.type("a\n")
    screen.wait_for("resolved allow-always: it lets /usr/bin/uname run")
    desk.ok("exec.approval.request", asking(["sh", "-c", "x"], node_id, id="two"))
    screen.wait_for("[a] allow always (can remember nothing of it")
    screen.type("q\n")
    screen.end(0)
    done = home.cli_json("approvals", "approve", "two", "--always", "--json", port=gateway.port)
    equal((done["decision"], done["remembers"]), ("allow-always", []))
    desk.ok("exec.approval.request", asking(["sh", "-c", "x"], node_id, id="three"))
    contains(home.cli("approvals", "approve", "three", "--always", port=gateway.port).out, "the same as once")
    # Nobody there to ask: what is left are claims.
    desk.ok("exec.approval.request", asking(["uname"], "e" * 64, id="away", **lies))
    facts, claims = home.cli("approvals", "pending", port=gateway.port).out.split("as whoever asked says, unchecked:")
    check("harmless" not in facts, facts)
    for part in ("/bin/harmless", "just a check", "security full, ask off"):
        contains(claims, part)


def test_our_request_says_what_the_node_said(test):
    home = test.machine("gw")
    gateway = home.gateway()
    node = Talker(test, home, gateway, {"resolvedPath": "/usr/bin/uname", "reason": "it is new here", "wouldAllow": [],
                                        "security": "allowlist", "ask": "on-miss"})
    desk = operator(gateway)
    run_it = start_run(test, home, gateway.port, "--cwd", "/", "--", "uname", node=node.identity.device_id)
    request = waiting(desk)
    said = request["request"]
    equal((said["resolvedPath"], said["cwd"], said["security"], said["ask"]), ("/usr/bin/uname", "/", "allowlist", "on-miss"))
    desk.ok("exec.approval.resolve", {"id": request["id"], "decision": "allow-always"})
    equal(run_it.wait_exit(), 0)
    contains(run_it.output(), "nothing of it can be remembered")


def test_a_run_is_shown_as_it_will_be(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk = operator(gateway)
    path = os.path.realpath(shutil.which("uname", path="/usr/bin:/bin"))
    run_it = start_run(test, home, gateway.port, "--background", "--command-timeout", "30000", "--", "uname")
    request = waiting(desk)
    equal(request["request"]["run"], {"background": True, "tty": False, "timeoutMs": 30000})
    equal(request["request"]["resolvedPath"], path)
    contains(request["request"]["reason"], "not on the list")
    shown = home.cli("approvals", "pending", port=gateway.port).out
    for part in ("runs in the background, for at most 30s", f"program    {path}", f"{path} is not on the list",
                 f"lets {path} run without asking"):
        contains(shown, part)
    done = home.cli_json("approvals", "approve", "--always", "--yes", "--json", port=gateway.port)
    equal(done["remembers"], [path])
    equal(run_it.wait_exit(), 0)
    home.cli("nodes", "run", "--node", "box", "--", "uname", "-s", port=gateway.port)
    script = os.path.join(test.dir, "script")
    with open(script, "w", encoding="ascii") as f:
        f.write("echo hello\n")
    run_it = start_run(test, home, gateway.port, "--", "bash", script)
    waiting(desk)
    contains(home.cli("approvals", "approve", "--always", "--yes", port=gateway.port).out, "the same as once")
    equal(run_it.wait_exit(), 0)
    contains(run_it.output(), "nothing of it can be remembered")


def test_the_person_at_the_node_sees_the_file_and_the_reason(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    run_it = start_run(test, home, gateway.port, "--command-timeout", "30000", "--", "uname", "-s")
    screen.wait_for("[D] deny")
    path = os.path.realpath(shutil.which("uname", path="/usr/bin:/bin"))
    for part in (f"program    {path}", f"{path} is not on the list", "security allowlist, ask on-miss", "for at most 30s"):
        contains(screen.text, part)
    for part in ("SYSTEM_RUN_DENIED", "gate:"):
        check(part not in screen.text, f"{part} on the screen:\n{screen.text}")
    screen.type("o\n")
    equal(run_it.wait_exit(), 0)
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)


def test_the_person_at_the_node_is_told_who_asks_and_how_long(test):
    _, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    key = test.identity()
    for who, named in (({"identity": key}, None), ({}, "work")):
        desk = operator(gateway, **who)
        node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
        params = {"command": ["uname", "-s"], **({"agentId": named} if named else {})}
        screen.text = ""
        request = desk.send("node.invoke", {"nodeId": node, "command": "system.run", "params": params, "timeoutMs": 60000,
                                            "idempotencyKey": str(uuid.uuid4())})
        screen.wait_for("[D] deny")
        asker = f"device {key.device_id[:12]}" if who else "somebody with the shared secret"
        for part in (f"asked by   {asker} through the gateway", "on         box"):
            contains(screen.text, part)
        left = re.search(r"\((\d+)s left\)", screen.text)
        check(left and int(left.group(1)) <= 15, f"the node waits 15 seconds:\n{screen.text}")
        equal(re.findall(r"  agent +(\S+)", screen.text), [named] if named else [], "the agent, if one was named")
        check("on this machine" not in screen.text, screen.text)
        screen.type("o\n")
        equal(desk.answer(request)["payload"]["payload"]["stdout"], "Linux\n")
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)


def test_both_are_asked_at_once_and_the_first_decides(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    desk = operator(gateway)
    for is_local, decision in ((True, "allow-once"), (True, "deny"), (False, "allow-once"), (False, "deny")):
        screen.text = ""
        run_it = start_run(test, home, gateway.port, "--", "uname", "-s")
        run_it.wait_for("approvals watch")
        contains(run_it.output(), "and the person at box (in a terminal)")
        screen.wait_for("[D] deny")
        asked = waiting(desk)["id"]
        if is_local:
            screen.type("o\n" if decision == "allow-once" else "d\n")
        else:
            desk.ok("exec.approval.resolve", {"id": asked, "decision": decision})
            screen.wait_for("somebody else has decided")
        equal(run_it.wait_exit(), 0 if decision == "allow-once" else 1, f"{is_local} {decision}")
        over = desk.event("exec.approval.resolved")
        equal((over["id"], over["decision"]), (asked, decision), "told to operators")
        equal(over["resolvedBy"], "the person at box (says the node)" if is_local else "desk", "by whom")
        equal(desk.ok("exec.approval.list", {}), [], "what waits")
    os.kill(screen.child.pid, signal.SIGINT)
    screen.end(130)


def watch_here(test, box):
    screen = Terminal(test, box, 1, "approvals", "watch", "--local")
    screen.wait_for("Asking here")
    return screen


def test_a_node_decides_only_about_what_it_was_asked(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    screen = watch_here(test, box)
    stranger = test.identity()
    other = Client(gateway.port)
    other.connect(role="node", identity=stranger, commands=["system.run"], caps=["system"])
    desk = operator(gateway)
    start_run(test, home, gateway.port, "--", "uname", "-s").wait_for("and the person at box")
    asked = waiting(desk)["id"]
    screen.wait_for("[D] deny")
    for name in (asked, "no-such", "", None):
        answer = other.ok("node.event", {"event": "node.exec.prompted", "payload": {"approvalId": name, "decision": "allow-once"}})
        equal((answer["handled"], answer["reason"]), (False, "unknown_approval"), f"{name} of another node")
    equal(waiting(desk)["id"], asked, "it still waits")


def test_a_yes_at_the_node_is_about_what_was_looked_at(test):
    """The script is another one while the person at the node reads it: what runs then is what nobody allowed."""
    home, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    screen = watch_here(test, box)
    desk, agent = operator(gateway), operator(gateway, "agent", identity=test.identity())
    node = agent.ok("node.list", {})["nodes"][0]["nodeId"]
    script, mark = os.path.join(test.dir, "x.sh"), os.path.join(test.dir, "mark")

    def put(text):
        with open(script, "w", encoding="ascii") as f:
            f.write(text)

    put(f"touch {mark}\n")
    agent.ok("exec.approval.request", asking(["sh", script], node, id="bait"))
    screen.wait_for("[D] deny")
    put("echo harmless\n")
    screen.type("o\n")
    over = desk.event("exec.approval.resolved")
    equal((over["id"], over["decision"], over["cause"]), ("bait", "deny", "APPROVAL_CHANGED"), "what the yes was worth")
    put(f"touch {mark}\n")
    refused = agent.call("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": "bait",
                                         "params": {"command": ["sh", script], "runId": "bait", "approved": True,
                                                    "approvalDecision": "allow-once"}})
    check(not refused["ok"] and not os.path.exists(mark), "it ran")


def test_who_leaves_while_the_node_looks_leaves_no_question(test):
    home = test.machine("gw")
    gateway = home.gateway()
    asked, go_on, told = threading.Event(), threading.Event(), threading.Event()

    class Slow(Talker):
        def reply(self, invoke):
            asked.set()
            check(go_on.wait(20), "held for too long")
            super().reply(invoke)

        def hear(self, frame):
            if (frame.get("event"), frame.get("payload")) == ("node.exec.settled", {"id": "mine"}):
                told.set()

    node = Slow(test, home, gateway, {"asksHere": "desktop", "state": "s", "lookAt": "l", "look": "k"}, "system.runs.list")
    agent = operator(gateway, "agent", identity=test.identity())
    agent.send("exec.approval.request", asking(["uname"], node.identity.device_id, id="mine"))
    check(asked.wait(20), "the node is asked to look")
    agent.ok("exec.approval.resolve", {"id": "mine", "decision": "deny"})
    check(not operator(gateway).call("exec.approval.resolve", {"id": "mine", "decision": "allow-once"})["ok"], "a late yes")
    go_on.set()
    check(told.wait(20), "the node is told that nobody needs to be asked")


def test_variables_are_part_of_the_question(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    path = os.path.realpath(shutil.which("uname", path="/usr/bin:/bin"))
    box.approvals("allowlist", [path], ask="on-miss")
    screen = watch_here(test, box)
    run_it = start_run(test, home, gateway.port, "--env", "FOO=bar", "--", "uname", "-s")
    run_it.wait_for("and the person at box")  # at once: nothing was tried before
    screen.wait_for("[D] deny")
    contains(screen.text, "FOO")
    screen.type("d\n")
    equal(run_it.wait_exit(), 1)
    contains(run_it.output(), "the approval was denied")
    denied = [e for e in box.cli_json("approvals", "history", "--local", "--json")["items"] if e["gate"] == "user-denied"]
    equal(len(denied), 1, "the owner's own log has the no")


def test_what_is_not_there_is_not_asked_about(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    for security, ask in (("allowlist", "off"), ("allowlist", "on-miss"), ("allowlist", "always"), ("full", "always"),
                          ("full", "off")):
        box.approvals(security, ask=ask)
        for program in ("no-such-program", "/no/such/program"):
            home.cli("nodes", "run", "--node", "box", "--", program, port=gateway.port, code=127)
    home.cli("nodes", "run", "--node", "box", "--background", "--", "no-such-program", port=gateway.port, code=127)
    box.approvals("deny")
    contains(home.cli("nodes", "run", "--node", "box", "--", "no-such-program", port=gateway.port, code=1).err,
             "SYSTEM_RUN_DISABLED", "deny is the first word")


def test_refusals_name_what_opens_the_gate(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    node_id = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]["nodeId"]
    desk = operator(gateway)

    def refusal(argv):
        answer = desk.call("node.invoke", {"nodeId": node_id, "command": "system.run", "params": {"command": argv},
                                           "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 20000})
        return None if answer["ok"] else answer["error"]

    def follow(error):
        """Does what the refusal says, word by word."""
        words = error["details"]["fix"].split()
        equal(words[:2], ["openclaw", "approvals"], error["details"]["fix"])
        contains(error["message"], error["details"]["fix"])
        home.cli(*words[1:], port=gateway.port)

    for security, ask, argv in (("deny", "off", ["uname"]), ("allowlist", "off", ["uname"]), ("allowlist", "on-miss", ["uname"]),
                                ("allowlist", "on-miss", ["sh", "-c", "echo $(id)"]), ("full", "always", ["uname"])):
        box.approvals(security, ask=ask)
        error = refusal(argv)
        seen = []
        while error:
            check("--ask" not in error["message"] and "{" not in error["message"], error["message"])
            check(error["details"]["fix"] not in seen, f"{seen} did not help: {error}")
            seen.append(error["details"]["fix"])
            follow(error)
            error = refusal(argv)
        check(seen, "nothing was refused")
    box.approvals("allowlist", ask="off")
    error = refusal(["sh", "-c", "echo $(id)"])
    contains(error["details"]["fix"], "openclaw approvals ask on-miss --node ")
    follow(error)
    contains(refusal(["sh", "-c", "echo $(id)"])["message"], "approval required")


def test_setting_ask(test):
    box = test.machine("box")
    path = os.path.join(box.home, ".openclaw", "exec-approvals.json")
    contains(box.cli("approvals", "ask", "always").out, "ask is always now")
    equal(json.load(open(path, encoding="utf-8"))["defaults"]["ask"], "always")
    box.cli("approvals", "ask", "off", "--agent", "bot")
    saved = json.load(open(path, encoding="utf-8"))
    equal((saved["defaults"]["ask"], saved["agents"]["bot"]["ask"]), ("always", "off"))
    box.cli("approvals", "ask", "on-miss")
    saved = json.load(open(path, encoding="utf-8"))
    equal((saved["defaults"]["ask"], saved["agents"]["bot"]["ask"]), ("on-miss", "on-miss"), "nothing said before wins")
    contains(box.cli("approvals", "ask", "never", code=2).err, "off, on-miss or always")


MEMBERS = ["cause", "code", "fix", "gate", "message", "subject", "type"]


def test_refusals_have_one_shape(test):
    home, gateway, box, _ = paired_node(test, "deny")

    def error(*args, code=1):
        document = json.loads(home.cli(*args, "--json", port=gateway.port, code=code).out)
        equal((sorted(document), document["ok"]), (["error", "ok"], False), " ".join(args))
        equal(sorted(document["error"]), MEMBERS, " ".join(args))
        for key in ("code", "message", "type"):
            check(document["error"][key], f"{key} of {args}: {document}")
        return document["error"]

    denied = json.loads(home.cli("nodes", "run", "--node", "box", "--json", "--", "uname", port=gateway.port, code=1).out)["error"]
    equal((denied["gate"], denied["fix"].split(" --node")[0]),
          ("local exec approvals", "openclaw approvals security allowlist"))
    equal(sorted(denied), MEMBERS)
    equal((denied["cause"], denied["subject"]), ("RUN_DISABLED", None))
    box.approvals("allowlist", ask="off")
    missed = json.loads(home.cli("nodes", "run", "--node", "box", "--json", "--", "uname", port=gateway.port, code=1).out)["error"]
    equal((missed["cause"], missed["gate"]), ("ALLOWLIST_MISS", "local exec approvals"))
    check(missed["subject"].startswith("/"), missed["subject"])
    contains(missed["fix"], f"openclaw approvals allowlist add {missed['subject']} --node ")
    check("gate" not in missed["message"] and "fix" not in missed["message"], missed["message"])
    equal(error("approvals", "approve", "nothing")["fix"], "openclaw approvals pending")
    equal(error("approvals", "resolve", "nothing", "deny")["gate"], None)
    equal(error("approvals", "allowlist", "remove", "/no/such")["code"], "NOT_FOUND")
    equal(error("nodes", "describe", "--node", "nobody")["type"], "cli_error")
    equal(error("approvals", "ask", "never", code=2)["code"], "USAGE")
    box.approvals("allowlist", ["/usr/bin/id"])
    equal("hash" in box.cli_json("approvals", "allowlist", "add", "/usr/bin/id", "--json"), True, "a document here too")


def refused(machine, port, *args, code=1):
    """(cause, gate, subject, fix) of a command that is refused, as programs see them; and the text, which has none of them."""
    error = json.loads(machine.cli(*args[:2], "--json", *args[2:], port=port, code=code).out)["error"]
    check("(gate: " not in error["message"] and "fix: " not in error["message"], error["message"])
    return error["cause"], error["gate"], error["subject"], error["fix"]


def test_each_gate_is_data_all_the_way(test):
    home = test.machine("gw")
    home.config({"gateway": {"nodes": {"pairing": {"autoApproveLocal": False}}}})
    gateway = home.gateway()
    port = gateway.port
    box = test.machine("box")
    box.approvals("deny")
    box.switches(approvals=False)
    box.node(port)

    def pending():
        return wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=port), "the request")[0]

    request = pending()
    params = {"nodeId": request["nodeId"], "command": "system.which", "params": {"bins": ["sh"]}, "idempotencyKey": "1"}
    equal(refused(home, port, "gateway", "call", "node.invoke", "--params", json.dumps(params)),
          ("NODE_NOT_CONNECTED", "device pairing", request["requestId"], f"openclaw nodes approve {request['requestId']}"))
    home.cli("devices", "approve", request["requestId"], port=port)
    wait_until(lambda: [n for n in home.cli_json("nodes", "status", "--json", port=port)["nodes"] if n["connected"]], "the node")
    request = pending()
    which = ("nodes", "invoke", "--node", "box", "--command", "system.which", "--params", '{"bins":["sh"]}')
    equal(refused(home, port, *which), ("COMMAND_NOT_APPROVED", "node surface approval", request["requestId"],
                                        f"openclaw nodes approve {request['requestId']}"))
    home.cli("nodes", "approve", "--yes", port=port)
    wait_until(lambda: usable(home, port, "box"), "the approved node")
    home.cli("nodes", "deny", "system.which", port=port)
    wait_until(lambda: not usable(home, port, "box", "system.which"), "the denial")
    equal(refused(home, port, *which), ("COMMAND_NOT_ALLOWED", "gateway command policy", "system.which",
                                        "openclaw nodes allow system.which"))
    equal(refused(home, port, "approvals", "security", "full", "--node", "box"),
          ("SWITCHED_OFF", "local switch", "approvals", "on the node run: openclaw node enable approvals"))
    run = ("nodes", "run", "--node", "box", "--", "/bin/uname")
    # The owner does not let anybody change the rules from elsewhere: what helps, helps there.
    equal(refused(home, port, *run), ("RUN_DISABLED", "local exec approvals", None,
                                      "on the node run: openclaw approvals security allowlist"))
    box.approvals("allowlist", ask="off")
    program = os.path.realpath("/bin/uname")
    equal(refused(home, port, *run), ("ALLOWLIST_MISS", "local exec approvals", program,
                                      f"on the node run: openclaw approvals allowlist add {program}"))
    box.approvals("full")
    outside = ("nodes", "run", "--node", "box", "--cwd", "/", "--", "true")

    def settle(workspace, gate):
        box.config({"node": {"exec": {"sandbox": "workspace", "workspace": [workspace]}}})

        def is_there():
            done = home.cli(*outside[:2], "--json", *outside[2:], port=port, code=None)
            return done.returncode and json.loads(done.out)["error"]["gate"] == gate
        wait_until(is_there, f"the gate {gate}")
        return refused(home, port, *outside)

    cause, gate, _, fix = settle(box.home, "node.exec")  # the node keeps its own files there
    equal((cause, gate), ("NOT_SANDBOXED", "node.exec"))
    contains(fix, "openclaw config validate")
    work = os.path.join(box.home, "work")
    os.mkdir(work)
    cause, gate, subject, fix = settle(work, "node.exec.sandbox")
    equal((cause, gate, subject), ("NOT_SANDBOXED", "node.exec.sandbox", "/"))
    contains(fix, "node.exec.workspace in openclaw.json of the node")


run_tests(globals())
