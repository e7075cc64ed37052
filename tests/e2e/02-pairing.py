"""Gate 1 and gate 2: who may connect, and what one approval opens."""

from harness import *


def test_a_remote_node_waits_and_one_approval_opens_both_gates(test):
    home = test.machine("gw")
    gateway = home.gateway()
    proxy = HostProxy(gateway.port)
    box = test.machine("box")
    box.approvals("full")
    node = box.node(proxy.port)
    node.wait_for(r"openclaw nodes approve", "the line that says what to do")
    pending = wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the request")
    equal(len(pending), 1, "pending requests")
    home.cli("nodes", "approve", pending[0]["requestId"], port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box"), "the node, live after one approval")
    home.cli("nodes", "run", "--node", "box", "--", "true", port=gateway.port)
    equal(home.cli_json("nodes", "pending", "--json", port=gateway.port), [], "nothing pending")
    lines = [line for line in node.output().splitlines() if "nodes approve" in line]
    check(len(lines) <= 2, f"the node repeats itself:\n{node.output()}")
    proxy.close()


def test_a_retry_keeps_its_request(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    ids = set()
    for _ in range(3):
        client = Client(gateway.port, host_header="gateway.lan")
        answer = client.connect(role="node", identity=key, max_protocol=3)
        equal(answer["error"]["code"], "NOT_PAIRED")
        equal(answer["error"]["message"], "pairing required")
        details = answer["error"]["details"]
        equal(details["code"], "PAIRING_REQUIRED")
        equal(details["reason"], "not-paired")
        equal(details["pauseReconnect"], False)
        ids.add(details["requestId"])
        code, reason, _ = client.ws.expect_close()
        equal((code, reason), (1008, "pairing required"))
    equal(len(ids), 1, "request ids")


def test_rejecting_a_node_leaves_it_out(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    client = Client(gateway.port, host_header="gateway.lan")
    request = client.connect(role="node", identity=key)["error"]["details"]["requestId"]
    home.cli("devices", "reject", request, port=gateway.port)
    listed = home.cli_json("devices", "list", "--json", port=gateway.port)
    check(all(d["deviceId"] != key.device_id for d in listed["paired"] + listed["pending"]), "the rejected device is listed")


def test_a_wider_surface_waits_again_for_the_new_commands_only(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.which"], caps=["system"])["ok"], "connect")
    pending = home.cli_json("nodes", "pending", "--json", port=gateway.port)
    home.cli("nodes", "approve", pending[0]["requestId"], port=gateway.port)
    equal(node.event("node.pair.resolved")["decision"], "approved")
    node.close()

    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.which", "system.run"], caps=["system"])["ok"], "connect")
    entry = [n for n in home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"] if n["nodeId"] == key.device_id][0]
    equal(entry["commands"], ["system.which"], "usable commands before the second approval")
    pending = home.cli_json("nodes", "pending", "--json", port=gateway.port)
    equal(len(pending), 1, "pending requests")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    entry = [n for n in home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"] if n["nodeId"] == key.device_id][0]
    equal(entry["commands"], ["system.run", "system.which"], "usable commands after it")


def test_an_approval_shows_what_it_changes(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()

    def declare(*commands):
        node = Client(gateway.port)
        check(node.connect(role="node", identity=key, commands=list(commands), caps=["system"])["ok"], "connect")
        (request,) = home.cli_json("nodes", "pending", "--json", port=gateway.port)
        return node, request

    node, request = declare("system.which", "system.notify", "canvas.present")
    check("added" not in request, request)
    done = home.cli("nodes", "approve", "--yes", port=gateway.port)
    contains(done.err, "  commands  canvas: present\n            system: notify, which\n")
    contains(done.out, "is connected and offers 3 commands.")
    node.close()
    node, request = declare("system.which", "system.notify", "camera.snap", "camera.list")
    equal((request["added"], request["removed"]), (["camera.list", "camera.snap"], ["canvas.present"]))
    shown = ("  new       + camera.list\n            + camera.snap\n  goes      - canvas.present\n"
             "  stays     2 commands as before\n")
    contains(home.cli("nodes", "approve", port=gateway.port, code=1, stdin=b"").err, shown)
    contains(home.cli("nodes", "approve", request["requestId"], port=gateway.port).err, shown)
    node.close()
    node, request = declare("system.which", "system.notify", "camera.snap", "camera.list", "system.run")
    approved = home.cli_json("nodes", "approve", request["requestId"], "--json", port=gateway.port)
    equal((approved["added"], approved["removed"]), (["system.run"], []))


def test_removed_devices_are_disconnected(test):
    home, gateway, box, node = paired_node(test)
    nodes = home.cli_json("nodes", "status", "--json", port=gateway.port)["nodes"]
    home.cli("devices", "remove", nodes[0]["nodeId"], port=gateway.port)
    wait_until(lambda: not usable(home, gateway.port, "box"), "the node's commands to be gone")


def test_rotating_and_revoking_tokens(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    client = Client(gateway.port)
    first = client.connect(identity=key)["payload"]["auth"]["deviceToken"]
    equal(len(first), 43, "device token length")
    # The device token alone is enough from now on, also from elsewhere.
    again = Client(gateway.port, host_header="gateway.lan")
    check(again.connect(identity=key, token=first)["ok"], "connect with the device token")
    rotated = home.cli_json("devices", "rotate", "--device", key.device_id, "--role", "operator", "--json", port=gateway.port)
    equal(rotated["deviceId"], key.device_id)
    stale = Client(gateway.port)
    answer = stale.connect(identity=key, token=first)
    check(not answer["ok"], "the rotated token still works")
    home.cli("devices", "revoke", "--device", key.device_id, "--role", "operator", port=gateway.port)
    refused = Client(gateway.port)
    answer = refused.connect(identity=key)
    check(not answer["ok"], "a revoked device got back in with the shared token")
    equal(answer["error"]["details"]["reason"], "role-upgrade")


def test_devices_by_name_and_by_the_beginning_of_their_id(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    check(Client(gateway.port).connect(identity=key)["ok"], "connect")
    shown = home.cli("devices", "rotate", "--device", key.device_id[:12], "--role", "operator", port=gateway.port).out
    contains(shown, "the old one has stopped working")
    check(not shown.lstrip().startswith("{"), f"JSON that nobody asked for: {shown}")
    contains(home.cli("devices", "rename", key.device_id[:8], "My phone", port=gateway.port).out, "My phone")
    answer = home.cli_json("devices", "rotate", "my-phone", "--role", "operator", "--json", port=gateway.port)
    equal(answer["deviceId"], key.device_id)
    contains(home.cli("devices", "revoke", "My phone", "--role", "operator", port=gateway.port).out, "has stopped working")
    contains(home.cli("devices", "rotate", "My fone", "--role", "operator", port=gateway.port, code=1).err, "did you mean My phone?")
    contains(home.cli("devices", "remove", "My phone", port=gateway.port).out, "Removed My phone")


def test_scopes_come_from_the_record(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    client = Client(gateway.port)
    token = client.connect(identity=key, scopes=["operator.read"])["payload"]["auth"]["deviceToken"]
    wider = Client(gateway.port, host_header="gateway.lan")
    answer = wider.connect(identity=key, token=token, scopes=["operator.admin"])
    check(not answer["ok"], "a read token asked for admin and got it")
    nobody = Client(gateway.port).connect(scopes=[])["payload"]["snapshot"]
    equal((nobody["presence"], nobody.get("stateDir")), ([], None), "what a client without scopes learns")
    reader = Client(gateway.port)
    check(reader.connect(identity=key, token=token, scopes=["operator.read"])["ok"], "connect as reader")
    answer = reader.call("node.invoke", {"nodeId": "x", "command": "system.run", "idempotencyKey": "k"})
    equal(answer["error"]["message"], "missing scope: operator.write")
    equal(answer["error"]["code"], "FORBIDDEN")


def test_an_approval_covers_only_what_was_shown(test):
    """A node that asks for more between the list and the approval gets a new request; a role is never slipped in."""
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    first = Client(gateway.port, host_header="gateway.lan").connect(role="node", identity=key, commands=["system.notify"])
    shown = first["error"]["details"]["requestId"]
    Client(gateway.port, host_header="gateway.lan").connect(role="operator", identity=key)
    wider = Client(gateway.port, host_header="gateway.lan").connect(role="node", identity=key,
                                                                   commands=["system.notify", "system.run"])
    check(wider["error"]["details"]["requestId"] != shown, "the id survived the widening")
    contains(home.cli("nodes", "approve", shown, port=gateway.port, code=1).err, "unknown requestId")
    home.cli("nodes", "approve", wider["error"]["details"]["requestId"], port=gateway.port)
    operator = Client(gateway.port, host_header="gateway.lan").connect(role="operator", identity=key)
    check(not operator["ok"], "approving a node made an operator")


def test_a_node_that_grows_after_its_approval_waits(test):
    home = test.machine("gw")
    gateway = home.gateway()
    key = test.identity()
    asked = Client(gateway.port, host_header="gateway.lan").connect(role="node", identity=key, commands=["system.notify"])
    home.cli("nodes", "approve", asked["error"]["details"]["requestId"], port=gateway.port)
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.notify", "system.run"], caps=["system"])["ok"], "connect")
    entry = home.cli_json("nodes", "describe", "--node", key.device_id, "--json", port=gateway.port)
    equal(entry["commands"], ["system.notify"], "usable commands")


def test_devices_of_this_machine_may_have_to_ask_too(test):
    home = test.machine("gw")
    home.config({"gateway": {"nodes": {"pairing": {"autoApproveLocal": False}}}})
    gateway = home.gateway()
    for role, scopes in (("node", ()), ("operator", ["operator.read"])):
        key = test.identity()
        refused = Client(gateway.port).connect(role=role, scopes=scopes, identity=key)
        equal((refused["ok"], refused["error"]["details"].get("code")), (False, "PAIRING_REQUIRED"), role)
        home.cli("devices", "approve", refused["error"]["details"]["requestId"], port=gateway.port)
        check(Client(gateway.port).connect(role=role, scopes=scopes, identity=key)["ok"], f"the approved {role}")
    home.cli("config", "unset", "gateway.nodes.pairing")
    gateway.wait_for("took over the changed config")
    check(Client(gateway.port).connect(role="node", identity=test.identity())["ok"], "silently as before")
    home.config({"gateway": {"nodes": {"pairing": {"autoApproveLocal": "no"}}}})
    contains(home.cli("config", "validate", code=1).out, "gateway.nodes.pairing.autoApproveLocal must be true or false")


run_tests(globals())
