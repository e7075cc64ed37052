"""What one caller may use up, and what ends with a caller who leaves."""

from harness import *

PER_NODE, PER_CONNECTION = 256, 64


def quiet_node(test, gateway, home):
    """A node that is approved and answers nothing by itself."""
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.which", "system.run"], caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    return key, node


def operator(gateway, **kw):
    client = Client(gateway.port)
    answer = client.connect(**kw)
    check(answer["ok"], f"connect: {answer}")
    return client


def invoke(client, key, **more):
    return client.send("node.invoke", {"nodeId": key.device_id, "command": "system.which", "params": {"bins": ["sh"]},
                                       "idempotencyKey": str(uuid.uuid4()), "timeoutMs": 600000, **more})


def test_one_caller_cannot_fill_a_node(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key, node = quiet_node(test, gateway, home)
    greedy = [operator(gateway) for _ in range(PER_NODE // PER_CONNECTION)]  # without a device: all of them are one
    for client in greedy[:2]:
        for _ in range(PER_CONNECTION):
            invoke(client, key)
        client.ok("health")  # behind them: they have all been taken
    error = greedy[2].answer(invoke(greedy[2], key))["error"]
    equal(error["code"], "UNAVAILABLE")
    contains(error["message"], "too many commands are running on this node (128, of these 128 of yours")
    check(error["retryable"] and error["retryAfterMs"] > 0, f"no advice when to come back: {error}")
    other = operator(gateway, identity=test.identity())
    request = invoke(other, key, command="system.which", params={"bins": ["other"]})
    while True:
        asked = node.event("node.invoke.request")
        if "other" in asked["paramsJSON"]:
            break
        first = asked
    node.ok("node.invoke.result", {"id": asked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": "1"})
    equal(other.answer(request)["payload"]["payload"], 1, "what the other one asked for")
    node.ok("node.invoke.result", {"id": first["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": "1"})
    invoke(greedy[2], key, params={"bins": ["again"]})  # one has ended
    contains(node.event("node.invoke.request")["paramsJSON"], "again")


def test_a_command_line_that_hangs_up_stops_its_command(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key, node = quiet_node(test, gateway, home)
    caller = operator(gateway)
    invoke(caller, key, idempotencyKey="mine")
    asked = node.event("node.invoke.request")
    caller.close()
    equal(node.event("node.invoke.cancel"), {"invokeId": asked["id"], "nodeId": key.device_id})
    # The key still answers with what the node made of it.
    again = operator(gateway)
    request = invoke(again, key, idempotencyKey="mine")
    again.ok("health")
    node.ok("node.invoke.result", {"id": asked["id"], "nodeId": key.device_id, "ok": False,
                                   "error": {"code": "CANCELLED", "message": "stopped"}})
    contains(again.answer(request)["error"]["message"], "stopped")


def test_an_app_may_come_back(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key, node = quiet_node(test, gateway, home)
    device = test.identity()
    app = operator(gateway, identity=device, client_id="openclaw-macos", mode="ui", token=TOKEN)
    invoke(app, key, idempotencyKey="mine")
    asked = node.event("node.invoke.request")
    app.close()
    back = operator(gateway, identity=device, client_id="openclaw-macos", mode="ui", token=TOKEN)
    request = invoke(back, key, idempotencyKey="mine")
    back.ok("health")
    node.ok("node.invoke.result", {"id": asked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": '"done"'})
    equal(back.answer(request)["payload"]["payload"], "done")
    check(not [e for e in node.events if e.get("event") == "node.invoke.cancel"], "the node was told to stop")


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_killed_nodes_run_leaves_nothing_running(test):
    home, gateway, box, _ = paired_node(test)
    note = os.path.join(test.dir, "pid")
    script = f"echo $$ >{note}.new; mv {note}.new {note}; exec sleep 600"
    run = Process(test, "run", [BINARY, "nodes", "run", "--node", "box", "--", "/bin/sh", "-c", script],
                  home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    wait_until(lambda: os.path.exists(note), "the command")
    with open(note, encoding="utf-8") as f:
        pid = int(f.read())
    check(is_running(pid), "the command is over already")
    run.child.kill()
    wait_until(lambda: not is_running(pid), "the end of the command")


run_tests(globals())
