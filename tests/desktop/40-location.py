"""location.get with the real GeoClue and the real gpsd, both fed by a receiver that speaks NMEA; a fixed place; and nothing at all."""

from session import *
from harness import *


def node_at(test, desktop, config=None, consent=True):
    home, box = test.machine("gw"), test.machine("box")
    gateway = home.gateway()
    box.approvals()
    if config:
        box.config({"node": {"location": config}})
    with open(os.path.join(box.state, "consent.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "location": consent}, f)
    os.chmod(f.name, 0o600)
    node = box.node(gateway.port, env=desktop.env)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box", "location.get" if consent else "system.run"), "the approved node")
    return home, gateway, box, node


def locate(home, port, **params):
    done = home.cli("nodes", "invoke", "--node", "box", "--command", "location.get", "--params", json.dumps(params),
                    "--invoke-timeout", "30000", port=port, code=None)
    return json.loads(done.out)["payload"] if done.returncode == 0 else done.err


def near(value, wanted, what):
    check(isinstance(value, (int, float)) and abs(value - wanted) < 0.0002, f"{what}: {value!r}, wanted {wanted}")


def test_geoclue(test):
    desktop = Desktop(test)
    receiver = Receiver(desktop.path("nmea"))
    desktop.geoclue(receiver)
    home, gateway, _, node = node_at(test, desktop, {"gpsd": "127.0.0.1:1"})
    for accuracy in ("coarse", "balanced", "precise"):  # the receiver is all there is, for whom less would do too
        place = locate(home, gateway.port, desiredAccuracy=accuracy, timeoutMs=20000, maxAgeMs=0)
        check(isinstance(place, dict), f"no {accuracy} place: {place}")
    near(place["lat"], 48.1173, "lat")
    near(place["lon"], 11.516667, "lon")
    near(place["altitudeMeters"], 545.4, "altitude")
    check(place.get("accuracyMeters", 1) > 0, "an accuracy that is not known is not told")
    check(re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z", place["timestamp"]), place["timestamp"])
    # A little old is good enough, also when there is no receiver any more; too old is not.
    desktop.running["geoclue"].stop()
    equal(locate(home, gateway.port, maxAgeMs=600000, desiredAccuracy="precise"), place)
    coarse = locate(home, gateway.port, maxAgeMs=600000, desiredAccuracy="coarse")
    equal((coarse["lat"], coarse["lon"], coarse["isPrecise"]), (48.12, 11.52, False))
    check(coarse["accuracyMeters"] >= 1000 and "altitudeMeters" not in coarse, f"coarse is coarse: {coarse}")
    contains(locate(home, gateway.port, maxAgeMs=0), "LOCATION_UNAVAILABLE")
    equal(node.child.poll(), None, "the node lives")


def test_geoclue_without_an_agent_waits_for_ever(test):
    desktop = Desktop(test)
    desktop.geoclue(Receiver(desktop.path("nmea")), agent=False)
    home, gateway, _, _ = node_at(test, desktop, {"gpsd": "127.0.0.1:1"})
    text = locate(home, gateway.port, timeoutMs=1500)
    contains(text, "LOCATION_TIMEOUT")
    contains(text, "needs an agent")


def test_gpsd(test):
    desktop = Desktop(test)
    port = desktop.gpsd(Receiver(lat="3350.900,S", lon="15112.600,E"))
    home, gateway, _, _ = node_at(test, desktop, {"gpsd": f"127.0.0.1:{port}"})
    place = locate(home, gateway.port, timeoutMs=20000)
    check(isinstance(place, dict), f"no place: {place}")
    near(place["lat"], -33.848333, "lat")
    near(place["lon"], 151.21, "lon")
    equal(place["source"], "gps")
    near(place["headingDeg"], 84.4, "heading")
    check(abs(place["speedMps"] - 11.5) < 0.3, f"22.4 knots: {place['speedMps']}")


def test_gpsd_is_asked_while_geoclue_is_silent(test):
    desktop = Desktop(test)
    desktop.geoclue(Receiver(desktop.path("nmea")), agent=False)
    port = desktop.gpsd(Receiver(lat="3350.900,S", lon="15112.600,E"))
    home, gateway, _, _ = node_at(test, desktop, {"gpsd": f"127.0.0.1:{port}"})
    place = locate(home, gateway.port, timeoutMs=20000)
    check(isinstance(place, dict), f"no place: {place}")
    near(place["lat"], -33.848333, "lat")


def test_fixed(test):
    desktop = Desktop(test)
    fixed = {"lat": -12.3456, "lon": 98.7654, "accuracyMeters": 25}
    home, gateway, box, _ = node_at(test, desktop, {"gpsd": "127.0.0.1:1", "fixed": fixed})
    place = locate(home, gateway.port)
    equal((place["lat"], place["lon"], place["accuracyMeters"], place["source"], place["isPrecise"]),
          (-12.3456, 98.7654, 25, "fixed", True))
    coarse = locate(home, gateway.port, desiredAccuracy="coarse")
    equal((coarse["lat"], coarse["lon"], coarse["accuracyMeters"]), (-12.35, 98.77, 1000))
    contains(box.cli("config", "set", "node.location.fixed.lat", "91", code=None).err, "-90..90")


def test_nothing_knows(test):
    desktop = Desktop(test)
    home, gateway, _, _ = node_at(test, desktop, {"gpsd": "127.0.0.1:1"})
    text = locate(home, gateway.port)
    contains(text, "LOCATION_UNAVAILABLE")
    contains(text, "GeoClue")
    contains(text, "gpsd at 127.0.0.1:1")
    contains(text, "node.location.fixed")
    for params, wanted in [({"desiredAccuracy": "exact"}, "desiredAccuracy must be coarse, balanced or precise"),
                           ({"timeoutMs": "soon"}, "timeoutMs must be a number"), ({"maxAgeMs": []}, "maxAgeMs must be a number")]:
        contains(locate(home, gateway.port, **params), wanted)
    contains(locate(home, gateway.port, timeoutMs=-5), "INVALID_REQUEST: timeoutMs must be a number from 250 to 60000, not -5")
    contains(locate(home, gateway.port, timeoutMs=1, maxAgeMs=1e300), "LOCATION_")


def test_the_owner_decides(test):
    desktop = Desktop(test)
    home, gateway, box, _ = node_at(test, desktop, {"fixed": {"lat": 1, "lon": 2}}, consent=False)
    commands = usable(home, gateway.port, "box")[0]["commands"]
    check("location.get" not in commands, "not declared while it is off")
    check("system.notify" in commands, "notifications need no switch")


def test_it_is_announced(test):
    desktop = Desktop(test)
    dunst = desktop.notifications()
    home, gateway, box, _ = node_at(test, desktop, {"gpsd": "127.0.0.1:1", "fixed": {"lat": 1, "lon": 2}})
    place = locate(home, gateway.port)
    equal((place["accuracyMeters"], place["source"]), (100, "fixed"), "a place without an accuracy")
    dunst.wait_for("The location of this machine was read", "the announcement")
    contains(dunst.output(), "openclaw node disable location")
    contains(dunst.output(), f"127.0.0.1:{gateway.port}")
    locate(home, gateway.port)
    wait_until(lambda: dunst.output().count("was read.") >= 4, "the second one")  # body and formatted, twice
    equal(desktop.displayed(), 1, "they do not pile up")
    with open(os.path.join(box.state, "consent.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "location": True, "announce": False}, f)
    before = dunst.output().count("was read.")
    locate(home, gateway.port)
    home.cli("nodes", "invoke", "--node", "box", "--command", "system.notify", "--params", '{"title":"after it"}',
             port=gateway.port)
    dunst.wait_for("after it")
    equal(dunst.output().count("was read."), before, "announcements while they are off")


need(os.path.exists(os.path.join(BUILT, "openclaw-desktop")), "openclaw-desktop is not built")
run_tests(globals())
