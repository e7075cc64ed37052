"""Screens end to end: our gateway and node, a real X server with RandR monitors, a real mutter with the real portal, a real Sway,
PipeWire for the sound; ffmpeg is the judge."""

import array
import signal

from session import *
from harness import *
from pictures import *
from world import *

RED, BLUE, WHITE, GREEN = (255, 0, 0), (0, 0, 255), (255, 255, 255), (0, 255, 0)
TOKEN_FILE = "screen-token.json"


def screen_world(test, desktop):
    return World(test, desktop, "screen", ["screen.record", "screen.snapshot"], allow=["screen.record", "screen.snapshot"])


def x11(test, *monitors, still=False):
    desktop = Desktop(test)
    desktop.display(1280, 720)
    desktop.paint(still=still)
    desktop.monitors(*monitors)
    return desktop


def picture(world, result, name="picture"):
    return frames(world.file(result, name), result["width"], result["height"])[0]


def share_of(frame, colour, tolerance=60):
    """How much of the picture has this colour, looking at one pixel in 97."""
    pixels = [tuple(frame[i:i + 3]) for i in range(0, len(frame) - 2, 97 * 3)]
    return sum(is_near(p, colour, tolerance) for p in pixels) / len(pixels)


def check_film(path, seconds, fps, width, height, idle=False):
    """Gives the frames. Of an idle screen only a few are encoded, and each is shown for longer."""
    video = probe(path)["video"]
    equal((video["codec_name"], video["pix_fmt"], video["width"], video["height"]), ("h264", "yuv420p", width, height), "video")
    check(seconds * 0.9 <= float(video["duration"]) <= seconds * 1.1 + 1 / fps, f"the film has {video['duration']} s, wanted {seconds}")
    count = int(video["nb_read_packets"])
    if idle:
        check(count <= seconds + 4, f"{count} frames")
    else:  # a compositor without a GPU does not keep up when the machine is busy
        equal(video["r_frame_rate"], f"{fps}/1", "frame rate")
        check(seconds * fps * 0.3 <= count <= seconds * fps * 1.15 + 1, f"{count} frames")
    boxes = mp4_boxes(path)
    check(boxes.index("moov") < boxes.index("mdat"), f"browsers would have to load all of it first: {boxes}")
    return frames(path, width, height)


def moves(shown):
    """Neighbouring frames that differ, in more than the encoder's noise."""
    def differ(a, b):
        return any(abs(x - y) > 90 for x, y in zip(a[::31], b[::31]))

    return sum(differ(a, b) for a, b in zip(shown, shown[1:]))


def test_snapshots_of_both_monitors(test):
    world = screen_world(test, x11(test, "640x720+0+0", "640x720+640+0"))
    left = world.invoke("screen.snapshot")
    equal((left["format"], left["width"], left["height"], left["screenIndex"]), ("jpg", 640, 720, 0), "left")
    pixels = picture(world, left)
    check(share_of(pixels, RED) > 0.9, "the left monitor is red")
    check(share_of(pixels, BLUE) == 0, "the left monitor shows nothing of the right one")
    check(is_near(pixel(pixels, 640, 200, 100), GREEN), "the pointer is in the picture")
    right = world.invoke("screen.snapshot", {"screenIndex": 1, "format": "png", "maxWidth": 320})
    equal((right["format"], right["width"], right["height"], right["screenIndex"]), ("png", 320, 360, 1), "right")
    pixels = picture(world, right)
    check(share_of(pixels, BLUE, 8) > 0.9, "the right monitor is blue")
    check(share_of(pixels, GREEN) == 0, "the pointer is on the other monitor")
    # What moves may have left the picture between two of them.
    sizes = {q: [len(world.invoke("screen.snapshot", {"quality": q, "format": "jpeg"})["base64"]) for _ in range(4)] for q in (1, 0.05)}
    check(max(sizes[0.05]) < max(sizes[1]), f"quality has no effect: {sizes}")
    world.check_clean()


def test_a_recording_shows_what_moves(test):
    world = screen_world(test, x11(test, "640x720+0+0", "640x720+640+0"))
    film = world.invoke("screen.record", {"durationMs": 3000, "fps": 15, "screenIndex": 1})
    equal((film["format"], film["fps"], film["screenIndex"], film["hasAudio"]), ("mp4", 15, 1, False), "film")
    contains(film["note"], "the film has no sound: PipeWire has nothing that plays any")
    check(2700 <= film["durationMs"] <= 3300, f"duration {film['durationMs']}")
    path = world.file(film, "film.mp4")
    shown = check_film(path, 3, 15, 640, 720)
    check("audio" not in probe(path), "nothing plays here, so there is no track")
    check(share_of(shown[len(shown) // 2], BLUE) > 0.85, "the right monitor is blue")
    check(moves(shown) > len(shown) // 3, f"{moves(shown)} of {len(shown)} frames moved")
    world.check_clean()


def test_an_odd_monitor_is_cut_to_even_sides(test):
    world = screen_world(test, x11(test, "639x479+0+0", still=True))
    shown = check_film(world.file(world.invoke("screen.record", {"durationMs": 1000}), "odd.mp4"), 1, 10, 638, 478, idle=True)
    check(share_of(shown[-1], RED) > 0.8, "what is there")
    still = world.invoke("screen.snapshot")
    equal((still["width"], still["height"]), (639, 479), "a picture has all of it")


def test_an_idle_desktop_has_a_film_of_full_length(test):
    world = screen_world(test, x11(test, still=True))
    path = world.file(world.invoke("screen.record", {"durationMs": 2000, "fps": 10}), "idle.mp4")
    shown = check_film(path, 2, 10, 1280, 720, idle=True)
    equal(moves(shown), 0, "frames that moved")
    check(os.path.getsize(path) < 100_000, f"{os.path.getsize(path)} bytes for a still picture")


def test_the_sound_that_the_machine_plays(test):
    desktop = x11(test)
    desktop.pipewire()
    desktop.speaker()
    desktop.play_tone()
    wait_until(lambda: desktop.nodes()["test-sink"]["info"]["state"] == "running", "the tone", pause=0.1)
    world = screen_world(test, desktop)
    film = world.invoke("screen.record", {"durationMs": 2000})
    check(film["hasAudio"] and "note" not in film, "with sound")
    path = world.file(film, "film.mp4")
    check_film(path, 2, 10, 1280, 720)
    sound = probe(path)["audio"]
    equal(sound["codec_name"], "aac", "sound")
    check(1.5 <= float(sound["duration"]) <= 2.4, f"sound of {sound['duration']} s")
    raw = subprocess.run([program("ffmpeg"), "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "8000", "-"],
                         capture_output=True, check=True).stdout
    samples = array.array("h", raw[: len(raw) // 2 * 2])[2000:10000]
    check(max(samples) > 3000, f"loudness {max(samples)}")
    rises = sum(a < 0 <= b for a, b in zip(samples, samples[1:]))
    check(abs(rises * 8000 / len(samples) - 440) < 30, f"{rises} waves in {len(samples)} samples: not a tone of 440 Hz")
    silent = world.invoke("screen.record", {"durationMs": 500, "includeAudio": False})
    check(not silent["hasAudio"] and "audio" not in probe(world.file(silent, "silent.mp4")), "without sound when not wanted")
    world.check_clean()


def test_few_pictures_a_second_do_not_stretch_time(test):
    """Whatever the frame rate, a film lasts as long as was asked for, and so does its sound."""
    desktop = x11(test)
    desktop.pipewire()
    desktop.speaker()
    desktop.play_tone()
    wait_until(lambda: desktop.nodes()["test-sink"]["info"]["state"] == "running", "the tone", pause=0.1)
    world = screen_world(test, desktop)
    for fps, asked in ((1, 1000), (1, 2500), (1, 4000), (3, 1000), (7, 300)):
        film = world.invoke("screen.record", {"durationMs": asked, "fps": fps})
        equal((film["fps"], film["durationMs"], film["hasAudio"]), (fps, asked, True), "the answer")
        told = probe(world.file(film, f"slow-{fps}-{asked}.mp4"))
        seconds, sound = (float(told[kind]["duration"]) for kind in ("video", "audio"))
        check(asked * 0.0009 <= seconds <= asked * 0.0011, f"{fps} fps, {asked} ms: a film of {seconds} s")
        # AAC has frames of 21 ms; on a busy machine the sound may come up late.
        check(max(asked * 0.0005 - 0.25, 0.02) <= sound <= asked * 0.0011 + 0.09, f"{fps} fps, {asked} ms: sound of {sound} s")
        count = int(told["video"]["nb_read_packets"])
        check(count <= asked * fps / 1000 + 1, f"{fps} fps, {asked} ms: {count} pictures")
    world.check_clean()


def test_bad_parameters(test):
    world = screen_world(test, x11(test, "640x720+0+0", "640x720+640+0"))
    for index in (2, -1, 1.5, 1e9):
        for command in ("screen.snapshot", "screen.record"):
            text = world.refused(command, {"screenIndex": index})
            check("INVALID_REQUEST" in text and "screenIndex" in text, text)
    contains(world.refused("screen.snapshot", {"screenIndex": 2}), "2 screens, 0 to 1")
    contains(world.refused("screen.record", {"format": "webm"}), "INVALID_REQUEST: screen format must be mp4")
    contains(world.refused("screen.snapshot", {"format": "tiff"}), "INVALID_REQUEST: screen format must be jpg or png")
    contains(world.refused("screen.record", {"durationMs": "long"}), "INVALID_REQUEST: durationMs must be a number from 250 to 60000")
    contains(world.refused("screen.record", {"includeAudio": "yes"}), "includeAudio must be true or false")
    contains(world.refused("screen.snapshot", {"screenIndex": "0"}), "screenIndex must be a whole number from 0")
    for duration in (0, -5):
        contains(world.refused("screen.record", {"durationMs": duration}), f"from 250 to 60000, not {duration}")
    contains(world.refused("screen.record", {"fps": -3}), "INVALID_REQUEST: fps must be a number from 1 to 60, not -3")
    contains(world.refused("screen.snapshot", {"maxWidth": -1}), "INVALID_REQUEST: maxWidth must be a number from 16 to 16384, not -1")
    film = world.invoke("screen.record", {"durationMs": 100, "fps": 1000})
    equal(film["fps"], 60, "frame rate")
    check(200 <= film["durationMs"] <= 300, f"the shortest film there is: {film['durationMs']}")
    equal(film["clamped"], [{"name": "durationMs", "asked": 100, "used": 250, "min": 250, "max": 60000},
                            {"name": "fps", "asked": 1000, "used": 60, "min": 1, "max": 60}], "what was changed")
    check("clamped" not in world.invoke("screen.snapshot", {"maxWidth": 64, "quality": 0.5}), "nothing was changed")
    # Ten hours become a minute; the caller is gone before that, and so is the helper.
    contains(world.refused("screen.record", {"durationMs": 36_000_000}, timeout_ms=3000), "TIMEOUT")
    world.check_clean()


def test_switched_off(test):
    world = screen_world(test, x11(test))
    world.consent(False)
    text = world.refused("screen.snapshot")
    check("SCREEN_DISABLED" in text and "openclaw node enable screen" in text, text)
    contains(world.refused("screen.record"), "SCREEN_DISABLED")
    equal(world.helpers(), [], "helpers")
    world.consent(True)
    equal(world.invoke("screen.snapshot")["width"], 1280, "on again")


def test_no_display(test):
    desktop = Desktop(test)
    world = screen_world(test, desktop)
    text = world.refused("screen.snapshot")
    check("UNAVAILABLE" in text and "there is no screen" in text, text)
    desktop.env["DISPLAY"] = ":4242"
    world.node.stop()
    world.node = world.box.node(world.gateway.port, env={**desktop.env, "TMPDIR": world.tmp})
    wait_until(lambda: usable(world.home, world.gateway.port, "box", "screen.record"), "the node again")
    text = world.refused("screen.record")
    check("UNAVAILABLE" in text and ":4242 cannot be opened" in text, text)
    world.check_clean()


def test_killed_helper_and_lost_server(test):
    desktop = x11(test)
    world = screen_world(test, desktop)
    request = world.send("screen.record", {"durationMs": 60000})
    os.kill(world.one_helper(), signal.SIGKILL)
    contains(world.error(request), "UNAVAILABLE")
    equal(world.invoke("screen.snapshot")["width"], 1280, "the next call works")
    world.check_clean()
    request = world.send("screen.record", {"durationMs": 60000})
    wait_until(lambda: is_recording(world.one_helper()), "frames")
    desktop.running["xvfb"].stop(signal.SIGKILL)
    contains(world.error(request), "the X server went away")
    contains(world.refused("screen.snapshot"), "cannot be opened")
    world.check_clean()


def is_recording(pid):
    """It has a film in memory, and writes to it."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            if "memfd:capture" in os.readlink(f"/proc/{pid}/fd/{fd}") and os.stat(f"/proc/{pid}/fd/{fd}").st_size > 0:
                return True
        except OSError:
            pass
    return False


def test_wayland_through_the_portal(test):
    desktop = Desktop(test)
    desktop.mutter("640x480", "800x600")
    desktop.portal()
    desktop.paint_wayland(0xFFCC2200)
    token = str(uuid.uuid4())
    desktop.share_screens(token, 0, 1)
    world = screen_world(test, desktop)
    give_token(world, token)
    sizes = {}
    for index in (0, 1):
        still = world.invoke("screen.snapshot", {"screenIndex": index})
        equal(still["screenIndex"], index, "index")
        sizes[(still["width"], still["height"])] = share_of(picture(world, still), (0xCC, 0x22, 0)), index
    equal(sorted(sizes), [(640, 480), (800, 600)], "monitors")
    painted = max(sizes, key=sizes.get)
    check(sizes[painted][0] > 0.5 and min(sizes.values())[0] == 0, f"the window is on one monitor: {sizes}")
    film = world.invoke("screen.record", {"durationMs": 2000, "fps": 10, "screenIndex": sizes[painted][1]})
    shown = check_film(world.file(film, "film.mp4"), 2, 10, *painted)
    check(share_of(shown[len(shown) // 2], (0xCC, 0x22, 0)) > 0.5, "the window's colour")
    check(moves(shown) > len(shown) // 4, f"{moves(shown)} of {len(shown)} frames moved")
    idle = world.invoke("screen.record", {"durationMs": 2000, "fps": 10, "screenIndex": 1 - sizes[painted][1]})
    check_film(world.file(idle, "idle.mp4"), 2, 10, *min(sizes, key=sizes.get), idle=True)
    text = world.refused("screen.snapshot", {"screenIndex": 2})
    check("INVALID_REQUEST" in text and "2 screens" in text, text)
    path = os.path.join(world.box.state, TOKEN_FILE)
    equal(os.stat(path).st_mode & 0o777, 0o600, "mode of the token's file")
    with open(path, encoding="utf-8") as f:
        uuid.UUID(json.load(f)["restoreToken"])
    world.check_clean()


def give_token(world, token):
    path = os.path.join(world.box.state, TOKEN_FILE)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as f:
        json.dump({"version": 1, "restoreToken": token}, f)


def test_nobody_answers_the_portal(test):
    desktop = Desktop(test)
    desktop.mutter("640x480")
    desktop.portal()
    world = screen_world(test, desktop)
    for command, params in (("screen.snapshot", {}), ("screen.record", {"durationMs": 1000})):
        text = world.refused(command, params, timeout_ms=8000)
        check("SCREEN_PERMISSION_REQUIRED" in text and "approve once at the machine" in text, text)
    check(not os.path.exists(os.path.join(world.box.state, TOKEN_FILE)), "no token without consent")
    world.check_clean()
    # A person who says yes later is not in vain: nothing of the unanswered questions is left.
    token = str(uuid.uuid4())
    desktop.share_screens(token, 0)
    give_token(world, token)
    equal(world.invoke("screen.snapshot")["width"], 640, "a picture")


def test_a_person_says_no(test):
    desktop = Desktop(test)
    desktop.mutter("640x480")
    desktop.portal()
    world = screen_world(test, desktop)
    request = world.send("screen.snapshot")
    world.one_helper()

    def is_answered():
        desktop.press_keys(0xFFE9, 0xFFC1)  # Alt+F4
        return not world.helpers()

    wait_until(is_answered, "the dialog's end", pause=0.2)
    text = world.error(request)
    check("SCREEN_PERMISSION_REQUIRED" in text and "did not share" in text, text)
    world.check_clean()


def test_wayland_without_a_portal(test):
    desktop = Desktop(test)
    desktop.mutter("640x480")
    desktop.system_bus()
    # A bus that starts nothing, so nobody answers to the portal's name.
    desktop.env["DBUS_SESSION_BUS_ADDRESS"] = desktop.env["DBUS_SYSTEM_BUS_ADDRESS"]
    world = screen_world(test, desktop)
    for command in ("screen.snapshot", "screen.record"):
        text = world.refused(command)
        check("UNAVAILABLE" in text and "portal" in text and "wlr-screencopy" in text, text)
    world.check_clean()


def test_a_wlroots_compositor(test):
    desktop = Desktop(test)
    sway = desktop.sway("640x480", "800x601")
    desktop.bus()  # with the portal, which has nothing for Sway
    desktop.paint_wayland(0xFF0022CC, fullscreen=False)  # Sway gives a window all the room there is
    world = screen_world(test, desktop)
    shows = lambda: share_of(picture(world, world.invoke("screen.snapshot")), (0, 0x22, 0xCC)) > 0.5
    wait_until(shows, "the window on the screen", pause=0.2)
    still = world.invoke("screen.snapshot", {"screenIndex": 1, "format": "png"})
    equal((still["width"], still["height"]), (800, 601), "the other screen")
    check(share_of(picture(world, still), (0, 0x22, 0xCC)) == 0, "the window is not there")
    film = world.invoke("screen.record", {"durationMs": 2000, "fps": 15})
    shown = check_film(world.file(film, "film.mp4"), 2, 15, 640, 480)
    check(share_of(shown[len(shown) // 2], (0, 0x22, 0xCC)) > 0.5, "the window's colour")
    check(moves(shown) > len(shown) // 4, f"{moves(shown)} of {len(shown)} frames moved")
    idle = world.invoke("screen.record", {"durationMs": 2000, "screenIndex": 1})
    equal(moves(check_film(world.file(idle, "idle.mp4"), 2, 10, 800, 600, idle=True)), 0, "frames that moved on an idle screen")
    contains(world.refused("screen.record", {"screenIndex": 2}), "2 screens, 0 to 1")
    desktop.swaymsg("output", "HEADLESS-2", "transform", "90")
    still = world.invoke("screen.snapshot", {"screenIndex": 1})
    equal((still["width"], still["height"]), (601, 800), "a monitor that stands on its side")
    world.check_clean()
    request = world.send("screen.record", {"durationMs": 60000})
    wait_until(lambda: is_recording(world.one_helper()), "frames")
    sway.stop(signal.SIGKILL)
    contains(world.error(request), "the compositor went away")
    world.check_clean()


def test_a_portal_that_fails_is_not_circumvented(test):
    """Whoever was asked has not said yes: the compositor, which would show the screen to anybody, is left alone."""
    desktop = Desktop(test)
    desktop.sway("640x480")
    desktop.bare_bus()
    portal = desktop.start("portal", [os.path.join(BUILT, "portalfail")])
    desktop.wait_for_name("org.freedesktop.portal.Desktop")
    world = screen_world(test, desktop)
    contains(world.refused("screen.snapshot"), "UNAVAILABLE: this Wayland session shows its screen to nobody: the desktop portal: Start failed")
    contains(portal.output(), "Start")
    # Where nobody can be asked the compositor decides.
    portal.stop()
    equal(world.invoke("screen.snapshot")["width"], 640, "a picture")
    world.check_clean()


def frozen(process):
    """Stopped until the test is over: it accepts connections, and says nothing."""
    os.kill(process.child.pid, signal.SIGSTOP)


def test_a_server_that_hangs(test):
    """The helper ends it by itself, long before the caller would, and says who it was."""
    desktop = x11(test)
    world = screen_world(test, desktop)
    request = world.send("screen.record", {"durationMs": 60000})
    wait_until(lambda: is_recording(world.one_helper()), "frames")
    frozen(desktop.running["xvfb"])
    contains(world.error(request), "UNAVAILABLE: the screen stopped after")
    for command in ("screen.snapshot", "screen.record"):
        contains(world.refused(command), "UNAVAILABLE: the X server does not answer")
    world.check_clean()
    os.kill(desktop.running["xvfb"].child.pid, signal.SIGCONT)
    equal(world.invoke("screen.snapshot")["width"], 1280, "a picture")


def test_a_bus_or_a_compositor_that_hangs(test):
    desktop = Desktop(test)
    desktop.env["WAYLAND_DISPLAY"] = desktop.path("w")
    listener = socket.socket(socket.AF_UNIX)  # a compositor that lets everybody wait
    listener.bind(desktop.env["WAYLAND_DISPLAY"])
    listener.listen(8)
    world = screen_world(test, desktop)
    contains(world.refused("screen.snapshot"), "UNAVAILABLE: the compositor does not answer")
    bus = desktop.bare_bus()
    frozen(bus)
    contains(world.refused("screen.snapshot"), "UNAVAILABLE: the session bus does not answer")
    world.check_clean()
    os.kill(bus.child.pid, signal.SIGCONT)


run_tests(globals())
