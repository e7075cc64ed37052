"""Whoever lost the connection under an approved command asks again by its key, and hears what became of it."""

from harness import *


def operator(gateway):
    client = Client(gateway.port)
    check(client.connect(mode="ui", client_id="openclaw-macos")["ok"], "connect")
    return client


def test_an_approved_run_is_asked_for_again(test):
    _, gateway, box, _ = paired_node(test, "allowlist")
    box.approvals("allowlist", ask="on-miss")
    desk, first = operator(gateway), operator(gateway)
    node = desk.ok("node.list", {})["nodes"][0]["nodeId"]
    folder = os.path.realpath(test.dir)
    gate, seen = os.path.join(folder, "gate"), os.path.join(folder, "seen")
    os.mkfifo(gate)
    argv = ["sh", "-c", f"echo ran >> {seen}; cat {gate}; echo over"]
    body = {"nodeId": node, "command": "system.run", "idempotencyKey": "mine", "timeoutMs": 30000,
            "params": {"command": argv, "agentId": "main", "runId": "one", "approved": True,
                       "approvalDecision": "allow-once"}}
    desk.ok("node.invoke", {**body, "command": "system.run.prepare", "idempotencyKey": "p",
                            "params": {"command": argv, "agentId": "main"}})
    first.answer(first.send("exec.approval.request", {"id": "one", "command": "x", "commandArgv": argv, "host": "node",
                                                      "nodeId": node, "agentId": "main", "twoPhase": True}))
    desk.ok("exec.approval.resolve", {"id": "one", "decision": "allow-once"})
    first.send("node.invoke", body)
    writer = open(gate, "w", encoding="utf-8")  # returns when the command reads: it runs now
    second = operator(gateway)
    joined = second.send("node.invoke", body)
    first.close()
    other = {**body, "params": {**body["params"], "command": ["id"]}}
    contains(desk.call("node.invoke", other)["error"]["message"], "already used for a different request")
    contains(desk.call("node.invoke", {**body, "idempotencyKey": "another"})["error"]["message"], "approval",
             "another key is another run, which nobody has approved")
    writer.write("through\n")
    writer.close()
    equal(second.answer(joined)["payload"]["payload"]["stdout"], "through\nover\n")
    again = operator(gateway).ok("node.invoke", body)
    equal(again["payload"]["stdout"], "through\nover\n", "afterwards, from memory")
    equal(open(seen, encoding="utf-8").read(), "ran\n", "it ran once")


run_tests(globals())
