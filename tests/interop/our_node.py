"""What our node must get right with every gateway, beyond the steps of the matrix: tokens that stop working, and commands that
become more."""

from hosts import *


def stale_device_token(cell):
    """Its device token is replaced behind its back: without the shared token it says so, with it it recovers by itself."""
    node = cell.node
    node.stop()
    cell.gateway.ok("device.token.rotate", {"deviceId": cell.node_id, "role": "node"})
    node.start(OPENCLAW_GATEWAY_TOKEN=None)
    node.process.wait_for(r"(?i)token", "what is wrong with its token")
    check(not cell.is_live(), "it got in with a token that was replaced")
    node.stop()
    node.start()
    node.wait(cell.is_live, "to recover with the shared token")
    cell.note("stale device token")


def wrong_shared_token(test, gateway):
    node = test.machine("wrong-token").node(gateway.node_port, env={"OPENCLAW_GATEWAY_TOKEN": "not-" + TOKEN})
    node.wait_for(r"(?i)token mismatch", "the refusal in words")
    check("not-" + TOKEN not in node.output(), "the token is in the log")
    if node.child.poll() is None:
        node.stop()


def keep_identity(machine, key):
    """Gives a machine of ours a device key, in the reference's file format."""
    folder = os.path.join(machine.state, "identity")
    os.makedirs(folder, mode=0o700)
    with open(key.path, encoding="ascii") as f:
        private = f.read()
    public = subprocess.run(["openssl", "pkey", "-in", key.path, "-pubout"], check=True, capture_output=True).stdout.decode()
    path = os.path.join(folder, "device.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"version": 1, "deviceId": key.device_id, "publicKeyPem": public, "privateKeyPem": private,
                   "createdAtMs": 1}, f)
    os.chmod(path, 0o600)


def surface_grows(test, gateway):
    """A node that was approved with one command comes back with more: it stays, waits, and goes on without a reconnect."""
    key = test.identity()
    host = None if gateway.kind == "9" else "gateway.lan"

    def join():
        client = Client(gateway.port, host_header=host)
        answer = client.connect(role="node", identity=key, commands=["system.which"], caps=["system"])
        return client, answer

    client, answer = join()
    check(not answer["ok"], "an unknown node got in")
    client.close()
    gateway.ok("device.pair.approve", {"requestId": answer["error"]["details"]["requestId"]})
    client, answer = join()
    check(answer["ok"], f"an approved device is refused: {answer.get('error')}")
    request = wait_until(lambda: gateway.surface_request(key.device_id), "the narrow request")
    gateway.ok("node.pair.approve", {"requestId": request["requestId"]})
    wait_until(lambda: gateway.node(key.device_id)["commands"] == ["system.which"], "the narrow surface")
    client.close()

    machine = test.machine("grower")
    machine.approvals("full")
    keep_identity(machine, key)
    node = machine.node(gateway.node_port)
    request = wait_until(lambda: gateway.surface_request(key.device_id), "the wider request")
    check("system.run" in request["commands"], f"the wider request: {request}")
    check("system.run" not in gateway.node(key.device_id)["commands"], "a command nobody approved")
    connected_at = gateway.node(key.device_id)["connectedAtMs"]
    gateway.ok("node.pair.approve", {"requestId": request["requestId"]})
    wait_until(lambda: "system.run" in gateway.node(key.device_id)["commands"], "the wider surface")
    equal(gateway.node(key.device_id)["connectedAtMs"], connected_at, "connected since")
    node.stop()
    gateway.ok("node.pair.remove", {"nodeId": key.device_id})


def setup_code(test, gateway):
    """2026.9.6 makes a code, our node pairs with it through both gates, and needs nothing but its own token afterwards."""
    made = gateway.ok("device.pair.setupCode", {"bootstrapProfile": "node", "includeQr": False,
                                                "publicUrl": f"ws://127.0.0.1:{gateway.port}"})
    box = test.machine("by-code")
    node = Process(test, "node-by-code", [BINARY, "node", "run", "--display-name", "by-code", "--pair", made["setupCode"]],
                   box.env(OPENCLAW_GATEWAY_TOKEN=None))
    node.wait_for(r"connected to ws://")
    with open(os.path.join(box.state, "identity", "device-auth.json"), encoding="utf-8") as f:
        check(json.load(f)["tokens"]["node"]["token"], "no device token was kept")
    node.stop()
    again = Process(test, "node-by-code", [BINARY, "node", "run"], box.env(OPENCLAW_GATEWAY_TOKEN=None))
    again.wait_for(r"connected to ws://")
    again.stop()


def link(test, gateway):
    """2026.9.6 makes a link, which our node follows once."""
    made = gateway.ok("device.pair.setupCode", {"bootstrapProfile": "node", "includeQr": False, "joinUrl": True,
                                                "publicUrl": f"ws://127.0.0.1:{gateway.port}"})
    box = test.machine("by-link")
    node = Process(test, "node-by-link", [BINARY, "node", "run", "--display-name", "by-link", "--pair", made["joinUrl"]],
                   box.env(OPENCLAW_GATEWAY_TOKEN=None))
    node.wait_for(r"connected to ws://")
    again = test.machine("late").cli("node", "run", "--pair", made["joinUrl"], code=1)
    contains(again.err, "was used or has expired")
    node.stop()


def asks_before_it_runs(test, gateway):
    """Our `nodes run` at a 2026.2.26 gateway, which cannot list what waits, and takes a plan only in its own shape."""
    box, user = test.machine("asks"), test.machine("asks-user")
    box.approvals("allowlist", ask="always")
    node = box.node(gateway.port)
    wait_until(lambda: usable(user, gateway.port, "asks"), "our node", 90)
    run = Process(test, "run", [BINARY, "nodes", "run", "--node", "asks", "--env", "TERM=dumb", "--", "uname", "-s"],
                  user.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    asked = run.wait_for(r"openclaw approvals resolve (\S+) allow-once")
    user.cli("approvals", "resolve", asked.group(1), "allow-once", port=gateway.port)
    equal(run.wait_exit(), 0)
    contains(run.output(), "Linux")
    node.stop()


def gateway_starting(test, gateway):
    """2026.9.6 listens, but turns everybody away with 1013 while it starts: our node says so and comes in by itself."""
    early = test.machine("early")
    node = early.node(gateway.node_port)
    node.wait_for("gateway starting", "the refusal in words")
    wait_until(lambda: gateway.answers() and gateway.device_request("early"), "its request once the gateway is up", 180, PAUSE)
    node.stop()
    gateway.ok("device.pair.reject", {"requestId": gateway.device_request("early")["requestId"]})


def sends_its_figures(gateway, cell):
    """2026.9.6 shows how busy a node's machine is. It listens to nobody whose commands are not approved, so the figures come
    with the approval, and again with every connection."""
    figures = wait_until(lambda: gateway.node(cell.node_id).get("hostStats"), "our node's figures", pause=PAUSE)
    check(figures["cpuCount"] >= 1 and 0 < figures["memoryFreeBytes"] < figures["memoryTotalBytes"], f"hostStats: {figures}")
    check(0 < figures["diskTotalBytes"] >= figures["diskAvailableBytes"], f"hostStats: {figures}")
    equal(gateway.node(cell.node_id).get("lastSeenReason"), "connect", "what node.presence.alive said")
    cell.note("figures")
