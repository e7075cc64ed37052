"""Cameras behind the desktop's portal: our gateway and node, a real PipeWire with WirePlumber and cameras of our own (pwcam), the real
xdg-desktop-portal with GTK's backend on Xvfb. What the node finds at PIPEWIRE_REMOTE is not where the cameras are, as in a sandbox."""

from session import *
from harness import *
from pictures import *
from world import World

HIDDEN = "not-for-us"


class Hidden(World):
    """A node whose session keeps PipeWire from it, and the owner's camera switch on. answer: what the person said before, or None."""

    def __init__(self, test, answer=None, portal=True, bare=False, remote=HIDDEN, cameras=True, settings=None):
        desktop = Desktop(test)
        if bare:
            desktop.bare_bus()
        desktop.pipewire()
        if cameras:
            desktop.camera("cam.front", "Front camera", 640, 480, 30, 0)
            desktop.camera("cam.back", "Back camera", 1280, 720, 30, 3)
        if portal:
            self.portal = desktop.gtk_portal(settings)
        if answer:
            desktop.permissions("Set", "devices", "true", "camera", "{'': ['%s']}" % answer, "<byte 0x00>")
        desktop.env["PIPEWIRE_REMOTE"] = remote
        super().__init__(test, desktop, "camera", ["camera.snap"])

    def remembered(self):
        told = self.desktop.permissions("Lookup", "devices", "camera")
        return re.findall(r"'': \['(\w+)'\]", told)


def test_allowed_before(test):
    world = Hidden(test, "yes")
    equal(world.invoke("camera.list")["devices"],
          [{"id": "cam.back", "name": "Back camera", "position": "back", "deviceType": "pipewire"},
           {"id": "cam.front", "name": "Front camera", "position": "front", "deviceType": "pipewire"}])
    for device, size, pattern in (("cam.front", (640, 480), 0), ("cam.back", (1280, 720), 3)):
        result = world.invoke("camera.snap", {"deviceId": device, "delayMs": 0})
        equal((result["width"], result["height"]), size, device)
        check_bars(frames(world.file(result, device), *size)[0], *size, pattern)
    film = world.invoke("camera.clip", {"facing": "front", "durationMs": 1000})
    equal(film["hasAudio"], False, "the portal has cameras only")
    shown = frames(world.file(film, "front.mp4"), 640, 480)
    check_bars(shown[len(shown) // 2], 640, 480, 0)
    check(len({counter(f, 640, 16) for f in shown}) > len(shown) // 4, "the picture hardly moves")
    contains(world.refused("camera.snap", {"deviceId": "cam.none"}), "there is no camera 'cam.none'")
    contains(world.portal.output(), "Camera: sending response 0")
    world.check_clean()


def test_refused_before(test):
    world = Hidden(test, "no")
    for command in ("camera.list", "camera.snap", "camera.clip"):
        error = world.refused(command)
        contains(error, "CAMERA_PERMISSION_REQUIRED: the desktop's portal does not let this node use the camera")
        contains(error, "flatpak permission-remove devices camera")
    contains(world.portal.output(), "Camera: sending response 1")
    # What the error tells to do, as that program does it: then the desktop asks again, and here it is told the other answer.
    world.desktop.permissions("Delete", "devices", "camera")
    world.desktop.permissions("Set", "devices", "true", "camera", "{'': ['yes']}", "<byte 0x00>")
    equal(world.invoke("camera.snap", {"delayMs": 0})["format"], "jpg")
    world.check_clean()


def questions(world):
    return world.desktop.run("xdotool", "search", "--onlyvisible", "--class", "xdg-desktop-portal-gtk", code=None).split()


def press(world, grants):
    """The buttons of the desktop's question are side by side at its lower edge: Deny Access, Grant Access."""
    def is_answered():
        windows = questions(world)
        for window in windows:
            geometry = world.desktop.run("xdotool", "getwindowgeometry", "--shell", window, code=None)
            size = dict(re.findall(r"(WIDTH|HEIGHT)=(\d+)", geometry))
            if size:
                x = int(size["WIDTH"]) * (3 if grants else 1) // 4
                world.desktop.run("xdotool", "mousemove", "--window", window, str(x), str(int(size["HEIGHT"]) - 15), "click", "1",
                                  code=None)
        return not windows

    wait_until(lambda: questions(world), "the desktop's question", pause=0.1)
    wait_until(is_answered, "the end of the question", pause=0.2)


def test_a_person_says_yes(test):
    world = Hidden(test)
    request = world.send("camera.snap", {"delayMs": 0, "facing": "front"})
    press(world, grants=True)
    result = world.result(request)
    check_bars(frames(world.file(result, "front.jpg"), 640, 480)[0], 640, 480, 0)
    equal(world.remembered(), ["yes"], "what the desktop remembers")
    equal(world.invoke("camera.snap", {"delayMs": 0})["format"], "jpg")
    world.check_clean()


def test_a_person_says_no(test):
    world = Hidden(test)
    request = world.send("camera.list")
    press(world, grants=False)
    contains(world.error(request), "CAMERA_PERMISSION_REQUIRED: the desktop's portal does not let this node use the camera")
    equal(world.remembered(), ["no"], "what the desktop remembers")
    contains(world.refused("camera.snap"), "said no, now or before")
    world.check_clean()


def test_nobody_answers(test):
    world = Hidden(test)
    error = world.refused("camera.snap", {"delayMs": 0}, timeout_ms=8000)
    contains(error, "CAMERA_PERMISSION_REQUIRED: nobody answered the desktop's question")
    contains(error, "flatpak permission-remove devices camera")
    wait_until(lambda: not questions(world), "the end of the question", pause=0.1)
    # The portal takes no answer for a no; so what the error tells to do is needed before somebody can be asked again.
    equal(world.remembered(), ["no"], "what the desktop remembers")
    world.desktop.permissions("Delete", "devices", "camera")
    request = world.send("camera.snap", {"delayMs": 0})
    press(world, grants=True)
    equal(world.result(request)["format"], "jpg")
    world.check_clean()


def test_the_node_stops_while_somebody_is_asked(test):
    world = Hidden(test)
    request = world.send("camera.snap")
    wait_until(lambda: questions(world), "the desktop's question", pause=0.1)
    world.node.child.terminate()
    contains(world.error(request), "the node is stopping")
    wait_until(lambda: not questions(world), "the end of the question", pause=0.1)


def test_cameras_are_switched_off(test):
    """GNOME's privacy setting, which the portal's backend reads."""
    settings = "[org/gnome/desktop/privacy]\ndisable-camera=true\n"
    world = Hidden(test, "yes", settings=settings)
    contains(world.refused("camera.snap"), "CAMERA_PERMISSION_REQUIRED: this desktop has its cameras switched off for all programs")
    world.check_clean()


def test_a_pipewire_that_shows_no_camera(test):
    """One that lets us in, and keeps its cameras to itself: here another daemon, which has none."""
    world = Hidden(test, "yes", remote="pipewire-bare")
    bare = world.desktop.start("pipewire-bare", ["pipewire"], PIPEWIRE_REMOTE=None, PIPEWIRE_CORE="pipewire-bare")
    world.desktop.wait_for_socket(f"{world.desktop.runtime}/pipewire-bare", bare)
    result = world.invoke("camera.snap", {"delayMs": 0, "facing": "front"})
    check_bars(frames(world.file(result, "front.jpg"), 640, 480)[0], 640, 480, 0)
    world.check_clean()


def test_unplugged_mid_clip(test):
    world = Hidden(test, "yes")
    request = world.send("camera.clip", {"facing": "back", "durationMs": 30000})
    state = lambda: world.desktop.nodes(PIPEWIRE_REMOTE=None).get("cam.back", {}).get("info", {}).get("state")
    wait_until(lambda: state() == "running", "the camera at work", pause=0.1)
    world.desktop.running["camera-cam.back"].child.terminate()
    contains(world.error(request), "it was unplugged")
    world.check_clean()


def test_no_camera_and_no_question(test):
    """Nothing is asked where there is nothing to see: the error is that of a machine without a portal."""
    world = Hidden(test, cameras=False)
    for command in ("camera.list", "camera.snap"):
        contains(world.refused(command), "no PipeWire in this session")
    check("AccessCamera" not in world.portal.output() and "sending response" not in world.portal.output(), "somebody was asked")


def test_a_portal_that_breaks_down(test):
    """Without any backend the real portal dies of the question; the bus starts it again, and it dies again."""
    world = Hidden(test, portal=False)
    contains(world.refused("camera.snap"), "CAMERA_UNAVAILABLE: the desktop portal: AccessCamera: Message recipient disconnected")
    world.check_clean()


def test_no_portal(test):
    world = Hidden(test, portal=False, bare=True)
    for command in ("camera.list", "camera.snap"):
        contains(world.refused(command), "CAMERA_UNAVAILABLE: no V4L2 camera, and no PipeWire in this session; start it:")
    world.check_clean()


run_tests(globals())
