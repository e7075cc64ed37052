"""Methods around nodes that real clients call: what nodes report, what waits for them, wake words, log, absent agents."""

from harness import *


def fake_node(test, protocol=4):
    """A gateway, an approved node spoken by hand, and an operator."""
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    node.connect(role="node", identity=key, commands=["system.which"], caps=["system"], min_protocol=3, max_protocol=protocol)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    return home, gateway, key, node, desk


def refusal(client, method, params, message):
    answer = client.call(method, params)
    check(not answer["ok"], f"{method} must fail")
    contains(answer["error"]["message"], message)
    return answer["error"]


def test_signs_of_life(test):
    home, gateway, key, node, desk = fake_node(test)
    equal(node.ok("node.event", {"event": "exec.finished", "payloadJSON": "{}"}), {"ok": True})
    equal(node.ok("node.event", {"event": "node.desktop.availability", "payload": {}}),
          {"ok": True, "event": "node.desktop.availability", "handled": False, "reason": "unsupported_event"})
    equal(desk.ok("node.describe", {"nodeId": key.device_id})["lastSeenReason"], "connect")
    done = node.ok("node.event", {"event": "node.presence.alive", "payloadJSON": '{"trigger":"silent_push"}'})
    equal(done["handled"], True)
    entry = desk.ok("node.describe", {"nodeId": key.device_id})
    equal(entry["lastSeenReason"], "silent_push")
    check(entry["lastSeenAtMs"] > 0, "when")
    node.ok("node.event", {"event": "node.presence.alive", "payloadJSON": '{"trigger":"<b>made up</b>"}'})
    equal(desk.ok("node.describe", {"nodeId": key.device_id})["lastSeenReason"], "background")
    node.ok("node.event", {"event": "node.presence.activity", "payload": {}})
    equal(desk.ok("node.describe", {"nodeId": key.device_id})["lastSeenReason"], "activity")
    node.close()
    entry = wait_until(lambda: [n for n in desk.ok("node.list", {})["nodes"] if not n["connected"]], "it to be gone")[0]
    equal(entry["lastSeenReason"], "disconnect")
    # It is still known after a restart of the gateway.
    gateway.stop()
    gateway = home.gateway()
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    after = desk.ok("node.describe", {"nodeId": key.device_id})
    for member in ("lastSeenAtMs", "lastSeenReason", "lastConnectedAtMs"):
        equal(after[member], entry[member], member)


def test_what_waits_for_a_node(test):
    home, gateway, key, node, desk = fake_node(test)
    queued = desk.ok("node.pending.enqueue", {"nodeId": key.device_id, "type": "status.request", "priority": "high",
                                              "expiresInMs": 60000})
    equal(queued["queued"]["priority"], "high")
    equal(queued["wakeTriggered"], False)
    unknown = refusal(desk, "node.pending.enqueue", {"nodeId": "f" * 64, "type": "status.request"}, "unknown nodeId")
    equal(unknown["details"]["cause"], "UNKNOWN_NODE")
    refusal(desk, "node.pending.enqueue", {"nodeId": key.device_id, "type": "rm"}, "at /type")
    refusal(desk, "node.pending.enqueue", {"nodeId": key.device_id, "type": "status.request", "expiresInMs": 1}, "expiresInMs")
    refusal(desk, "node.pending.drain", {}, "unauthorized role: operator")
    drained = node.ok("node.pending.drain", {})
    equal([i["id"] for i in drained["items"]], [queued["queued"]["id"]])
    equal([i["id"] for i in node.ok("node.pending.drain", {})["items"]], ["baseline-status"])
    equal(node.ok("node.pending.pull", {}), {"nodeId": key.device_id, "actions": []})
    equal(node.ok("node.pending.ack", {"ids": ["x"]}), {"nodeId": key.device_id, "ackedIds": [], "remainingCount": 0})
    refusal(node, "node.pending.enqueue", {}, "unauthorized role: node")


def test_progress_and_cancel(test):
    home, gateway, key, node, desk = fake_node(test)
    other = Client(gateway.port)
    other.connect()
    request = desk.send("node.invoke", {"nodeId": key.device_id, "command": "system.which", "idempotencyKey": "a"})
    invoke = node.event("node.invoke.request")
    chunk = {"invokeId": invoke["id"], "nodeId": key.device_id, "seq": 0, "chunk": "half way"}
    equal(node.ok("node.invoke.progress", chunk), {"ok": True, "ignored": False})
    told = desk.event("node.invoke.progress")
    equal((told["requestId"], told["chunk"], told["seq"]), (request, "half way", 0))
    equal(node.ok("node.invoke.progress", {**chunk, "invokeId": "no-such"})["ignored"], True)
    refusal(node, "node.invoke.progress", {**chunk, "nodeId": "f" * 64}, "nodeId mismatch")
    refusal(node, "node.invoke.progress", {**chunk, "chunk": "x" * 16385}, "progress chunk too large")
    node.ok("node.invoke.result", {"id": invoke["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": "{}"})
    check(desk.answer(request)["ok"], "the answer")
    equal(node.ok("node.invoke.progress", chunk)["ignored"], True, "after the answer")
    other.ok("health", {})
    check(not [e for e in other.events if e.get("event") == "node.invoke.progress"], "only the caller hears it")
    late = desk.call("node.invoke", {"nodeId": key.device_id, "command": "system.which", "idempotencyKey": "b", "timeoutMs": 50})
    equal(late["error"]["message"], "node invoke timed out")
    cancelled = node.event("node.invoke.cancel")
    asked = node.event("node.invoke.request")
    equal(cancelled, {"invokeId": asked["id"], "nodeId": key.device_id})


def test_wake_words(test):
    home, gateway, key, node, desk = fake_node(test)
    equal(node.event("voicewake.changed"), {"triggers": ["openclaw", "claude", "computer"]})
    equal(desk.ok("voicewake.set", {"triggers": [" hey ", "", 5, "y" * 100]}), {"triggers": ["hey", "y" * 64]})
    for client in (node, desk):
        equal(client.event("voicewake.changed")["triggers"][0], "hey")
    refusal(desk, "voicewake.set", {"triggers": "hey"}, "voicewake.set requires triggers: string[]")
    gateway.stop()
    again = home.gateway()
    desk = Client(again.port)
    desk.connect()
    equal(desk.ok("voicewake.get", {})["triggers"][0], "hey")
    equal(desk.ok("voicewake.set", {"triggers": []})["triggers"], ["openclaw", "claude", "computer"])


def test_the_log(test):
    home, gateway, key, node, desk = fake_node(test)
    tail = desk.ok("logs.tail", {"limit": 100})
    check(any("listening" in line for line in tail["lines"]), "our own lines")
    check(not any(TOKEN in line for line in tail["lines"]), "no secret")
    more = desk.ok("logs.tail", {"cursor": tail["cursor"]})
    equal(more["reset"], False)
    refusal(desk, "logs.tail", {"limit": 0}, "invalid logs.tail params")
    weak = Client(gateway.port)
    weak.connect(scopes=["operator.pairing"])
    refusal(weak, "logs.tail", {}, "missing scope: operator.read")


def test_no_agents_here(test):
    home, gateway, key, node, desk = fake_node(test)
    error = refusal(desk, "chat.send", {"message": "hi"}, "chat.send is not available on this gateway (no agents)")
    equal((error["code"], error["details"]["code"]), ("UNAVAILABLE", "NOT_AVAILABLE"))
    weak = Client(gateway.port)
    hello = weak.connect(scopes=["operator.read"])["payload"]
    check("chat.send" not in hello["features"]["methods"], "not offered")
    check("canvasHostUrl" not in hello and "pluginSurfaceUrls" not in hello, "no canvas host")
    refusal(weak, "chat.send", {}, "missing scope: operator.write")
    refusal(weak, "no.such.method", {}, "unknown method: no.such.method")
    refusal(node, "node.runnerInventory.update", {}, "unknown method: node.runnerInventory.update")
    equal(desk.ok("last-heartbeat", {}), None)
    equal(desk.ok("set-heartbeats", {"enabled": False}), {"ok": True, "enabled": False})
    refusal(desk, "set-heartbeats", {"enabled": True}, "heartbeats are not available")
    refusal(desk, "set-heartbeats", {}, "enabled (boolean) required")
    equal(desk.ok("system-event", {"text": "Node: here"}), {"ok": True})
    refusal(desk, "system-event", {}, "text required")
    desk.event("presence")


def test_every_method_of_2026_9_6_is_known_by_name(test):
    """What its features announce and we do not have is refused as not available; what node hosts probe for is unknown."""
    recorded = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wire", "2026.9.6.jsonl")
    names = set()
    with open(recorded, encoding="utf-8") as f:
        for line in f:
            payload = json.loads(line)["frame"].get("payload")
            if isinstance(payload, dict) and "features" in payload:
                names.update(payload["features"]["methods"])
    check(len(names) > 400, f"recorded names: {len(names)}")
    gateway = test.machine("gw").gateway()
    desk = Client(gateway.port)
    ours = set(desk.connect()["payload"]["features"]["methods"])
    unknown = set()
    for name in sorted(names - ours):
        error = desk.call(name, {})["error"]
        if error["message"].startswith("unknown method"):
            unknown.add(name)
        else:
            equal((error["code"], error["details"]["code"]), ("UNAVAILABLE", "NOT_AVAILABLE"), name)
    equal(unknown - {"node.runnerInventory.update"},
          {"node.pluginTools.update", "node.skills.update"}, "unknown names")


run_tests(globals())
