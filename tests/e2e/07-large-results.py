"""A 20 MB result passes through the gateway in one copy, and arrives unchanged."""

from harness import *

SIZE = 20 * 1000 * 1000


def connected_fake_node(test, home, gateway):
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.which"], caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    return key, node


def invoke(test, payload_json):
    home = test.machine("gw-" + uuid.uuid4().hex[:6])
    gateway = home.gateway()
    key, node = connected_fake_node(test, home, gateway)
    caller = Client(gateway.port)
    check(caller.connect()["ok"], "connect")
    before = gateway.memory_kb("VmHWM")
    request = caller.send("node.invoke", {"nodeId": key.device_id, "command": "system.which", "params": {"bins": []},
                                          "idempotencyKey": str(uuid.uuid4())})
    invoked = node.event("node.invoke.request")
    node.send("node.invoke.result", {"id": invoked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": payload_json})
    answer = caller.answer(request)
    return gateway, before, answer


def test_twenty_megabytes(test):
    base64_text = base64.b64encode(os.urandom(SIZE * 3 // 4)).decode()
    payload = json.dumps({"format": "mp4", "base64": base64_text})
    gateway, before, answer = invoke(test, payload)
    check(answer["ok"], f"invoke: {str(answer)[:300]}")
    check(answer["payload"]["payload"]["base64"] == base64_text, "the payload changed on its way")
    grown = gateway.memory_kb("VmHWM") - before
    print(f"gateway grew by {grown} kB for a message of {len(payload) // 1000} kB")
    if "asan" not in BINARY and "tsan" not in BINARY:
        check(grown * 1024 < len(payload) * 1.35, f"the gateway held more than one copy: {grown} kB")


def test_small_results_carry_both_forms(test):
    _, _, answer = invoke(test, '{"bins": {"sh": "/bin/sh \\u00e9 \\ud83d\\ude00"}}')
    payload = answer["payload"]
    equal(payload["payload"], {"bins": {"sh": "/bin/sh \u00e9 \U0001F600"}})
    equal(json.loads(payload["payloadJSON"]), payload["payload"])


def test_a_result_that_is_too_large_to_read_is_told_at_once(test):
    """Text that is not ASCII has its own, smaller ceiling; whoever waits must not wait for the deadline."""
    _, _, answer = invoke(test, json.dumps({"text": "\u00e9" * 3000000}, ensure_ascii=False))
    equal(answer["error"]["details"]["nodeError"]["code"], "PAYLOAD_TOO_LARGE", str(answer)[:300])
    contains(answer["error"]["message"], "the node's answer is too large")


def test_a_result_that_is_not_json_cannot_break_out(test):
    for evil in ('{"a":1}, "injected": true', '{"a":', "", '"x" }, "ok": false', "\u0000"):
        _, _, answer = invoke(test, evil)
        check(answer["ok"], "invoke")
        check("injected" not in answer["payload"], "a node injected a member")
        if evil:
            equal(answer["payload"]["payload"], {"payloadJSON": evil}, "payload")


run_tests(globals())
