"""The real command lines with our gateway and our node on a real desktop: pictures, films, places and notifications arrive as
they expect them. PipeWire with cameras of our own, an X server, GeoClue fed with NMEA, dunst; ffmpeg looks at the files."""

import sys

from peers import *  # noqa: F403

sys.path.insert(0, os.path.join(HERE, "..", "desktop"))
from session import BUILT, Desktop, Receiver  # noqa: E402
from pictures import check_bars, frames, probe  # noqa: E402

SWITCHES = ("camera", "location", "screen")
COMMANDS = ("camera.snap", "camera.clip", "location.get", "screen.record", "system.notify")


def world(test):
    """A paired node on a desktop whose owner has switched everything on; the gateway's policy is what it is by default."""
    for helper in ("openclaw-media", "openclaw-desktop"):
        need(os.path.exists(os.path.join(BUILT, helper)), f"{helper} is not built")
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam.front", "Front camera", 640, 480, 30, 0)
    desktop.microphone()
    dunst = desktop.notifications()
    desktop.paint()
    desktop.geoclue(Receiver(desktop.path("nmea")))
    home, box = test.machine("gw"), test.machine("box")
    gateway = home.gateway()
    box.config({"node": {"location": {"gpsd": "127.0.0.1:1"}}})
    box.node(gateway.port, env=desktop.env)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    box.cli("node", "enable", *SWITCHES)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the request for the new commands")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    for command in COMMANDS:
        wait_until(lambda: usable(home, gateway.port, "box", command), f"a node with {command}")
    return gateway, dunst


class Caller:
    """One version's command line. 2026.2.26 prints MEDIA:<path>, 2026.9.6 the bare path."""

    def __init__(self, test, version, port):
        self.peer, self.port = Peer(test, version, f"cli-{version}"), port
        self.prefix = "MEDIA:" if version == "2" else ""

    def say(self, *args):
        return self.peer.cli("nodes", args[0], *args[1:], "--node", "box", port=self.port).out

    def media(self, *args):
        """The files that a command made, by their paths."""
        paths = []
        for line in self.say(*args).splitlines():
            if line.startswith(self.prefix + "/"):
                paths.append(line[len(self.prefix):].strip())
        check(paths, f"{args}: no file")
        return paths


def check_film(path, seconds, width, height, audio):
    told = probe(path)
    equal((told["video"]["codec_name"], told["video"]["width"], told["video"]["height"]), ("h264", width, height), "video")
    duration = float(told["video"]["duration"])
    check(seconds * 0.9 <= duration <= seconds * 1.1 + 0.1, f"{path} has {duration} s, wanted {seconds}")
    equal("audio" in told, audio, "audio")


def use_everything(caller, dunst, version):
    contains(caller.say("camera", "list"), "Front camera")
    # More than the node takes: its answer says so in a member that they do not know.
    pictures = caller.media("camera", "snap", "--facing", "front", "--delay-ms", "0", "--max-width", "20000")
    equal(len(pictures), 1, "pictures")
    contains(pictures[0], "camera-snap-front-" if version == "2" else "camera-snap-")
    check_bars(frames(pictures[0], 640, 480)[0], 640, 480, 0)
    os.remove(pictures[0])
    (clip,) = caller.media("camera", "clip", "--duration", "1500ms")
    check_film(clip, 1.5, 640, 480, True)
    os.remove(clip)
    (film,) = caller.media("screen", "record", "--duration", "2s", "--fps", "10", "--no-audio")
    check_film(film, 2, 1280, 720, False)
    os.remove(film)
    place = caller.say("location", "get")
    check(re.search(r"48\.117\d*,11\.516\d*", place), f"place: {place}")
    said = caller.say("notify", "--title", f"Hello from {version}", "--body", "real words")
    contains(said, "notify ok")
    dunst.wait_for(f"Hello from {version}")


def test_real_command_lines(test):
    gateway, dunst = world(test)
    for version in ("2", "9"):
        use_everything(Caller(test, version, gateway.port), dunst, version)


run_tests(globals())
