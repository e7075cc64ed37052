"""What one caller may use up, what ends with a caller who leaves, and how long a guesser stays out."""

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


PUBLIC = "X-Forwarded-For: 203.0.113.9"


def locked_out(test):
    """A gateway with one address that has guessed too often at everything that opens a connection."""
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"],
                             "auth": {"rateLimit": {"maxAttempts": 2, "windowMs": 600000, "lockoutMs": 600000}}}})
    gateway = home.gateway()
    key = test.identity()
    for _ in range(2):
        Client(gateway.port, headers=[PUBLIC]).connect(token="wrong", scopes=[])
    for kind in ("deviceToken", "deviceToken", "bootstrapToken", "bootstrapToken"):
        client = Client(gateway.port, headers=[PUBLIC])
        params = client.connect_params(identity=key, token="wrong")
        params["auth"] = {kind: "wrong"}
        client.call("connect", params)
    return home, gateway


def test_who_is_locked_out_does_not_even_get_a_websocket(test):
    _, gateway = locked_out(test)
    refused = WebSocket(gateway.port, headers=[PUBLIC])
    head = refused.head
    while data := refused.sock.recv(4096):
        refused.buffer += data
    contains(head, "HTTP/1.1 429 Too Many Requests")
    wait = int(re.search(r"\r\nRetry-After: (\d+)", head).group(1))
    check(0 < wait <= 600, f"Retry-After: {wait}")
    equal(json.loads(refused.buffer)["error"]["type"], "rate_limited")
    equal(WebSocket(gateway.port, headers=["X-Forwarded-For: 203.0.113.10"]).status, 101, "another address")
    equal(WebSocket(gateway.port).status, 101, "the owner")


def test_a_lock_on_one_kind_leaves_the_other(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 2}}}})
    gateway = home.gateway()
    key = test.identity()
    token = Client(gateway.port).connect(identity=key)["payload"]["auth"]["deviceToken"]
    for _ in range(2):
        Client(gateway.port, headers=[PUBLIC]).connect(token="wrong", scopes=[])
    error = Client(gateway.port, headers=[PUBLIC]).connect(token=TOKEN, scopes=[])["error"]
    equal(error["details"]["code"], "AUTH_RATE_LIMITED")
    check(error["retryAfterMs"] > 0, "retryAfterMs")
    device = Client(gateway.port, headers=[PUBLIC])
    params = device.connect_params(identity=key, token=token)
    params["auth"] = {"deviceToken": token}
    check(device.call("connect", params)["ok"], "a paired device of the same network is locked out")


def test_a_restart_is_no_way_out_of_a_lock(test):
    home, gateway = locked_out(test)
    before = gateway.output().count("gateway listening")
    gateway.child.send_signal(signal.SIGUSR1)
    wait_until(lambda: gateway.output().count("gateway listening") > before, "the gateway serving anew")
    equal(WebSocket(gateway.port, headers=[PUBLIC]).status, 429, "after SIGUSR1")
    before = gateway.output().count("gateway listening")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1", "10.0.0.1"],
                             "auth": {"rateLimit": {"maxAttempts": 3}}}})
    wait_until(lambda: gateway.output().count("gateway listening") > before, "the changed config")
    equal(WebSocket(gateway.port, headers=[PUBLIC]).status, 429, "after another config")


def test_the_command_line_says_when_to_come_back(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"rateLimit": {"maxAttempts": 1, "lockoutMs": 600000, "exemptLoopback": False}}}})
    gateway = home.gateway()
    Client(gateway.port).connect(token="wrong", scopes=[])
    for kind in ("deviceToken", "bootstrapToken"):
        client = Client(gateway.port)
        params = client.connect_params(identity=test.identity(), token="wrong")
        params["auth"] = {kind: "wrong"}
        client.call("connect", params)
    said = home.cli("gateway", "health", port=gateway.port, code=1).err
    check(re.search(r"too many failed attempts from this address; try again in \d+ s", said), said)
    contains(said, "fix: wait")


run_tests(globals())
