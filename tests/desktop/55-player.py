"""AudioPlayer and Video of the canvas, played: our gateway and node, a real X server, PipeWire with WirePlumber and a sink whose
monitor is recorded, xdotool as the person, ffmpeg as the one who made the sounds."""

import array
import base64
import http.server
import signal

from person import *
from pictures import is_near, pixel, pixels
from world import HELPER as MEDIA, exe

SONG_S = 20


class Web(threading.Thread):
    """Serves one folder on loopback."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        paths = self.paths = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args, **kw):
                super().__init__(*args, directory=folder, **kw)

            def log_message(self, *args):
                paths.append(self.path)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.start()

    def run(self):
        self.server.serve_forever()


def make(desktop, path, *args):
    desktop.run("ffmpeg", "-v", "error", "-y", *args, path)
    return path


def song(desktop, folder, name="song.ogg", seconds=SONG_S):
    return make(desktop, os.path.join(folder, name), "-f", "lavfi", "-i", f"sine=440:duration={seconds}")


class Players:
    """A canvas with players for these addresses, named a, b, …; all that it needs runs."""

    def __init__(self, test, *kinds, sound=True, **kw):
        need(os.path.exists(MEDIA), "openclaw-media is not built")
        self.test = test
        self.desktop = x11(test)
        if sound:
            self.desktop.pipewire()
            self.desktop.speaker()
        self.folder = os.path.join(test.dir, "web")
        os.makedirs(self.folder)
        self.web = Web(self.folder)
        self.base = f"http://127.0.0.1:{self.web.port}"
        self.world = World(test, self.desktop, "--verbose",
                           config={"node": {"canvas": {"allowHosts": [f"127.0.0.1:{self.web.port}"]}}}, **kw)
        self.person = Person(self.world)

    def messages(self, *players):
        names = "abcdef"[:len(players)]
        return [{"surfaceUpdate": {"surfaceId": "s", "components": [
                    {"id": "root", "component": {"Column": {"children": {"explicitList": list(names)}}}},
                    *({"id": i, "component": {kind: {"url": text(url)}}} for i, (kind, url) in zip(names, players))]}},
                {"beginRendering": {"surfaceId": "s", "root": "root"}}]

    def show(self, *players):
        messages = self.messages(*players)
        self.world.push(messages)
        self.world.canvas("present", "--x", "40", "--y", "60", "--width", str(WIDTH), "--height", str(HEIGHT))
        wait_until(lambda: (self.person.where()["WIDTH"], self.person.where()["HEIGHT"]) == (WIDTH, HEIGHT), "the size")
        self.boxes = self.person.boxes(messages)

    def press(self, name):
        self.person.click(self.boxes[name], dx=28)

    def helpers(self):
        """The processes that play."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if exe(pid) == MEDIA and self.is_ours(pid)]

    def is_ours(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                return self.world.box.home.encode() in f.read()
        except OSError:
            return False

    def plays(self):
        """The stream, as PipeWire has it, when it runs."""
        node = self.desktop.nodes().get("openclaw-media")
        return node and node["info"]["state"] == "running"

    def picture(self):
        """Of the canvas: its width, and its pixels."""
        path = os.path.join(self.test.dir, "look.png")
        self.world.canvas("snapshot", "--format", "png", "--out", path)
        return WIDTH, pixels(path)

    def has_square(self, name):
        """Its sign is the square of one that plays: left of where the triangle begins."""
        width, frame = self.picture()
        box = self.boxes[name]
        inside = pixel(frame, width, int(box["x"] + 23), int(box["y"] + 23))
        outside = pixel(frame, width, int(box["x"] + 20), int(box["y"] + 23))
        return not is_near(inside, outside)

    def has_failed(self):
        """The pill in the corner has the light of a failure."""
        width, frame = self.picture()
        rows = range(HEIGHT - 60, HEIGHT)
        return any(pixel(frame, width, x, y) == (0xf8, 0x71, 0x71) for y in rows for x in range(width))

    def told(self, state):
        """How often the node said so: a light goes out and a short sound is over before a slow machine has looked."""
        return self.world.node.output().count(f"a player says state={state} ")

    def wait_for_end(self, name):
        wait_until(lambda: not self.helpers(), "the player's end")
        wait_until(lambda: not self.has_square(name), "the triangle")


def loudness(path):
    """The largest sample of a recording."""
    done = subprocess.run([program("ffmpeg"), "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-"], capture_output=True,
                          check=False)
    samples = array.array("h", done.stdout[:len(done.stdout) // 2 * 2])
    return max(samples, default=0)


def test_a_sound_is_heard_and_stopped(test):
    """From the web, through the fetcher; what the sink played is recorded. A second press ends it, another player takes its place."""
    p = Players(test)
    song(p.desktop, p.folder)
    song(p.desktop, p.folder, "other.ogg")
    p.show(("AudioPlayer", f"{p.base}/song.ogg"), ("AudioPlayer", f"{p.base}/other.ogg"))
    check(not p.has_square("a"), "a square before anything plays")
    for pointer in ("press", "release"):  # from elsewhere nothing plays
        p.world.home.cli("nodes", "invoke", "--node", "box", "--command", "canvas.input", "--params", json.dumps(
            {"pointer": pointer, "x": p.boxes["a"]["x"] + 28, "y": p.boxes["a"]["y"] + 27}), port=p.world.port)
    wait_until(lambda: f'url="{p.base}/song.ogg" via=input' in p.world.node.output(), "the press from elsewhere in the log")
    equal(p.web.paths, [], "fetched for somebody elsewhere")
    p.press("a")
    wait_until(p.plays, "the stream", pause=0.2)
    wait_until(lambda: p.has_square("a"), "the square")
    check(not p.has_square("b"), "the other one plays, too")
    recording = os.path.join(test.dir, "heard.wav")
    recorder = p.desktop.start("pw-record", ["pw-record", "-P", "{ stream.capture.sink=true }", "--target", "test-sink", recording])
    wait_until(lambda: os.path.exists(recording) and os.path.getsize(recording) > 200000, "a second of what was heard", pause=0.2)
    recorder.stop()
    check(loudness(recording) > 1000, f"silence was heard: {loudness(recording)}")
    first = p.helpers()
    equal(len(first), 1, "players")
    p.press("b")
    wait_until(lambda: p.has_square("b"), "the other one's square")
    check(not p.has_square("a"), "both play")
    wait_until(lambda: p.helpers() and p.helpers() != first and len(p.helpers()) == 1, "one player, another one")
    p.press("b")
    p.wait_for_end("b")
    contains(p.world.node.output(), f'url="{p.base}/song.ogg" via=person')


def test_what_ends_it(test):
    """Its own end, the canvas hidden, its component gone, the surfaces gone, the owner's switch, a helper that is killed."""
    p = Players(test)
    song(p.desktop, p.folder)
    song(p.desktop, p.folder, "short.wav", 1)
    url = f"{p.base}/song.ogg"
    p.show(("AudioPlayer", f"{p.base}/short.wav"))
    p.press("a")
    wait_until(lambda: p.told("ended"), "the end of a short sound")
    p.wait_for_end("a")
    equal(p.told("failed"), 0, "failures")

    def begin():
        p.show(("AudioPlayer", url))
        p.press("a")
        wait_until(p.plays, "the stream", pause=0.2)

    begin()
    os.kill(p.helpers()[0], signal.SIGKILL)
    wait_until(p.has_failed, "the light of a failure")  # first of all: it goes out by itself
    p.wait_for_end("a")
    equal(p.told("failed"), 1, "failures")
    begin()
    p.world.canvas("hide")
    wait_until(lambda: not p.helpers(), "silence when hidden")
    begin()
    p.world.push(p.messages(("AudioPlayer", f"{p.base}/another.ogg")))
    wait_until(lambda: not p.helpers(), "silence when its component has another sound")
    begin()
    p.world.canvas("a2ui", "reset")
    wait_until(lambda: not p.helpers(), "silence after reset")
    begin()
    p.world.box.cli("node", "disable", "canvas")
    wait_until(lambda: not p.helpers(), "silence when it is switched off")


def test_a_stream_that_stalls(test):
    """PipeWire takes a stream and does not let it run (it does so by itself now and then): it begins again, and says so in the end."""
    p = Players(test)
    song(p.desktop, p.folder)
    p.show(("AudioPlayer", f"{p.base}/song.ogg"))
    p.press("a")
    wait_until(p.plays, "the stream", pause=0.2)
    first, server = p.helpers(), p.desktop.running["pipewire"].child.pid
    os.kill(server, signal.SIGSTOP)
    wait_until(lambda: "a player has stalled and begins again" in p.world.node.output(), "the player's second beginning")
    os.kill(server, signal.SIGCONT)
    wait_until(p.plays, "the stream", pause=0.2)
    check(p.helpers() != first, "the same process plays")
    equal(p.told("failed"), 0, "failures")
    equal(len(p.web.paths), 1, "how often it was fetched")
    os.kill(server, signal.SIGSTOP)
    wait_until(lambda: p.told("failed"), "the end of its patience")
    contains(p.world.node.output(), "the sound server or the display does not answer")
    os.kill(server, signal.SIGCONT)
    p.wait_for_end("a")


def test_a_film_has_a_window(test):
    """Of its own; closing it ends the film."""
    p = Players(test)
    make(p.desktop, os.path.join(p.folder, "cat.webm"), "-f", "lavfi", "-i", "testsrc=size=320x240:rate=1:duration=30", "-c:v",
         "libvpx", "-deadline", "realtime", "-cpu-used", "8")
    p.show(("Video", f"{p.base}/cat.webm"))

    def window():
        return p.person.x("search", "--onlyvisible", "--name", "cat.webm", code=None).split("\n")[-1]

    box = p.boxes["a"]
    p.person.click(box)
    found = wait_until(window, "the film's window")
    contains(p.desktop.run("xwininfo", "-id", found), "Width: 320")
    p.person.x("windowactivate", "--sync", found, "key", "--clearmodifiers", "alt+F4")  # Openbox closes it
    wait_until(lambda: not p.helpers(), "the end of a film whose window was closed")
    equal(p.told("failed"), 0, "closing a window is no failure; failures")
    p.person.click(box)
    wait_until(window, "the window again")
    p.person.click(box)
    wait_until(lambda: not p.helpers() and not window(), "its end")


def test_other_addresses(test):
    """data: and canvas files play, what is no sound is told, what may not be fetched is not."""
    p = Players(test)
    with open(song(p.desktop, test.dir, "s.ogg"), "rb") as f:
        inline = "data:audio/ogg;base64," + base64.b64encode(f.read()).decode()
    files = os.path.join(p.world.box.state, "canvas")
    os.makedirs(files, exist_ok=True)
    song(p.desktop, files, "mine.ogg")
    with open(os.path.join(p.folder, "no.ogg"), "w", encoding="utf-8") as f:
        f.write("no sound at all\n" * 1000)
    secret = Web(p.folder)  # on a port that the owner did not allow
    for url in (inline, "/__openclaw__/canvas/mine.ogg"):
        p.show(("AudioPlayer", url))
        p.press("a")
        wait_until(p.plays, f"the stream of {url[:40]}", pause=0.2)
        p.press("a")
        p.wait_for_end("a")
        equal(p.told("failed"), 0, f"failures of {url[:40]}")
    for count, url in enumerate((f"{p.base}/no.ogg", f"{p.base}/missing.ogg", f"http://127.0.0.1:{secret.port}/no.ogg", "file:///etc/passwd")):
        p.show(("AudioPlayer", url))
        check(not p.has_failed(), "the failure before is still told")
        p.press("a")
        wait_until(lambda: p.told("failed") > count, f"a failure of {url}")
        wait_until(lambda: not p.helpers() and not p.has_square("a"), "its end")
        wait_until(lambda: not p.has_failed(), "the end of the pill")
    equal(secret.paths, [], "fetched from a host that is not allowed")


def test_by_hand(test):
    """The helper itself says what it plays, and what it cannot."""
    desktop = Desktop(test)
    path = song(desktop, test.dir, "s.wav", 1)
    for args, code, wanted in ((["--in", path], 1, "neither PulseAudio nor PipeWire answers"), ([], 1, "--in FILE"),
                               (["--in", "/nowhere"], 1, "/nowhere: No such file"), (["--in"], 2, "--in needs")):
        done = subprocess.run([MEDIA, "play", *args], env=desktop.environment(), capture_output=True, timeout=60, check=False)
        equal(done.returncode, code, f"{args}: {done.stdout} {done.stderr}")
        contains((done.stdout + done.stderr).decode(), wanted)
    desktop.pipewire()
    desktop.speaker()
    done = subprocess.run([MEDIA, "play", "--in", path], env=desktop.environment(), capture_output=True, timeout=60, check=False)
    equal(done.returncode, 0, done.stderr)
    playlist = os.path.join(test.dir, "list.m3u8")
    with open(playlist, "w", encoding="utf-8") as f:
        f.write(f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://{path}\n#EXT-X-ENDLIST\n")
    listed = subprocess.run([MEDIA, "play", "--in", playlist], env=desktop.environment(), capture_output=True, timeout=60,
                            check=False)
    contains(listed.stdout.decode(), "nothing that can be played here")
    for wanted in ('"playing"', '"durationMs": 1000', '"ended"'):
        contains(done.stdout.decode().replace("\t", " "), wanted)


run_tests(globals())
