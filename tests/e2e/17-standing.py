"""What somebody was given, kept, and lost: nothing comes back by a side door, and nothing is found out through one."""

import sqlite3

from harness import *

READ, PAIRING, ADMIN = "operator.read", "operator.pairing", "operator.admin"


def remote(port, headers=()):
    """A client that is not the owner at this machine."""
    return Client(port, host_header="gateway.lan", headers=headers)


def owner(port, **kw):
    client = Client(port)
    check(client.connect(**kw)["ok"], "the owner cannot connect")
    return client


def details(answer):
    check(not answer["ok"], f"accepted: {answer}")
    return answer["error"]["details"]


def import_devices(home, devices):
    """Leaves devices/paired.json of the reference in the state directory: {identity: what is special about it}."""
    os.makedirs(os.path.join(home.state, "devices"), exist_ok=True)
    common = {"displayName": "phone", "platform": "linux", "createdAtMs": 1, "approvedAtMs": 1}
    with open(os.path.join(home.state, "devices", "paired.json"), "w") as f:
        json.dump({key.device_id: {**common, "deviceId": key.device_id, "publicKey": key.public_key, **device}
                   for key, device in devices.items()}, f)


def bootstrap_token(client, **params):
    code = client.ok("device.pair.setupCode", params)["setupCode"]
    return json.loads(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)))["bootstrapToken"]


def use_code(port, identity, token, **kw):
    client = remote(port)
    params = client.connect_params(identity=identity, token=token, **kw)
    params["auth"] = {"bootstrapToken": token}
    return client.call("connect", params)


def test_a_setup_code_ends_with_its_makers_token(test):
    gateway = test.machine("gw").gateway()
    for method in ("device.token.revoke", "device.token.rotate"):
        maker = test.identity()
        token = bootstrap_token(owner(gateway.port, identity=maker), role="operator", scopes=[ADMIN])
        owner(gateway.port).ok(method, {"deviceId": maker.device_id, "role": "operator"})
        answer = use_code(gateway.port, test.identity(), token, scopes=[ADMIN])
        equal(details(answer)["code"], "AUTH_BOOTSTRAP_TOKEN_INVALID", method)


def test_a_setup_code_ends_with_the_shared_secret(test):
    home = test.machine("gw")
    for secret, lets_in in ((TOKEN, True), ("another-secret", False)):
        gateway = home.gateway()
        token = bootstrap_token(owner(gateway.port), role="node")
        gateway.stop()
        gateway = home.gateway(env={"OPENCLAW_GATEWAY_TOKEN": secret})
        answer = use_code(gateway.port, test.identity(), token, role="node")
        equal(answer["ok"], lets_in, f"a code of the owner, after a restart with secret {secret}: {answer}")
        gateway.stop()


def test_a_node_becomes_an_operator_with_what_is_asked_for(test):
    """The reference wrote down scopes a node had asked for. Nobody has ever approved them for an operator."""
    home, key = test.machine("gw"), test.identity()
    import_devices(home, {key: {"role": "node", "roles": ["node"], "scopes": [ADMIN], "tokens": {
        "node": {"token": "tok-node", "role": "node", "scopes": [ADMIN], "createdAtMs": 1}}}})
    gateway = home.gateway()
    asked = details(remote(gateway.port).connect(identity=key, scopes=[]))
    clerk = owner(gateway.port, scopes=[PAIRING])
    clerk.ok("device.pair.approve", {"requestId": asked["requestId"]})
    check(remote(gateway.port).connect(identity=key, scopes=[])["ok"], "what was approved")
    equal(details(remote(gateway.port).connect(identity=key, scopes=[ADMIN]))["code"], "PAIRING_REQUIRED")


def test_x_real_ip_counts_only_when_allowed(test):
    """A proxy that was not told to set it passes on what the client wrote: every guess from another address."""
    home = test.machine("gw")
    home.config({"gateway": {"trustedProxies": ["127.0.0.1"], "auth": {"rateLimit": {"maxAttempts": 3}}}})
    gateway = home.gateway()
    seen = [details(remote(gateway.port, ["Via: 1.1 proxy", f"X-Real-IP: 198.51.{n}.7"]).connect(token="wrong", scopes=[]))["code"]
            for n in range(5)]
    equal(seen, ["AUTH_TOKEN_MISMATCH"] * 3 + ["AUTH_RATE_LIMITED"] * 2)


def test_a_bad_device_proof_hides_no_guess(test):
    home = test.machine("gw")
    home.config({"gateway": {"auth": {"mode": "password", "password": "hunter2", "rateLimit": {
        "maxAttempts": 4, "windowMs": 60000, "lockoutMs": 60000, "exemptLoopback": False}}}})
    gateway = home.gateway(env={"OPENCLAW_GATEWAY_TOKEN": None})
    key = test.identity()

    def guess(password, **spoilt):
        client = remote(gateway.port)
        params = client.connect_params(token=None, scopes=[])
        params["auth"] = {"password": password}
        if spoilt:
            params["device"] = {"id": key.device_id, "publicKey": key.public_key, "signedAt": client.ts, "nonce": client.nonce,
                                "signature": "AAAA", **spoilt}
        return details(client.call("connect", params))["code"]

    for spoilt in ({"signature": "AAAA"}, {"nonce": "other"}, {"signedAt": 1}):
        check(guess("wrong", **spoilt).startswith("DEVICE_AUTH"), f"refused for the device: {spoilt}")
    check(guess("hunter2", signature="AAAA").startswith("DEVICE_AUTH"), "the right guess tells")  # and forgives nothing
    equal([guess("wrong"), guess("wrong")], ["AUTH_PASSWORD_MISMATCH", "AUTH_RATE_LIMITED"])


def test_a_guessed_code_does_not_get_at_the_database(test):
    home = test.machine("gw")
    gateway = home.gateway()
    real = bootstrap_token(owner(gateway.port), role="node")
    other = sqlite3.connect(os.path.join(home.state, "gateway.sqlite"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = use_code(gateway.port, test.identity(), "guess", role="node")
    equal(details(answer)["code"], "AUTH_BOOTSTRAP_TOKEN_INVALID")  # known without waiting for the lock
    answer = use_code(gateway.port, test.identity(), real, role="node")
    equal(answer["error"]["message"], "the gateway cannot use its database at the moment; its log says why")
    check(answer["error"]["retryable"], "retryable")
    check(home.state not in json.dumps(answer), "a stranger was told where our files are")
    gateway.wait_for(r"setup code not used .*database '.*gateway.sqlite' is locked")
    other.execute("ROLLBACK")
    other.close()
    check(use_code(gateway.port, test.identity(), real, role="node")["ok"], "the code was used up by a failure")


def test_a_role_that_never_came_can_be_taken_away(test):
    home, by_node, by_token = test.machine("gw"), test.identity(), test.identity()
    device = {"role": "operator", "roles": ["operator", "node"], "scopes": [READ], "tokens": {
        "operator": {"token": "t", "role": "operator", "scopes": [READ], "createdAtMs": 1}}}
    import_devices(home, {by_node: device, by_token: device})
    gateway = home.gateway()
    client = owner(gateway.port)
    client.ok("node.pair.remove", {"nodeId": by_node.device_id})
    client.ok("device.token.revoke", {"deviceId": by_token.device_id, "role": "node"})
    for key in (by_node, by_token):
        equal(details(remote(gateway.port).connect(role="node", identity=key))["code"], "PAIRING_REQUIRED")
        check(remote(gateway.port).connect(identity=key, scopes=[READ])["ok"], "it lost more than was taken")


def test_pairings_that_are_copied_late_are_taken_over(test):
    home, key, later = test.machine("gw"), test.identity(), test.identity()

    def known(gateway):
        return {d["deviceId"] for d in home.cli_json("devices", "list", "--json", port=gateway.port)["paired"]} & {
            key.device_id, later.device_id}

    def import_warnings(**kw):
        done = home.cli("doctor", "--json", code=None, **kw)
        return [f["text"] for f in json.loads(done.out)["checks"] if f["check"] == "import" and f["level"] == "warn"]

    home.gateway().stop()
    device = {"role": "node", "roles": ["node"]}
    import_devices(home, {key: device})
    gateway = home.gateway()
    equal(known(gateway), {key.device_id})
    equal(import_warnings(port=gateway.port), [])
    import_devices(home, {key: device, later: device})  # once is once: what was removed here must not come back
    contains(import_warnings(port=gateway.port)[0], "devices/paired.json has changed since")
    gateway.stop()
    before = sorted(os.listdir(home.state))
    contains(import_warnings()[0], "devices/paired.json has changed since")
    equal(sorted(os.listdir(home.state)), before, "files after doctor")
    gateway = home.gateway()
    equal(known(gateway), {key.device_id})
    gateway.wait_for(r"devices/paired.json' has changed since, ignoring it")


def test_nobody_stands_in_the_place_of_a_device(test):
    gateway = test.machine("gw").gateway()
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key)["ok"], "connect")
    fake = remote(gateway.port)
    params = fake.connect_params(scopes=[], client_id="gateway-client", mode="backend")
    params["client"].update(instanceId=key.device_id, displayName="fake")
    check(fake.call("connect", params)["ok"], "connect")
    here = owner(gateway.port).ok("system-presence")
    equal([e.get("deviceId") for e in here if e.get("instanceId") == key.device_id], [key.device_id])
    equal(len([e for e in here if e.get("host") == "fake"]), 1)


def test_what_waits_for_a_node_goes_with_it(test):
    gateway = test.machine("gw").gateway()
    client = owner(gateway.port)
    for method, param in (("node.pair.remove", "nodeId"), ("device.pair.remove", "deviceId")):
        key = test.identity()
        for is_back in (False, True):
            node = Client(gateway.port)
            check(node.connect(role="node", identity=key)["ok"], "connect")
            if is_back:
                items = node.ok("node.pending.drain", {})["items"]
                check("location.request" not in [i["type"] for i in items], f"{method}: {items}")
            else:
                client.ok("node.pending.enqueue", {"nodeId": key.device_id, "type": "location.request"})
                client.ok(method, {param: key.device_id})
            node.close()


run_tests(globals())
