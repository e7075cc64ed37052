"""The published npm packages against our gateway: @openclaw/gateway-client as a caller, @openclaw/gateway-protocol as the judge
of every kind of frame that the gateway sends."""

import importlib.util

from peers import *

LIBRARY = os.path.join(PEERS, "lib")
SOURCE = os.path.join(HERE, "..", "..")
# End-to-end tests that talk with the gateway themselves: what it sends them is judged too.
TALKERS = ("08-invoke", "10-approvals", "11-config", "11-parity", "16-presence", "23-links")


def node_script(test, script, *args):
    done = subprocess.run([NODE, os.path.join(HERE, script), LIBRARY, *args], cwd=HERE, timeout=240, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, "OPENCLAW_GATEWAY_TOKEN": TOKEN})
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    check(done.returncode == 0, f"{script}: exit {done.returncode}\n{text[-6000:]}")
    return text


def test_the_client_library_calls_every_method(test):
    home, gateway, _, _ = paired_node(test)
    proxy = HostProxy(gateway.port)

    def approve():
        pending = home.cli_json("devices", "list", "--json", port=gateway.port)["pending"]
        if pending:
            home.cli("devices", "approve", pending[0]["requestId"], port=gateway.port)
        return bool(pending)

    approver = threading.Thread(target=lambda: wait_until(approve, "the library's device request", 60), daemon=True)
    approver.start()
    absent = ",".join(declared("methods/agent_methods.def", "GW_AGENT_METHOD"))
    text = node_script(test, "gateway-client.mjs", str(gateway.port), str(proxy.port), absent)
    approver.join()
    proxy.close()
    contains(text, "waits: ")
    check(gateway.child.poll() is None, "the gateway ended")
    print(text.strip().splitlines()[-1])


def declared(table, macro):
    """The names in one of the gateway's tables."""
    with open(os.path.join(SOURCE, "gateway", table), encoding="utf-8") as f:
        names = re.findall(macro + r'\((?:\w+, )?"([^"]+)"', f.read())
    check(names, f"no {macro} in {table}")
    return names


def rows_of_params():
    """The names that each method of ours takes; None where it takes any."""
    with open(os.path.join(SOURCE, "gateway", "methods", "methods.def"), encoding="utf-8") as f:
        rows = re.findall(r'GW_METHOD\("([^"]+)", \w+, \w+, \w+,\s*(OPEN|(?:"[^"]*"\s*)+), \w+\)', f.read())
    return {name: None if value == "OPEN" else set("".join(re.findall(r'"([^"]*)"', value)).split()) for name, value in rows}


def test_params_are_those_of_the_published_schema(test):
    path = os.path.join(LIBRARY, "node_modules", "@openclaw", "gateway-protocol", "protocol.schema.json")
    with open(path, encoding="utf-8") as f:
        definitions = json.load(f)["definitions"]
    ours = rows_of_params()
    equal(sorted(ours), sorted(declared("methods/methods.def", "GW_METHOD")), "rows with params")
    compared = 0
    for method, names in ours.items():
        published = definitions.get("".join(part[0].upper() + part[1:] for part in re.split("[.-]", method)) + "Params")
        if not published:
            continue
        compared += 1
        check(published["additionalProperties"] is False, f"{method}: the published params are open")
        check(names is not None, f"{method}: the published params are closed, ours are open")
        missing = set(published.get("properties", {})) - names
        check(not missing, f"{method} refuses what the reference takes: {sorted(missing)}")
    check(compared > 30, f"only {compared} methods have published params")


def talk(name):
    """Runs every test of an end-to-end file, which runs itself otherwise."""
    spec = importlib.util.spec_from_file_location("talker", os.path.join(SOURCE, "tests", "e2e", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    run_later = sys.modules["harness"].run_tests
    sys.modules["harness"].run_tests = lambda names: None
    try:
        spec.loader.exec_module(module)
    finally:
        sys.modules["harness"].run_tests = run_later
    for function in [f for n, f in vars(module).items() if n.startswith("test_")]:
        inner = Test(function.__name__)
        try:
            function(inner)
        except BaseException:
            inner.failed = True
            raise
        finally:
            inner.finish()


class Recorder:
    """Keeps every frame that the harness's clients read, with the method that a response answers."""

    def __init__(self, path):
        self.out = open(path, "w", encoding="utf-8")
        self.methods = {}
        self.send, self.receive = WebSocket.send_json, WebSocket.recv_json
        recorder = self

        def send_json(ws, value):
            if isinstance(value, dict) and "method" in value:
                recorder.methods[value["id"]] = value["method"]
            recorder.send(ws, value)

        def recv_json(ws):
            frame = recorder.receive(ws)
            line = {"frame": frame}
            if frame.get("type") == "res":
                line["method"] = recorder.methods.get(frame["id"], "?")
            recorder.out.write(json.dumps(line) + "\n")
            return frame

        WebSocket.send_json, WebSocket.recv_json = send_json, recv_json

    def close(self):
        WebSocket.send_json, WebSocket.recv_json = self.send, self.receive
        self.out.close()


def scenario(test, home, gateway):
    """Connects of both versions, both gates with their events, calls that work and calls that fail, a shutdown."""
    port = gateway.port
    admin = Client(port)
    check(admin.connect(client_id="openclaw-macos", mode="ui", identity=test.identity())["ok"], "admin")
    for most in (3, 4):
        old = Client(port)
        check(old.connect(max_protocol=most)["ok"], "operator")
        old.ok("health")
        old.close()
    for wrong in ({"token": "wrong"}, {"token": None}, {"min_protocol": 9, "max_protocol": 9}, {"client": 5},
                  {"role": "king"}, {"role": "node"}):
        other = Client(port)
        other.connect(**wrong)
        other.ws.expect_close()

    key = test.identity()
    remote = Client(port, host_header="gateway.lan")
    refusal = remote.connect(role="node", identity=key, commands=["system.which"], caps=["system"])
    remote.ws.expect_close()
    equal(admin.event("device.pair.requested")["deviceId"], key.device_id)
    admin.ok("device.pair.list")
    admin.ok("device.pair.approve", {"requestId": refusal["error"]["details"]["requestId"]})
    admin.event("device.pair.resolved")
    turned_away = Client(port, host_header="gateway.lan")
    refusal = turned_away.connect(role="node", identity=test.identity())
    turned_away.ws.expect_close()
    admin.ok("device.pair.reject", {"requestId": refusal["error"]["details"]["requestId"]})

    node = Client(port, host_header="gateway.lan")
    check(node.connect(role="node", identity=key, commands=["system.which", "system.run", "canvas.view"], caps=["system"])["ok"], "node")
    request = admin.event("node.pair.requested")
    admin.ok("node.pair.list")
    check(not admin.call("node.invoke", {"nodeId": key.device_id, "command": "system.which", "idempotencyKey": "0"})["ok"],
          "an unapproved node was used")
    admin.ok("node.pair.approve", {"requestId": request["requestId"]})
    admin.event("node.pair.resolved")
    node.event("node.pair.resolved")

    for i, params in enumerate(({"params": {"bins": ["sh"]}}, {}, {"params": None, "timeoutMs": 5000})):
        asked = admin.send("node.invoke", {"nodeId": key.device_id, "command": "system.which", "idempotencyKey": f"k{i}", **params})
        invoke = node.event("node.invoke.request")
        answer = {"id": invoke["id"], "nodeId": key.device_id, "ok": i != 1}
        answer.update({"payloadJSON": '{"bins":{}}'} if i != 1 else {"error": {"code": "UNAVAILABLE", "message": "no"}})
        node.ok("node.invoke.result", answer)
        admin.answer(asked)
    admin.ok("canvas.watch.open", {"nodeId": key.device_id, "readOnly": True})
    admin.ok("canvas.watch.close", {"nodeId": key.device_id})
    node.ok("node.invoke.result", {"id": "late", "nodeId": key.device_id, "ok": True})
    for event in ("exec.finished", "node.presence.alive", "no.such.event"):
        node.call("node.event", {"event": event, "payloadJSON": "{}"})
    admin.ok("agent.requests.listen")
    node.ok("node.event", {"event": "agent.request", "payloadJSON": '{"message":"hello"}'})
    admin.event("agent.requested")
    node.ok("node.pluginSurface.refresh", {"surface": "canvas"})
    node.ok("skills.bins")
    node.call("node.runnerInventory.update", {})
    node.call("node.list")
    for method in ("node.list", "device.pair.list", "node.pair.list", "status", "health", "system-presence", "voicewake.get"):
        admin.ok(method)
    admin.ok("node.describe", {"nodeId": key.device_id})
    admin.ok("node.rename", {"nodeId": key.device_id, "displayName": "shed"})
    admin.ok("device.token.rotate", {"deviceId": key.device_id, "role": "node"})
    node.ws.expect_close()
    admin.event("presence")
    admin.ok("device.token.revoke", {"deviceId": key.device_id, "role": "node"})
    admin.ok("node.pair.remove", {"nodeId": key.device_id})
    admin.call("device.pair.remove", {"deviceId": key.device_id})
    for method in ("no.such.method", "connect", "node.invoke", "agent", "chat.send"):
        check(not admin.call(method, {})["ok"], f"{method} worked")
    reader = Client(port)
    reader.connect(scopes=["operator.read"])
    check(not reader.call("node.pair.list")["ok"], "a scope too few")

    gateway.child.terminate()
    admin.event("shutdown")
    equal(admin.ws.expect_close()[0], 1012, "close code")
    equal(gateway.wait_exit(), 0, "exit code")


def rejections_and_settings(test):
    """What neither the scenario nor the end-to-end tests see answered."""
    port = test.machine("settings").gateway().port
    admin, key = Client(port), test.identity()
    check(admin.connect(client_id="openclaw-macos", mode="ui", identity=test.identity())["ok"], "admin")
    admin.ok("device.pair.setupCode", {"publicUrl": f"ws://127.0.0.1:{port}", "includeQr": False})
    node = Client(port)
    check(node.connect(role="node", identity=key, commands=["system.which"], caps=["system"])["ok"], "node")
    node.ok("node.event", {"event": "node.gateway.follows", "payloadJSON": "{}"})
    equal(admin.ok("gateway.move", {"stay": True})["told"], [key.device_id])
    equal(node.event("gateway.moved"), {"port": port, "tls": False})
    admin.ok("node.pair.verify", {"nodeId": key.device_id, "token": "wrong"})
    admin.ok("node.pair.reject", {"requestId": admin.event("node.pair.requested")["requestId"]})
    admin.ok("device.pair.remove", {"deviceId": key.device_id})
    node.ws.expect_close()
    admin.ok("exec.audit.list", {"limit": 1})
    admin.call("node.invoke.cancel", {"idempotencyKey": "nobody's"})
    now = admin.ok("config.get")
    admin.ok("config.apply", {"raw": '{"logging":{"level":"info"}}', "baseHash": now["hash"]})


def an_approval_is_taken_back(test):
    """While the node looks at the command; it may have begun to ask the person there."""
    port = test.machine("asked").gateway().port
    admin, node, key = Client(port), Client(port), test.identity()
    check(admin.connect(client_id="openclaw-macos", mode="ui", identity=test.identity())["ok"], "admin")
    commands = ["system.run", "system.run.prepare", "system.runs.list"]
    check(node.connect(role="node", identity=key, commands=commands, caps=["system"])["ok"], "node")
    admin.ok("node.pair.approve", {"requestId": admin.event("node.pair.requested")["requestId"]})
    admin.send("exec.approval.request", {"command": "ls", "commandArgv": ["ls"], "host": "node", "nodeId": key.device_id, "id": "back",
                                         "twoPhase": True})
    asked = node.event("node.invoke.request")
    admin.ok("exec.approval.resolve", {"id": "back", "decision": "deny"})
    node.send("node.invoke.result", {"id": asked["id"], "nodeId": key.device_id, "ok": True, "payloadJSON": "{}"})
    equal(node.event("node.exec.settled"), {"id": "back"})


def test_every_kind_of_frame_fits_the_published_schema(test):
    """Every event and every method of the gateway's own tables must be among what was judged: a new one without a test that
    makes the gateway send it fails here."""
    home = test.machine("gw")
    gateway = home.gateway()
    path = os.path.join(test.dir, "frames.jsonl")
    recorder = Recorder(path)
    try:
        patient = Client(test.machine("other").gateway().port)
        hello = patient.connect()["payload"]
        equal(sorted(hello["features"]["methods"]), sorted(declared("methods/methods.def", "GW_METHOD")), "announced methods")
        equal(sorted(hello["features"]["events"]), sorted(declared("conn/events.def", "GW_EVENT")), "announced events")
        scenario(test, home, gateway)
        rejections_and_settings(test)
        an_approval_is_taken_back(test)
        for name in TALKERS:
            talk(name)
        patient.ws.sock.settimeout(60)
        patient.event("tick")
    finally:
        recorder.close()
    judged = set(re.findall(r"(?m)^((?:event|res) \S+) ×", node_script(test, "schema.mjs", path)))
    wanted = [f"event {name}" for name in declared("conn/events.def", "GW_EVENT")]
    wanted += [f"res {name}" for name in declared("methods/methods.def", "GW_METHOD")]
    equal([kind for kind in wanted if kind not in judged], [], "never seen, so never judged")


run_tests(globals())
