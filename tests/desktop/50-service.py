"""Captures by a node that a real systemd started before there was a desktop: it finds the session that came later, through the
bus of that systemd, as on a machine whose owner logs in after it has booted."""

from session import *
from harness import *
from pictures import *

import manager

manager.enter()

NODE = "openclaw-node.service"


def boot(test, desktop):
    """The machine before anybody logs in: systemd, a gateway and a node with all switches on."""
    machine = test.machine("box")
    units = os.path.join(machine.home, ".config/systemd/user")
    os.makedirs(units)
    for unit in ("pipewire.socket", "pipewire.service", "pipewire-pulse.socket", "wireplumber.service", "dunst.service"):
        os.symlink("/dev/null", os.path.join(units, unit))  # those of this test are its own
    m = manager.Manager(machine, desktop.runtime)
    with socket.create_server(("127.0.0.1", 0)) as probe_socket:
        port = probe_socket.getsockname()[1]
    for key in ("GSETTINGS_BACKEND", "GTK_A11Y", "XDG_CACHE_HOME", "DBUS_SYSTEM_BUS_ADDRESS"):
        m.ask("set-environment", f"{key}={desktop.env[key]}")
    m.machine.config({"gateway": {"nodes": {"allowCommands": ["camera.snap", "screen.snapshot"]}}})
    m.cli("gateway", "install", "--port", str(port))
    m.cli("node", "enable", "camera", "screen")
    m.cli("node", "install", "--port", str(port), "--display-name", "box")
    m.cli("nodes", "approve", "--yes", port=port)
    wait_until(lambda: usable(machine, port, "box", "camera.snap"), "a node with a camera")
    return m, port


def look(m, port, *args):
    """A capture by the command line, decoded."""
    out = os.path.join(m.machine.home, "picture.jpg")
    m.cli("nodes", *args, "--node", "box", "--out", out, port=port)
    video = probe(out)["video"]
    return frames(out, video["width"], video["height"])[0], video["width"], video["height"]


def test_the_session_comes_later(test):
    need(os.path.exists(os.path.join(BUILT, "openclaw-media")), "openclaw-media is not built")
    desktop = Desktop(test)
    m, port = boot(test, desktop)
    pid = m.show(NODE, "MainPID")
    contains(m.cli("nodes", "screen", "snapshot", "--node", "box", port=port, code=1).err, "log in at the machine", "reason")

    # Somebody logs in. The bus is the one that systemd has been listening for, so the desktop brings none of its own.
    check(m.show("dbus.socket", "ActiveState") == "active", "systemd has no dbus.socket: run scripts/deps test")
    desktop.running["bus"] = m.process
    dunst = desktop.notifications()
    desktop.pipewire()
    desktop.camera("cam0", "Front camera", 640, 480, 30, 3)
    desktop.paint(still=True)
    m.ask("set-environment", f"DISPLAY={desktop.env['DISPLAY']}")  # what Xsession does

    m.cli("nodes", "notify", "--node", "box", "--title", "Tea", "--body", "is ready", port=port)
    wait_until(lambda: "Tea" in dunst.output(), "the notification")
    frame, width, height = look(m, port, "camera", "snap")
    check_bars(frame, width, height, 3)
    frame, width, height = look(m, port, "screen", "snapshot")
    seen = {c: sum(is_near(pixel(frame, width, x, y), c) for x in range(0, width, 40) for y in range(0, height, 40))
            for c in ((255, 0, 0), (0, 0, 255))}
    check(all(seen.values()), f"the painter's red and blue: {seen}")
    equal(m.show(NODE, "MainPID"), pid, "the node that was there from the start")
    m.cli("node", "uninstall")
    m.cli("gateway", "uninstall")
    m.stop()


run_tests(globals())
