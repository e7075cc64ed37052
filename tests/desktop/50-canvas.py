"""The canvas in a window: our gateway and node, a real X server with a real window manager (Openbox), xdotool as the person; and once
on a real Wayland compositor (Weston)."""

import signal

from session import *
from harness import *
from person import *
from pictures import frames, pixel, pixels


def data(world):
    """What the helper has: pushed back by nobody, so asked for."""
    return world.canvas("eval", "openclawA2UI.getSurfaces()").out


def test_a_form_is_filled_and_sent(test):
    world = World(test, x11(test))
    person = Person(world)
    world.push(form())
    world.canvas("present", "--x", "40", "--y", "60", "--width", str(WIDTH), "--height", str(HEIGHT))
    wait_until(lambda: (person.where()["WIDTH"], person.where()["HEIGHT"]) == (WIDTH, HEIGHT), "the size")
    boxes = person.boxes()
    name, secret = boxes["name"], boxes["secret"]
    person.click(name, dx=name["w"] - 40, dy=name["h"] - 18)
    person.x("type", "--delay", "30", "Ada Lovelace")
    person.x("key", "Tab")
    person.x("type", "--delay", "30", "s3cret")
    person.x("key", "Tab")
    person.x("key", "space")
    person.x("key", "Tab")
    person.x("key", "End")
    person.click(boxes["go"], dx=30)
    message = wait_until(world.actions, "the agent request")[0]
    contains(message, "CANVAS_A2UI action=order session=main surface=order component=go")
    told = json.loads(re.search(r"ctx=(\{.*\}) default=update_canvas", message).group(1))
    equal(told, {"name": "Ada Lovelace", "secret": "s3cret", "milk": True, "size": 10})
    # and with the keyboard alone
    person.x("key", "Tab")
    person.click(name, dx=name["w"] - 40, dy=name["h"] - 18)
    person.x("key", "ctrl+a")
    person.x("type", "--delay", "30", "Bob")
    person.x("key", "Tab", "Tab", "Tab", "Tab", "Return")
    wait_until(lambda: len(world.actions()) == 2, "the second request")
    contains(world.actions()[1], '"name":"Bob"')


def page(*words):
    parts = [("root", "Column", {"children": {"explicitList": [f"t{i}" for i in range(len(words))]}})]
    parts += [(f"t{i}", "Text", {"text": text(word)}) for i, word in enumerate(words)]
    return [{"surfaceUpdate": {"surfaceId": "order", "components": [{"id": i, "component": {kind: p}} for i, kind, p in parts]}},
            {"beginRendering": {"surfaceId": "order", "root": "root"}}]


def drawing():
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'><rect width='80' height='40' fill='teal'/></svg>"
    return [{"surfaceUpdate": {"surfaceId": "order", "components": [
                {"id": "root", "component": {"Image": {"url": text("data:image/svg+xml," + svg)}}}]}},
            {"beginRendering": {"surfaceId": "order", "root": "root"}}]


def is_on_screen(world, person):
    """The window's pixels are the snapshot's."""
    shot, screen = (os.path.join(world.test.dir, name) for name in ("shot.png", "screen.xwd"))
    world.canvas("snapshot", "--format", "png", "--out", shot)
    world.desktop.run("xwd", "-silent", "-id", person.window(), "-out", screen)
    return pixels(screen) == pixels(shot)


def test_the_window_shows_what_the_snapshot_shows(test):
    """Also what is no longer there is gone from it: the page is painted below. And the desktop's wish for light, through the real portal
    with GTK's backend."""
    desktop = x11(test)
    desktop.gtk_portal("[org/gnome/desktop/interface]\ncolor-scheme='prefer-dark'\n")
    world = World(test, desktop)
    person = Person(world)
    world.push(form())
    world.canvas("present", "--x", "40", "--y", "60", "--width", str(WIDTH), "--height", str(HEIGHT))
    wait_until(lambda: (person.where()["WIDTH"], person.where()["HEIGHT"]) == (WIDTH, HEIGHT), "the size")
    wait_until(lambda: is_on_screen(world, person), "the form")
    for words in (["one", "two"], ["three"], ["four", "five", "six"]):
        world.push(page(*words))
        wait_until(lambda: is_on_screen(world, person), f"only {words}")
    world.push(drawing())
    wait_until(lambda: is_on_screen(world, person), "the drawing, once it is decoded")
    shot = os.path.join(test.dir, "shot.png")
    assert pixel(frames(shot, WIDTH, HEIGHT)[0], WIDTH, WIDTH // 2, 100) == (0, 0x80, 0x80)
    settings = os.path.join(desktop.env["XDG_CONFIG_HOME"], "glib-2.0", "settings", "keyfile")
    with open(settings, "w", encoding="utf-8") as f:
        f.write("[org/gnome/desktop/interface]\ncolor-scheme='prefer-light'\n")
    shot = os.path.join(test.dir, "light.png")

    def is_light():
        world.canvas("snapshot", "--format", "png", "--out", shot)
        return pixel(frames(shot, WIDTH, HEIGHT)[0], WIDTH, 2, HEIGHT - 2) == (0xf4, 0xf4, 0xf9)

    wait_until(is_light, "the light theme")
    wait_until(lambda: is_on_screen(world, person), "the light page")


def test_the_window_keeps_its_place_and_nobodys_focus(test):
    world = World(test, x11(test))
    person = Person(world)
    other = world.desktop.start("other", ["xclock"])
    typed_into = wait_until(lambda: person.x("search", "--onlyvisible", "--name", "xclock", code=None), "another window")
    person.x("windowfocus", "--sync", typed_into)
    world.push(form())
    world.canvas("present", "--x", "200", "--y", "150", "--width", "500", "--height", "400")
    wait_until(lambda: (person.where()["WIDTH"], person.where()["HEIGHT"]) == (500, 400), "the size")
    equal(person.x("getwindowfocus"), typed_into, "the focus")
    before = person.where()
    world.canvas("hide")
    wait_until(lambda: not person.x("search", "--onlyvisible", "--name", TITLE, code=None), "no window")
    world.canvas("hide")
    world.canvas("present")
    try:
        wait_until(lambda: person.where() == before, f"the place it had: {before}")
    except Failure as e:
        raise Failure(f"{e}; it is {person.where()}") from None
    person.x("windowsize", "--sync", person.window(), "560", "480")
    wait_until(lambda: person.where()["WIDTH"] == 560, "the person's size")
    first = world.helper()
    time.sleep(0.6)  # the window tells where it is a moment after it came to rest
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: world.helper() not in (None, first), "another helper")
    wait_until(lambda: (person.where()["WIDTH"], person.where()["HEIGHT"]) == (560, 480), "the person's size, again")
    contains(data(world), "order")
    other.stop()


def test_who_draws_and_where_notifications_are(test):
    """The title says whose canvas it is; a window that nobody has placed leaves notifications their room, one that is placed does not move."""
    desktop = x11(test)
    desktop.notifications()
    world = World(test, desktop)
    person = Person(world)
    world.push(form())
    contains(person.x("getwindowname", person.window()), f"OpenClaw Canvas – gateway 127.0.0.1:{world.tap.port}")
    world.home.cli("nodes", "notify", "--title", "A picture was taken", "--body", "word " * 30, "--node", "box", port=world.port)
    wait_until(lambda: desktop.displayed() == 1, "the notification")

    def notice():
        out = desktop.run("xwininfo", "-root", "-tree")
        found = re.search(r'"Dunst".* (\d+)x(\d+)\+-?\d+\+-?\d+  \+(-?\d+)\+(-?\d+)', out)
        return [int(v) for v in found.groups()] if found else None

    width, height, x, y = wait_until(notice, "where it is")
    check(width > 200 and x + width <= 1280, f"it is somewhere else: {width}x{height}+{x}+{y}")

    def is_free():
        at = person.where()
        return at["X"] + at["WIDTH"] <= x or at["Y"] >= y + height

    try:
        wait_until(is_free, "the form to be free")
    except Failure as e:
        raise Failure(f"{e}: the window is {person.where()}, the notification {width}x{height}+{x}+{y}") from None
    world.canvas("present", "--x", "600", "--y", "60", "--width", "500", "--height", "400")
    wait_until(lambda: person.where()["WIDTH"] == 500 and person.where()["X"] >= 600, "the place that was asked for")


def test_closed_by_the_person(test):
    world = World(test, x11(test))
    person = Person(world)
    world.push(form())
    person.click(person.boxes()["root"], dx=5, dy=5)  # the focus is where the person clicks
    person.x("key", "alt+F4")
    wait_until(lambda: not person.x("search", "--onlyvisible", "--name", TITLE, code=None), "no window")
    contains(data(world), "order")
    world.canvas("present")
    person.window()


def test_links_are_opened_for_the_person_alone(test):
    """By the real portal, in the program that the desktop has for them; not from elsewhere, and not what is no link to the web. So
    are players where openclaw-media is not installed."""
    desktop = x11(test)
    opened = os.path.join(test.dir, "opened")
    for folder, name, lines in (
            (os.path.join(desktop.env["XDG_DATA_HOME"], "applications"), "opens.desktop",
             ["[Desktop Entry]", "Type=Application", "Name=Opens", f"Exec={test.dir}/opens %u", "MimeType=x-scheme-handler/https;"]),
            (desktop.env["XDG_CONFIG_HOME"], "mimeapps.list", ["[Default Applications]", "x-scheme-handler/https=opens.desktop"]),
            (test.dir, "opens", ["#!/bin/sh", f'echo "$1" >>{opened}'])):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
    os.chmod(os.path.join(test.dir, "opens"), 0o755)
    desktop.gtk_portal()
    world = World(test, desktop, "--verbose", apart=["openclaw-canvas", "openclaw-canvas-window"])
    person = Person(world)
    links = ["https://example.org/page?a=1", "file:///etc/passwd", "https://example.org/song.mp3"]
    messages = [
        {"surfaceUpdate": {"surfaceId": "s", "components": [
            {"id": "root", "component": {"Column": {"children": {"explicitList": ["a", "b", "c"]}}}},
            *({"id": i, "component": {"Text": {"text": text(f"[{'word ' * 8}]({url})")}}} for i, url in zip("ab", links)),
            {"id": "c", "component": {"AudioPlayer": {"url": text(links[2])}}}]}},
        {"beginRendering": {"surfaceId": "s", "root": "root"}}]
    world.push(messages)
    world.canvas("present", "--x", "40", "--y", "60", "--width", str(WIDTH), "--height", str(HEIGHT))
    wait_until(lambda: (person.where()["WIDTH"], person.where()["HEIGHT"]) == (WIDTH, HEIGHT), "the size")
    boxes = person.boxes(messages)
    for name in "abc":
        box = boxes[name]
        for pointer in ("press", "release"):
            world.home.cli("nodes", "invoke", "--node", "box", "--command", "canvas.input", "--params", json.dumps(
                {"pointer": pointer, "x": box["x"] + 20, "y": box["y"] + box["h"] / 2}), port=world.port)
    wait_until(lambda: f'url="{links[2]}" via=input' in world.node.output(), "the last one in the log")
    person.click(boxes["b"], dx=20)
    person.click(boxes["a"], dx=20)
    wait_until(lambda: os.path.exists(opened), "the link")
    person.click(boxes["c"], dx=20)
    with open(opened, encoding="utf-8") as f:
        wait_until(lambda: f.seek(0) == 0 and len(f.readlines()) == 2, "the sound")
        f.seek(0)
        equal(f.read().split(), [links[0], links[2]], "what was opened")
    contains(world.node.output(), f'url="{links[0]}" via=person')
    check("passwd" not in world.node.output(), "an address that is never opened")


def test_on_wayland(test):
    desktop = Desktop(test)
    weston = desktop.start("weston", ["weston", "--backend=headless-backend.so", "--socket=canvas-test", "--idle-time=0"],
                           XDG_RUNTIME_DIR=desktop.env.get("XDG_RUNTIME_DIR", test.dir))
    wait_until(lambda: os.path.exists(os.path.join(desktop.env.get("XDG_RUNTIME_DIR", test.dir), "canvas-test")), "weston")
    desktop.env["WAYLAND_DISPLAY"] = "canvas-test"
    desktop.env["DISPLAY"] = None
    world = World(test, desktop)
    world.push(form())
    world.canvas("present", "--width", "500", "--height", "400")
    check(world.helper(), "no window's program")
    out = os.path.join(test.dir, "w.png")
    world.canvas("snapshot", "--format", "png", "--out", out)
    check(os.path.getsize(out) > 1000, "no picture")
    world.canvas("hide")
    world.canvas("present")
    weston.stop()


run_tests(globals())
