"""A desktop for tests: the real components, private to one test, started when they are asked for and ended by pid.

    desktop = Desktop(test)          an empty one: directories and environment, nothing runs
    desktop.pipewire()               PipeWire + WirePlumber (and the session bus they want)
    desktop.camera("cam0", "Front camera", 640, 480, 30, 0)
    node = box.node(port, env=desktop.env)

Each function starts one thing and returns when it can be used. Nothing listens outside the test's directory or loopback. A component
that a test needs and that is not installed is a failure that names it: scripts/deps test installs them all.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import BINARY, Failure, Process, check, wait_until  # noqa: E402

BUILT = os.path.dirname(BINARY)  # helpers and test programs are built beside the binary

# Bluetooth, sound cards and V4L2 are not ours to touch; without its logind module WirePlumber also runs where there is no logind.
WIREPLUMBER_OFF = {
    "bluetooth.lua.d/90-enable-all.lua": "",
    "main.lua.d/51-off.lua": "alsa_monitor.enabled = false\nv4l2_monitor.enabled = false\nlibcamera_monitor.enabled = false\n",
}


def program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/libexec:/usr/lib/geoclue-2.0:/usr/sbin")
    check(path, f"{name} is not installed: run scripts/deps test")
    return path


def sentence(text):
    check_sum = 0
    for character in text:
        check_sum ^= ord(character)
    return f"${text}*{check_sum:02X}\r\n"


class Receiver:
    """A satellite receiver: NMEA sentences, once a second, for everybody who connects (to a socket file, or to a port of loopback)."""

    def __init__(self, path=None, lat="4807.038,N", lon="01131.000,E"):
        self.path, self.place = path, (lat, lon)
        self.socket = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self.socket.bind(path or ("127.0.0.1", 0))
        self.port = None if path else self.socket.getsockname()[1]
        self.socket.listen(5)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        lat, lon = self.place
        try:
            while True:
                now = time.gmtime()
                clock, date = time.strftime("%H%M%S.00", now), time.strftime("%d%m%y", now)
                client.sendall((sentence(f"GPGGA,{clock},{lat},{lon},1,08,0.9,545.4,M,46.9,M,,") +
                                sentence(f"GPRMC,{clock},A,{lat},{lon},022.4,084.4,{date},003.1,W")).encode())
                time.sleep(0.5)
        except OSError:
            client.close()


class Desktop:
    def __init__(self, test):
        self.test = test
        self.dir = os.path.join(test.dir, "d")
        self.runtime = os.path.join(self.dir, "run")  # short: socket names end at 108 bytes
        home = os.path.join(self.dir, "home")
        for path in (self.dir, self.runtime, home):
            os.makedirs(path, mode=0o700, exist_ok=True)
        # GStreamer looks at every plugin once and keeps what it found here: seconds, so tests share it.
        cache = os.environ.get("OPENCLAW_TEST_CACHE") or os.path.join(home, ".cache")
        os.makedirs(cache, exist_ok=True)
        self.env = {
            "XDG_RUNTIME_DIR": self.runtime,
            "XDG_CONFIG_HOME": os.path.join(home, ".config"),
            "XDG_STATE_HOME": os.path.join(home, ".state"),
            "XDG_DATA_HOME": os.path.join(home, ".local"),
            "XDG_CACHE_HOME": cache,
            # Nobody is there until bus() or system_bus() is called; the machine's own must not be found instead.
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.runtime}/system_bus",
            "GSETTINGS_BACKEND": "memory",
            "GTK_A11Y": "none",
            "G_DEBUG": "fatal-criticals",  # for our helpers: misuse of GLib ends them. The components make mistakes of their own.
            "NO_AT_BRIDGE": "1",
            "DISPLAY": None,
            "WAYLAND_DISPLAY": None,
            "XAUTHORITY": None,
            "PIPEWIRE_REMOTE": None,
        }
        self.home = home
        self.running = {}

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def environment(self, **more):
        """For a component: what the test's own environment says, with the desktop's on top."""
        env = dict(os.environ, HOME=self.home)
        for key, value in {**self.env, **more}.items():
            if value is None:
                env.pop(key, None)
            else:
                env[key] = value
        return env

    def start(self, name, argv, **env):
        process = Process(self.test, name, [program(argv[0]), *argv[1:]], self.environment(**{"G_DEBUG": None, **env}))
        self.running[name] = process
        return process

    def run(self, *argv, code=0, **env):
        """A tool of the desktop, to its end."""
        done = subprocess.run([program(argv[0]), *argv[1:]], env=self.environment(**env), capture_output=True, timeout=30,
                              check=False)
        out = done.stdout.decode("utf-8", "replace")
        if code is not None and done.returncode != code:
            raise Failure(f"{' '.join(argv)} ended with {done.returncode}: {out}{done.stderr.decode('utf-8', 'replace')}")
        return out

    def wait_for_socket(self, path, process):
        def answers():
            if process.child.poll() is not None:
                raise Failure(f"{process.name} ended with {process.child.returncode}:\n{process.output()}")
            probe = socket.socket(socket.AF_UNIX)
            try:
                probe.connect(path)
                return True
            except OSError:
                return False
            finally:
                probe.close()

        wait_until(answers, f"{process.name} on {path}")

    # D-Bus

    def bus(self):
        if "bus" not in self.running:
            process = self.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile",
                                         f"--address=unix:path={self.runtime}/bus"])
            self.wait_for_socket(f"{self.runtime}/bus", process)
        return self.running["bus"]

    def system_bus(self):
        """No activation and an open policy: it is private."""
        if "system-bus" not in self.running:
            config = self.path("system-bus.conf")
            with open(config, "w", encoding="utf-8") as f:
                f.write(f"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={self.runtime}/system_bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
</busconfig>
""")
            process = self.start("system-bus", ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"])
            self.wait_for_socket(f"{self.runtime}/system_bus", process)
        return self.running["system-bus"]

    def wait_for_name(self, name, bus="session"):
        """Somebody answers to this name on the bus."""
        wait_until(lambda: "true" in self.run("gdbus", "call", f"--{bus}", "-d", "org.freedesktop.DBus", "-o",
                                              "/org/freedesktop/DBus", "-m", "org.freedesktop.DBus.NameHasOwner", name,
                                              code=None), f"{name} on the {bus} bus", pause=0.1)

    def bare_bus(self):
        """A session bus that starts nothing by itself."""
        config = self.path("bare-bus.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={self.runtime}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
</busconfig>
""")
        process = self.start("bus", ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"])
        self.wait_for_socket(f"{self.runtime}/bus", process)
        return process

    # Notifications

    def notifications(self):
        """dunst, which prints what it shows. Buttons are chosen in a menu, whose place a program of ours takes: see press."""
        self.display()
        self.bus()
        folder = os.path.join(self.env["XDG_CONFIG_HOME"], "dunst")
        os.makedirs(folder, exist_ok=True)
        menu = self.path("menu")
        with open(menu, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec grep -m1 -F -- "$(cat {self.path("choice")})"\n')
        os.chmod(menu, 0o700)
        with open(os.path.join(folder, "dunstrc"), "w", encoding="utf-8") as f:
            f.write(f"[global]\n    dmenu = {menu}\n")
        dunst = self.start("dunst", ["dunst", "-print"], WAYLAND_DISPLAY=None)
        self.wait_for_name("org.freedesktop.Notifications")
        return dunst

    def dunst_call(self, method, *args):
        """What a person does with the mouse."""
        return self.run("gdbus", "call", "--session", "-d", "org.freedesktop.Notifications", "-o",
                        "/org/freedesktop/Notifications", "-m", method, *args)

    def press(self, label):
        """A button of the notification that is on top."""
        with open(self.path("choice"), "w", encoding="utf-8") as f:
            f.write(label)
        self.dunst_call("org.dunstproject.cmd0.NotificationAction", "0")

    def displayed(self):
        """How many notifications are on the screen now."""
        out = self.dunst_call("org.freedesktop.DBus.Properties.Get", "org.dunstproject.cmd0", "displayedLength")
        return int(out.split("uint32 ")[1].split(">")[0])

    # Location

    def geoclue(self, nmea, agent=True):
        """GeoClue on the private system bus, with NMEA from a socket of ours, and the agent that it wants in a session."""
        self.system_bus()
        self.start("geoclue", ["/usr/libexec/geoclue", "-t", "0", "-u", nmea.path])
        self.wait_for_name("org.freedesktop.GeoClue2", "system")
        if agent:
            self.bus()
            agent = self.start("agent", ["/usr/libexec/geoclue-2.0/demos/agent"])
            # It registers when it has told GeoClue how exact it may be; a client is let in only then.
            self.wait_for_peer("geoclue-2.0/demos/agent", agent)

    def wait_for_peer(self, what, process):
        """A program has opened its connection to the system bus."""
        path = f"{self.runtime}/system_bus"

        def connected():
            if process.child.poll() is not None:
                raise Failure(f"{what} ended with {process.child.returncode}:\n{process.output()}")
            out = self.run("gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                           "org.freedesktop.DBus.ListNames")
            return any(self.pid_of(name) == process.child.pid for name in re.findall(r"'(:[0-9.]+)'", out))

        wait_until(connected, f"{what} on {path}", pause=0.1)

    def pid_of(self, name):
        out = self.run("gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                       "org.freedesktop.DBus.GetConnectionUnixProcessID", name, code=None)
        match = re.search(r"uint32 (\d+)", out)
        return int(match.group(1)) if match else 0

    def gpsd(self, nmea):
        """gpsd with the receiver that nmea is; gives the port where it serves."""
        probe = socket.socket()
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        process = self.start("gpsd", ["gpsd", "-N", "-n", "-S", str(port), f"tcp://127.0.0.1:{nmea.port}"])

        def serves():
            check(process.child.poll() is None, f"gpsd ended:\n{process.output()}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
                return True
            except OSError:
                return False

        wait_until(serves, "gpsd")
        return port

    # PipeWire

    def pipewire(self):
        """The daemon and its session manager: without the latter nothing is ever linked."""
        if "pipewire" in self.running:
            return
        self.bus()
        for name, text in WIREPLUMBER_OFF.items():
            path = os.path.join(self.env["XDG_CONFIG_HOME"], "wireplumber", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        process = self.start("pipewire", ["pipewire"])
        self.wait_for_socket(f"{self.runtime}/pipewire-0", process)
        manager = self.start("wireplumber", ["wireplumber"])

        def manages():
            if manager.child.poll() is not None:
                raise Failure(f"wireplumber ended with {manager.child.returncode}:\n{manager.output()}")
            return 'metadata.name = "default"' in self.run("pw-cli", "ls", "Metadata", code=None)

        wait_until(manages, "WirePlumber", pause=0.1)

    def nodes(self, **env):
        """PipeWire's nodes by node.name, as pw-dump tells them."""
        try:
            objects = json.loads(self.run("pw-dump", code=None, **env) or "[]")
        except ValueError:
            return {}
        return {o["info"]["props"].get("node.name"): o for o in objects if o["type"].endswith(":Node") and o.get("info")}

    def camera(self, name, description, width=640, height=480, fps=30, pattern=0, mode="works"):
        """A camera of our own (pwcam.c). Stopping the process pulls its plug."""
        label = re.sub(r"[^\w.]", "_", name)[:40]  # a name for people may be no name for a file
        process = self.start(f"camera-{label}", [os.path.join(BUILT, "pwcam"), name, description, str(width), str(height), str(fps),
                                                str(pattern), mode])
        process.wait_for("ready", f"camera {name}")
        return process

    def _null_sink(self, name, media_class, position):
        self.run("pw-cli", "create-node", "adapter", "{ factory.name=support.null-audio-sink node.name=" + name +
                 " media.class=" + media_class + " object.linger=true audio.position=" + position + " }")
        wait_until(lambda: name in self.nodes(), name, pause=0.1)

    def microphone(self, name="test-mic"):
        """One that hears silence."""
        self._null_sink(name, "Audio/Source/Virtual", "[MONO]")

    def speaker(self, name="test-sink"):
        self._null_sink(name, "Audio/Sink", "[FL FR]")

    # X11

    def display(self, width=1280, height=720):
        """Xvfb, which picks a free number itself."""
        if "xvfb" not in self.running:
            process = self.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"])
            number = process.wait_for(r"(?m)^(\d+)\n", "the number of the display").group(1)
            self.env["DISPLAY"] = f":{number}"
        return self.env["DISPLAY"]

    def paint(self, pointer=(200, 100), still=False):
        """Something to see on the display (xpaint.c): red and blue, and what moves."""
        process = self.start("xpaint", [os.path.join(BUILT, "xpaint"), *map(str, pointer), *(["still"] if still else [])])
        process.wait_for("ready", "the painter")
        return process

    def monitors(self, *geometries):
        """RandR monitors, left to right, as "640x720+0+0". The painter must be there: without clients Xvfb starts anew."""
        for i, geometry in enumerate(geometries):
            size, x, y = geometry.split("+")
            width, height = size.split("x")
            self.run("xrandr", "--setmonitor", f"M{i}", f"{width}/160x{height}/180+{x}+{y}", "screen" if i == 0 else "none")

    # Wayland

    def mutter(self, *sizes):
        """GNOME's compositor without a GPU, with a virtual monitor of each size, left to right."""
        self.pipewire()
        self.env.update({"XDG_CURRENT_DESKTOP": "GNOME", "XDG_SESSION_TYPE": "wayland", "WAYLAND_DISPLAY": "wayland-0"})
        process = self.start("mutter", ["mutter", "--wayland", "--headless", "--no-x11", "--sm-disable", "--wayland-display=wayland-0",
                                        *[f"--virtual-monitor={size}" for size in sizes]])
        self.wait_for_socket(f"{self.runtime}/wayland-0", process)
        self.wait_for_name("org.gnome.Mutter.ScreenCast")
        return process

    def portal(self):
        """The real portal with GNOME's dialogs."""
        self.start("portal-gnome", ["xdg-desktop-portal-gnome", "-r"])
        self.wait_for_name("org.freedesktop.impl.portal.desktop.gnome")
        process = self.start("portal", ["xdg-desktop-portal", "-r"])
        self.wait_for_name("org.freedesktop.portal.Desktop")
        return process

    def gtk_portal(self, settings=None):
        """The real portal with GTK's dialogs, on an X display. settings: what GSettings holds, as a key file. Of the backends only this one: with one that is named and cannot run
        the portal 1.16 ends when it is asked for a camera (it looks up a lockdown that is not there)."""
        self.display()
        self.bus()
        folder = self.path("portals")
        os.makedirs(folder, exist_ok=True)
        shutil.copy("/usr/share/xdg-desktop-portal/portals/gtk.portal", folder)
        kept = {}
        if settings:
            path = os.path.join(self.env["XDG_CONFIG_HOME"], "glib-2.0", "settings", "keyfile")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(settings)
            kept = {"GSETTINGS_BACKEND": "keyfile"}
        self.start("portal-gtk", ["xdg-desktop-portal-gtk", "-r"], **kept)
        self.wait_for_name("org.freedesktop.impl.portal.desktop.gtk")
        process = self.start("portal", ["xdg-desktop-portal", "-r", "-v"], XDG_DESKTOP_PORTAL_DIR=folder)
        self.wait_for_name("org.freedesktop.portal.Desktop")
        return process

    def permissions(self, method, *args):
        """What the portal remembers of a person's answers."""
        store = "org.freedesktop.impl.portal.PermissionStore"
        return self.run("gdbus", "call", "--session", "-d", store, "-o", "/org/freedesktop/impl/portal/PermissionStore", "-m",
                        f"{store}.{method}", *args, code=None)

    def press_keys(self, *keysyms):
        """Keys on mutter's keyboard, held down together: 0xff1b is Escape."""
        self.run(os.path.join(BUILT, "mutterkey"), *map(hex, keysyms))

    def share_screens(self, token, *monitors):
        """As if a person had shared these monitors before and let the portal remember it under the token."""
        streams = ", ".join(f"(uint32 {i}, uint32 1, <'MetaVendor:MetaVirtualMonitor:0x{m:02x}'>)" for i, m in enumerate(monitors))
        self.permissions("Set", "screencast", "true", token, "{'': ['yes']}",
                         f"<('GNOME', uint32 1, <(int64 1, int64 1, [{streams}])>)>")

    def sway(self, *sizes):
        """A wlroots compositor. It does not run as root, so then it runs as nobody."""
        folder = os.path.join(self.test.dir, "s")
        os.makedirs(folder, mode=0o700)
        config = os.path.join(folder, "config")
        with open(config, "w", encoding="utf-8") as f:
            f.write("xwayland disable\ndefault_border none\n")
            x = 0
            for i, size in enumerate(sizes):
                f.write(f"output HEADLESS-{i + 1} resolution {size} position {x} 0\nworkspace {i + 1} output HEADLESS-{i + 1}\n")
                x += int(size.split("x")[0])
        as_user = []
        if os.geteuid() == 0:
            as_user = [program("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
            os.chmod(self.test.dir, 0o711)
            os.chown(folder, 65534, 65534)
            os.chown(config, 65534, 65534)
        process = self.start("sway", [*as_user, program("sway"), "-c", config], XDG_RUNTIME_DIR=folder, HOME=folder,
                             SWAYSOCK=os.path.join(folder, "ipc"), WLR_BACKENDS="headless", WLR_LIBINPUT_NO_DEVICES="1",
                             WLR_RENDERER="pixman", WLR_HEADLESS_OUTPUTS=str(len(sizes)), XDG_CONFIG_HOME=folder,
                             XDG_CACHE_HOME=folder, DBUS_SESSION_BUS_ADDRESS=None)
        self.wait_for_socket(os.path.join(folder, "ipc"), process)
        self.swaymsg = lambda *args: self.run("swaymsg", "-s", os.path.join(folder, "ipc"), *args)
        self.swaymsg("focus", "output", "HEADLESS-1")
        self.env.update({"XDG_CURRENT_DESKTOP": "sway", "XDG_SESSION_TYPE": "wayland",
                         "WAYLAND_DISPLAY": os.path.join(folder, "wayland-1")})
        self.wait_for_socket(os.path.join(folder, "wayland-1"), process)
        if as_user:  # helpers have no capabilities, so that root is nobody special either
            os.chmod(folder, 0o755)
            os.chmod(os.path.join(folder, "wayland-1"), 0o777)
        return process

    def paint_wayland(self, colour, fullscreen=True):
        """A window over all of a monitor of 640x480: a ball that moves, on a ground of this colour (ARGB)."""
        process = self.start("window", ["gst-launch-1.0", "videotestsrc", "pattern=ball", "motion=sweep", "is-live=true",
                                        f"background-color={colour}", "!", "video/x-raw,width=640,height=480,framerate=20/1", "!",
                                        "videoconvert", "!", "waylandsink", f"fullscreen={fullscreen}"])
        process.wait_for("PLAYING|Redistribute", "the window")
        return process

    def play_tone(self, sink="test-sink", hertz=440):
        return self.start("tone", ["gst-launch-1.0", "audiotestsrc", f"freq={hertz}", "is-live=true", "!", "audioconvert", "!",
                                   "pipewiresink", f"target-object={sink}",
                                   "stream-properties=props,media.class=Stream/Output/Audio"])
