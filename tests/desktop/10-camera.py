"""Cameras end to end: our gateway and node, a real PipeWire with WirePlumber, cameras of our own (pwcam), ffmpeg as the judge."""

import array
import threading

from session import *
from harness import *
from pictures import *
from world import HELPER, World


class Cameras(World):
    """A node with cameras, and the owner's camera switch on."""

    def __init__(self, test, cameras=2, pipewire=True):
        desktop = Desktop(test)
        if pipewire:
            desktop.pipewire()
        if cameras > 0:
            self.front = desktop.camera("cam.front", "Front camera", 640, 480, 30, 0)
        if cameras > 1:
            self.back = desktop.camera("cam.back", "Back camera", 1280, 720, 30, 3)
        super().__init__(test, desktop, "camera", ["camera.snap"])

    def check_clean(self):
        """No process, no file, and the node still answers."""
        super().check_clean()
        equal([d["id"] for d in self.invoke("camera.list")["devices"] if d["id"] == "cam.front"], ["cam.front"], "cameras")


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def children(pid):
    """Also those that are dead and not collected yet."""
    return text_of(f"/proc/{pid}/task/{pid}/children").split()


def check_film(path, seconds, width, height, pattern, audio):
    told = probe(path)
    video = told["video"]
    equal((video["codec_name"], video["pix_fmt"], video["width"], video["height"]), ("h264", "yuv420p", width, height), "video")
    check(seconds * 0.9 <= float(video["duration"]) <= seconds * 1.1, f"the film has {video['duration']} s, wanted {seconds}")
    equal("audio" in told, audio, "audio track")
    if audio:
        equal(told["audio"]["codec_name"], "aac", "sound")
        check(seconds * 0.75 <= float(told["audio"]["duration"]) <= seconds * 1.15, f"sound: {told['audio']['duration']} s")
    boxes = mp4_boxes(path)
    check(boxes.index("moov") < boxes.index("mdat"), f"browsers would have to load all of it first: {boxes}")
    shown = frames(path, width, height)
    check_bars(shown[len(shown) // 2], width, height, pattern)
    numbers = [counter(f, width, 16) for f in shown]
    check(numbers == sorted(numbers), f"frames out of order: {numbers}")
    check(len(set(numbers)) > len(numbers) // 4, f"the picture hardly moves: {numbers}")


def test_list(test):
    world = Cameras(test)
    devices = world.invoke("camera.list")["devices"]
    equal(devices, [{"id": "cam.back", "name": "Back camera", "position": "back", "deviceType": "pipewire"},
                    {"id": "cam.front", "name": "Front camera", "position": "front", "deviceType": "pipewire"}])


def test_snap_shows_what_the_camera_sees(test):
    world = Cameras(test)
    result = world.invoke("camera.snap", {"facing": "front", "delayMs": 0, "format": "jpg"})
    equal((result["format"], result["width"], result["height"]), ("jpg", 640, 480))
    path = world.file(result, "front.jpg")
    first = frames(path, 640, 480)[0]
    check_bars(first, 640, 480, 0)
    check(0xE1 not in jpeg_segments(path), "the picture has EXIF data")
    again = frames(world.file(world.invoke("camera.snap", {"facing": "front", "delayMs": 200}), "later.jpg"), 640, 480)[0]
    check(counter(again, 640, 16) != counter(first, 640, 16), "the picture is not live")
    # By id, smaller, and worse.
    fine = world.invoke("camera.snap", {"deviceId": "cam.back", "delayMs": 0, "quality": 1})
    equal((fine["width"], fine["height"]), (1280, 720))
    coarse = world.invoke("camera.snap", {"deviceId": "cam.back", "delayMs": 0, "quality": 0.05, "maxWidth": 320})
    equal((coarse["width"], coarse["height"]), (320, 180))
    check_bars(frames(world.file(coarse, "back.jpg"), 320, 180)[0], 320, 180, 3)
    check(len(coarse["base64"]) < len(fine["base64"]), "neither size nor quality was heeded")
    # Without loss.
    whole = world.invoke("camera.snap", {"facing": "back", "delayMs": 0, "format": "png", "maxWidth": 320})
    equal((whole["format"], whole["width"], whole["height"], whole["deviceId"]), ("png", 320, 180, "cam.back"))
    check("bothSides" not in whole, "there is another camera")
    check_bars(frames(world.file(whole, "back.png"), 320, 180)[0], 320, 180, 3)
    with open(world.file(whole, "back.png"), "rb") as f:
        equal(f.read(8), b"\x89PNG\r\n\x1a\n", "the first bytes")
    # What another type of number, or none, means.
    same = world.invoke("camera.snap", {"facing": "back", "maxWidth": 1e9, "quality": 99, "delayMs": 0})
    equal((same["width"], same["height"]), (1280, 720))
    world.check_clean()


def test_one_camera_is_both_sides(test):
    """Who asks for both sides gets one picture of the one camera there is."""
    world = Cameras(test, cameras=1)
    for facing in ("front", "back"):
        result = world.invoke("camera.snap", {"facing": facing, "delayMs": 0})
        equal((result["deviceId"], result["bothSides"]), ("cam.front", True), facing)
    done = world.home.cli("nodes", "camera", "snap", "--facing", "both", "--delay-ms", "0", "--json", port=world.gateway.port)
    (file,) = json.loads(done.out)["files"]
    os.remove(file["path"])
    contains(done.err, "one camera for both sides")


def test_clip_is_a_film_with_sound(test):
    world = Cameras(test)
    world.desktop.microphone()
    result = world.invoke("camera.clip", {"facing": "front", "durationMs": 3000, "includeAudio": True, "format": "mp4"})
    equal((result["format"], result["hasAudio"]), ("mp4", True))
    contains(result["note"], "wpctl set-mute @DEFAULT_AUDIO_SOURCE@ 0")  # the test's microphone hears nothing at all
    check(2700 <= result["durationMs"] <= 3300, f"durationMs {result['durationMs']}")
    check_film(world.file(result, "front.mp4"), 3, 640, 480, 0, audio=True)
    silent = world.invoke("camera.clip", {"facing": "back", "durationMs": 1000, "includeAudio": False})
    equal(silent["hasAudio"], False, "hasAudio")
    check("note" not in silent, "nobody wanted sound")
    check_film(world.file(silent, "back.mp4"), 1, 1280, 720, 3, audio=False)
    world.check_clean()


def test_a_program_that_calls_itself_a_camera(test):
    """Any program of the session can: with words for terminals and for gst-launch, endless ones, and sizes that no picture has."""
    world = Cameras(test, cameras=1)
    trap = os.path.join(test.dir, "trap")
    desktop = world.desktop
    desktop.camera(f"x ! filesink location={trap}", "a ! b \x1b]0;owned\x07\u202e", 320, 240)
    desktop.camera("cam.long", "n" * 5000, 320, 240)
    desktop.camera("cam\x1b[2J", "escape", 320, 240)
    desktop.camera("l" * 3000, "long", 320, 240)
    devices = {d["id"]: d["name"] for d in world.invoke("camera.list")["devices"]}
    equal(sorted(devices), ["cam.front", "cam.long", f"x ! filesink location={trap}"], "cameras")
    for name in devices.values():
        check(len(name) <= 250 and not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e]", name), f"{name!r}")
    snap = world.invoke("camera.snap", {"deviceId": f"x ! filesink location={trap}", "delayMs": 0})
    equal((snap["width"], snap["height"]), (320, 240))
    check(not os.path.exists(trap), "a name became a part of the pipeline")
    world.check_clean()


def test_odd_sizes_and_no_microphone(test):
    world = Cameras(test, cameras=1)
    world.desktop.camera("cam.odd", "Odd one", 641, 361, 30, 5)
    result = world.invoke("camera.clip", {"deviceId": "cam.odd", "durationMs": 1000, "includeAudio": True})
    equal(result["hasAudio"], False, "hasAudio without a microphone")
    contains(result["note"], "this session has no microphone")
    check_film(world.file(result, "odd.mp4"), 1, 640, 360, 5, audio=False)
    picture = world.invoke("camera.snap", {"deviceId": "cam.odd", "delayMs": 0})
    equal((picture["width"], picture["height"]), (641, 361))


def test_bad_input(test):
    world = Cameras(test)
    for command, params, wanted in (
            ("camera.snap", {"quality": "NaN"}, "quality must be a number"),
            ("camera.snap", {"maxWidth": "wide"}, "maxWidth must be a number"),
            ("camera.snap", {"delayMs": {}}, "delayMs must be a number"),
            ("camera.snap", {"facing": "up"}, "facing must not be 'up', but one of front, back"),
            ("camera.snap", {"facing": 7}, "facing must be a short text"),
            ("camera.snap", {"format": "bmp"}, "format must not be 'bmp'"),
            ("camera.snap", {"deviceId": "x" * 5000}, "deviceId must be a short text"),
            ("camera.snap", {"deviceId": "cam.none"}, "there is no camera 'cam.none'"),
            ("camera.snap", {"deviceId": "cam.front ! filesink location=/tmp/x"}, "there is no camera"),
            ("camera.clip", {"deviceId": "cam.none"}, "there is no camera 'cam.none'"),
            ("camera.clip", {"format": "gif"}, "format must not be 'gif'"),
            ("camera.clip", {"durationMs": "long"}, "durationMs must be a number"),
            ("camera.clip", {"includeAudio": "yes"}, "includeAudio must be true or false"),
            ("camera.snap", {"delayMs": -5}, "delayMs must be a number from 0 to 10000, not -5"),
            ("camera.clip", {"durationMs": 0}, "durationMs must be a number from 250 to 60000, not 0"),
            ("camera.clip", {"durationMs": -1000}, "durationMs must be a number from 250 to 60000, not -1000")):
        error = world.refused(command, params)
        contains(error, wanted)
        contains(error, "CAMERA_UNAVAILABLE" if "no camera" in wanted else "INVALID_REQUEST")
    result = world.invoke("camera.clip", {"durationMs": 1, "includeAudio": False})
    check(200 <= result["durationMs"] <= 300, f"{result['durationMs']}")
    equal(result["clamped"], [{"name": "durationMs", "asked": 1, "used": 250, "min": 250, "max": 60000}], "what was changed")
    equal(world.invoke("camera.snap", {"quality": None, "delayMs": 0, "maxWidth": None})["format"], "jpg")
    world.check_clean()


def test_switched_off(test):
    world = Cameras(test)
    world.consent(False)
    error = world.refused("camera.snap", {"delayMs": 0})
    # The node says so itself, unless it has told the gateway already that the command is gone.
    check(("CAMERA_DISABLED" in error and "openclaw node enable camera" in error) or "node command not allowed" in error, error)
    other = test.machine("other")
    node = other.node(world.gateway.port, env=world.desktop.env, name="other")
    wait_until(lambda: world.home.cli_json("nodes", "pending", "--json", port=world.gateway.port), "the second node's request")
    pending = world.home.cli("nodes", "pending", "--json", port=world.gateway.port).out
    check("camera." not in pending, f"declared although it is off: {pending}")
    node.stop()


def test_switched_off_while_it_films(test):
    world = Cameras(test)
    request = world.send("camera.clip", {"facing": "back", "durationMs": 60000})
    wait_until(lambda: (world.desktop.nodes().get("cam.back") or {}).get("info", {}).get("state") == "running", "the camera at work")
    world.consent(False)
    contains(world.error(request), "CAMERA_DISABLED")
    wait_until(lambda: not children(world.node.child.pid), "the end of the helper")
    equal(os.listdir(world.tmp), [], "files left behind")


def test_nothing_to_take_a_picture_with(test):
    world = Cameras(test, cameras=0)
    equal(world.invoke("camera.list")["devices"], [])
    contains(world.refused("camera.snap"), "CAMERA_UNAVAILABLE: no camera is connected")
    contains(world.refused("camera.clip"), "CAMERA_UNAVAILABLE: no camera is connected")
    world.desktop.camera("cam.mute", "Mute", mode="mute")
    world.desktop.camera("cam.busy", "Busy", mode="busy")
    requests = [world.send("camera.snap", {"deviceId": "cam.mute"}), world.send("camera.clip", {"deviceId": "cam.mute"}),
                world.send("camera.snap", {"deviceId": "cam.busy"})]
    for request in requests:  # a picture that fails says as much as a film does
        contains(world.error(request), "CAMERA_UNAVAILABLE: the camera sends no picture")


def test_no_pipewire(test):
    world = Cameras(test, cameras=0, pipewire=False)
    for command in ("camera.list", "camera.snap", "camera.clip"):
        error = world.refused(command)
        contains(error, "CAMERA_UNAVAILABLE")
        contains(error, "no PipeWire in this session; start it: systemctl --user start pipewire wireplumber")


def test_nobody_links(test):
    """Without a session manager opening a camera blocks for half a minute and then for good."""
    world = Cameras(test)
    world.desktop.running["wireplumber"].stop()
    requests = [world.send("camera.snap"), world.send("camera.clip")]
    for request in requests:
        error = world.error(request)
        contains(error, "CAMERA_UNAVAILABLE: the camera sends no picture")
        contains(error, "systemctl --user start wireplumber")
    wait_until(lambda: not world.helpers(), "the helpers' end")


def test_helper_that_hangs(test):
    """Stopped in the middle: the caller's time ends it, and nothing else."""
    world = Cameras(test)
    request = world.send("camera.clip", {"durationMs": 20000, "includeAudio": False}, timeout_ms=6000)
    helper = world.one_helper()
    wait_until(lambda: "NoNewPrivs:\t1" in text_of(f"/proc/{helper}/status"), "the helper to enter its sandbox")
    os.kill(helper, signal.SIGSTOP)
    error = world.error(request)
    check("TIMEOUT" in error.upper() or "TIMED OUT" in error.upper(), error)
    world.check_clean()


def test_helper_killed_mid_capture(test):
    world = Cameras(test)
    request = world.send("camera.clip", {"durationMs": 20000, "includeAudio": False})
    os.kill(world.one_helper(), signal.SIGKILL)
    error = world.error(request)
    contains(error, "openclaw-media")
    contains(error, "signal 9")
    equal(world.invoke("camera.snap", {"delayMs": 0})["format"], "jpg")
    world.check_clean()


def test_the_node_stops_mid_clip(test):
    world = Cameras(test)
    request = world.send("camera.clip", {"durationMs": 60000, "includeAudio": False})
    world.one_helper()
    world.node.child.terminate()
    contains(world.error(request), "the node is stopping")
    equal(world.node.child.wait(DEADLINE), 0, "exit code")


def test_unplugged_mid_clip(test):
    world = Cameras(test)
    world.desktop.microphone()
    request = world.send("camera.clip", {"facing": "back", "durationMs": 30000})
    wait_until(lambda: (world.desktop.nodes().get("cam.back") or {}).get("info", {}).get("state") == "running", "the camera at work")
    threading.Timer(1.5, world.back.child.terminate).start()  # in the middle, wherever that is
    error = world.error(request)
    after = re.search(r"CAMERA_UNAVAILABLE: the camera stopped after (\d+\.\d) s: it was unplugged", error)
    check(after and 0 < float(after.group(1)) < 20, error)
    contains(world.refused("camera.clip", {"deviceId": "cam.back"}), "there is no camera 'cam.back'")
    world.check_clean()


def test_twenty_pictures_leave_nothing(test):
    world = Cameras(test)
    for _ in range(5):
        world.invoke("camera.snap", {"delayMs": 0})
    descriptors = lambda: len(os.listdir(f"/proc/{world.node.child.pid}/fd"))
    wait_until(lambda: not children(world.node.child.pid), "the end of the first five")
    # What it has of its own: code that it has not used for a while may be given back and come again.
    before = world.node.memory_kb("RssAnon"), descriptors()
    for i in range(20):
        equal(world.invoke("camera.snap", {"delayMs": 0, "facing": "back" if i % 2 else "front"})["format"], "jpg")
    wait_until(lambda: not children(world.node.child.pid), "the end of the others")
    after = world.node.memory_kb("RssAnon"), descriptors()
    print(f"node: {before[0]} kB before, {after[0]} kB after")
    equal(after[1], before[1], "open descriptors of the node")
    if "asan" not in BINARY:  # memory/captures runs it without
        check(after[0] - before[0] < 512, f"the node grew from {before[0]} to {after[0]} kB")
    world.check_clean()


def ask_helper(desktop, request):
    """The helper as the node starts it; gives its answer and the size of the capture."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.send(json.dumps(request).encode())
    child = subprocess.Popen([HELPER, "--socket"], stdin=theirs, env=desktop.environment())
    theirs.close()
    ours.settimeout(60)
    text, ancillary, _, _ = ours.recvmsg(128 * 1024, socket.CMSG_LEN(4))
    size = None
    for _, _, data in ancillary:
        fd = array.array("i", data)[0]
        size = os.fstat(fd).st_size
        os.close(fd)
    ours.close()
    child.wait(30)
    return json.loads(text), size


def test_captures_fit_into_the_frame(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam", "Camera", 1280, 720)
    free, size = ask_helper(desktop, {"do": "camera.snap", "params": {"quality": 1}, "maxBytes": 10**7})
    tight, tight_size = ask_helper(desktop, {"do": "camera.snap", "params": {"quality": 1}, "maxBytes": size // 8})
    check(tight["ok"] and tight_size <= size // 8, f"{tight} {tight_size}, wanted at most {size // 8}")
    check(tight["result"]["width"] <= free["result"]["width"], "a smaller picture is not wider")
    error, _ = ask_helper(desktop, {"do": "camera.snap", "params": {}, "maxBytes": 100})
    equal(error["code"], "PAYLOAD_TOO_LARGE")
    film, film_size = ask_helper(desktop, {"do": "camera.clip", "params": {"durationMs": 2000}, "maxBytes": 60000})
    check(film["ok"] and film_size <= 60000, f"{film} {film_size}")
    error, _ = ask_helper(desktop, {"do": "camera.clip", "params": {"durationMs": 60000}, "maxBytes": 60000})
    equal(error["code"], "PAYLOAD_TOO_LARGE")
    error, _ = ask_helper(desktop, {"do": "camera.explode", "params": {}, "maxBytes": 60000})
    equal(error["code"], "INVALID_REQUEST")


def test_by_hand(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam", "Camera", 640, 480)
    contains(desktop.run(HELPER, "--help"), "camera.snap")
    path = os.path.join(test.dir, "x.jpg")
    told = json.loads(desktop.run(HELPER, "camera.snap", '{"maxWidth":320}', "--out", path))
    equal(told["result"]["width"], 320)
    check_bars(frames(path, 320, 240)[0], 320, 240, 0)
    told = json.loads(desktop.run(HELPER, "camera.snap", '{"deviceId":"nobody"}', code=1))
    equal(told["code"], "CAMERA_UNAVAILABLE")
    told = json.loads(desktop.run(HELPER, "camera.snap", "--out", os.path.join(test.dir, "none", "x.jpg"), code=1))
    equal(told["ok"], False, "ok")
    contains(told["message"], "none/x.jpg is not written")
    small = os.path.join(test.dir, "small")
    os.mkdir(small)
    script = 'mount -t tmpfs -o size=4k none "$1" && "$0" camera.snap --out "$1/half.jpg"; echo "code $?"; ls -A "$1"'
    said = desktop.run("unshare", "-rm", "bash", "-c", script, HELPER, small)
    contains(said, "half.jpg is not written: No space left on device")
    check(said.endswith("code 1\n"), f"half a picture is left: {said}")
    for line in ("durationMs       250 to 60000 (3000 unless given)", "fps              1 to 60 (10 unless given)",
                 "facing           front, back"):
        contains(desktop.run(HELPER, "--help"), line)
    for task, params, why in (("camera.clip", {"durationMs": -1}, "durationMs must be a number from 250 to 60000, not -1"),
                              ("camera.snap", {"quality": "NaN"}, "quality must be a number from 0.05 to 1"),
                              ("camera.snap", {"format": "gif"}, "format must not be 'gif', but one of jpg, jpeg, png"),
                              ("screen.record", {"fps": 0}, "fps must be a number from 1 to 60, not 0")):
        told = json.loads(desktop.run(HELPER, task, json.dumps(params), code=1))
        equal((told["code"], told["message"]), ("INVALID_REQUEST", "INVALID_REQUEST: " + why), "by hand as through the node")
    told = json.loads(desktop.run(HELPER, "camera.snap", '{"quality":7,"delayMs":0}'))
    equal(told["result"]["clamped"], [{"name": "quality", "asked": 7, "used": 1, "min": 0.05, "max": 1}], "what was changed")
    for wrong in (["--bogus"], ["camera.snap", "--out"], ["camera.wave"], ["camera.snap", "{"]):
        equal(desktop.run(HELPER, *wrong, code=2), "", "what is wrong is said on stderr")


def plugins_without(desktop, *names):
    """An environment in which GStreamer does not have these plugins."""
    folder = desktop.path("plugins-without-" + "-".join(names))
    os.makedirs(folder)
    found = os.path.dirname(re.search(r"Filename +(\S+)", desktop.run("gst-inspect-1.0", "coreelements")).group(1))
    for name in os.listdir(found):
        if name.endswith(".so") and name not in [f"libgst{n}.so" for n in names]:
            os.symlink(os.path.join(found, name), os.path.join(folder, name))
    return {"GST_PLUGIN_SYSTEM_PATH_1_0": folder, "GST_REGISTRY": os.path.join(folder, "registry")}


def test_whatever_encoder_is_there(test):
    desktop = Desktop(test)
    desktop.pipewire()
    desktop.camera("cam", "Camera", 640, 480)
    desktop.microphone()
    path = os.path.join(test.dir, "x.mp4")
    free = plugins_without(desktop, "x264", "libav")
    told = json.loads(desktop.run(HELPER, "camera.clip", '{"durationMs":1000}', "--out", path, **free))
    equal(told["result"]["hasAudio"], True)
    check_film(path, 1, 640, 480, 0, audio=True)
    none = plugins_without(desktop, "x264", "openh264")
    told = json.loads(desktop.run(HELPER, "camera.clip", '{"durationMs":1000}', code=1, **none))
    contains(told["message"], 'UNAVAILABLE: GStreamer: no element "')
    equal({k: told.get(k) for k in ("cause", "remedy", "subject")},
          {"cause": "NOT_INSTALLED", "remedy": "install-package", "subject": "gstreamer1.0-plugins-ugly"}, "grounds")


run_tests(globals())
