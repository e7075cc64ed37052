"""Who is here, what they say about themselves, and how busy their machines are."""

from harness import *

STATS = {"cpuCount": 4, "loadAverage": [0.5, 0.25, 0.125], "memoryTotalBytes": 2 ** 33, "memoryFreeBytes": 2 ** 32}


def setup(test):
    home = test.machine("gw")
    gateway = home.gateway()
    desk = Client(gateway.port)
    check(desk.connect()["ok"], "connect")
    key = test.identity()
    node = Client(gateway.port)
    check(node.connect(role="node", identity=key, commands=["system.which"], caps=["system"])["ok"], "connect")
    return home, gateway, desk, key, node


def present(client, **wanted):
    return [e for e in client.ok("system-presence") if all(e.get(k) == v for k, v in wanted.items())]


def test_a_system_event_is_merged(test):
    _, _, desk, key, _ = setup(test)
    before = present(desk, deviceId=key.device_id)[0]
    desk.events.clear()
    equal(desk.ok("system-event", {"text": "away", "deviceId": key.device_id, "lastInputSeconds": 300, "mode": 5,
                                   "tags": ["laptop"], "scopes": ["seen"]}), {"ok": True})
    shown = desk.event("presence")["presence"]
    while not [e for e in shown if e.get("text") == "away"]:
        shown = desk.event("presence")["presence"]
    after = present(desk, deviceId=key.device_id)
    equal(len(after), 1, "entries of one device")
    wanted = {**before, "text": "away", "lastInputSeconds": 300, "tags": ["laptop"], "scopes": ["seen"], "ts": after[0]["ts"]}
    equal(after[0], wanted)


def test_a_beacon_in_the_words_of_old_apps(test):
    _, _, desk, _, _ = setup(test)
    desk.ok("system-event", {"text": "Node: Desk (10.0.0.2) · app 1.2 · last input 5s ago · mode local · reason launch"})
    entry = present(desk, host="Desk")[0]
    equal({k: entry[k] for k in ("ip", "version", "lastInputSeconds", "mode", "reason")},
          {"ip": "10.0.0.2", "version": "1.2", "lastInputSeconds": 5, "mode": "local", "reason": "launch"})
    desk.ok("system-event", {"text": "Node: desk (10.0.0.2) · app 1.3 · last input 1s ago · mode local · reason periodic"})
    equal([e["version"] for e in present(desk, ip="10.0.0.2")], ["1.3"], "one host, one entry")


def test_beacons_are_bounded_and_for_administrators(test):
    _, gateway, desk, _, _ = setup(test)
    for i in range(250):
        desk.ok("system-event", {"text": "x", "instanceId": f"i{i}"})
    check(len(desk.ok("system-presence")) <= 201, "the list grows without end")
    for params, part in (({"text": "x" * 2000}, "at most"), ({"text": "x", "host": "h" * 300}, "/host"), ({}, "text required")):
        contains(desk.call("system-event", params)["error"]["message"], part)
    reader = Client(gateway.port)
    check(reader.connect(scopes=["operator.read"])["ok"], "connect")
    contains(reader.call("system-event", {"text": "x"})["error"]["message"], "missing scope: operator.admin")


def test_host_stats(test):
    home, gateway, desk, key, node = setup(test)
    blind = Client(gateway.port)
    check(blind.connect(scopes=["operator.pairing"])["ok"], "connect")
    equal(node.ok("node.event", {"event": "node.host.stats", "payloadJSON": json.dumps(STATS)}),
          {"ok": True, "event": "node.host.stats", "handled": True, "reason": "updated"})
    told = desk.event("node.hostStats")
    equal(told["nodeId"], key.device_id)
    check(told["hostStats"].pop("updatedAtMs") > 0, "when it came")
    equal(told["hostStats"], STATS)
    listed = [n for n in desk.ok("node.list", {})["nodes"] if n["nodeId"] == key.device_id][0]
    listed["hostStats"].pop("updatedAtMs")
    equal(listed["hostStats"], STATS)
    # A node that reports all the time does not keep everybody busy: only the last is kept.
    for free in range(20):
        node.ok("node.event", {"event": "node.host.stats", "payload": {**STATS, "memoryFreeBytes": free}})
    equal(desk.ok("node.describe", {"nodeId": key.device_id})["hostStats"]["memoryFreeBytes"], 19)
    check(len([e for e in desk.events if e.get("event") == "node.hostStats"]) < 5, "every report was passed on")
    equal(node.ok("node.event", {"event": "node.host.stats", "payload": {**STATS, "memoryFreeBytes": 2 ** 34}})["reason"],
          "invalid_payload")
    blind.call("health")
    check(not [e for e in blind.events if e.get("event") == "node.hostStats"], "told to who may not read")


run_tests(globals())
