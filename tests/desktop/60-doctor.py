"""openclaw doctor on a real desktop: PipeWire with a camera, an X server or mutter with its portal, dunst, GeoClue; and on none."""

import signal
import time

from session import *
from harness import *

ALL = {"camera": True, "screen": True, "location": True}
for helper in ("openclaw-media", "openclaw-desktop"):
    need(os.path.exists(os.path.join(BUILT, helper)), f"{helper} is not built")


def machine(test, name, **switches):
    box = test.machine(name)
    os.makedirs(box.state, exist_ok=True)
    with open(os.path.join(box.state, "consent.json"), "w", encoding="utf-8") as f:
        json.dump({"version": 1, **switches}, f)
    return box


def checks(box, desktop, *wanted):
    """{check: (level, text, fix)} of doctor, which fails for want of a gateway."""
    report = box.cli_json("doctor", "--json", port=1, code=1, env=desktop.env)
    return {c["check"]: (c["level"], c["text"], c.get("fix")) for c in report["checks"] if not wanted or c["check"] in wanted}


def test_a_desktop_that_has_everything(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam", "Front camera", 640, 480)
    desktop.microphone()
    desktop.display()
    desktop.notifications()
    desktop.geoclue(Receiver(desktop.path("nmea")))
    box = machine(test, "box", **ALL)
    seen = checks(box, desktop)
    for check_name, text in (("camera", "Front camera; a microphone"), ("screen", "X11, display :"), ("notifications", "shown by dunst"),
                             ("location", "GeoClue"), ("gstreamer", "MP4 films")):
        check(check_name in seen, f"no check {check_name}: {seen}")
        equal(seen[check_name][0], "ok", seen[check_name])
        contains(seen[check_name][1], text)
    out = box.cli("doctor", port=1, code=1, env=desktop.env)
    contains(out.out, "ok    camera: Front camera")
    equal(out.err, "", "the libraries' own words are not shown")
    # Nothing was shown to the person, and nothing asked of the camera.
    equal(desktop.displayed(), 0, "notifications")
    # What is off is not looked at.
    seen = checks(machine(test, "off"), desktop)
    check("camera" not in seen and "screen" not in seen and "location" not in seen, f"{seen}")


def test_a_machine_that_has_nothing(test):
    desktop = Desktop(test)
    box = machine(test, "box", **ALL)
    contains(checks(box, desktop)["notifications"][1], "there is no session bus")
    desktop.bare_bus()
    seen = checks(box, desktop)
    for check_name, text, fix in (("camera", "no PipeWire in this session", "systemctl --user enable --now pipewire.socket"),
                                  ("screen", "there is no screen", "log in at the machine"),
                                  ("notifications", "nothing shows notifications", "apt-get install dunst"),
                                  ("location", "nothing here knows where this machine is", "openclaw config set node.location.fixed")):
        level, told, how = seen[check_name]
        equal(level, "warn", seen[check_name])
        contains(told, text)
        contains(how, fix)
    with open(os.path.join(box.state, "openclaw.json"), "w", encoding="utf-8") as f:
        json.dump({"node": {"location": {"fixed": {"lat": 1, "lon": 2}}}}, f)
    equal(checks(box, desktop)["location"][0], "ok", "a place that is written down")
    # Where nothing is announced nobody misses a daemon.
    equal(checks(machine(test, "server"), desktop)["notifications"][0], "off", "a server")


def test_a_desktop_that_hangs(test):
    desktop = Desktop(test)
    desktop.pipewire()
    dunst = desktop.notifications()
    box = machine(test, "box", **ALL)
    stopped = (desktop.running["pipewire"], dunst, desktop.running["xvfb"])
    for process in stopped:
        process.child.send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    try:
        seen = checks(box, desktop)
    finally:
        for process in stopped:
            process.child.send_signal(signal.SIGCONT)
    check(time.monotonic() - begin < 25, f"doctor took {time.monotonic() - begin:.0f} s")
    equal(seen["notifications"][0], "warn", seen)
    contains(seen["notifications"][1], "the notification daemon does not answer: process ")
    equal(seen["camera"][0], "warn", seen)
    contains(seen["camera"][1], "PipeWire does not answer")
    equal(seen["screen"][0], "warn", seen)
    contains(seen["screen"][1], "the X server does not answer")
    equal(seen["gstreamer"][0], "ok", seen)


def test_wayland(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.mutter("640x480")
    desktop.system_bus()
    box = machine(test, "box", screen=True)
    session_bus = desktop.env["DBUS_SESSION_BUS_ADDRESS"]
    desktop.env["DBUS_SESSION_BUS_ADDRESS"] = desktop.env["DBUS_SYSTEM_BUS_ADDRESS"]  # it starts nothing, so there is no portal
    level, text, fix = checks(box, desktop)["screen"]
    equal(level, "warn", text)
    contains(fix, "xdg-desktop-portal")
    desktop.env["DBUS_SESSION_BUS_ADDRESS"] = session_bus
    desktop.portal()
    level, text, fix = checks(box, desktop)["screen"]
    equal((level, fix), ("ok", None), text)
    contains(text, "through the desktop's portal")


run_tests(globals())
