"""Every run leaves one true line: ends that come later, ends that came while somebody was away, and whose run it is."""

import contextlib
import sqlite3

from harness import *


def operator(gateway, scopes=ALL_SCOPES, name="desk", **more):
    client = Client(gateway.port)
    answer = client.connect(scopes=scopes, mode="ui", client_id="openclaw-macos",
                            client={"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui",
                                    "displayName": name}, **more)
    check(answer["ok"], str(answer))
    return client


def device(test, home, gateway, scopes, name):
    """A paired device of its own; gives a function that connects it."""
    identity = test.identity()

    def connect():
        client = Client(gateway.port)
        params = {"id": "openclaw-macos", "version": "e2e", "platform": "linux", "mode": "ui", "displayName": name}
        return client, client.connect(scopes=scopes, mode="ui", client_id="openclaw-macos", identity=identity, client=params)

    client, answer = connect()
    if not answer["ok"]:
        client.close()
        for request in home.cli_json("devices", "list", "--json", port=gateway.port)["pending"]:
            if request["deviceId"] == identity.device_id:
                home.cli("devices", "approve", request["requestId"], port=gateway.port)
        client, answer = connect()
    check(answer["ok"], str(answer))
    client.device_id = identity.device_id
    return client


def invoke(client, node, command, /, **params):
    return client.call("node.invoke", {"nodeId": node, "command": command, "params": params, "timeoutMs": 20000,
                                       "idempotencyKey": str(uuid.uuid4())})


def done(client, node, command, /, **params):
    answer = invoke(client, node, command, **params)
    check(answer["ok"], str(answer))
    return answer["payload"]["payload"]


def history(client, **params):
    return client.ok("exec.audit.list", params)["items"]


def node_id(client):
    return client.ok("node.list", {})["nodes"][0]["nodeId"]


def end_of(client, outcome, part=""):
    def look():
        return [i for i in history(client) if i.get("end", {}).get("outcome") == outcome and part in i["command"]]

    return wait_until(look, f"a run that is {outcome}")[0]


def test_the_end_of_a_background_run(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    node = node_id(desk)
    handle = done(desk, node, "system.run", command=["sh", "-c", "read x; echo got $x; exit 4"], background=True)["handle"]
    line = history(desk, limit=1)[0]
    equal((line["background"], line["started"]["handle"], line["nodeSays"]["gate"], "end" in line), (True, handle, "full", False))
    contains(home.cli("approvals", "history", port=gateway.port).out, "in the background")
    done(desk, node, "system.runs.write", handle=handle, data="hello\n")
    line = end_of(desk, "exited")
    end = line["end"]
    equal((end["exitCode"], end["handle"], end["stdoutBytes"], end["stderrBytes"], end["inputBytes"], end["input"]),
          (4, handle, 10, 0, 6, [{"by": "shared-secret", "name": "desk", "bytes": 6}]))
    check(end["startedAtMs"] <= end["endedAtMs"] and end["durationMs"] >= 0, "times")
    equal(len(history(desk)), 1, "one line")


def test_whoever_killed_it(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    node = node_id(desk)
    handle = done(desk, node, "system.run", command=["sleep", "1000"], background=True)["handle"]
    done(desk, node, "system.runs.kill", handle=handle)
    end = end_of(desk, "killed")["end"]
    equal((end["signal"], end["reason"]), (9, "killed by desk (shared-secret)"))


def test_outcomes_are_definite(test):
    home = test.machine("gw")
    gateway = home.gateway()
    box = test.machine("box")
    box.approvals()
    box.config({"node": {"exec": {"maxConcurrent": 1}}})
    node = box.node(gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node")
    desk = operator(gateway)
    name = node_id(desk)
    mark = os.path.join(test.dir, "mark")
    running = desk.send("node.invoke", {"nodeId": name, "command": "system.run", "idempotencyKey": "k", "timeoutMs": 60000,
                                        "params": {"command": ["sh", "-c", f"touch {mark}; exec sleep 1000"]}})
    wait_until(lambda: os.path.exists(mark), "the program")
    check(not invoke(desk, name, "system.run", command=["true"])["ok"], "busy")
    line = history(desk, limit=1)[0]
    equal(line["end"]["outcome"], "not-started")
    contains(line["end"]["reason"], "node busy")
    contains(box.cli("approvals", "history", "--local").out, "node ceilings")
    desk.ok("node.invoke.cancel", {"idempotencyKey": "k"})
    desk.answer(running)
    equal(end_of(desk, "cancelled")["end"]["signal"], 9)
    os.unlink(mark)
    desk.send("node.invoke", {"nodeId": name, "command": "system.run", "idempotencyKey": "l", "timeoutMs": 60000,
                              "params": {"command": ["sh", "-c", f"touch {mark}; exec sleep 1000"]}})
    wait_until(lambda: os.path.exists(mark), "the program")
    node.stop()
    end = end_of(desk, "node-stopped")["end"]
    contains(end["reason"], "the node was stopped")
    check(not invoke(desk, name, "system.run", command=["true"])["ok"], "the node is away")
    line = history(desk, limit=1)[0]
    equal((line["kind"], line["gate"], line["argv"]), ("refused", "node not connected", ["true"]))
    check("unknown" not in [i.get("end", {}).get("outcome") for i in history(desk)], "something is unknown")


def test_a_node_that_is_stopped_reports_its_background_runs_later(test):
    home, gateway, box, node = paired_node(test)
    desk = operator(gateway)
    name = node_id(desk)
    done(desk, name, "system.run", command=["sleep", "1000"], background=True)
    node.stop()
    check("end" not in history(desk, limit=1)[0], "nobody has said anything")
    box.node(gateway.port)
    end = end_of(desk, "node-stopped")["end"]
    contains(end["reason"], "stopped before it ended")
    items = box.cli_json("approvals", "history", "--local", "--json")["items"]
    equal([i["end"]["outcome"] for i in items], ["node-stopped"])


def test_a_killed_gateway_learns_how_it_ended(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    name = node_id(desk)
    fifo, mark = os.path.join(test.dir, "fifo"), os.path.join(test.dir, "mark")
    os.mkfifo(fifo)
    desk.send("node.invoke", {"nodeId": name, "command": "system.run", "idempotencyKey": "k", "timeoutMs": 60000,
                              "params": {"command": ["sh", "-c", f"touch {mark}; read x < {fifo}; echo $x; exit 5"]}})
    wait_until(lambda: os.path.exists(mark), "the program")
    gateway.stop(signal.SIGKILL)
    desk.close()
    again = home.gateway()
    desk = operator(again)
    equal(history(desk)[0]["end"]["outcome"], "unknown")
    desk.close()
    again.stop()
    with open(fifo, "w", encoding="ascii") as f:  # it ends while no gateway is there
        f.write("late\n")
    log = os.path.join(box.state, "exec-log.jsonl")
    wait_until(lambda: '"kind":"end"' in open(log, encoding="utf-8").read(), "the end in the node's log")
    again = home.gateway(port=gateway.port)
    desk = operator(again)
    line = end_of(desk, "exited")
    equal((line["end"]["exitCode"], line["end"]["stdoutBytes"]), (5, 5))
    wait_until(lambda: '"kind":"told"' in open(log, encoding="utf-8").read(), "the node to know that it is known")
    equal(len(history(desk)), 1, "one line")


def test_an_end_that_is_not_written_is_told_again(test):
    """The gateway's disk is full when runs end: their node keeps the ends until there is room."""
    home, gateway, box, node = paired_node(test)
    desk = operator(gateway)
    name = node_id(desk)
    with contextlib.closing(sqlite3.connect(os.path.join(home.state, "gateway.sqlite"), timeout=10)) as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON exec_audit WHEN NEW.ref IS NOT NULL"
                   " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END")
        db.commit()
        invoke(desk, name, "system.run", command=["sh", "-c", "exit 6"])
        done(desk, name, "system.run", command=["sh", "-c", "exit 7"], background=True)
        wait_until(lambda: gateway.output().count("not written down") >= 2, "two ends that were not written")
        check(not any(i.get("end") for i in history(desk)), "an end was written")
        db.execute("DROP TRIGGER full")
        db.commit()
    log = os.path.join(box.state, "exec-log.jsonl")
    check('"kind":"told"' not in open(log, encoding="utf-8").read(), "the node was told that the end is known")
    node.stop()
    box.node(gateway.port)
    wait_until(lambda: sorted(i.get("end", {}).get("exitCode", 0) for i in history(desk)) == [6, 7], "both ends")


def test_a_run_that_is_asked_for_again_has_one_line(test):
    """After a gateway that was killed, whose memory of keys went with it: once while it runs, and once more at its end."""
    home, gateway, _, _ = paired_node(test)
    desk = operator(gateway)
    name = node_id(desk)
    fifo, mark = os.path.join(test.dir, "fifo"), os.path.join(test.dir, "mark")
    os.mkfifo(fifo)
    wish = {"nodeId": name, "command": "system.run", "idempotencyKey": "k1", "timeoutMs": 60000,
            "params": {"command": ["sh", "-c", f"echo x >> {mark}; read x < {fifo}"]}}
    desk.send("node.invoke", wish)
    wait_until(lambda: os.path.exists(mark), "the program")
    for i in range(2):
        gateway.stop(signal.SIGKILL)
        desk.close()
        gateway = home.gateway(port=gateway.port)
        wait_until(lambda: usable(home, gateway.port, "box"), "the node to be back")
        desk = operator(gateway)
        again = desk.send("node.invoke", wish)
        if i == 0:
            wait_until(lambda: len(history(desk)) == 2, "the second request in the audit")
            with open(fifo, "w", encoding="ascii") as f:
                f.write("go\n")
        check(desk.answer(again)["ok"], "its result is there")
    equal(open(mark, encoding="ascii").read(), "x\n", "how often it ran")
    end_of(desk, "exited")
    items = history(desk)
    equal(sorted((i["kind"], i["nodeSays"]["gate"], i["end"]["outcome"]) for i in items),
          [("repeat", "idempotency-key", "repeated")] * 2 + [("run", "full", "exited")])
    shown = home.cli("approvals", "history", port=gateway.port).out
    equal(shown.count("asked again"), 2, shown)


def test_a_node_reports_its_own_runs_only(test):
    home, gateway, box, _ = paired_node(test)
    desk = operator(gateway)
    name = node_id(desk)
    done(desk, name, "system.run", command=["sleep", "1000"], background=True)
    # The name that only the gateway and the node know, from the node's own log.
    begin = box.cli_json("approvals", "history", "--local", "--json")["items"][0]
    identity = test.identity()
    other = Client(gateway.port)
    check(other.connect(role="node", identity=identity, commands=["system.run"], caps=["system"])["ok"], "connect")
    report = {"invokeId": begin["invokeId"], "outcome": "exited", "exitCode": 0}
    answer = other.ok("node.event", {"event": "node.exec.ended", "payload": report})
    equal((answer["handled"], answer["reason"]), (False, "unknown_run"))
    other.ok("node.event", {"event": "exec.finished", "payload": {"audit": report}})
    check("end" not in history(desk, limit=1)[0], "another node closed it")


def test_only_who_started_a_run_sends_its_standard_input(test):
    home, gateway, box, _ = paired_node(test)
    common = ["operator.read", "operator.write"]
    alice = device(test, home, gateway, common, "alice")
    root = device(test, home, gateway, common + ["operator.admin"], "root")
    node = node_id(alice)
    run = alice.send("node.invoke", {"nodeId": node, "command": "system.run", "idempotencyKey": str(uuid.uuid4()),
                                     "params": {"command": ["cat"], "stdin": True, "handle": "of-alice"}})
    equal(alice.event("node.invoke.progress")["chunk"], "", "it runs, and says so")
    answer = invoke(root, node, "system.runs.write", handle="of-alice", data="not mine")
    check(not answer["ok"], "an administrator sends it input")
    contains(answer["error"]["message"], "client that started it")
    done(alice, node, "system.runs.write", handle="of-alice", data="mine", eof=True)
    equal(alice.answer(run)["payload"]["payload"]["stdout"], "mine")


def test_a_run_belongs_to_whoever_started_it(test):
    home, gateway, box, _ = paired_node(test)
    common = ["operator.read", "operator.write"]
    alice = device(test, home, gateway, common, "alice")
    bob = device(test, home, gateway, common, "bob")
    root = device(test, home, gateway, common + ["operator.admin"], "root")
    node = node_id(alice)
    handle = done(alice, node, "system.run", command=["cat"], background=True)["handle"]
    for command, params in (("write", {"data": "x"}), ("poll", {}), ("kill", {})):
        for forged in ({}, {"caller": {"id": alice.device_id, "admin": True}}):
            answer = invoke(bob, node, f"system.runs.{command}", handle=handle, **params, **forged)
            check(not answer["ok"], f"bob may {command}")
            contains(answer["error"]["message"], "belongs to another client (alice")
            contains(answer["error"]["message"], "operator.admin")
    # Nor by a member beside the params: the gateway takes those it knows and nothing else.
    answer = bob.call("node.invoke", {"nodeId": node, "command": "system.runs.kill", "params": {"handle": handle},
                                      "idempotencyKey": str(uuid.uuid4()), "caller": {"id": alice.device_id, "admin": True}})
    check(not answer["ok"], "bob may kill")
    listed = done(bob, node, "system.runs.list")
    equal((listed["runs"], listed["others"]), ([], 1))
    done(alice, node, "system.runs.write", handle=handle, data="abc\n")
    equal([r["owner"] for r in done(alice, node, "system.runs.list")["runs"]], ["alice"])
    polled = done(root, node, "system.runs.poll", handle=handle, waitMs=10000)
    equal(polled["output"]["data"], "abc\n")
    done(root, node, "system.runs.write", handle=handle, data="de")
    done(root, node, "system.runs.kill", handle=handle)
    end = end_of(operator(gateway), "killed")["end"]
    equal(end["input"], [{"by": alice.device_id, "name": "alice", "bytes": 4},
                         {"by": root.device_id, "name": "root", "bytes": 2}])
    equal(end["reason"], f"killed by root ({root.device_id})")


def test_the_entry_that_allowed_it(test):
    home, gateway, box, _ = paired_node(test, "allowlist")
    program = os.path.realpath(shutil.which("printf"))
    home.cli("approvals", "allowlist", "add", "--node", "box", "--agent", "main", program, port=gateway.port)
    desk = operator(gateway)
    done(desk, node_id(desk), "system.run", command=["printf", "x"])
    line = history(desk, limit=1)[0]
    equal((line["nodeSays"]["gate"], line["nodeSays"]["gateEntry"], line["end"]["exitCode"]), ("allowlist", program, 0))


def test_the_command_line(test):
    home, gateway, box, _ = paired_node(test)
    handle = home.cli("nodes", "run", "--background", "--", "sleep", "1000", port=gateway.port).out.strip()
    home.cli("nodes", "runs", "kill", handle, port=gateway.port)
    home.cli("nodes", "run", "--agent", "clerk", "--", "true", port=gateway.port, env={"USER": "somebody"})
    by = home.cli_json("approvals", "history", "--json", "--limit", "1", port=gateway.port)["items"][0]["by"]
    equal((by["client"], by["name"], by["auth"]), ("cli", f"somebody@{socket.gethostname()}", "shared-secret"))
    shown = home.cli("approvals", "history", port=gateway.port).out
    for part in ("signal 9, killed", "sleep 1000", "full", "says", "clerk", "exit 0"):
        contains(shown, part)


run_tests(globals())
