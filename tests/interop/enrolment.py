"""Moving in: a state directory of the real 2026.2.26 under our gateway, and a real node that pairs with our code. What needs a
2026.9.6 gateway (its codes and links, hands off its state) is in the matrix of that gateway, which takes half a minute to start."""

from takeover import *


def read_json(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return json.load(f)


def test_a_state_of_2026_2_26_is_taken_over_with_nothing_lost(test):
    host = Peer(test, "2", "realgw")
    port = free_port()
    gateway = host.gateway(port)
    box = Peer(test, "2", "realbox")
    node = box.node(port)
    def real_sees_it():
        client = Client(port)
        nodes = client.ok("node.list", {})["nodes"] if client.connect()["ok"] else []
        client.close()
        return [n for n in nodes if n.get("displayName") == "realbox" and n["connected"] and n["paired"]]
    wait_until(real_sees_it, "the real node under the real gateway", 120, PAUSE)
    host.cli("devices", "list", port=port)
    node_id = read_json(box.state, "identity", "device.json")["deviceId"]
    user_id = read_json(host.state, "identity", "device.json")["deviceId"]
    node_token = read_json(box.state, "identity", "device-auth.json")["tokens"]["node"]["token"]
    user_token = read_json(host.state, "identity", "device-auth.json")["tokens"]["operator"]["token"]
    gateway.stop()
    before = digest(host.state)
    paired = read_json(host.state, "devices", "paired.json")
    check(node_id in paired and user_id in paired, f"paired in the real state: {list(paired)}")

    owner = owner_of(test, host)
    ours = owner.gateway(port=port)
    contains(ours.output(), "took over paired devices")
    # The real node (which ends with its connection; a supervisor starts it again) comes back with nothing but the token it
    # was given, from what looks like another machine, and waits for nobody at gate 1.
    equal(node.wait_exit(), 0, "exit status of the real node")
    proxy = HostProxy(port)
    env = box.env()
    env.pop("OPENCLAW_GATEWAY_TOKEN")
    node = Process(test, "real-node-2", [NODE, PROGRAM["2"], "node", "run", "--host", "127.0.0.1", "--port", str(proxy.port)],
                   env)
    def connected():
        nodes = owner.cli_json("nodes", "status", "--json", port=port)["nodes"]
        return [n for n in nodes if n["nodeId"] == node_id and n["connected"] and n["paired"]]
    wait_until(connected, "the real node under our gateway", 120, PAUSE)
    listed = owner.cli_json("devices", "list", "--json", port=port)["paired"]
    equal({d["deviceId"] for d in listed}, set(paired), "paired devices")
    equal(read_json(box.state, "identity", "device-auth.json")["tokens"]["node"]["token"], node_token, "the node's token")
    # The real command line's device token alone opens ours.
    equal(read_json(host.state, "identity", "device-auth.json")["tokens"]["operator"]["token"], user_token, "kept token")
    kept = read_json(host.state, "identity", "device.json")
    key = test.identity()
    with open(key.path, "w", encoding="utf-8") as f:
        f.write(kept["privateKeyPem"])
    der = subprocess.run(["openssl", "pkey", "-in", key.path, "-pubout", "-outform", "DER"], check=True,
                         capture_output=True).stdout
    key.public_key, key.device_id = base64.urlsafe_b64encode(der[-32:]).decode().rstrip("="), user_id
    answer = Client(port, host_header="gateway.lan").connect(identity=key, token=user_token, scopes=["operator.read"])
    check(answer["ok"], f"the command line's device token: {answer.get('error')}")
    contains(host.cli("devices", "list", port=port).out, "Paired (2)")
    if owner.cli_json("nodes", "pending", "--json", port=port):
        owner.cli("nodes", "approve", "--yes", port=port)
    which = owner.cli_json("nodes", "invoke", "--node", node_id, "--command", "system.which", "--params", '{"bins":["sh"]}',
                           port=port)
    check(which["payload"]["bins"]["sh"].endswith("/sh"), f"system.which: {which}")
    # The doctor finds nothing broken in what the reference wrote.
    report = owner.cli_json("doctor", "--json", port=port, code=None)
    broken = [c for c in report["checks"] if c["level"] == "fail"]
    check(not broken, f"doctor: {broken}")

    # And back: the reference finds its files as it left them, and the node is still its own.
    ours.stop()
    after = digest(host.state)
    for name, value in before.items():
        if name.endswith((".log", ".jsonl", ".lock")) or name == os.path.join("identity", "device-auth.json"):
            continue  # the last one the real command line has written itself since; its token was looked at above
        equal(after.get(name), value, f"{name} of the real state")
    proxy.close()
    node.wait_exit()
    gateway = host.gateway(port)
    node = Process(test, "real-node-2", [NODE, PROGRAM["2"], "node", "run", "--host", "127.0.0.1", "--port", str(port)], env)
    wait_until(real_sees_it, "the real node under the real gateway again", 120, PAUSE)


def test_a_real_2026_9_6_node_pairs_with_our_code(test):
    home = test.machine("gw")
    gateway = home.gateway()
    code = home.cli_json("devices", "join-code", "--json", port=gateway.port)["setupCode"]
    box = Peer(test, "9", "realbox")
    env = box.env()
    env.pop("OPENCLAW_GATEWAY_TOKEN")
    Process(test, "real-node-9", [NODE, PROGRAM["9"], "node", "run", "--display-name", "realbox", "--pair", code], env)
    wait_until(lambda: usable(home, gateway.port, "realbox", "system.which"), "the real node, by our code", 180, PAUSE)


def test_the_real_2026_9_6_command_line_makes_a_link_of_ours(test):
    """devices join-code, connect, rename and approvals of the real one; nobody but the link lets the node in."""
    home = test.machine("gw")
    gateway = home.gateway()
    owner = Peer(test, "9", "realcli")
    made = owner.cli_json("devices", "join-code", "--json", port=gateway.port)
    contains(made["joinUrl"], f"http://127.0.0.1:{gateway.port}/j/")
    box = Peer(test, "9", "realbox")
    env = box.env()
    env.pop("OPENCLAW_GATEWAY_TOKEN")
    Process(test, "real-connect-9", [NODE, PROGRAM["9"], "connect", made["joinUrl"], "--display-name", "realbox"], env)
    def paired():
        devices = home.cli_json("devices", "list", "--json", port=gateway.port)["paired"]
        return [d for d in devices if d.get("displayName") == "realbox"]
    device = wait_until(paired, "the real node, by the link", 120)[0]["deviceId"]
    second = Process(test, "real-connect-again", [NODE, PROGRAM["9"], "connect", made["joinUrl"]], Peer(test, "9", "late").env())
    wait_until(lambda: "Gateway join code was not found or has expired." in second.output(), "the second use to be refused", 60)
    contains(owner.cli("devices", "rename", "--device", device, "--name", "Kitchen", port=gateway.port).out, "Kitchen")
    contains(owner.cli("devices", "list", port=gateway.port).out, "Kitchen")
    contains(owner.cli("approvals", "grants", "list", port=gateway.port).out, "No standing grants")


run_tests(globals())
