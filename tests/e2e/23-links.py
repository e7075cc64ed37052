"""Setup codes behind a short link, codes for a gateway behind a path, what became of a code, and devices with names."""

import http.client

from harness import *

NO_TOKEN = {"OPENCLAW_GATEWAY_TOKEN": None}
ADMIN, PAIRING, READ = "operator.admin", "operator.pairing", "operator.read"


def operator(port, scopes=ALL_SCOPES):
    client = Client(port)
    check(client.connect(scopes=scopes)["ok"], "connect")
    return client


def link(port, **params):
    return operator(port).ok("device.pair.setupCode", {"joinUrl": True, "includeQr": False, **params})


def get(url, method="GET", headers=None):
    """(status, headers, body) of one request."""
    rest = url.split("://", 1)[1]
    address, _, path = rest.partition("/")
    conn = http.client.HTTPConnection(address, timeout=DEADLINE)
    conn.request(method, "/" + path, headers=headers or {})
    answer = conn.getresponse()
    body = answer.read()
    conn.close()
    return answer.status, answer.headers, body


def decode(code):
    return json.loads(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)))


def refusal(client, method, params, message):
    answer = client.call(method, params)
    check(not answer["ok"], f"{method} must fail: {answer}")
    contains(answer["error"]["message"], message)


def test_a_link_opens_once(test):
    home = test.machine("gw")
    gateway = home.gateway()
    made = link(gateway.port, bootstrapProfile="node")
    check(re.fullmatch(rf"http://127\.0\.0\.1:{gateway.port}/j/[A-Za-z0-9_-]{{22}}", made["joinUrl"]), made["joinUrl"])
    join = made["joinUrl"].rsplit("/", 1)[1]
    # What is not exactly the link neither opens nor burns it.
    for bad in (made["joinUrl"][:-1], made["joinUrl"] + "x", made["joinUrl"] + "?a=b", f"http://127.0.0.1:{gateway.port}/j/",
                f"http://127.0.0.1:{gateway.port}/j", made["joinUrl"].replace(join, join.swapcase())):
        equal(get(bad)[0], 404, bad)
    for method in ("HEAD", "POST"):
        equal(get(made["joinUrl"], method)[0], 404, method)
    # A restart of the gateway does not void it.
    gateway.stop()
    with open(database(home), "rb") as f:
        stored = f.read()
    check(join.encode() not in stored, "the link's code is in the database")
    check(decode(made["setupCode"])["bootstrapToken"].encode() not in stored, "the token is in the database")
    gateway = home.gateway(port=gateway.port)
    status, headers, body = get(made["joinUrl"])
    equal(status, 200)
    contains(headers["Content-Type"], "application/json")
    equal(headers["Cache-Control"], "no-store")
    equal(json.loads(body), decode(made["setupCode"]), "the same as the setup code")
    equal(get(made["joinUrl"])[0], 404, "the second time")
    check(join not in gateway.output(), "the link is in the log")


def database(home):
    for folder, _, names in os.walk(home.state):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                if f.read(15) == b"SQLite format 3":
                    return path
    raise Failure("no database")


def test_a_link_is_as_good_as_its_code(test):
    home = test.machine("gw")
    gateway = home.gateway()
    made = link(gateway.port)
    token = decode(made["setupCode"])["bootstrapToken"]
    used = Client(gateway.port, host_header="gateway.lan").connect(role="node", identity=test.identity(), token=token,
                                                                    auth={"bootstrapToken": token})
    check(used["ok"], f"by the code: {used}")
    equal(get(made["joinUrl"])[0], 404, "the link of a used code")
    desk = operator(gateway.port)
    refusal(desk, "device.pair.setupCode", {"joinUrl": True, "bootstrapProfile": "limited"}, "bootstrapProfile=node")
    refusal(desk, "device.pair.setupCode", {"joinUrl": True, "publicUrl": "ws://10.0.0.1:1"}, "TLS")
    equal(desk.ok("device.pair.setupCode", {"joinUrl": True, "publicUrl": "wss://x.example/oc/"})["joinUrl"].rsplit("/", 1)[0],
          "https://x.example/oc/j")
    weak = operator(gateway.port, [PAIRING])
    refusal(weak, "device.pair.setupCode", {"joinUrl": True}, "missing scope: operator.admin")


def test_two_at_once_and_one_gets_it(test):
    gateway = test.machine("gw").gateway()
    made = link(gateway.port)
    answers = []
    crowd = [threading.Thread(target=lambda: answers.append(get(made["joinUrl"])[0])) for _ in range(8)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    equal(sorted(answers), [200] + [404] * 7)


def test_guessing_links_locks_out(test):
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 3}}}})
    gateway = home.gateway()
    url = f"http://127.0.0.1:{gateway.port}/j/{'A' * 22}"
    guesser = {"X-Forwarded-For": "203.0.113.9"}
    equal([get(url, headers=guesser)[0] for _ in range(3)], [404] * 3)
    status, headers, body = get(url, headers=guesser)
    equal((status, json.loads(body)), (429, {"error": "rate_limited"}))
    check(int(headers["Retry-After"]) > 0, "Retry-After")
    made = link(gateway.port)
    equal(get(made["joinUrl"], headers=guesser)[0], 429, "a good link for a locked out address")
    equal(get(made["joinUrl"], headers={"X-Forwarded-For": "203.0.113.10"})[0], 200, "another address")


def test_what_became_of_a_code(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway.port)
    made = link(gateway.port)
    equal(desk.ok("device.pair.setupStatus", {"setupId": made["setupId"]}), {}, "not used yet")
    equal(desk.ok("device.pair.setupStatus", {"setupId": "made-up"}), {})
    box = test.machine("box")
    Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", made["setupCode"]], box.env(**NO_TOKEN))
    event = desk.event("device.pair.setup.completed")
    equal((event["setupId"], event["deviceName"], event["access"]), (made["setupId"], "box", "node"))
    done = desk.ok("device.pair.setupStatus", {"setupId": made["setupId"]})["completion"]
    equal(done, event)
    devices = home.cli_json("devices", "list", "--json", port=gateway.port)["paired"]
    check(done["deviceId"] in [d["deviceId"] for d in devices], "a device that is not paired")
    refusal(operator(gateway.port, [READ]), "device.pair.setupStatus", {"setupId": made["setupId"]}, "missing scope")


def test_a_code_for_a_gateway_behind_a_path(test):
    """A reverse proxy has the gateway under a path and nothing else; the path is kept for the next start."""
    home = test.machine("gw")
    gateway = home.gateway()
    paths = []
    proxy = PathProxy(gateway.port, "/claw/gw", paths)
    code = home.cli_json("devices", "join-code", "--public-url", f"ws://127.0.0.1:{proxy.port}/claw/gw", "--json",
                         port=gateway.port)["setupCode"]
    box = test.machine("box")
    node = Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", code], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node behind the path")
    node.wait_for(r"\nconnected to ")  # by then it has kept its token
    node.stop()
    Process(test, "node-box", [BINARY, "node", "run"], box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node after a restart")
    equal(set(paths), {"/claw/gw"})
    proxy.close()


def test_our_node_follows_a_link(test):
    home = test.machine("gw")
    gateway = home.gateway()
    made = link(gateway.port, approveCommands=True)
    box = test.machine("box")
    argv = [BINARY, "node", "run", "--display-name", "box", "--pair-if-needed", made["joinUrl"]]
    node = Process(test, "node-box", argv, box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node by the link")
    with open(f"/proc/{node.child.pid}/cmdline", "rb") as f:
        check(made["joinUrl"].encode() not in f.read(), "the link can be read in the process list")
    node.wait_for(r"\nconnected to ")
    node.stop()
    Process(test, "node-box", argv, box.env(**NO_TOKEN))  # for a supervisor that always passes the same
    wait_until(lambda: usable(home, gateway.port, "box"), "the node with a used link, if needed")
    late = test.machine("late")
    new_code = "  fix: copy it whole, or make a new one with: openclaw devices join-code\n"
    said = late.cli("node", "run", "--pair", made["joinUrl"], code=1).err
    contains(said, "was used or has expired\n" + new_code)
    for bad in ("http://127.0.0.1/", "https://gw.example/j/short", "http://127.0.0.1/j/" + "A" * 22 + "?x", "http://u:p@127.0.0.1/j/" + "A" * 22):
        contains(late.cli("node", "run", "--pair", bad, code=1).err, "no link to a setup code (https://gateway/j/<code>)\n" + new_code, bad)
    contains(late.cli("node", "run", "--pair", "http://10.9.9.9/j/" + "A" * 22, code=1).err, "this machine only")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    contains(late.cli("node", "run", "--pair", f"http://127.0.0.1:{port}/j/" + "A" * 22, code=1).err, "cannot fetch the setup code")


def test_our_node_follows_a_link_over_tls(test):
    home = test.machine("gw")
    home.config({"gateway": {"tls": {"enabled": True}}})
    gateway = home.gateway()
    made = home.cli_json("gateway", "call", "device.pair.setupCode", "--params",
                         json.dumps({"joinUrl": True, "approveCommands": True}), "--json", port=gateway.port)
    check(made["joinUrl"].startswith("https://127.0.0.1:"), made["joinUrl"])
    pin = decode(made["setupCode"])["tlsFingerprint"]
    box = test.machine("box")
    wrong = box.cli("node", "run", "--pair", made["joinUrl"], code=1, env=NO_TOKEN)
    check("setup code" in wrong.err or "certificate" in wrong.err, f"an unknown certificate: {wrong.err}")
    Process(test, "node-box", [BINARY, "node", "run", "--display-name", "box", "--pair", made["joinUrl"], "--tls-fingerprint", pin],
            box.env(**NO_TOKEN))
    wait_until(lambda: usable(home, gateway.port, "box"), "the node by the link and the pin")


class PathProxy:
    """Passes on what asks for one path, and answers 404 to the rest."""

    def __init__(self, target, path, seen):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target, self.path, self.seen = target, path, seen
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.pass_on, args=(client,), daemon=True).start()

    def pass_on(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            part = client.recv(4096)
            if not part:
                return
            head += part
        asked = head.split(b" ", 2)[1].decode()
        self.seen.append(asked)
        if asked != self.path:
            client.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            client.close()
            return
        server = socket.create_connection(("127.0.0.1", self.target))
        server.sendall(head.replace(self.path.encode(), b"/", 1))
        threading.Thread(target=pump, args=(server, client), daemon=True).start()
        pump(client, server)

    def close(self):
        self.listener.close()


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def paired(home, port, test, scopes):
    key = test.identity()
    answer = Client(port, host_header="gateway.lan").connect(identity=key, scopes=scopes)
    home.cli("devices", "approve", answer["error"]["details"]["requestId"], port=port)
    client = Client(port, host_header="gateway.lan")
    check(client.connect(identity=key, scopes=scopes)["ok"], "connect after the approval")
    return key, client


def test_devices_have_names(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key, phone = paired(home, gateway.port, test, [PAIRING, READ])
    other, _ = paired(home, gateway.port, test, [READ])
    desk = operator(gateway.port)
    contains(home.cli("devices", "rename", "--device", key.device_id, "--name", " Ada's phone ", port=gateway.port).out,
             "Ada's phone")
    equal(desk.event("device.pair.changed"), {})
    contains(home.cli("devices", "list", port=gateway.port).out, "Ada's phone")
    equal(phone.ok("device.pair.rename", {"deviceId": key.device_id, "label": "mine"}), {"deviceId": key.device_id, "label": "mine"})
    refusal(phone, "device.pair.rename", {"deviceId": other.device_id, "label": "x"}, "missing scope: operator.admin")
    refusal(desk, "device.pair.rename", {"deviceId": key.device_id, "label": "x" * 65}, "64")
    refusal(desk, "device.pair.rename", {"deviceId": "nobody", "label": "x"}, "unknown deviceId")
    refusal(desk, "device.pair.rename", {"deviceId": key.device_id, "label": " "}, "label required")
    home.cli("devices", "rename", "--device", key.device_id, port=gateway.port, code=2)


def test_a_device_minds_its_own_nodes(test):
    home = test.machine("gw")
    gateway = home.gateway()
    node_key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=node_key, commands=["canvas.present"], caps=["canvas"])["ok"], "connect")
    desk = operator(gateway.port)
    _, phone = paired(home, gateway.port, test, [PAIRING, READ, "operator.write"])
    waiting = desk.ok("node.pair.list", {})["pending"]
    equal(len(waiting), 1, "what waits")
    equal(phone.ok("node.pair.list", {}), {"pending": [], "paired": []}, "what the phone sees")
    for method in ("node.pair.approve", "node.pair.reject"):
        refusal(phone, method, {"requestId": waiting[0]["requestId"]}, "missing scope: operator.admin")
    refusal(phone, "node.rename", {"nodeId": node_key.device_id, "displayName": "prod"}, "missing scope: operator.admin")
    token = desk.ok("node.pair.approve", {"requestId": waiting[0]["requestId"]})["node"]["token"]
    equal(phone.ok("node.pair.list", {})["paired"], [])
    equal(phone.ok("node.pair.verify", {"nodeId": node_key.device_id, "token": token}), {"ok": False})
    check(desk.ok("node.pair.verify", {"nodeId": node_key.device_id, "token": token})["ok"], "the owner")


def test_presence_is_for_readers(test):
    home = test.machine("gw")
    gateway = home.gateway()
    reader, blind = operator(gateway.port, [READ]), operator(gateway.port, ["operator.approvals"])
    node = Client(gateway.port)
    check(node.connect(role="node", identity=test.identity())["ok"], "connect")
    node.close()
    reader.event("presence")
    blind.ok("health")  # whatever was sent before has come by now
    check(not [e for e in blind.events if e.get("event") == "presence"], "presence for one who may not read")


def test_asking_in_the_name_of_a_node(test):
    """node.pair.request of 2026.2.26."""
    home = test.machine("gw")
    gateway = home.gateway()
    desk = operator(gateway.port)
    asked = desk.ok("node.pair.request", {"nodeId": "n1", "displayName": "Old node", "commands": ["canvas.present"], "silent": True})
    equal((asked["status"], asked["created"], asked["request"]["nodeId"]), ("pending", True, "n1"))
    event = desk.event("node.pair.requested")
    equal(event["requestId"], asked["request"]["requestId"])
    again = desk.ok("node.pair.request", {"nodeId": "n1", "displayName": "Other", "commands": ["system.run"]})
    equal((again["created"], again["request"]), (False, asked["request"]), "what waits is not replaced")
    equal(desk.ok("node.pair.list", {})["pending"][0]["requestId"], asked["request"]["requestId"])
    node = desk.ok("node.pair.approve", {"requestId": asked["request"]["requestId"]})["node"]
    equal(len(node["token"]), 43)
    equal(desk.ok("node.pair.verify", {"nodeId": "n1", "token": node["token"]})["node"]["displayName"], "Old node")
    equal(desk.ok("node.rename", {"nodeId": "n1", "displayName": "New name"})["displayName"], "New name")
    # An executing surface takes admin here, too, and a device asks for itself only.
    asked = desk.ok("node.pair.request", {"nodeId": "n2", "commands": ["system.run"]})
    refusal(operator(gateway.port, [PAIRING, "operator.write"]), "node.pair.approve", {"requestId": asked["request"]["requestId"]},
            "missing scope: operator.admin")
    _, phone = paired(home, gateway.port, test, [PAIRING])
    refusal(phone, "node.pair.request", {"nodeId": "n3"}, "missing scope: operator.admin")
    refusal(operator(gateway.port, [READ]), "node.pair.request", {"nodeId": "n3"}, "missing scope: operator.pairing")
    refusal(desk, "node.pair.request", {"nodeId": "x" * 300}, "longer")
    for i in range(63):
        desk.ok("node.pair.request", {"nodeId": f"many-{i}"})
    refusal(desk, "node.pair.request", {"nodeId": "one too many"}, "too many")
    equal(desk.ok("node.pair.reject", {"requestId": asked["request"]["requestId"]})["nodeId"], "n2")
    desk.ok("node.pair.request", {"nodeId": "one too many"})


def test_looking_at_approvals(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk, asker = operator(gateway.port), operator(gateway.port)
    asker.ok("exec.approval.request", {"id": "one", "command": "ls -l", "timeoutMs": 60000, "twoPhase": True})
    seen = desk.ok("exec.approval.get", {"id": "one"})
    equal((seen["id"], seen["commandText"], seen["commandPreview"], seen["nodeId"]), ("one", "ls -l", None, None))
    equal(seen["allowedDecisions"], ["allow-once", "allow-always", "deny"])
    equal(desk.ok("approval.history", {}), {"items": []})
    desk.ok("exec.approval.resolve", {"id": "one", "decision": "deny"})
    refusal(desk, "exec.approval.get", {"id": "one"}, "unknown or expired approval id")
    refusal(desk, "exec.approval.get", {}, "required property 'id'")
    history = desk.ok("approval.history", {"kind": "exec"})["items"]
    equal([(i["id"], i["status"]) for i in history], [("one", "denied")])
    equal(desk.ok("approval.history", {"kind": "plugin"}), {"items": []})
    equal(desk.ok("exec.approval.grants.list", {}), {"grants": []})
    equal(desk.ok("exec.approval.grants.revoke", {"grantId": "x"}), {"outcome": "not-found"})
    refusal(operator(gateway.port, [READ]), "exec.approval.get", {"id": "one"}, "missing scope: operator.approvals")


run_tests(globals())
