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
    """The environment of a private Avahi, which wants to be root, and not twice: it gets a /run of its own."""
    daemon = shutil.which("avahi-daemon", path=os.environ["PATH"] + ":/usr/sbin")
    need(daemon, "avahi-daemon is not installed")
    need(os.geteuid() == 0, "Avahi runs as root only")
    bus, conf = os.path.join(test.dir, "bus"), os.path.join(test.dir, "avahi.conf")
    with open(os.path.join(test.dir, "bus.conf"), "w", encoding="utf-8") as f:
        f.write(BUS % bus)
    with open(conf, "w", encoding="utf-8") as f:
        f.write(AVAHI % uuid.uuid4().hex[:8])
    env = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS="unix:path=" + bus)
    Process(test, "bus", ["dbus-daemon", "--config-file=" + os.path.join(test.dir, "bus.conf"), "--nofork", "--nopidfile"], env)
    wait_until(lambda: os.path.exists(bus), "the private bus")
    server = Process(test, "avahi", ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /run && exec "$@"', "sh", daemon, "-f", conf,
                                     "--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title"], env)
    server.wait_for("startup complete")
    return {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + bus}


def test_off_unless_set_then_found_then_gone(test):
    env = avahi(test)
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


def test_hostile_announcements_are_only_text(test):
    """Names and texts that mean something to terminals, shells, and to the lines that we read from Avahi."""
    env = avahi(test)
    home = test.machine("gw")
    kind = "_openclaw-gw._tcp"
    hostile = [
        ("evil\x1b[2J;=;x", "1111", "displayName=\x1b]0;owned\x07", "gatewayTls=1", "gatewayTlsSha256=zz"),
        ("a;b\\c\"d\ne", "1112", 'displayName=a"b;c\\', 'x"=";'),
        ("\u202emoc.live", "1113", "displayName=\u009b31m"),
        ("$(touch trap)`id`", "1114", "lanHost=$(id)", "cliPath=/bin/sh -c id"),
        ("=;lo;IPv4;fake;_openclaw-gw._tcp;local;evil.local;10.0.0.1;22;", "1115", "=x", "==", "a"),
        ("big", "65535", *[f"k{i}={'v' * 200}" for i in range(20)]),
    ]
    for name, port, *texts in hostile:
        Process(test, f"liar-{port}", ["avahi-publish-service", "-f", "--", name, kind, port, *texts], dict(os.environ, **env))

    def all_of_them():
        said = home.cli("gateway", "discover", "--json", env=env).out
        return said if json.loads(said)["count"] >= len(hostile) else None

    said = wait_until(all_of_them, "the announcements")
    found = {str(b["port"]): b for b in json.loads(said)["beacons"]}
    equal(sorted(found), sorted(port for _, port, *_ in hostile), "ports")
    for port, beacon in found.items():
        scheme = "wss" if port == "1111" else "ws"
        equal((beacon["address"], beacon["url"]), ("127.0.0.1", f"{scheme}://127.0.0.1:{port}"), "where it is")
        check("tlsFingerprint" not in beacon, f"a pin that is none: {beacon}")
    for text in (said, home.cli("gateway", "discover", env=env).out):
        check(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), f"raw bytes: {text!r}")


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
