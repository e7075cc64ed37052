"""A gateway that others can reach: proxies, prefixes, guessing, and what leaves a machine in the clear."""

from harness import *

PUBLIC = "X-Forwarded-For: 203.0.113.9"


def test_a_trusted_proxy_names_its_clients(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.0/8"], "allowRealIpFallback": True}})
    gateway = home.gateway()
    for headers, shown in (([PUBLIC], "203.0.113.9"), (["X-Forwarded-For: 127.0.0.1, 203.0.113.10"], "203.0.113.10"),
                           (["X-Forwarded-For: 203.0.113.11, 127.0.0.5"], "203.0.113.11"), (["X-Real-IP: 203.0.113.12"], "203.0.113.12")):
        answer = Client(gateway.port, headers=headers).connect(identity=test.identity())
        equal(answer["error"]["details"]["code"], "PAIRING_REQUIRED")
        request = answer["error"]["details"]["requestId"]
        pending = {p["requestId"]: p for p in home.cli_json("devices", "list", "--json", port=gateway.port)["pending"]}
        equal(pending[request]["remoteIp"], shown, str(headers))
    check("trustedProxies" not in gateway.output(), "a warning about a proxy that is listed")


def test_anybody_elses_headers_only_cost_trust(test):
    home = test.machine("gw")
    gateway = home.gateway()
    answer = Client(gateway.port, headers=["X-Forwarded-For: 127.0.0.1"]).connect(identity=test.identity())
    equal(answer["error"]["details"]["code"], "PAIRING_REQUIRED")
    request = home.cli_json("devices", "list", "--json", port=gateway.port)["pending"][0]
    check(request.get("remoteIp") != "127.0.0.1" or "203" not in str(request), "an address from a header")
    gateway.wait_for(r"proxy headers from ip=127.0.0.1 are not believed; .* gateway.trustedProxies")


def guess(port, headers=(), token="wrong", **kw):
    """Without scopes: a device-less client from elsewhere gets none."""
    return Client(port, headers=headers).connect(token=token, scopes=[], **kw)


def test_guessing_locks_the_address_out_and_nobody_else(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"],
                             "auth": {"rateLimit": {"maxAttempts": 3, "windowMs": 60000, "lockoutMs": 60000}}}})
    gateway = home.gateway()
    for _ in range(3):
        equal(guess(gateway.port, [PUBLIC])["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH")
    answer = guess(gateway.port, [PUBLIC], token=TOKEN)  # even with the right one: it could be the next guess
    equal(answer["error"]["details"]["code"], "AUTH_RATE_LIMITED")
    check(answer["error"]["retryable"], "retryable")
    for where in (answer["error"], answer["error"]["details"]):
        check(0 < where["retryAfterMs"] <= 60000, f"retryAfterMs in {where}")
    equal(answer["error"]["message"], "unauthorized: too many failed authentication attempts (retry later)")
    check(guess(gateway.port, ["X-Forwarded-For: 203.0.113.10"], token=TOKEN)["ok"], "another address is locked out")
    check(guess(gateway.port, token=TOKEN)["ok"], "the owner is locked out")


def test_a_success_forgives(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 3}}}})
    gateway = home.gateway()
    for _ in range(4):
        for _ in range(2):
            guess(gateway.port, [PUBLIC])
        check(guess(gateway.port, [PUBLIC], token=TOKEN)["ok"], "locked out by guesses that were forgiven")


def test_the_lock_opens_again(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"rateLimit": {"maxAttempts": 2, "lockoutMs": 400, "exemptLoopback": False}}}})
    gateway = home.gateway()
    for _ in range(2):
        guess(gateway.port)
    equal(guess(gateway.port, token=TOKEN)["error"]["details"]["code"], "AUTH_RATE_LIMITED")
    wait_until(lambda: guess(gateway.port, token=TOKEN)["ok"], "the end of the lock")


def test_loopback_is_exempt_unless_told_otherwise(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"rateLimit": {"maxAttempts": 2}}}})
    gateway = home.gateway()
    for _ in range(5):
        equal(guess(gateway.port)["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH")
    check(guess(gateway.port, token=TOKEN)["ok"], "the owner is locked out")
    # … but not who only looks local: a page, or somebody behind a proxy that is not listed.
    for headers in (["X-Forwarded-For: 1.2.3.4"],):
        for _ in range(2):
            guess(gateway.port, headers)
        equal(guess(gateway.port, headers)["error"]["details"]["code"], "AUTH_RATE_LIMITED")


def test_device_tokens_are_not_guessed_either(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 3}}}})
    gateway = home.gateway()
    key = test.identity()
    real = Client(gateway.port).connect(identity=key)["payload"]["auth"]["deviceToken"]

    def try_device(token):
        client = Client(gateway.port, headers=[PUBLIC])
        params = client.connect_params(identity=key, token=token)
        params["auth"] = {"deviceToken": token}
        return client.call("connect", params)

    for _ in range(3):
        equal(try_device("wrong")["error"]["details"]["code"], "AUTH_DEVICE_TOKEN_MISMATCH")
    equal(try_device(real)["error"]["details"]["code"], "AUTH_RATE_LIMITED")


def test_a_missing_secret_is_not_a_guess(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 2}}}})
    gateway = home.gateway()
    for _ in range(5):
        guess(gateway.port, [PUBLIC], token=None, identity=test.identity())
    check(guess(gateway.port, [PUBLIC], token=TOKEN)["ok"], "locked out without having guessed")


def test_plain_ws_stays_private(test):
    me = test.machine("me")
    for host in ("gateway.example.org", "203.0.113.9", "8.8.8.8", "[2001:db8::1]", "192.168.1.2.evil.example", "local", "ts.net.evil",
                 "172.32.0.1", "100.128.0.1"):
        plain = host.strip("[]")
        done = me.cli("gateway", "status", "--url", f"ws://{host}:9", "--token", "x", code=1)
        contains(done.err, f"refusing plain ws:// to {plain}")
        contains(done.err, "OPENCLAW_ALLOW_INSECURE_PRIVATE_WS=1")
        done = me.cli("node", "run", "--host", plain, "--port", "9", code=1)
        contains(done.err, "OPENCLAW_ALLOW_INSECURE_PRIVATE_WS=1")
        contains(done.err, "--tls")
    me.config({"gateway": {"mode": "remote", "remote": {"url": "ws://gateway.example.org:9", "token": "x"}}})
    contains(me.cli("gateway", "status", code=1).err, "refusing plain ws://")
    # Allowed: these fail only because nobody answers.
    for host in ("127.0.0.1", "localhost", "[::1]"):
        done = me.cli("gateway", "status", "--url", f"ws://{host}:9", "--token", "x", "--timeout", "3000", code=1)
        check("refusing" not in done.err, done.err)
    for host in ("no-such-host.local", "no-such-host.ts.net"):
        done = me.cli("gateway", "status", "--url", f"ws://{host}:9", "--token", "x", "--timeout", "200", code=1)
        check("refusing" not in done.err, done.err)
    done = me.cli("gateway", "status", "--url", "ws://no-such-host.invalid:9", "--token", "x", "--timeout", "200", code=1,
                  env={"OPENCLAW_ALLOW_INSECURE_PRIVATE_WS": "1"})
    check("refusing" not in done.err, done.err)


class PrefixProxy(HostProxy):
    """A reverse proxy that serves the gateway under /openclaw only and strips nothing."""

    def __init__(self, target):
        self.paths = []
        super().__init__(target, host="proxy.lan")

    def _serve(self, client):
        head = client.recv(4096, socket.MSG_PEEK)
        path = head.split(b" ")[1].decode()
        self.paths.append(path)
        if not path.startswith("/openclaw"):
            client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            client.close()
            return
        super()._serve(client)


def test_a_prefix_of_a_reverse_proxy(test):
    home = test.machine("gw")
    gateway = home.gateway()
    proxy = PrefixProxy(gateway.port)
    box = test.machine("box")
    node = box.node(proxy.port, "--context-path", "openclaw/")
    node.wait_for(rf"ws://127.0.0.1:{proxy.port}/openclaw")
    node.wait_for("waiting for approval of this device")
    equal(set(proxy.paths), {"/openclaw"}, "paths")
    with open(os.path.join(box.state, "node.json"), encoding="utf-8") as f:
        equal(json.load(f)["gateway"]["contextPath"], "/openclaw")
    node.stop()
    box.node(proxy.port).wait_for("waiting for approval of this device")  # kept with that gateway
    done = box.cli("gateway", "status", "--url", f"ws://127.0.0.1:{proxy.port}/openclaw/deeper?x=1", "--token", TOKEN, code=1)
    contains(done.err, "devices approve")
    contains(proxy.paths, "/openclaw/deeper?x=1")
    done = box.cli("gateway", "status", "--url", f"ws://127.0.0.1:{proxy.port}/elsewhere", "--token", TOKEN, code=1)
    contains(done.err, "404")
    contains(box.cli("node", "run", "--context-path", "/a b", code=1).err, "context path")
    proxy.close()


def http_status(port, path):
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as sock:
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        return int(sock.makefile("rb").readline().split()[1])


def test_the_gateway_under_a_path(test):
    """For proxies that pass the path on: everything of ours is below it, and nothing else is answered."""
    home = test.machine("gw")
    home.config({"gateway": {"contextPath": "oc/"}})
    gateway = home.gateway()
    contains(gateway.output(), f":{gateway.port}/oc (auth")
    for path, want in (("/oc/health", 200), ("/oc/readyz", 200), ("/health", 404), ("/", 404), ("/ochealth", 404),
                       ("/oc/other", 404), ("/oc", 404)):
        equal(http_status(gateway.port, path), want, path)
    for path, want in (("/oc", 101), ("/oc/", 101), ("/oc?x=1", 101), ("/", 404), ("/other", 404), ("/occ", 404),
                       ("/OC", 404)):
        ws = WebSocket(gateway.port, path=path)
        equal(ws.status, want, f"upgrade of {path}")
        ws.close()
    status = home.cli_json("gateway", "status", "--json", port=gateway.port)  # the local command line finds it
    equal(status["url"], f"ws://127.0.0.1:{gateway.port}/oc")
    made = home.cli_json("devices", "join-code", "--json", port=gateway.port)
    equal(made["gatewayUrl"], f"ws://127.0.0.1:{gateway.port}/oc")
    box = test.machine("box")
    node = Process(test, "node-box", [BINARY, "node", "run", "--pair", made["setupCode"]],
                   box.env(OPENCLAW_GATEWAY_TOKEN=None))
    node.wait_for(rf"connected to ws://127.0.0.1:{gateway.port}/oc")
    node.stop()
    box.node(gateway.port).wait_for("connected to")  # kept in node.json
    own = Process(test, "node-own", [BINARY, "node", "run"], home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    own.wait_for(rf"connect\w+ to ws://127.0.0.1:{gateway.port}/oc")  # the gateway's own machine
    home.config({"gateway": {"contextPath": "/a b"}})
    contains(home.cli("gateway", "run", code=1).err, "gateway.contextPath: must be a plain URL path")


run_tests(globals())
