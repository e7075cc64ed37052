"""Wrong, broken and hostile input gets the protocol's answer, or a message that names the thing and the fix."""

from harness import *


def gateway_on(test):
    home = test.machine("gw")
    return home, home.gateway()


def refused(port, wanted_message, wanted_details=None, host_header=None, **kw):
    client = Client(port, host_header=host_header)
    answer = client.connect(**kw)
    check(not answer["ok"], f"accepted, wanted {wanted_message!r}")
    equal(answer["error"]["message"], wanted_message, "message")
    for key, value in (wanted_details or {}).items():
        equal(answer["error"].get("details", {}).get(key), value, f"details.{key}")
    code, reason, _ = client.ws.expect_close()
    check(code in (1008, 1002), f"close code {code}")
    equal(reason, wanted_message[:120], "close reason")


def test_refused_connects(test):
    _, gateway = gateway_on(test)
    port = gateway.port
    hint = "set gateway.remote.token to match gateway.auth.token"
    key, other = test.identity(), test.identity()
    refused(port, f"unauthorized: gateway token mismatch ({hint})", {"code": "AUTH_TOKEN_MISMATCH", "authReason": "token_mismatch"},
            token="wrong", max_protocol=3)
    refused(port, f"unauthorized: gateway token missing ({hint})", {"code": "AUTH_TOKEN_MISSING"}, token=None, identity=key,
            max_protocol=3)
    refused(port, "device identity required", {"code": "DEVICE_IDENTITY_REQUIRED"}, role="node", max_protocol=3)
    refused(port, "device signature invalid", {"reason": "device-signature"}, identity=key, sign_with=other, max_protocol=3)
    now = int(time.time() * 1000)
    for at in (now - 200000, now + 200000):
        refused(port, "device signature expired", {"reason": "device-signature-stale"}, identity=key, signed_at=at, max_protocol=3)
    refused(port, "device nonce mismatch", {"reason": "device-nonce-mismatch"}, identity=key, nonce=str(uuid.uuid4()), max_protocol=3)
    refused(port, "device nonce required", {"reason": "device-nonce-missing"}, identity=key, nonce=" ", max_protocol=3)
    refused(port, "protocol mismatch", {"expectedProtocol": 4}, min_protocol=9, max_protocol=9)
    refused(port, "invalid role", role="king", max_protocol=3)


def test_a_replayed_connect_is_refused(test):
    _, gateway = gateway_on(test)
    key = test.identity()
    first = Client(gateway.port)
    params = first.connect_params(identity=key)
    check(first.call("connect", params)["ok"], "first connect")
    second = Client(gateway.port)
    answer = second.call("connect", params)
    equal(answer["error"]["message"], "device nonce mismatch")


def test_frames_before_connect(test):
    _, gateway = gateway_on(test)
    for text, code, reason in ((b"{not json", 1000, ""), (b'{"a":1}', 1008, "invalid request frame"),
                               (b'{"type":"req","method":"health"}', 1008, "invalid request frame")):
        client = Client(gateway.port)
        client.ws.send_text(text)
        equal(client.ws.expect_close(), (code, reason, []), f"after {text!r}")
    client = Client(gateway.port)
    answer = client.call("node.list", {})
    equal(answer["error"]["message"], "invalid handshake: first request must be connect")
    client = Client(gateway.port)
    answer = client.call("connect")
    equal(answer["error"]["message"], "invalid connect params: must be object")
    client = Client(gateway.port)
    client.ws.send_text(b" " * 70000)
    equal(client.ws.expect_close()[0], 1009, "close code for 70 kB before connect")


def test_frames_after_connect(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    check(client.connect(max_protocol=3)["ok"], "connect")
    client.ws.send_text(b"{not json")
    client.ws.send_text(b'{"type":"req","id":"x","method":"health","params":' + b"[" * 100000)
    answer = client.call("nope", {})
    equal(answer["error"], {"code": "INVALID_REQUEST", "message": "unknown method: nope", "details": {"cause": "UNKNOWN_METHOD"}})
    equal(client.call("connect", {})["error"]["message"], "connect is only valid as the first request")
    equal(client.call("node.describe", {"nodeId": "zzz"})["error"]["message"], "unknown nodeId")
    equal(client.call("node.invoke", {"nodeId": "zzz", "command": "system.run"})["error"]["message"],
          "invalid node.invoke params: must have required property 'idempotencyKey'")
    equal(client.call("node.invoke", {"nodeId": 5, "command": "system.run", "idempotencyKey": "k"})["error"]["message"],
          "invalid node.invoke params: at /nodeId: must be string")
    equal(client.call("node.invoke.result", {"id": "x", "nodeId": "y", "ok": True})["error"]["message"],
          "unauthorized role: operator")
    client.ws.send_json({"type": "req", "id": 5, "method": "health"})
    while True:
        frame = client.ws.recv_json()
        if frame["type"] == "res":
            break
    contains(frame["error"]["message"], "invalid request frame")
    check(client.ok("health")["ok"], "the connection still works")


def test_the_eleventh_unauthorized_call_closes(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    key = test.identity()
    check(client.connect(role="node", identity=key, max_protocol=3)["ok"], "connect")
    for _ in range(11):
        client.send("node.list", {})
    code, reason, _ = client.ws.expect_close()
    equal((code, reason), (1008, "repeated unauthorized calls"))


def test_a_26_megabyte_message_is_refused(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")
    try:
        client.ws.send_frame(1, b"x" * 65536, announce=26 * 1024 * 1024 + 65536)
    except ConnectionError:
        pass
    equal(client.ws.expect_close()[0], 1009, "close code")
    check(gateway.memory_kb() < 80 * 1024 or "asan" in BINARY, "memory was taken for a refused message")


def test_text_that_is_not_utf8_is_refused(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    check(client.connect()["ok"], "connect")
    client.ws.send_text(b'{"type":"req","id":"\xff","method":"health"}')
    equal(client.ws.expect_close()[0], 1007, "close code")


def test_http_that_makes_no_sense(test):
    _, gateway = gateway_on(test)
    for request in (b"GET http://evil/ HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
                    b"GET / HTTP/1.1\nHost: x\n\n", b"GET /\x00 HTTP/1.1\r\n\r\n", b"A" * 40000,
                    b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as sock:
            try:
                sock.sendall(request)
                data = sock.recv(4096)
            except ConnectionError:
                data = b""
            check(not data or data.startswith(b"HTTP/1.1 4") or data.startswith(b"HTTP/1.1 5"), f"{request[:30]!r}: {data[:80]!r}")
    ws = WebSocket(gateway.port, headers=["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"])
    equal(ws.status, 101)
    check("extensions" not in ws.head.lower(), "an extension was negotiated")


def test_a_foreign_origin_is_refused(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port, headers=["Origin: https://evil.example"])
    answer = client.connect(client_id="openclaw-control-ui", mode="ui", max_protocol=3)
    contains(answer["error"]["message"], "origin not allowed")


def test_a_port_in_use(test):
    home, gateway = gateway_on(test)
    other = test.machine("other")
    done = other.cli("gateway", "run", "--port", str(gateway.port), code=None)
    check(done.returncode != 0, "two gateways on one port")
    contains(done.err, str(gateway.port), "the message names the port")
    contains(done.err, "--port", "the message names the fix")


def test_a_second_gateway_on_the_same_state(test):
    home, gateway = gateway_on(test)
    done = home.cli("gateway", "run", "--port", "0", code=None)
    check(done.returncode != 0, "two gateways on one state directory")
    contains(done.err, home.state, "the message names the place")


def test_a_corrupt_database_is_kept(test):
    home, gateway = gateway_on(test)
    gateway.stop()
    databases = [os.path.join(base, name) for base, _, names in os.walk(home.state) for name in names
                 if name.endswith((".sqlite", ".db"))]
    check(databases, f"no database in {os.listdir(home.state)}")
    for path in databases:
        with open(path, "wb") as f:
            f.write(b"this is not a database" * 100)
    done = home.cli("gateway", "run", "--port", "0", code=None)
    check(done.returncode != 0, "the gateway started on a corrupt database")
    contains(done.err, os.path.basename(databases[0]), "the message names the file")
    with open(databases[0], "rb") as f:
        check(f.read().startswith(b"this is not a database"), "the file was changed")


def test_a_corrupt_identity_is_kept(test):
    box = test.machine("box")
    os.makedirs(os.path.join(box.state, "identity"))
    path = os.path.join(box.state, "identity", "device.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"version":1,"deviceId":"x"')
    done = box.cli("node", "run", "--port", "1", code=None)
    check(done.returncode != 0, "the node started without its identity")
    contains(done.err, "device.json", "the message names the file")
    with open(path, encoding="utf-8") as f:
        equal(f.read(), '{"version":1,"deviceId":"x"', "the file")


def test_a_broken_config_is_named(test):
    home = test.machine("gw")
    home.config("{\n  gateway: { port: 18789,\n  // no end\n")
    done = home.cli("gateway", "run", code=None)
    check(done.returncode != 0, "the gateway started on a broken config")
    contains(done.err, "openclaw.json")
    contains(done.err, "line ")


def test_an_unwritable_state_directory(test):
    home = test.machine("gw")
    blocked = os.path.join(test.dir, "file")
    with open(blocked, "w", encoding="utf-8") as f:
        f.write("")
    done = home.cli("gateway", "run", "--port", "0", code=None,
                    env={"OPENCLAW_STATE_DIR": os.path.join(blocked, "state"),
                         "OPENCLAW_CONFIG_PATH": os.path.join(home.state, "openclaw.json")})
    check(done.returncode != 0, "the gateway started without a state directory")
    contains(done.err, blocked, "the message names the path")
    contains(done.err, "OPENCLAW_STATE_DIR", "the message names the fix")


def test_lan_without_a_secret_is_refused(test):
    home = test.machine("gw")
    done = home.cli("gateway", "run", "--port", "0", "--bind", "lan", "--auth", "none", env={"OPENCLAW_GATEWAY_TOKEN": None}, code=None)
    check(done.returncode != 0, "an open gateway on the network")
    contains(done.err, "loopback")


# The reference takes whatever names these come with, and so do we: older and newer clients of it send some.
OPEN = {"exec.approval.list", "exec.approval.waitDecision", "health", "last-heartbeat", "node.pluginSurface.refresh",
        "openclaw.approval.list", "plugin.approval.list", "set-heartbeats", "status", "system-presence", "voicewake.get",
        "voicewake.set"}


def test_unknown_params_are_refused(test):
    _, gateway = gateway_on(test)
    operator, node = Client(gateway.port), Client(gateway.port)
    hello = operator.connect()
    check(node.connect(role="node", identity=test.identity(), commands=["system.which"])["ok"], "connect as a node")
    methods = hello["payload"]["features"]["methods"]
    check(OPEN < set(methods), "all that is open is offered")
    for method in methods:
        answer = operator.call(method, {"zzUnknown": 1})
        if not answer["ok"] and answer["error"]["message"].startswith("unauthorized role"):
            operator.ok("health")  # too many refusals of this kind in a row end a connection
            answer = node.call(method, {"zzUnknown": 1})
        refusal = answer.get("error") or {"message": "none"}
        if method in OPEN:
            check("unexpected property" not in refusal["message"], f"{method}: {refusal['message']}")
            continue
        equal(refusal["message"], f"invalid {method} params: at root: unexpected property 'zzUnknown'", method)
        equal(refusal["code"], "INVALID_REQUEST", method)
        equal(refusal["details"]["cause"], "UNKNOWN_PROPERTY", method)


def test_unknown_params_among_known_ones(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    client.connect()
    answer = client.call("node.describe", {"nodeId": "x", "a": 1, "b": {"nodeId": "y"}})
    equal(answer["error"]["message"],
          "invalid node.describe params: at root: unexpected property 'a'; at root: unexpected property 'b'")
    answer = client.call("node.invoke", {"nodeId": "x", "command": "system.which", "idempotencyKey": "k", "force": True})
    equal(answer["error"]["message"], "invalid node.invoke params: at root: unexpected property 'force'")
    # Names of the reference that mean nothing to us are taken.
    answer = client.call("node.invoke", {"nodeId": "x", "command": "system.which", "idempotencyKey": "k", "turnSourceTo": "t"})
    equal(answer["error"]["message"], "node not connected")


run_tests(globals())
