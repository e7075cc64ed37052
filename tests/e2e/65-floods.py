"""What one party repeats without end: lines of the log, requests for pairing, requests of people, wrong guesses. Everything is
counted for whoever causes it, however often they connect, and what is counted is bytes and events, not time."""

from harness import *

ELSEWHERE = ["X-Forwarded-For: 203.0.113.9"]  # never the owner sitting here


def log_bytes(gateway):
    return os.path.getsize(gateway.log_path)


def get(port, path, *headers):
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as sock:
        sock.sendall("\r\n".join([f"GET {path} HTTP/1.1", "Host: gateway.example", *headers, "", ""]).encode())
        return int(sock.recv(4096).split()[1])


def test_strangers_do_not_grow_the_log(test):
    home = test.machine("gw")
    gateway = home.gateway()
    owner = Client(gateway.port)
    check(owner.connect(identity=test.identity(), mode="backend", client_id="gateway-client")["ok"], "connect")
    lines = owner.ok("logs.tail")["lines"]
    before = log_bytes(gateway)
    for i in range(300):
        stranger = Client(gateway.port, headers=ELSEWHERE)
        check(not stranger.connect(token=None, max_protocol=2 + i % 2, min_protocol=2)["ok"], "a stranger was let in")
        stranger.close()
    check(log_bytes(gateway) - before < 4096, f"the log grew by {log_bytes(gateway) - before} bytes")
    check(set(lines) <= set(owner.ok("logs.tail", {"limit": 5000})["lines"]), "lines of ours were flushed")
    gateway.stop()
    contains(gateway.output(), "more lines in 60 s because of 127.0.0.1")


def test_a_device_that_connects_without_end_does_not_grow_the_log(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    before = log_bytes(gateway)
    for _ in range(150):
        client = Client(gateway.port)
        check(client.connect(identity=key, mode="backend", client_id="gateway-client")["ok"], "connect")
        client.close()
    wait_until(lambda: "more lines" in gateway.output() or gateway.output().count("disconnected") >= 50, "the last line")
    check(log_bytes(gateway) - before < 30000, f"the log grew by {log_bytes(gateway) - before} bytes")


def test_pairing_requests_of_one_device_are_few(test):
    home = test.machine("gw")
    gateway = home.gateway()
    watcher = Client(gateway.port)
    check(watcher.connect(identity=test.identity(), mode="backend", client_id="gateway-client")["ok"], "connect")
    key = test.identity()
    refusals = []
    for i in range(30):
        client = Client(gateway.port, "gateway.lan")
        told = {"id": "cli", "version": "e2e", "platform": "linux", "mode": "cli", "displayName": f"name {i}"}
        answer = client.connect(identity=key, client=told)
        check(not answer["ok"], "nobody approved it")
        refusals.append(answer["error"]["message"])
        client.close()
    watcher.ok("health")
    heard = [f for f in watcher.events if f.get("event") == "device.pair.requested"]
    check(1 <= len(heard) <= 6, f"operators heard of {len(heard)} requests")
    contains(refusals[-1], "too often")
    (waiting,) = [r for r in watcher.ok("device.pair.list")["pending"] if r["deviceId"] == key.device_id]
    equal(waiting["displayName"], "name 5", "the last that was heard of")
    home.cli("devices", "approve", waiting["requestId"], port=gateway.port)  # what was read can be approved


def test_requests_of_people_count_for_the_device(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    handled, node = 0, None
    operator = Client(gateway.port)
    check(operator.connect(identity=test.identity(), mode="backend", client_id="gateway-client")["ok"], "connect")
    operator.ok("agent.requests.listen")
    for i in range(6):
        if node:
            node.close()
        node = Client(gateway.port)
        check(node.connect(role="node", identity=key, commands=["canvas.present"], caps=["canvas"])["ok"], "connect")
        if i == 0:
            home.cli("nodes", "approve", "--yes", port=gateway.port)
        for _ in range(30):
            told = node.ok("node.event", {"event": "agent.request", "payloadJSON": json.dumps({"message": "again"})})
            handled += told["handled"]
    check(1 <= handled <= 40, f"{handled} requests were handed over")


def test_wrong_bearers_lock_out_nobody_who_knows_better(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    first = Client(gateway.port)
    token = first.connect(identity=key)["payload"]["auth"]["deviceToken"]
    for _ in range(15):
        equal(get(gateway.port, "/__openclaw__/canvas/", "Authorization: Bearer wrong", *ELSEWHERE), 401)
    equal(get(gateway.port, "/__openclaw__/canvas/", f"Authorization: Bearer {TOKEN}", *ELSEWHERE), 401, "the same kind is locked")
    by_secret = Client(gateway.port, headers=ELSEWHERE)
    check(by_secret.connect(identity=key)["ok"], "the shared secret over a WebSocket")
    by_token = Client(gateway.port, headers=ELSEWHERE)
    check(by_token.connect(identity=key, token=token)["ok"], "the device's own token")
    page = Client(gateway.port, headers=[f"Origin: http://127.0.0.1:{gateway.port}"])
    check(page.connect(identity=key)["ok"], "a page of the owner here")


def test_wrong_setup_codes_lock_out_no_device(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    token = Client(gateway.port).connect(identity=key)["payload"]["auth"]["deviceToken"]
    stranger = test.identity()
    codes = []
    for _ in range(13):
        client = Client(gateway.port, headers=ELSEWHERE)
        params = client.connect_params(identity=stranger, token="wrong")
        params["auth"] = {"bootstrapToken": "wrong"}
        codes.append(client.call("connect", params)["error"]["details"]["code"])
        client.close()
    contains(codes, "AUTH_RATE_LIMITED", "what guessers of setup codes hear")
    client = Client(gateway.port, headers=ELSEWHERE)
    check(client.connect(identity=key, token=token)["ok"], "the device's own token")


run_tests(globals())
