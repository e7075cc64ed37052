"""Pages in a window, on an X server with a window manager: the page comes to where the canvas is, the canvas back to where the page
was, nobody takes the keyboard; what is hidden can still be looked at."""

import json
import shutil
import os
import subprocess
import sys
import tempfile
import time

import web
from web import Refused, Web, pixels, RED, BLUE

WINDOW = os.path.join(os.path.dirname(web.PROGRAM), "openclaw-canvas-window")
PLACE = {"x": 100, "y": 80, "width": 500, "height": 400}


def xdotool(*args):
    return subprocess.run(["xdotool", *args], capture_output=True, text=True, check=False).stdout.split()


def shown():
    """Programs whose canvas window is on the screen."""
    return [web.comm(int(xdotool("getwindowpid", window)[0])) for window in xdotool("search", "--onlyvisible", "--name", "OpenClaw Canvas$")]


def titles(pattern):
    return [subprocess.run(["xdotool", "getwindowname", w], capture_output=True, text=True, check=False).stdout.strip() for w in
            xdotool("search", "--onlyvisible", "--name", pattern)]


def until(call, expected):
    for _ in range(200):
        got = call()
        if got == expected:
            return
        time.sleep(0.05)
    raise AssertionError(f"{got!r}, not {expected!r}")


def check_window(canvas):
    canvas.go(web.BASE + "/plain")
    result, data = canvas.picture(format="png")
    assert (result["width"], result["height"]) == (900, 700) and pixels(data)[10][10] == RED, result
    assert shown() == []  # nobody asked for a window
    canvas.ask("present", placement=PLACE)
    until(shown, ["openclaw-web"])
    while canvas.event("geometry") != PLACE:
        pass
    until(lambda: canvas.eval("innerWidth + ' ' + innerHeight + ' ' + document.visibilityState"), "500 400 visible")
    ours = xdotool("search", "--onlyvisible", "--name", "OpenClaw Canvas$")
    assert not set(xdotool("getwindowfocus")) & set(ours), "it took the keyboard"
    named = lambda: titles("OpenClaw Canvas$")
    until(named, ["127.0.0.1 \u2013 OpenClaw Canvas"])  # whose page it is
    canvas.ask("present", placement={**PLACE, "x": 1e300})  # as far to the right as the window manager lets it
    while canvas.event("geometry")["x"] < 500:
        pass
    canvas.ask("present", placement=PLACE)
    while canvas.event("geometry") != PLACE:
        pass
    canvas.ask("push", data=web.SURFACE)
    until(shown, ["openclaw-canvas"])
    until(named, ["OpenClaw Canvas"])
    while canvas.event("geometry") != PLACE:
        pass
    canvas.ask("gateway", name="desk:18789\n")
    canvas.go(web.BASE + "/blue")
    until(lambda: titles("gateway desk"), ["127.0.0.1 \u2013 OpenClaw Canvas \u2013 gateway desk:18789\\n"])  # and who shows it
    canvas.ask("gateway", name="")
    canvas.go(web.BASE + "/blue")
    until(shown, ["openclaw-web"])
    until(lambda: canvas.eval("innerWidth + ' ' + innerHeight"), "500 400")
    try:
        canvas.go("http://127.0.0.1:1/")
        raise AssertionError("not refused")
    except Refused:
        assert shown() == ["openclaw-web"]
    canvas.ask("hide")
    until(shown, [])
    canvas.go(web.BASE + "/plain")
    assert canvas.pixel(10, 10) == RED
    assert shown() == []
    canvas.ask("present", url=web.BASE + "/blue")
    until(shown, ["openclaw-web"])
    xdotool("search", "--onlyvisible", "--name", "OpenClaw Canvas$", "windowclose")
    until(shown, ["openclaw-web"])  # its program went with it, and came back
    assert canvas.pixel(5, 5) == BLUE
    canvas.ask("reset")
    until(shown, ["openclaw-canvas"])


SECRET = "correct horse battery staple"
FORM = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "s", "components": [
        {"id": "root", "component": {"Column": {"children": {"explicitList": ["a", "b", "go"]}}}},
        {"id": "a", "component": {"TextField": {"label": {"literalString": "A"}, "text": {"path": "/a"}}}},
        {"id": "b", "component": {"TextField": {"label": {"literalString": "B"}, "text": {"path": "/b"}}}},
        {"id": "go", "component": {"Button": {"child": "t", "action": {"name": "go", "context": [
            {"key": k, "value": {"path": "/" + k}} for k in "ab"]}}}},
        {"id": "t", "component": {"Text": {"text": {"literalString": "Go"}}}}]}},
    {"dataModelUpdate": {"surfaceId": "s", "contents": [{"key": "a", "valueString": "mine"}, {"key": "b", "valueString": ""}]}},
    {"beginRendering": {"surfaceId": "s", "root": "root"}})).encode()


def clipboard():
    return subprocess.run(["xclip", "-selection", "clipboard", "-o"], capture_output=True, text=True, check=False).stdout


def check_clipboard(canvas):
    """Who does things from elsewhere copies and pastes, but not by the clipboard of who sits here: they can neither read nor write it,
    on surfaces and on pages, and pages that they press buttons on cannot either."""
    subprocess.run(["xclip", "-selection", "clipboard", "-i"], input=SECRET, text=True, check=True)

    def act(*keys):
        for key in keys:
            canvas.ask("input", **({"key": key[1:], "mods": 2} if key[0] == "^" else {"key": key}))

    canvas.ask("push", data=FORM)
    act("Tab", "Tab", "^v", "Tab", "Enter")
    assert canvas.event("action")["userAction"]["context"] == {"a": "mine", "b": ""}, "something was pasted that nobody copied"
    canvas.ask("push", data=FORM)
    for pointer in ("press", "release"):
        canvas.ask("input", pointer=pointer, x=450, y=80)
    act("^a", "^c", "Tab", "^v", "^v", "Tab", "Enter")
    assert canvas.event("action")["userAction"]["context"] == {"a": "mine", "b": "minemine"}
    assert clipboard() == SECRET, clipboard()
    canvas.go(web.BASE + "/copies")
    act("Tab", "^v")
    assert canvas.eval("a.value") == "mine", "something was pasted that nobody copied"
    act("^a", "^x", "^v", "^v", "Tab", "Space")
    assert canvas.eval("a.value + ' ' + pressed") == "minemine 1"
    assert clipboard() == SECRET, clipboard()


def check_who_pressed(canvas):
    """What a page tells the agent says whether a person at this machine did it: the last thing that happened to it."""
    def via():
        while True:
            event = canvas.next_event()
            if "action" in event:
                return event.get("via")

    canvas.ask("present", url=web.BASE + "/acts", trustNetwork=True, placement=PLACE)
    until(shown, ["openclaw-web"])
    assert via() == "script", "by itself"
    for pointer in ("press", "release"):
        canvas.ask("input", pointer=pointer, x=100, y=100)
    assert via() == "input"
    until(lambda: canvas.eval("innerWidth"), "500")
    window = xdotool("search", "--onlyvisible", "--name", "OpenClaw Canvas$")[0]
    xdotool("mousemove", "--window", window, "100", "100", "click", "1")
    assert via() is None, "not a person"
    canvas.eval("act()")
    assert via() == "script"


def main():
    for program in ("Xvfb", "openbox", "xclip", "xdotool", "bwrap"):
        if not shutil.which(program):
            sys.exit(f"cannot run: {program} is missing (scripts/deps test)")
    if not os.path.exists(WINDOW) or subprocess.run(
            ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"], capture_output=True, check=False).returncode:
        sys.exit("cannot run: no openclaw-canvas-window, or no user namespaces for WebKit's sandbox (scripts/deps test)")
    r, w = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(w), "-screen", "0", "1280x900x24"], pass_fds=[w], stderr=subprocess.DEVNULL) as x:
        os.close(w)
        os.environ.update(DISPLAY=":" + os.read(r, 16).decode().strip(), GDK_BACKEND="x11", GTK_A11Y="none", GSETTINGS_BACKEND="memory")
        for name in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            os.environ.pop(name, None)
        with subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL) as manager:
            canvas = Web(WINDOW, "--socket")
            try:
                check_window(canvas)
                check_clipboard(canvas)
                check_who_pressed(canvas)
            finally:
                canvas.end()
                manager.kill()
                x.terminate()
    return 0


if __name__ == "__main__":
    web.WORK = tempfile.mkdtemp(prefix="oc-web-")
    web.ROOT = os.path.join(web.WORK, "canvas")
    os.environ["XDG_RUNTIME_DIR"] = web.WORK
    web.SERVER = web.serve()
    web.BASE = f"http://127.0.0.1:{web.SERVER.server_port}"
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(web.WORK, ignore_errors=True)
