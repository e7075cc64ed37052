"""node.invoke between peers that do not keep to the rules."""

from harness import *


def setup(test, commands=("system.which", "system.run")):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=commands, caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    caller = Client(gateway.port)
    check(caller.connect(max_protocol=3)["ok"], "connect")
    return home, gateway, key, node, caller


def params(key, command="system.which", idempotency=None, **more):
    return {"nodeId": key.device_id, "command": command, "params": {"bins": ["sh"]},
            "idempotencyKey": idempotency or str(uuid.uuid4()), **more}


def test_a_result_from_a_node_that_was_not_asked(test):
    home, gateway, key, node, caller = setup(test)
    stranger_key = test.identity()
    stranger = Client(gateway.port)
    check(stranger.connect(role="node", identity=stranger_key, commands=["system.which"])["ok"], "connect")
    request = caller.send("node.invoke", params(key))
    invoked = node.event("node.invoke.request")
    forged = stranger.call("node.invoke.result", {"id": invoked["id"], "nodeId": stranger_key.device_id, "ok": True,
                                                  "payloadJSON": '"forged"'})
    equal(forged["payload"], {"ok": True, "ignored": True}, "answer to the forger")
    posing = stranger.call("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"x"'})
    equal(posing["error"]["message"], "nodeId mismatch")
    equal(node.ok("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"real"'}),
          {"ok": True})
    equal(caller.answer(request)["payload"]["payload"], "real")
    late = node.ok("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"late"'})
    equal(late, {"ok": True, "ignored": True}, "a second answer")


def test_a_result_with_more_than_the_protocol_has(test):
    home, gateway, key, node, caller = setup(test)
    request = caller.send("node.invoke", params(key))
    invoked = node.event("node.invoke.request")
    refused = node.call("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"x"',
                                               "extra": 1})
    equal(refused["error"]["message"], "invalid node.invoke.result params: at root: unexpected property 'extra'")
    answer = caller.answer(request)
    equal(answer["error"]["details"]["nodeError"]["code"], "INVALID_RESULT", "the caller hears at once")


def test_one_key_never_runs_twice(test):
    home, gateway, key, node, caller = setup(test)
    body = params(key, idempotency="same")
    first = caller.send("node.invoke", body)
    second = caller.send("node.invoke", body)
    invoked = node.event("node.invoke.request")
    equal(json.loads(invoked["paramsJSON"]), {"bins": ["sh"]})
    node.ok("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '{"n":1}'})
    answers = {}
    while len(answers) < 2:
        frame = caller.ws.recv_json()
        if frame["type"] == "res":
            answers[frame["id"]] = frame
    for request in (first, second):
        equal(answers[request]["payload"]["payload"], {"n": 1})
    equal(caller.ok("node.invoke", body)["payload"], {"n": 1}, "the remembered answer")
    check(not [e for e in node.events if e.get("event") == "node.invoke.request"], "the node was asked again")
    other = caller.call("node.invoke", {**body, "params": {"bins": ["other"]}})
    equal(other["ok"], False)
    contains(other["error"]["message"], "idempotencyKey")


def test_the_newer_of_two_connections_stays(test):
    home, gateway, key, node, caller = setup(test)
    newer = Client(gateway.port)
    check(newer.connect(role="node", identity=key, commands=["system.which", "system.run"], caps=["system"])["ok"], "connect")
    node.ws.expect_close()
    node.close()
    request = caller.send("node.invoke", params(key))
    invoked = newer.event("node.invoke.request")
    newer.ok("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"newer"'})
    equal(caller.answer(request)["payload"]["payload"], "newer")


def test_a_node_that_drops_settles_its_calls(test):
    home, gateway, key, node, caller = setup(test)
    request = caller.send("node.invoke", params(key))
    node.event("node.invoke.request")
    node.close()
    answer = caller.answer(request)
    equal(answer["error"]["code"], "UNAVAILABLE")
    contains(answer["error"]["message"], "node disconnected (system.which)")
    answer = caller.call("node.invoke", params(key))
    equal(answer["error"]["message"], "node not connected")
    equal(answer["error"]["details"]["code"], "NOT_CONNECTED")


def test_a_deadline_is_kept(test):
    home, gateway, key, node, caller = setup(test)
    answer = caller.call("node.invoke", params(key, timeoutMs=200))
    equal(answer["error"]["message"], "node invoke timed out")
    equal(answer["error"]["details"]["nodeError"]["code"], "TIMEOUT")


def test_refusals_name_their_gate(test):
    home, gateway, key, node, caller = setup(test)
    answer = caller.call("node.invoke", params(key, command="sms.send"))
    contains(answer["error"]["message"], "node command not allowed")
    equal(answer["error"]["details"]["gate"], "gateway command policy")
    check(answer["error"]["details"]["fix"], "the fix")
    answer = caller.call("node.invoke", params(key, command="system.execApprovals.get"))
    equal(answer["error"]["message"], "node.invoke does not allow system.execApprovals.*; use exec.approvals.node.*")


def test_approval_fields_of_the_caller_are_stripped(test):
    home, gateway, key, node, caller = setup(test)
    answer = caller.call("node.invoke", {"nodeId": key.device_id, "command": "system.run", "idempotencyKey": "k1",
                                         "params": {"command": ["true"], "approved": True}})
    equal(answer["error"]["details"]["code"], "MISSING_RUN_ID")
    caller.send("node.invoke", {"nodeId": key.device_id, "command": "system.run", "idempotencyKey": "k2",
                                "params": {"command": ["true"], "approved": False, "approvalDecision": "maybe", "evil": 1,
                                           "timeoutMs": 5}})
    sent = json.loads(node.event("node.invoke.request")["paramsJSON"])
    equal(sent, {"command": ["true"], "timeoutMs": 5}, "what reaches the node")


def test_numbers_survive(test):
    home, gateway, key, node, caller = setup(test)
    caller.send("node.invoke", params(key, params={"n": 9007199254740993, "x": 0.1}))
    contains(node.event("node.invoke.request")["paramsJSON"], "9007199254740993")


run_tests(globals())
