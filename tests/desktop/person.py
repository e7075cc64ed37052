"""A canvas in a window and the person in front of it, for the files that need both."""

from session import *
from harness import *
from tap import Tap

HELPER = os.path.join(BUILT, "openclaw-canvas-window")
TITLE = "OpenClaw Canvas"
WIDTH, HEIGHT = 640, 620


def bound(path):
    return {"path": path}


def text(value):
    return {"literalString": value}


def form():
    parts = [("root", "Column", {"children": {"explicitList": ["name", "secret", "wants", "size", "go"]}}),
             ("name", "TextField", {"label": text("Name"), "text": bound("/name")}),
             ("secret", "TextField", {"label": text("Secret"), "text": bound("/secret"), "textFieldType": "obscured"}),
             ("wants", "CheckBox", {"label": text("With milk"), "value": bound("/milk")}),
             ("size", "Slider", {"label": text("Size"), "value": bound("/size"), "minValue": 0, "maxValue": 10}),
             ("go", "Button", {"child": "label", "primary": True, "action": {"name": "order", "context": [
                 {"key": k, "value": bound(f"/{k}")} for k in ("name", "secret", "milk", "size")]}}),
             ("label", "Text", {"text": text("Order")})]
    components = [{"id": i, "component": {kind: props}} for i, kind, props in parts]
    return [{"surfaceUpdate": {"surfaceId": "order", "components": components}},
            {"dataModelUpdate": {"surfaceId": "order", "contents": [
                {"key": "name", "valueString": ""}, {"key": "secret", "valueString": ""},
                {"key": "milk", "valueBoolean": False}, {"key": "size", "valueNumber": 2}]}},
            {"beginRendering": {"surfaceId": "order", "root": "root"}}]


class World:
    """config: what the node's owner wrote. apart: the programs beside which the node runs, and no others."""

    def __init__(self, test, desktop, *flags, config=None, apart=None):
        need(os.path.exists(HELPER), "openclaw-canvas-window is not built")
        self.test, self.desktop = test, desktop
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        self.port = self.gateway.port
        self.tap = Tap(self.port)
        self.box = test.machine("box")
        self.box.cli("node", "enable", "canvas")
        if config:
            self.box.config(config)
        binary = BINARY
        if apart is not None:
            folder = os.path.join(test.dir, "bin")
            os.makedirs(folder)
            for name in ("openclaw", *apart):
                shutil.copy(os.path.join(BUILT, name), folder)
            binary = os.path.join(folder, "openclaw")
        self.node = Process(test, "node-box", [binary, "node", "run", "--host", "127.0.0.1", "--port", str(self.tap.port),
                                               "--display-name", "box", *flags],
                            self.box.env(**{**desktop.env, "GSK_RENDERER": "cairo", "GTK_A11Y": "none"}))
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box", "canvas.present"), "the canvas")

    def canvas(self, *args, **kw):
        return self.home.cli("nodes", "canvas", *args, "--node", "box", port=self.port, **kw)

    def push(self, messages):
        return self.canvas("a2ui", "push", "--jsonl", "-", stdin="\n".join(json.dumps(m) for m in messages).encode())

    def helper(self):
        """The process id of the window's program, or None."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as f:
                    if self.box.home.encode() in f.read() and runs(name, HELPER):
                        return int(name)
            except OSError:
                pass
        return None

    def actions(self):
        sent = [e for e in self.tap.requests("node.event") if e["event"] == "agent.request"]
        return [json.loads(e["payloadJSON"])["message"] for e in sent]


class Person:
    """Sits in front of the X display."""

    def __init__(self, world):
        self.world, self.desktop = world, world.desktop

    def x(self, *args, code=0):
        return self.desktop.run("xdotool", *args, code=code).strip()

    def window(self):
        return wait_until(lambda: self.x("search", "--onlyvisible", "--name", TITLE, code=None).split("\n")[-1], "the window")

    def where(self):
        out = self.desktop.run("xwininfo", "-id", self.window())  # xdotool counts frames twice
        names = {"Absolute upper-left X": "X", "Absolute upper-left Y": "Y", "Width": "WIDTH", "Height": "HEIGHT"}
        return {names[k]: int(v) for k, v in re.findall(r"(?m)^ *([A-Z][\w -]+): +(-?\d+)$", out) if k in names}

    def boxes(self, messages=None):
        """Where our renderer says the components are, in a view of the window's size."""
        path = os.path.join(self.world.test.dir, "form.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(json.dumps(m) for m in messages or form()))
        at = self.where()
        told = self.world.home.cli_json("canvas", "render", path, "--theme", "openclaw", "--width", str(at["WIDTH"]), "--height",
                                        str(at["HEIGHT"]), "--dump", "layout")
        return {i["id"]: i for surface in told["surfaces"] for i in surface["items"]}

    def point(self, box, dx=None, dy=None):
        at = self.where()
        return (str(int(at["X"] + box["x"] + (box["w"] / 2 if dx is None else dx))),
                str(int(at["Y"] + box["y"] + (box["h"] / 2 if dy is None else dy))))

    def click(self, box, dx=None, dy=None):
        self.x("mousemove", *self.point(box, dx, dy), "click", "1")


def x11(test):
    desktop = Desktop(test)
    desktop.display(1280, 800)
    desktop.start("openbox", ["openbox"])
    wait_until(lambda: "_NET_SUPPORTING_WM_CHECK(WINDOW)" in desktop.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"),
               "the window manager")
    return desktop
