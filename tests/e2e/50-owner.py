"""The owner of a machine switches on what gateways may use of it: openclaw node enable, disable, status."""

import harness
from harness import *

CAMERA = ["camera.clip", "camera.list", "camera.snap"]


def place(test, *helpers):
    """A directory with the program and with helpers that are only looked for here, never started."""
    folder = os.path.join(test.dir, "bin-" + "-".join(helpers))
    os.makedirs(folder)
    shutil.copy(os.environ.get("OPENCLAW_BIN", "openclaw"), os.path.join(folder, "openclaw"))
    for name in helpers:
        shutil.copy("/bin/false", os.path.join(folder, name))
    harness.BINARY = os.path.join(folder, "openclaw")


def described(home, port):
    return home.cli_json("nodes", "describe", "--node", "box", "--json", port=port)


def approve(home, port):
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=port)


def invoke(home, port, command, code):
    return home.cli("nodes", "invoke", "--node", "box", "--command", command, port=port, code=code)


def test_a_switch_adds_and_takes_away_commands(test):
    place(test, "openclaw-media", "openclaw-desktop")
    home, gateway, box, node = paired_node(test)
    before = described(home, gateway.port)
    equal([c for c in before["commands"] if c.startswith("camera.")], [], "camera commands while off")
    equal(before["permissions"]["camera"], False, "permission while off")
    equal(before["permissions"]["captures.unannounced"], False, "announced")
    equal(before["switches"]["camera"],
          {"on": False, "cause": "SWITCHED_OFF", "gate": "local switch", "subject": "camera", "remedy": "enable-switch",
           "fix": "on the node run: openclaw node enable camera"}, "switch")
    refused = invoke(home, gateway.port, "camera.snap", 1).err
    contains(refused, "gate: local switch")
    contains(refused, "openclaw node enable camera")
    text = home.cli("nodes", "describe", "--node", "box", port=gateway.port).out
    contains(text, "camera: shut at gate local switch\n  fix: on the node run: openclaw node enable camera")
    contains(text, "announced to the person at the machine")
    contains(home.cli("doctor", port=gateway.port).out, "box: camera is shut at gate: local switch")

    said = box.cli("node", "enable", "camera").out
    contains(said, "camera is on: gateways that this node is connected to may use camera.clip, camera.list, camera.snap.")
    contains(said, "openclaw nodes approve")
    contains(said, "tells its gateway by itself")
    approve(home, gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box", "camera.snap"), "camera.snap")
    after = described(home, gateway.port)
    equal([c for c in after["commands"] if c.startswith("camera.")], CAMERA, "camera commands while on")
    equal(after["permissions"]["camera"], True, "permission while on")
    equal(after["gates"]["camera.snap"], {"declared": True, "approved": True, "policy": True, "local": True}, "gates")
    contains(after["caps"], "camera", "caps")

    box.cli("node", "disable", "camera")
    wait_until(lambda: not usable(home, gateway.port, "box", "camera.snap") and usable(home, gateway.port, "box"),
               "the node without a camera")
    contains(invoke(home, gateway.port, "camera.snap", 1).err, "openclaw node enable camera")
    box.cli("node", "enable", "camera")  # was approved: nobody is asked again
    wait_until(lambda: usable(home, gateway.port, "box", "camera.snap"), "camera.snap again")
    equal(home.cli_json("nodes", "pending", "--json", port=gateway.port), [], "requests")
    check(node.child.poll() is None, "the node has ended")


def test_what_runs_is_not_lost(test):
    place(test, "openclaw-media", "openclaw-desktop")
    home, gateway, box, _ = paired_node(test)
    box.cli("node", "enable", "camera")
    approve(home, gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box", "camera.snap"), "camera.snap")
    started, go_on = os.path.join(test.dir, "started"), os.path.join(test.dir, "go-on")
    os.mkfifo(go_on)
    run = Process(test, "run", [harness.BINARY, "nodes", "run", "--node", "box", "--raw", f"touch {started}; cat {go_on}"],
                  home.env(OPENCLAW_GATEWAY_PORT=str(gateway.port)))
    wait_until(lambda: os.path.exists(started), "the command to run")
    box.cli("node", "disable", "camera")
    # From this moment on, although the gateway still thinks that the node has it.
    contains(invoke(home, gateway.port, "camera.snap", 1).err, "CAMERA_DISABLED")
    check(usable(home, gateway.port, "box"), "the connection was cut under a running command")
    with open(go_on, "w", encoding="ascii") as f:
        f.write("still here\n")
    equal(run.wait_exit(), 0, "exit code of the run")
    contains(run.output(), "still here")
    wait_until(lambda: not usable(home, gateway.port, "box", "camera.snap") and usable(home, gateway.port, "box"),
               "the node without a camera")


def test_announcements_are_told_without_a_new_connection(test):
    place(test, "openclaw-media", "openclaw-desktop")
    home, gateway, box, _ = paired_node(test)
    since = described(home, gateway.port)["connectedAtMs"]
    contains(box.cli("node", "disable", "announce").out, "without a notification")
    wait_until(lambda: "captures.announced" in described(home, gateway.port)["permissions"], "the changed permission")
    now = described(home, gateway.port)
    check("captures.unannounced" not in now["permissions"], f"both: {now['permissions']}")
    equal(now["connectedAtMs"], since, "connectedAtMs")
    contains(home.cli("nodes", "describe", "--node", "box", port=gateway.port).out, "not announced")


def test_a_missing_program_names_its_package(test):
    place(test)
    home, gateway, box, _ = paired_node(test)
    contains(box.cli("node", "enable", "camera").out, "install the package openclaw-media")
    wait_until(lambda: described(home, gateway.port)["permissions"]["camera"], "the switch")
    now = described(home, gateway.port)
    equal(now["permissions"]["camera.installed"], False, "camera.installed")
    equal(now["switches"]["camera"]["fix"], "on the node install the package openclaw-media", "fix")
    contains(invoke(home, gateway.port, "camera.snap", 1).err, "on the node install the package openclaw-media")
    contains(box.cli("node", "status").out, "fix: install the package openclaw-media")
    contains(box.cli("doctor", port=gateway.port, code=None).out, "camera is on here, but openclaw-media is not installed")


def test_status_of_this_machine(test):
    place(test, "openclaw-media", "openclaw-desktop")
    box = test.machine("box")
    idle = box.cli_json("node", "status", "--json")
    equal(idle["running"], False, "running")
    equal({k: v["on"] for k, v in idle["switches"].items()},
          {"announce": True, "approvals": False, "camera": False, "canvas": False, "location": False, "screen": False}, "switches")
    equal(idle["exec"]["security"], "deny", "security")
    equal(idle["sandbox"], "off", "sandbox")
    contains(box.cli("node", "status").out, "Node: not running")
    home, gateway = test.machine("gw"), None
    gateway = home.gateway()
    node = box.node(gateway.port)
    waiting = wait_until(lambda: (lambda s: s["running"] and s.get("node", {}).get("state") == "waiting-approval" and s)(
        box.cli_json("node", "status", "--json")), "the waiting node")
    equal(waiting["node"]["pid"], node.child.pid, "pid")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: box.cli_json("node", "status", "--json")["node"]["state"] == "connected", "the connected node")
    contains(box.cli("node", "status").out, f"connected to ws://127.0.0.1:{gateway.port}")
    node.child.kill()  # leaves its file behind
    node.wait_exit()
    check(os.path.exists(os.path.join(box.state, "node-status.json")), "the file is gone already")
    equal(box.cli_json("node", "status", "--json")["running"], False, "running after a kill")


def test_a_place_that_is_written_down_needs_no_program(test):
    place(test)
    box = test.machine("box")
    box.config({"node": {"location": {"fixed": {"lat": 48.1, "lon": 11.5}}}})
    box.cli("node", "enable", "location")
    switch = box.cli_json("node", "status", "--json")["switches"]["location"]
    equal((switch["on"], switch["installed"]), (True, True), "the switch")
    report = box.cli_json("doctor", "--json", port=1, code=1)
    equal([c["text"] for c in report["checks"] if c["check"] == "location"],
          ["written down in node.location.fixed, for when nothing else knows it"], "what doctor says")


def test_wrong_words_change_nothing(test):
    place(test)
    box = test.machine("box")
    for words, part in ((["scren"], "did you mean screen?"), (["camera", "x1"], "there is no switch 'x1'"), ([], "is missing")):
        contains(box.cli("node", "enable", *words, code=2).err, part)
    check(not os.path.exists(os.path.join(box.state, "consent.json")), "consent.json was written")
    box.cli("node", "enable", "camera")
    equal(os.stat(os.path.join(box.state, "consent.json")).st_mode & 0o777, 0o600, "mode")
    with open(os.path.join(box.state, "consent.json"), "w", encoding="ascii") as f:
        f.write("{ not json")
    contains(box.cli("node", "enable", "camera", code=1).err, "consent.json")
    told = box.cli_json("node", "status", "--json")
    equal(told["switches"]["camera"]["on"], False, "a broken file means no")
    contains(told["switchesError"], "consent.json")
    contains(box.cli("node", "status").out, "All of them are off, because their file is not understood")
    contains(box.cli("doctor", code=None).out, "everything is off here, because the switches' file is not understood")


def test_nobody_is_told_without_the_desktop_helper(test):
    place(test, "openclaw-media")
    home, gateway, box, _ = paired_node(test)
    permissions = described(home, gateway.port)["permissions"]
    equal(permissions["captures.announced"], False, "announced although nothing can announce")
    check("captures.unannounced" not in permissions, f"both: {permissions}")


def test_two_change_switches_at_a_time(test):
    place(test, "openclaw-media")
    box = test.machine("box")
    for _ in range(15):
        box.cli("node", "enable", "camera")
        box.cli("node", "disable", "screen")
        both = [threading.Thread(target=box.cli, args=("node", "disable", "camera")),
                threading.Thread(target=box.cli, args=("node", "enable", "screen"))]
        for one in both:
            one.start()
        for one in both:
            one.join()
        switches = box.cli_json("node", "status", "--json")["switches"]
        equal((switches["camera"]["on"], switches["screen"]["on"]), (False, True), "camera, screen")


def test_device_commands(test):
    place(test)
    home, gateway, _, _ = paired_node(test)
    info = json.loads(invoke(home, gateway.port, "device.info", 0).out)["payload"]
    equal(info["deviceName"], os.uname().nodename, "deviceName")
    equal(info["kernelVersion"], os.uname().release, "kernelVersion")
    for key in ("modelIdentifier", "systemName", "systemVersion", "appVersion", "appBuild", "locale"):
        check(info[key], f"{key} is empty: {info}")
    status = json.loads(invoke(home, gateway.port, "device.status", 0).out)["payload"]
    contains(["unknown", "unplugged", "charging", "full"], status["battery"]["state"], "battery")
    contains(["nominal", "fair", "serious", "critical"], status["thermal"]["state"], "thermal")
    disk = os.statvfs(test.dir)
    equal(status["storage"]["totalBytes"], disk.f_blocks * disk.f_frsize, "totalBytes")
    equal(status["storage"]["usedBytes"] + status["storage"]["freeBytes"], status["storage"]["totalBytes"], "bytes")
    equal(status["network"]["status"], "satisfied" if status["network"]["interfaces"] else "unsatisfied", "network")
    check(status["uptimeSeconds"] > 0, "uptime")


run_tests(globals())
