"""The battery in device.status: our gateway and node, and the real upowerd on a private system bus. Its hardware is umockdev's: files
that stand in for /sys, seen by upowerd only; the node sees this machine's /sys, without its own batteries."""

import signal

from session import *
from harness import *
from world import World

LAPTOP = """P: /devices/BAT0
E: SUBSYSTEM=power_supply
E: POWER_SUPPLY_TYPE=Battery
A: type=Battery
A: present=1
A: status={status}
A: energy_full=60000000
A: energy_full_design=80000000
A: energy_now={energy}
A: voltage_now=12000000

"""
MOUSE = """P: /devices/mouse
E: SUBSYSTEM=power_supply
E: POWER_SUPPLY_TYPE=Battery
A: type=Battery
A: scope=Device
A: present=1
A: online=1
A: status=Discharging
A: capacity=30
A: model_name=Fancy Mouse

"""

SUPPLIES = "/sys/class/power_supply"


def upower(desktop, hardware):
    desktop.system_bus()
    path, history = desktop.path("hardware.umockdev"), desktop.path("upower-history")
    os.makedirs(history, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(hardware)
    process = desktop.start("upowerd", ["umockdev-run", "-d", path, "--", "/usr/libexec/upowerd"], UPOWER_HISTORY_DIR=history)
    desktop.wait_for_name("org.freedesktop.UPower", "system")
    return process


def hide_batteries():
    """On a laptop the test goes on where it has none."""
    if os.path.isdir(SUPPLIES) and os.listdir(SUPPLIES):
        apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
        os.execvp("unshare", [*apart, "sh", "-c", 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"', "sh", SUPPLIES, sys.executable, *sys.argv])


def power_world(test, desktop):
    return World(test, desktop, "location", ["device.status"])


def battery(world):
    return world.invoke("device.status")["battery"]


def test_what_upower_knows(test):
    for status, energy, level, state in (("Discharging", 48000000, 0.8, "unplugged"), ("Charging", 15000000, 0.25, "charging"),
                                         ("Full", 60000000, 1, "full"), ("Not charging", 45000000, 0.75, "full")):
        test.dir, top = os.path.join(test.dir, status.split()[0]), test.dir
        os.makedirs(test.dir)
        desktop = Desktop(test)
        upower(desktop, LAPTOP.format(status=status, energy=energy) + MOUSE)
        told = json.loads(desktop.run(os.path.join(BUILT, "openclaw-desktop"), "power"))["result"]
        equal((told["isPresent"], round(told["level"], 3), told["state"]), (True, level, state), status)
        test.dir = top


def test_the_battery_of_the_machine(test):
    desktop = Desktop(test)
    daemon = upower(desktop, LAPTOP.format(status="Discharging", energy=48000000) + MOUSE)
    world = power_world(test, desktop)
    equal(battery(world), {"level": 0.8, "state": "unplugged", "lowPowerModeEnabled": False})
    # It is not asked again at once: what it said holds for a while without it.
    daemon.stop()
    equal(battery(world)["level"], 0.8)


def test_the_battery_of_a_mouse(test):
    desktop = Desktop(test)
    upower(desktop, MOUSE)
    out = desktop.run("gdbus", "call", "--system", "-d", "org.freedesktop.UPower", "-o", "/org/freedesktop/UPower", "-m",
                      "org.freedesktop.UPower.EnumerateDevices")
    contains(out, "mouse", "UPower sees it")
    world = power_world(test, desktop)
    equal(battery(world), {"state": "unknown", "lowPowerModeEnabled": False})


def test_nobody_to_ask(test):
    """Neither a bus without UPower nor no bus at all is an error."""
    desktop = Desktop(test)
    world = power_world(test, desktop)
    equal(battery(world)["state"], "unknown", "no bus")
    other = Desktop(test)
    other.system_bus()
    told = json.loads(other.run(os.path.join(BUILT, "openclaw-desktop"), "power"))
    equal(told["result"], {"isPresent": False})


def test_one_that_hangs(test):
    desktop = Desktop(test)
    upower(desktop, LAPTOP.format(status="Full", energy=60000000))
    pid = desktop.pid_of("org.freedesktop.UPower")
    os.kill(pid, signal.SIGSTOP)
    try:
        world = power_world(test, desktop)
        equal(battery(world), {"state": "unknown", "lowPowerModeEnabled": False})
    finally:
        os.kill(pid, signal.SIGCONT)
    # Waited for once in a while only: it would answer now, and is not asked yet.
    equal(json.loads(desktop.run(os.path.join(BUILT, "openclaw-desktop"), "power"))["result"]["state"], "full")
    equal(battery(world)["state"], "unknown")


hide_batteries()
run_tests(globals())
