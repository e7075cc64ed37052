"""mDNS through a real Avahi daemon on a private bus, heard on loopback only."""

from harness import *

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_type="*"/><allow send_destination="*"/><allow receive_sender="*"/>
</policy></busconfig>"""
AVAHI = """[server]
host-name=oc-%s
use-ipv4=yes
use-ipv6=no
allow-interfaces=lo
[publish]
publish-hinfo=no
publish-workstation=no
"""


def avahi(test):
    """The environment of a private Avahi; None when it cannot run here (it wants to be root, and not twice)."""
    daemon = shutil.which("avahi-daemon", path=os.environ["PATH"] + ":/usr/sbin")
    if not daemon or os.geteuid() != 0 or os.path.exists("/run/avahi-daemon/pid"):
        return None
    bus, conf = os.path.join(test.dir, "bus"), os.path.join(test.dir, "avahi.conf")
    with open(os.path.join(test.dir, "bus.conf"), "w", encoding="utf-8") as f:
        f.write(BUS % bus)
    with open(conf, "w", encoding="utf-8") as f:
        f.write(AVAHI % uuid.uuid4().hex[:8])
    env = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS="unix:path=" + bus)
    Process(test, "bus", ["dbus-daemon", "--config-file=" + os.path.join(test.dir, "bus.conf"), "--nofork", "--nopidfile"], env)
    wait_until(lambda: os.path.exists(bus), "the private bus")
    server = Process(test, "avahi", [daemon, "-f", conf, "--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title"],
                     env)
    wait_until(lambda: "startup complete" in server.output() or server.child.poll() is not None, "Avahi")
    if server.child.poll() is not None:
        print("Avahi cannot run here:", server.output()[-300:])
        return None
    return {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + bus}


def test_off_unless_set_then_found_then_gone(test):
    env = avahi(test)
    if env is None:
        print("skipped: no private Avahi daemon (not root, not installed, or one runs already)")
        return
    home = test.machine("gw")

    def beacons(port):
        found = home.cli_json("gateway", "discover", "--json", env=env)["beacons"]
        return [b for b in found if b["port"] == port]

    quiet = home.gateway(env=env)
    equal(beacons(quiet.port), [], "beacons of a gateway that was not told to")
    quiet.stop()
    home.config({"discovery": {"mdns": {"mode": "minimal"}}})
    gateway = home.gateway(env=env)
    found = wait_until(lambda: beacons(gateway.port), "the beacon")
    equal(found[0]["url"], f"ws://127.0.0.1:{gateway.port}")
    contains(home.cli("gateway", "discover", env=env).out, f"ws://127.0.0.1:{gateway.port}")
    gateway.stop()
    wait_until(lambda: not beacons(gateway.port), "the beacon to go with the gateway")
    again = home.gateway(env=env)
    wait_until(lambda: beacons(again.port), "the beacon")
    again.stop(signal.SIGKILL)
    wait_until(lambda: not beacons(again.port), "the beacon to go with a killed gateway")


def test_missing_tools_are_named(test):
    home = test.machine("gw")
    home.config({"discovery": {"mdns": {"mode": "minimal"}}})
    empty = os.path.join(test.dir, "empty")
    os.mkdir(empty)
    gateway = home.gateway(env={"PATH": empty})
    gateway.wait_for("install the package avahi-utils")
    done = home.cli("gateway", "discover", env={"PATH": empty}, code=1)
    contains(done.err, "avahi-utils")
    checks = home.cli_json("doctor", "--json", port=gateway.port, env={"PATH": empty})["checks"]
    check([c for c in checks if c["check"] == "discovery" and "avahi-utils" in c["fix"]], f"{checks}")


def test_what_keeps_it_from_being_found(test):
    home = test.machine("gw")
    home.config({"discovery": {"mdns": {"mode": "minimal"}}})
    tools = os.path.join(test.dir, "tools")
    os.mkdir(tools)
    with open(os.path.join(tools, "avahi-publish"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nexec sleep 60\n")
    os.chmod(os.path.join(tools, "avahi-publish"), 0o755)
    env = {"PATH": tools + ":/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"}
    gateway = home.gateway(env=env)
    gateway.wait_for("announced on the network, but listens on this machine only")
    checks = home.cli_json("doctor", "--json", port=gateway.port, env=env)["checks"]
    equal([c["fix"] for c in checks if c["check"] == "discovery"], ["openclaw config set gateway.bind lan"])


run_tests(globals())
