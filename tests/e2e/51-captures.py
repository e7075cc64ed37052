"""nodes notify, camera, screen and location: what the command line asks for, and what it makes of the answer.

The node is a client in this file, so that the answers can be wrong; tests/desktop has the real cameras and screens."""

import pty

from harness import *

COMMANDS = ["camera.clip", "camera.list", "camera.snap", "location.get", "screen.record", "screen.snapshot", "system.notify"]
PICTURE = bytes(range(256)) * 40 + b"end"


def b64(data):
    return base64.b64encode(data).decode()


class Node(threading.Thread):
    """Answers every request by a function of command and params; keeps what it was asked."""

    def __init__(self, test, port, answer):
        super().__init__(daemon=True)
        self.key, self.asked, self.cancelled, self.answer = test.identity(), [], threading.Event(), answer
        self.client = Client(port)
        check(self.client.connect(role="node", identity=self.key, commands=COMMANDS, caps=["camera"])["ok"], "connect")

    def run(self):
        try:
            while True:
                frame = self.client.ws.recv_json()
                if frame.get("event") == "node.invoke.cancel":
                    self.cancelled.set()
                if frame.get("event") != "node.invoke.request":
                    continue
                asked = frame["payload"]
                params = json.loads(asked["paramsJSON"])
                self.asked.append((asked["command"], params))
                self.client.send("node.invoke.result", {"id": asked["id"], "nodeId": self.key.device_id,
                                                        **self.answer(asked["command"], params)})
        except (Closed, OSError):
            pass


def setup(test, answer):
    home = test.machine("gw")
    gateway = home.gateway()
    node = Node(test, gateway.port, answer)
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    node.start()
    return home, gateway.port, node


def good(value):
    return {"ok": True, "payloadJSON": json.dumps(value)}


def media_of(text):
    return [line[len("MEDIA:"):] for line in text.splitlines() if line.startswith("MEDIA:")]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def test_snap_as_the_reference_does_it(test):
    home, port, node = setup(test, lambda c, p: good({"format": "jpg", "base64": b64(PICTURE + p["facing"].encode()),
                                                      "width": 4, "height": 3}))
    out = home.cli("nodes", "camera", "snap", "--node", "e2e node", port=port).out
    paths = media_of(out)
    equal(out, "".join(f"MEDIA:{p}\n" for p in paths), "output")
    equal(len(paths), 2, "pictures")
    for path, facing in zip(paths, ("front", "back")):
        pattern = rf"(/tmp/openclaw|.*/openclaw-\d+)/openclaw-camera-snap-{facing}-[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.jpg"
        check(re.fullmatch(pattern, path), f"path {path}")
        equal(content(path), PICTURE + facing.encode(), "picture")
        equal(os.stat(path).st_mode & 0o777, 0o600, "mode")
        os.remove(path)
    equal(node.asked, [("camera.snap", {"facing": f, "format": "jpg"}) for f in ("front", "back")], "what was asked for")


def test_snap_with_everything(test):
    home, port, node = setup(test, lambda c, p: good({"format": "jpeg", "base64": b64(PICTURE), "width": 4, "height": 3,
                                                      "extra": [1, {"a": "b"}]}))
    there = os.path.join(test.dir, "here.jpg")
    answer = home.cli_json("nodes", "camera", "snap", "--device-id", "/dev/video0", "--max-width", "640", "--quality", "0.5",
                           "--delay-ms", "0", "--out", there, "--json", port=port)
    equal(answer, {"files": [{"facing": None, "path": there, "width": 4, "height": 3}]}, "answer")
    equal(node.asked, [("camera.snap", {"format": "jpg", "maxWidth": 640, "delayMs": 0, "quality": 0.5,
                                        "deviceId": "/dev/video0"})], "what was asked for")
    equal(content(there), PICTURE, "picture")
    home.cli("nodes", "camera", "snap", "--facing", "back", "-o", there, port=port)  # takes the place of the last
    equal(node.asked[-1][1], {"format": "jpg", "facing": "back"}, "params")
    inside = os.path.join(home.home, "x.jpg")
    contains(home.cli("nodes", "camera", "snap", "-o", inside, port=port).out, "MEDIA:$OPENCLAW_HOME/x.jpg")
    contains(home.cli("nodes", "camera", "snap", "-o", inside, port=port, env={"OPENCLAW_HOME": None}).out, "MEDIA:~/x.jpg")
    equal(sorted(os.listdir(home.home)), [".openclaw", "x.jpg"], "files")


def test_one_camera_for_both_sides(test):
    """A node that says that its camera stands in for both sides is asked once."""
    home, port, node = setup(test, lambda c, p: good({"format": "jpg", "base64": b64(PICTURE), "width": 4, "height": 3,
                                                      "deviceId": "cam0", "bothSides": True}))
    for more in ((), ("--facing", "both")):
        done = home.cli("nodes", "camera", "snap", *more, port=port)
        (path,) = media_of(done.out)
        os.remove(path)
        contains(done.err, "one camera for both sides")
    (file,) = home.cli_json("nodes", "camera", "snap", "--json", port=port)["files"]
    os.remove(file.pop("path"))
    equal(file, {"facing": "front", "width": 4, "height": 3, "bothSides": True})
    equal([p["facing"] for _, p in node.asked], ["front"] * 3)
    check("both sides" not in home.cli("nodes", "camera", "snap", "--facing", "back", port=port).err, "one was asked for")


def test_the_ending_picks_the_format(test):
    films = {"format": "mp4", "base64": b64(PICTURE), "durationMs": 1500, "hasAudio": False}
    home, port, node = setup(test, lambda c, p: good(films if p["format"] == "mp4" else {
        "format": p["format"], "base64": b64(PICTURE), "width": 4, "height": 3}))
    for args, ending, wanted in ((("camera", "snap"), "png", "png"), (("camera", "snap"), "PNG", "png"), (("camera", "snap"), "jpeg", "jpg"),
                                 (("screen", "snapshot"), "png", "png"), (("screen", "snapshot"), "jpg", "jpg"),
                                 (("camera", "clip"), "mp4", "mp4"), (("screen", "record"), "mp4", "mp4")):
        there = os.path.join(test.dir, f"x.{ending}")
        done = home.cli("nodes", *args, "--out", there, port=port)
        equal((done.out, done.err, content(there)), (f"MEDIA:{there}\n", "", PICTURE), args)
        equal(node.asked[-1][1]["format"], wanted, args)
    asked = len(node.asked)
    for args, ending, made in ((("camera", "snap"), "gif", ".jpg or .png"), (("screen", "snapshot"), "webp", ".png or .jpg"),
                               (("camera", "clip"), "mov", ".mp4"), (("screen", "record"), "png", ".mp4")):
        done = home.cli("nodes", *args, "--out", f"x.{ending}", port=port, code=2)
        contains(done.err, f"--out x.{ending}: this makes {made}, not .{ending}")
    equal(len(node.asked), asked, "nothing is captured for it")


def test_another_format_than_was_asked_for(test):
    """Nodes of others may know JPEG only: the picture is kept, and it is said what it is."""
    home, port, _ = setup(test, lambda c, p: good({"format": "jpg", "base64": b64(PICTURE), "width": 4, "height": 3}))
    there = os.path.join(test.dir, "x.png")
    contains(home.cli("nodes", "camera", "snap", "--out", there, port=port).err, "the node sent a jpg, not a png")
    equal(content(there), PICTURE)


def test_a_person_reads_where_it_is(test):
    """On a terminal; agents, who read a pipe, look for MEDIA:."""
    answers = {"camera.snap": {"format": "jpg", "base64": b64(PICTURE), "width": 1280, "height": 720},
               "camera.clip": {"format": "mp4", "base64": b64(PICTURE * 200), "durationMs": 1500, "hasAudio": False}}
    home, port, _ = setup(test, lambda c, p: good(answers[c]))
    for verb, name, size in (("snap", "x.jpg", "10 KB, 1280x720"), ("clip", "x.mp4", "2.0 MB, 1.5 s")):
        there = os.path.join(test.dir, name)
        terminal = Terminal(test, home, port, "nodes", "camera", verb, "--out", there)
        terminal.wait_for(f"Saved {there} ({size})\r\n")
        check("MEDIA:" not in terminal.text, terminal.text)
        terminal.end(0)


def test_films_and_screens(test):
    answers = {
        "camera.clip": {"format": "mp4", "base64": b64(PICTURE), "durationMs": 1500, "hasAudio": False},
        "screen.record": {"format": "mp4", "base64": b64(PICTURE), "durationMs": 2000, "fps": 5, "screenIndex": 1,
                          "hasAudio": True},
        "screen.snapshot": {"format": "png", "base64": b64(PICTURE), "width": 8, "height": 6, "screenIndex": 0},
    }
    home, port, node = setup(test, lambda c, p: good(answers[c]))

    def file_of(*args):
        file = home.cli_json("nodes", *args, "--json", port=port)["file"]
        path = file.pop("path")
        equal(content(path), PICTURE, "content")
        os.remove(path)
        return path, file

    path, file = file_of("camera", "clip", "--duration", "1500ms", "--no-audio")
    contains(path, "/openclaw-camera-clip-front-")
    equal(file, {"facing": "front", "durationMs": 1500, "hasAudio": False})
    path, file = file_of("screen", "record", "--duration", "2s", "--fps", "5", "--screen", "1")
    contains(path, "/openclaw-screen-record-")
    equal(file, {"durationMs": 2000, "fps": 5, "screenIndex": 1, "hasAudio": True})
    path, file = file_of("screen", "snapshot", "--max-width", "800")
    contains(path, "/openclaw-screen-snapshot-")
    equal(file, {"format": "png", "width": 8, "height": 6, "screenIndex": 0})
    file_of("screen", "record")
    equal(node.asked, [
        ("camera.clip", {"facing": "front", "durationMs": 1500, "includeAudio": False, "format": "mp4"}),
        ("screen.record", {"durationMs": 2000, "screenIndex": 1, "fps": 5, "format": "mp4", "includeAudio": True}),
        ("screen.snapshot", {"screenIndex": 0, "maxWidth": 800}),
        ("screen.record", {"durationMs": 10000, "screenIndex": 0, "fps": 10, "format": "mp4", "includeAudio": True})])


def test_help_of_one_action(test):
    home = test.machine("gw")
    for words in (["nodes", "camera", "snap", "--help"], ["help", "nodes", "camera", "snap"], ["--help", "nodes", "camera", "snap"]):
        text = home.cli(*words).out
        contains(text, "Usage: openclaw nodes camera snap [options]")
        contains(text, "time for the camera to adapt, up to 10 s (2000 unless given)")
        check("--duration" not in text, text)
    contains(home.cli("nodes", "screen", "record", "--help").out, "pictures per second, 1 to 60 (10 unless given)")
    contains(home.cli("nodes", "canvas", "a2ui", "push", "--help").out, "Usage: openclaw nodes canvas a2ui push [options]")
    contains(home.cli("nodes", "camera", "wave", "--help").out, "Usage: openclaw nodes camera [options] list|snap|clip")


def test_what_the_node_changed(test):
    """A node that did not do quite what it was asked to says so, and so does the command line."""
    note = 7
    clamped = [{"name": "quality", "asked": 0, "used": 0.05, "min": 0.05, "max": 1}]
    home, port, node = setup(test, lambda c, p: good({"format": "jpg", "base64": b64(PICTURE), "width": 1, "height": 1,
                                                      "clamped": clamped, "note": note}))
    out = home.cli("nodes", "camera", "snap", "--facing", "back", "--quality", "0", port=port)
    contains(out.err, "note: the node used quality 0.05 instead of 0; it takes 0.05 to 1")
    equal(home.cli_json("nodes", "camera", "snap", "--facing", "back", "--quality", "0", "--json", port=port)["files"][0]["clamped"],
          clamped, "as JSON")
    equal(home.cli_json("nodes", "screen", "snapshot", "--quality", "0", "--json", port=port)["file"]["clamped"], clamped, "screen")
    clamped, note = [{"name": "\x1b[2J", "asked": "x"}, 7], "no \x1b[2Jsound"
    out = home.cli("nodes", "camera", "snap", "--facing", "back", port=port)
    contains(out.out, "MEDIA:")
    contains(out.err, "note: no ")
    check("\x1b" not in out.err, "a node's words do not command the terminal")


def test_the_ending_of_the_name_and_stdout(test):
    home, port, node = setup(test, lambda c, p: good({"format": p.get("format", "jpg"), "base64": b64(PICTURE), "width": 1,
                                                      "height": 1, "screenIndex": 0}))
    for name, wanted in (("x.png", "png"), ("x.JPG", "jpg"), ("x", None), ("png", None)):
        home.cli("nodes", "screen", "snapshot", "--out", os.path.join(test.dir, name), port=port)
        equal(node.asked[-1][1].get("format"), wanted, name)
    home.cli("nodes", "screen", "snapshot", "--out", os.path.join(test.dir, "x.png"), "--format", "jpg", port=port)
    equal(node.asked[-1][1].get("format"), "jpg", "what is said counts more")
    for args in (["camera", "snap"], ["screen", "snapshot"]):
        equal(home.cli("nodes", *args, "--out", "-", port=port).stdout, PICTURE, "stdout")
    check(not os.path.exists(os.path.join(test.dir, "-")), "a file of that name")


def test_a_large_capture(test):
    big = os.urandom(1 << 20) * 14 + b"odd"
    home, port, _ = setup(test, lambda c, p: good({"format": "mp4", "base64": b64(big), "durationMs": 1, "hasAudio": True}))
    there = os.path.join(test.dir, "big.mp4")
    home.cli("nodes", "camera", "clip", "--out", there, port=port)
    check(content(there) == big, "the film is another one")


def test_nothing_is_left_of_a_failure(test):
    payload = {"format": "jpg", "base64": b64(PICTURE), "width": 1, "height": 1}
    cases = [
        (good({**payload, "base64": "abc!"}), "not base64"),
        (good({**payload, "base64": "QQ==QQ=="}), "not base64"),
        (good({**payload, "base64": ""}), "invalid camera.snap payload"),
        (good({**payload, "format": "../../x"}), "invalid camera.snap payload"),
        (good({**payload, "width": None}), "invalid camera.snap payload"),
        (good({"format": "jpg", "url": "https://x/y", "width": 1, "height": 1}), "https://x/y"),
        (good([1, 2]), "invalid camera.snap payload"),
        ({"ok": True}, "invalid camera.snap payload"),
        ({"ok": False, "error": {"code": "CAMERA_UNAVAILABLE", "message": "CAMERA_UNAVAILABLE: no camera"}}, "no camera"),
    ]
    answers = iter([answer for answer, _ in cases])
    home, port, _ = setup(test, lambda c, p: next(answers))
    folder = os.path.join(test.dir, "out")
    os.mkdir(folder)
    for _, part in cases:
        done = home.cli("nodes", "camera", "snap", "--facing", "front", "--out", os.path.join(folder, "x.jpg"), port=port, code=1)
        contains(done.err, part)
        equal(done.out, "", "stdout")
        equal(os.listdir(folder), [], "files")


def test_places_that_cannot_be_written(test):
    home, port, node = setup(test, lambda c, p: good({"format": "jpg", "base64": b64(PICTURE), "width": 1, "height": 1}))
    for out, part in ((test.dir, "is there already and is not a file"), ("/dev/null", "is not a file"),
                      (os.path.join(test.dir, "none", "x.jpg"), "No such file or directory")):
        done = home.cli("nodes", "camera", "snap", "--out", out, port=port, code=1)
        contains(done.err, part)
        contains(done.err, out)
    equal(node.asked, [], "captures for nothing")
    check(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"), "/dev/null was replaced")


def test_a_full_disk(test):
    """A file system of 16 kB of its own, in a name space of its own."""
    home, port, node = setup(test, lambda c, p: good({"format": "mp4", "base64": b64(PICTURE * 10), "durationMs": 1, "hasAudio": False}))
    folder = os.path.join(test.dir, "small")
    os.makedirs(folder)
    script = ('mount -t tmpfs -o size=16k tmpfs "$1" || exit 3; "$2" nodes camera clip --out "$1/x.mp4"; code=$?; '
              'ls -A "$1" >&2; exit $code')
    done = subprocess.run(["unshare", "--mount", "--map-root-user", "sh", "-c", script, "-", folder, BINARY], capture_output=True, text=True,
                          env=home.env(OPENCLAW_GATEWAY_PORT=str(port)), check=False, timeout=60)
    equal(done.returncode, 1, done.stderr)
    contains(done.stderr, "No space left on device")
    contains(done.stderr, os.path.join(folder, "x.mp4"))
    check(done.stderr.rstrip().endswith("No space left on device"), f"something is left of it: {done.stderr}")
    equal([c for c, _ in node.asked], ["camera.clip"], "asked")


def test_wrong_usage_asks_nobody(test):
    home, port, node = setup(test, lambda c, p: good({}))
    for args, part in (
            (["camera", "wave"], "list, snap or clip"), (["camera"], "is missing"), (["screen", "snap"], "record or snapshot"),
            (["camera", "snap", "--quality", "nan"], "number from 0 to 1"), (["camera", "snap", "--quality", "2"], "from 0 to 1"),
            (["camera", "snap", "--max-width", "0"], "max-width"), (["camera", "snap", "--duration", "3s"], "does not go with snap"),
            (["camera", "clip", "--facing", "both"], "one side"), (["camera", "snap", "--facing", "both", "-o", "x"], "two pictures"),
            (["camera", "snap", "--facing", "up"], "facing"), (["screen", "record", "--fps", "many"], "--fps takes a number"),
            (["screen", "record", "--duration", "-1"], "duration"), (["screen", "record", "--format", "png"], "does not go with"),
            (["camera", "clip", "--duration", "10h"], "250 to 60000"), (["screen", "record", "--duration", "0"], "250 to 60000"),
            (["screen", "record", "--fps", "1000"], "from 1 to 60"), (["camera", "snap", "--delay-ms", "60000"], "0 to 10000"),
            (["camera", "clip", "--duration", "50s", "--invoke-timeout", "30s"], "at least 65000"),
            (["screen", "record", "--invoke-timeout", "9s"], "at least 25000"),
            (["camera", "snap", "--out", ""], "the name of a file"), (["camera", "snap", "--out", "x.bmp"], "makes .jpg or .png, not .bmp"),
            (["screen", "record", "--out", "a.b/x.webm"], "makes .mp4"), (["camera", "snap", "--out", "-", "--json"], "--json"),
            (["notify", "--title", " "], "missing --title or --body"), (["location", "set"], "get"),
            (["location", "get", "--accuracy", "exact"], "accuracy")):
        contains(home.cli("nodes", *args, port=port, code=2).err, part)
    equal(node.asked, [], "what the node was asked")


def test_a_bar_while_it_records(test):
    seen = threading.Event()
    home, port, _ = setup(test, lambda c, p: seen.wait(DEADLINE) and good(
        {"format": "mp4", "base64": b64(PICTURE), "durationMs": 60000}))
    there = os.path.join(test.dir, "x.mp4")
    ours, theirs = pty.openpty()
    child = subprocess.Popen([BINARY, "nodes", "screen", "record", "--duration", "60s", "-o", there], stderr=theirs,
                             stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=home.env(OPENCLAW_GATEWAY_PORT=str(port)))
    os.close(theirs)
    text = b""
    while b" of 60.0 s" not in text:
        text += os.read(ours, 4096)
    contains(text.decode(), "Recording the screen [")
    seen.set()
    out, _ = child.communicate(timeout=DEADLINE)
    equal(out.decode(), f"MEDIA:{there}\n", "stdout")
    while not text.endswith(b"\r\x1b[K"):
        text += os.read(ours, 4096)  # wiped away at the end
    equal(child.returncode, 0, "exit code")
    os.close(ours)


def test_an_interrupt_ends_the_recording_on_the_node(test):
    asked, node = threading.Event(), None

    def wait_for_cancel(_command, _params):
        asked.set()
        # The cancel comes over the connection that this thread reads.
        while True:
            frame = node.client.ws.recv_json()
            if frame.get("event") == "node.invoke.cancel":
                node.cancelled.set()
                return {"ok": False, "error": {"code": "CANCELLED", "message": "cancelled by the caller"}}

    home, port, node = setup(test, wait_for_cancel)
    there = os.path.join(test.dir, "out")
    os.mkdir(there)
    child = Process(test, "record", [BINARY, "nodes", "screen", "record", "-o", os.path.join(there, "x.mp4")],
                    home.env(OPENCLAW_GATEWAY_PORT=str(port)))
    check(asked.wait(DEADLINE), "the node was not asked")
    child.child.send_signal(signal.SIGINT)
    equal(child.wait_exit(), 130, "exit code")
    check(node.cancelled.is_set(), "the node was not told")
    equal(os.listdir(there), [], "files")


def test_cameras_notifications_and_places(test):
    answers = {
        "camera.list": good({"devices": [{"id": "cam-1", "name": "Front \u001b[2J", "position": "front"}, {"id": "cam-2"}]}),
        "system.notify": {"ok": True},
        "location.get": good({"lat": 48.20849, "lon": 16.37208, "accuracyMeters": 12.5, "isPrecise": True}),
    }
    home, port, node = setup(test, lambda c, p: answers[c])
    table = home.cli("nodes", "camera", "list", port=port).out
    contains(table, "Front \\x1b[2J")
    contains(table, "unspecified")
    equal([d["id"] for d in home.cli_json("nodes", "camera", "list", "--json", port=port)], ["cam-1", "cam-2"], "cameras")
    equal(home.cli("nodes", "notify", "--title", " Hello ", "--priority", "timeSensitive", port=port).out, "notify ok\n")
    equal(node.asked[-1], ("system.notify", {"title": "Hello", "body": "", "priority": "timeSensitive", "delivery": "system"}))
    equal(home.cli_json("nodes", "notify", "--body", "x", "--json", port=port)["ok"], True, "ok")
    equal(home.cli("nodes", "location", "get", "--max-age", "1m", "--accuracy", "precise", port=port).out,
          "48.20849,16.37208 ±12.5m\n")
    equal(node.asked[-1], ("location.get", {"maxAgeMs": 60000, "desiredAccuracy": "precise", "timeoutMs": 10000}))
    equal(home.cli_json("nodes", "location", "get", "--json", port=port)["isPrecise"], True, "isPrecise")
    answers["camera.list"] = good({"devices": []})
    equal(home.cli("nodes", "camera", "list", port=port).out, "No cameras reported.\n")


DEEP = "[" * 500 + "]" * 500
BROKEN = [
    {}, {"ok": None}, {"ok": "yes"}, {"ok": 1}, {"ok": []}, {"ok": True, "nodeId": "somebody else"}, {"ok": True, "nodeId": 7},
    {"ok": True, "error": "text"}, {"ok": False, "error": ["list"]}, {"ok": False}, {"ok": False, "error": {"code": {}, "message": 5}},
    {"ok": True}, {"ok": True, "payload": "text"}, {"ok": True, "payload": [1]}, {"ok": True, "payloadJSON": "{not json"},
    {"ok": True, "payloadJSON": 5}, {"ok": True, "payloadJSON": ""}, {"ok": True, "payloadJSON": DEEP}, {"ok": True, "payloadJSON": "\ud800"},
    good({}), good({"format": "mp4"}), good({"format": "mp4", "base64": ""}), good({"format": "mp4", "base64": "%%%"}),
    good({"format": "../../x", "base64": "aaaa"}), good({"format": 5, "base64": "aaaa"}), good({"format": "mp4", "base64": {"a": 1}}),
    good({"base64": "aaaa"}), good({"format": "mp4", "url": "http://127.0.0.1:1/x"}),
]


def test_a_clip_that_makes_no_sense_is_told_at_once(test):
    """Whatever a node answers, who asked gets an answer; long before the time that was given is over."""
    now = []
    home, port, node = setup(test, lambda c, p: now[0])
    caller = Client(port)
    check(caller.connect()["ok"], "connect")
    for broken in BROKEN:
        now[:] = [broken]
        for command in ("camera.clip", "screen.record"):
            answer = caller.call("node.invoke", {"nodeId": node.key.device_id, "command": command, "params": {"durationMs": 1000},
                                                 "timeoutMs": 600000, "idempotencyKey": str(uuid.uuid4())})
            check("ok" in answer, f"{broken}: {answer}")
    for broken in BROKEN[::3]:
        now[:] = [broken]
        for words in (("camera", "clip"), ("screen", "record")):
            done = home.cli("nodes", *words, "--node", "e2e node", "--duration", "1s", "--invoke-timeout", "600000", port=port, code=1)
            check(done.returncode != 0 and done.err and not media_of(done.out), f"{broken}: {done.returncode} {done.out} {done.err}")


def test_a_node_that_breaks_the_connection_instead_of_answering(test):
    for broken in ("{", "[]", "null", '{"type":"req"}', "\x00"):
        home, port, node = setup(test, lambda c, p: node.client.ws.send_text(broken) or node.client.ws.sock.close() or {})
        done = home.cli("nodes", "camera", "clip", "--node", "e2e node", "--duration", "1s", "--invoke-timeout", "600000", port=port, code=1)
        check(done.returncode != 0 and done.err, f"{broken}: {done.returncode} {done.out} {done.err}")
        for process in test.processes:
            process.stop()


run_tests(globals())
