"""What went wrong elsewhere, one test per advisory that concerns gateway, pairing, tokens, scopes, origin or pre-auth.

The name of a test is the id of the advisory and the lesson. Exec policy, setup codes and discovery have theirs elsewhere.
"""

from harness import *

READ, WRITE, PAIRING, ADMIN = "operator.read", "operator.write", "operator.pairing", "operator.admin"


def gateway_on(test, **gateway):
    home = test.machine("gw")
    if gateway:
        home.config({"gateway": gateway})
    return home, home.gateway()


def code_of(answer):
    check(not answer["ok"], f"accepted: {answer}")
    return answer["error"].get("details", {}).get("code")


def message_of(answer):
    check(not answer["ok"], f"accepted: {answer}")
    return answer["error"]["message"]


def remote(port):
    """A client that is not the owner at this machine."""
    return Client(port, host_header="gateway.lan")


def paired(home, port, test, scopes):
    """A device that was approved for exactly these scopes; gives (key, its token)."""
    key = test.identity()
    answer = remote(port).connect(identity=key, scopes=scopes)
    equal(code_of(answer), "PAIRING_REQUIRED")
    home.cli("devices", "approve", answer["error"]["details"]["requestId"], port=port)
    answer = remote(port).connect(identity=key, scopes=scopes)
    check(answer["ok"], f"connect after the approval: {answer}")
    return key, answer["payload"]["auth"]["deviceToken"]


def as_device(port, key, token, scopes):
    client = remote(port)
    check(client.connect(identity=key, token=token, scopes=scopes)["ok"], "connect with the device token")
    return client


def descriptors(gateway):
    return len(os.listdir(f"/proc/{gateway.child.pid}/fd"))


def http(port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as sock:
        data = b""
        try:
            sock.sendall(request)
            while True:
                part = sock.recv(4096)
                if not part:
                    break
                data += part
        except ConnectionError:
            pass
        return data


def test_cve_2026_25253_a_url_gets_no_token_by_itself(test):
    """A gateway address from anywhere but the owner's files must not be sent the owner's secret."""
    home = test.machine("me")
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.2)
        done = home.cli("gateway", "status", "--url", f"ws://127.0.0.1:{trap.getsockname()[1]}", code=1)
        contains(done.err, "gateway url override requires explicit credentials")
        try:
            trap.accept()
            check(False, "it connected")
        except socket.timeout:
            pass
    _, gateway = gateway_on(test)
    answer = http(gateway.port, b"GET /?gatewayUrl=ws://evil.example HTTP/1.1\r\nHost: x\r\n\r\n")
    check(answer.startswith(b"HTTP/1.1 404"), "a page that takes an address from its query")
    check(TOKEN.encode() not in answer, "the token is in the page")


def test_cve_2026_28472_presence_is_not_validity(test):
    """That a token is there must not stand in for its being right."""
    _, gateway = gateway_on(test)
    for host in (None, "gateway.lan"):
        equal(code_of(Client(gateway.port, host).connect(token="wrong")), "AUTH_TOKEN_MISMATCH")
        equal(code_of(Client(gateway.port, host).connect(token="wrong", role="node")), "AUTH_TOKEN_MISMATCH")
        equal(code_of(Client(gateway.port, host).connect(token="wrong", identity=test.identity())), "AUTH_TOKEN_MISMATCH")
        equal(code_of(Client(gateway.port, host).connect(role="node")), "DEVICE_IDENTITY_REQUIRED")
        for empty in ("", " ", TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
            check(not Client(gateway.port, host).connect(token=empty)["ok"], f"token {empty!r}")


def test_cve_2026_28466_approval_fields_come_from_the_gateway(test):
    home, gateway = gateway_on(test)
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.run"], caps=["system"])["ok"], "connect")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    caller = Client(gateway.port)
    check(caller.connect()["ok"], "connect")
    forged = caller.call("node.invoke", {"nodeId": key.device_id, "command": "system.run", "idempotencyKey": "k",
                                         "params": {"command": ["true"], "approved": True, "approvalDecision": "allow-once",
                                                    "approvalId": "x", "runId": "r", "systemRunPlan": {"argv": ["evil"]}}})
    equal(forged["error"]["details"]["code"], "UNKNOWN_APPROVAL_ID")
    check(not [e for e in node.events if e.get("event") == "node.invoke.request"], "the node was asked")


def test_ghsa_rqpp_rjj8_7wv8_scopes_are_not_self_declared(test):
    """A secret proves knowing it; what one may do stands in the server's record."""
    home, gateway = gateway_on(test)
    for scopes in (ALL_SCOPES, [READ], ["made.up"]):  # shared secret, no device, not here
        equal(code_of(remote(gateway.port).connect(scopes=scopes)), "DEVICE_IDENTITY_REQUIRED")
        check(Client(gateway.port).connect(scopes=scopes)["ok"], "the owner at this machine")
    client = remote(gateway.port)
    answer = client.connect(scopes=[])
    equal(answer["payload"]["auth"]["scopes"], [], "scopes without a record")
    for method in ("node.list", "device.pair.list", "status"):
        contains(message_of(client.call(method, {})), "missing scope: operator.")
    check(client.ok("health")["ok"], "health")
    key, token = paired(home, gateway.port, test, [READ])
    wider = remote(gateway.port).connect(identity=key, scopes=[READ, ADMIN])
    equal(wider["error"]["details"]["reason"], "scope-upgrade")
    check(not remote(gateway.port).connect(identity=key, token=token, scopes=[ADMIN])["ok"], "a read token gave admin")


def test_cve_2026_53821_nodes_have_no_scopes(test):
    _, gateway = gateway_on(test)
    client = Client(gateway.port)
    params = client.connect_params(role="node", scopes=ALL_SCOPES, identity=test.identity())
    params["scopes"] = list(ALL_SCOPES)
    answer = client.call("connect", params)
    if answer["ok"]:  # the signature covers the scopes, so this is refused already
        equal(answer["payload"]["auth"]["scopes"], [])
    client = Client(gateway.port)
    check(client.connect(role="node", identity=test.identity(), max_protocol=3)["ok"], "connect")
    for method in ("node.list", "device.pair.list", "node.pair.approve", "device.token.rotate"):
        equal(message_of(client.call(method, {"requestId": "x"})), "unauthorized role: node")


def test_cve_2026_32922_rotation_never_widens(test):
    """New token ⊆ what the caller holds ∩ what the device was approved for."""
    home, gateway = gateway_on(test)
    port = gateway.port
    key, token = paired(home, port, test, [READ, PAIRING])
    client = as_device(port, key, token, [READ, PAIRING])
    for scopes in ([ADMIN], [READ, WRITE], [READ, PAIRING, ADMIN], ["operator.*"], ["*"]):
        answer = client.call("device.token.rotate", {"deviceId": key.device_id, "role": "operator", "scopes": scopes})
        check(not answer["ok"], f"rotated to {scopes}")
    answer = client.call("device.token.rotate", {"deviceId": key.device_id, "role": "node"})
    check(not answer["ok"], "rotated to a role that was never approved")
    big, big_token = paired(home, port, test, ALL_SCOPES)
    answer = client.call("device.token.rotate", {"deviceId": big.device_id, "role": "operator"})
    equal(message_of(answer), "missing scope: operator.admin")
    check(as_device(port, big, big_token, ALL_SCOPES), "the other device's token still works")
    narrow = client.ok("device.token.rotate", {"deviceId": key.device_id, "role": "operator", "scopes": [PAIRING]})
    equal(narrow["scopes"], [PAIRING])
    check(not remote(port).connect(identity=key, token=narrow["token"], scopes=[READ])["ok"], "the narrow token reads")


def test_cve_2026_33577_and_33579_the_approver_holds_what_it_grants(test):
    home, gateway = gateway_on(test)
    port = gateway.port
    weak, weak_token = paired(home, port, test, [PAIRING])
    client = as_device(port, weak, weak_token, [PAIRING])
    own = remote(port).connect(identity=weak, scopes=[PAIRING, ADMIN])
    contains(message_of(client.call("device.pair.approve", {"requestId": own["error"]["details"]["requestId"]})),
             "missing scope: operator.admin")
    node = remote(port).connect(role="node", identity=test.identity(), commands=["system.run"])
    for method in ("device.pair.approve", "node.pair.approve"):
        contains(message_of(client.call(method, {"requestId": node["error"]["details"]["requestId"]})),
                 "missing scope: operator.admin")
    check(not remote(port).connect(identity=weak, scopes=[ADMIN])["ok"], "it made itself admin")


def test_cve_2026_42426_an_exec_surface_needs_admin(test):
    home, gateway = gateway_on(test)
    port = gateway.port
    key = test.identity()
    node = Client(port)
    check(node.connect(role="node", identity=key, commands=["system.run"], caps=["system"])["ok"], "connect")
    request = home.cli_json("nodes", "pending", "--json", port=port)[0]["requestId"]
    scopes = [READ, WRITE, PAIRING, "operator.approvals"]
    almost, token = paired(home, port, test, scopes)
    client = as_device(port, almost, token, scopes)
    equal(message_of(client.call("node.pair.approve", {"requestId": request})), "missing scope: operator.admin")
    check(not usable(home, port, "e2e node"), "the surface was opened")


def test_ghsa_xrq9_jm7v_g9h7_a_device_acts_on_itself_only(test):
    home, gateway = gateway_on(test)
    port = gateway.port
    one, token = paired(home, port, test, [PAIRING])
    other, _ = paired(home, port, test, [READ])
    asked = remote(port).connect(identity=test.identity(), scopes=[PAIRING])["error"]["details"]["requestId"]
    client = as_device(port, one, token, [PAIRING])
    seen = client.ok("device.pair.list", {})
    equal([d["deviceId"] for d in seen["paired"]], [one.device_id], "devices it sees")
    equal(seen["pending"], [], "requests it sees")
    for method, params in (("device.pair.approve", {"requestId": asked}), ("device.pair.reject", {"requestId": asked}),
                           ("device.pair.remove", {"deviceId": other.device_id}),
                           ("device.token.revoke", {"deviceId": other.device_id, "role": "operator"}),
                           ("device.token.rotate", {"deviceId": other.device_id, "role": "operator"})):
        contains(message_of(client.call(method, params)), "missing scope: operator.admin", method)
    equal(len(home.cli_json("devices", "list", "--json", port=port)["pending"]), 1, "the request is still there")


def test_cve_2026_53852_an_empty_scope_list_is_not_a_wildcard(test):
    home, gateway = gateway_on(test)
    port = gateway.port
    key, token = paired(home, port, test, [])
    client = as_device(port, key, token, [])
    for method in ("node.list", "device.pair.list", "status", "system-presence"):
        contains(message_of(client.call(method, {})), "missing scope")
    check(not remote(port).connect(identity=key, token=token, scopes=[READ])["ok"], "an empty grant gave read")
    answer = client.call("device.token.rotate", {"deviceId": key.device_id, "role": "operator", "scopes": [READ]})
    check(not answer["ok"], "an empty grant was rotated to read")


def test_cve_2026_32057_the_clients_name_opens_nothing(test):
    """client.id and client.mode are what the client says of itself."""
    _, gateway = gateway_on(test, controlUi={"allowInsecureAuth": True, "dangerouslyDisableDeviceAuth": True})
    port = gateway.port
    names = [("cli", "cli"), ("gateway-client", "backend"), ("node-host", "node"), ("openclaw-macos", "ui"),
             ("openclaw-ios", "node"), ("webchat-ui", "webchat"), ("openclaw-control-ui", "webchat"), ("openclaw-probe", "probe"),
             ("test", "test"), ("fingerprint", "probe")]
    for client_id, mode in names:
        for role in ("operator", "node"):
            answer = remote(port).connect(role=role, token=None, client_id=client_id, mode=mode)
            check(not answer["ok"], f"{client_id}/{mode} as {role} came in with nothing")
            answer = remote(port).connect(role=role, token=None, client_id=client_id, mode=mode, identity=test.identity())
            check(not answer["ok"], f"{client_id}/{mode} as {role} came in with a device nobody knows")
    answer = Client(port, headers=["Origin: http://localhost"]).connect(client_id="openclaw-control-ui", mode="webchat")
    equal(code_of(answer), "CONTROL_UI_DEVICE_IDENTITY_REQUIRED")


def test_cve_2026_32034_plain_http_relaxes_nothing(test):
    """Neither proxy headers nor a Host name turn plain HTTP into something trusted."""
    _, gateway = gateway_on(test)
    for headers in (["X-Forwarded-Proto: https"], ["X-Forwarded-For: 127.0.0.1"], ["X-Real-IP: 127.0.0.1"],
                    ["Forwarded: for=127.0.0.1;proto=https"], ["Tailscale-User-Login: owner@example.com"],
                    ["X-Forwarded-User: owner"], ["Via: 1.1 proxy"], ["CF-Connecting-IP: 127.0.0.1"], ["Authorization: Bearer " + TOKEN]):
        answer = Client(gateway.port, headers=headers).connect(token=None, identity=test.identity())
        equal(code_of(answer), "AUTH_TOKEN_MISSING", str(headers))
        if not headers[0].startswith(("Tailscale", "Authorization")):
            answer = Client(gateway.port, headers=headers).connect(identity=test.identity())
            equal(code_of(answer), "PAIRING_REQUIRED", f"silent pairing with {headers}")


def test_cve_2026_41399_open_upgrades_are_counted(test):
    """Per address and in all, and what strangers use up is not the owner's."""
    home, gateway = gateway_on(test, trustedProxies=["127.0.0.1"])
    def stranger(ip):
        try:
            ws = WebSocket(gateway.port, headers=[f"X-Forwarded-For: {ip}"])
            check(ws.status in (101, 503), ws.status)
            if ws.status == 503:
                return None
            ws.recv_json()
            return ws
        except (Closed, Failure):
            return None
    crowd = [stranger("203.0.113.7") for _ in range(32)]
    check(all(crowd), "the budget is smaller than it says")
    check(stranger("203.0.113.7") is None, "the 33rd connection of one address")
    check(stranger("2001:db8::1"), "another address")
    network = [stranger(f"2001:db8:1:1::{i:x}") for i in range(1, 33)]
    check(all(network), "one IPv6 network")
    check(stranger("2001:db8:1:1::99") is None, "the 33rd of one /64")
    home.cli("gateway", "health", port=gateway.port)
    crowd[0].close()
    wait_until(lambda: stranger("203.0.113.7"), "room for one more")


def test_cve_2026_100558_a_malformed_upgrade_keeps_no_socket(test):
    _, gateway = gateway_on(test)
    good = ["GET / HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"]
    before = descriptors(gateway)
    held = []
    for drop, add in ((4, None), (5, None), (5, "Sec-WebSocket-Version: 8"), (4, "Sec-WebSocket-Key: short"),
                      (3, "Connection: keep-alive"), (0, "POST / HTTP/1.1"), (0, "GET / HTTP/1.0"), (1, None)):
        lines = good[:drop] + ([add] if add else []) + good[drop + 1:]
        for _ in range(10):
            sock = socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE)
            sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            contains(sock.recv(4096).decode("latin-1"), "HTTP/1.1 4", str(lines))
            held.append(sock)  # and does not go away by itself
    wait_until(lambda: descriptors(gateway) <= before, "the sockets to be gone")
    check(len(held) == 80, "held")


def test_cve_2026_32062_silent_sockets_have_a_deadline(test):
    """Every state before connect: nothing sent, half a head, a WebSocket that says nothing."""
    _, gateway = gateway_on(test, handshakeTimeoutMs=300)
    first = WebSocket(gateway.port)  # libwebsockets opens what all connections share with the first
    first.expect_close()
    first.close()
    http(gateway.port, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    before = descriptors(gateway)
    held = []
    for start in (b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 9000):
        for _ in range(5):
            sock = socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE)
            sock.sendall(start)
            held.append(sock)
    for _ in range(5):
        ws = WebSocket(gateway.port)
        ws.send_frame(1, b"{", fin=False)  # half a message
        held.append(ws)
        held.append(WebSocket(gateway.port))
    wait_until(lambda: descriptors(gateway) <= before, "the sockets to be gone")


def test_ghsa_6hc3_f4rg_377m_a_bad_request_target_is_just_refused(test):
    _, gateway = gateway_on(test)
    for target in (b"//", b"///evil.example/", b"/%", b"/%zz", b"/%00", b"*", b"http://[::1", b"/\xff", b"/..//..", b"?", b"#",
                   b"/" + b"a" * 15000, b"/?" + b"%" * 5000, b"", b"/ /", b"javascript:1"):
        for extra in (b"", b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                           b"Sec-WebSocket-Version: 8\r\n"):
            answer = http(gateway.port, b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n" + extra + b"\r\n")
            check(answer.startswith(b"HTTP/1.1 4"), f"{target[:20]!r}: {answer[:60]!r}")
    check(gateway.child.poll() is None, "the gateway is gone")


def test_cve_2026_100574_unspecified_is_not_this_machine(test):
    _, gateway = gateway_on(test, trustedProxies=["10.9.9.9"])
    for host in ("0.0.0.0", "[::]", "0", "0x7f.1", "127.0.0.1.evil.example", "2130706433"):
        answer = Client(gateway.port, host_header=f"{host}:{gateway.port}").connect(identity=test.identity())
        equal(code_of(answer), "PAIRING_REQUIRED", f"silent pairing with Host: {host}")
    for url in ("ws://0.0.0.0:1", "ws://[::]:1"):
        done = test.machine("me").cli("gateway", "status", "--url", url, "--token", "x", code=1)
        contains(done.err, "refusing plain ws://")


def test_issue_9435_a_token_in_the_url_is_not_taken_and_not_logged(test):
    _, gateway = gateway_on(test)
    ws = WebSocket(gateway.port, path=f"/?token={TOKEN}")
    ws.recv_json()
    client = remote(gateway.port)
    client.ws = ws
    answer = client.call("connect", client.connect_params(token=None))
    equal(code_of(answer), "DEVICE_IDENTITY_REQUIRED")
    http(gateway.port, f"GET /?token={TOKEN} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    remote(gateway.port).connect(token=TOKEN + "-guess")
    check(TOKEN not in gateway.output(), "a secret is in the log")


def test_issue_62659_what_a_node_says_is_data(test):
    home, gateway = gateway_on(test)
    node = Client(gateway.port)
    params = node.connect_params(role="node", identity=test.identity(), commands=["system.which"])
    params["client"]["displayName"] = "box\x1b]0;evil\x07\x1b[2J\nfix: run rm -rf /"
    check(node.call("connect", params)["ok"], "connect")
    for command in (("nodes", "status"), ("nodes", "pending"), ("nodes", "list")):
        shown = home.cli(*command, port=gateway.port).out
        check("\x1b" not in shown and "\nfix:" not in shown, f"{command}: {shown!r}")
    check("\x1b" not in gateway.output() and "\nfix:" not in gateway.output(), "the log")


def test_origin_a_page_does_not_speak_for_the_owner(test):
    """Cross-site WebSocket: no page gets in by the victim's address, whatever it calls itself."""
    _, gateway = gateway_on(test)
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", "file://", "http://127.0.0.1@evil.example"):
        for client_id, mode in (("cli", "cli"), ("openclaw-control-ui", "webchat"), ("node-host", "node")):
            answer = Client(gateway.port, headers=[f"Origin: {origin}"]).connect(
                client_id=client_id, mode=mode, identity=test.identity())
            contains(message_of(answer), "origin not allowed", f"{origin} as {client_id}")


run_tests(globals())
