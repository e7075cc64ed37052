"""A node whose canvas can be watched, with a form on it."""

from urllib.parse import urlsplit

from harness import *
from tap import Tap

HELPER = os.path.join(os.path.dirname(os.path.realpath(BINARY)), "openclaw-canvas")


def component(name, kind, **props):
    return {"id": name, "component": {kind: props}}


FORM = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "order", "components": [
        component("root", "Column", children={"explicitList": ["name", "go"]}),
        component("name", "TextField", label={"literalString": "Name"}, text={"path": "/name"}),
        component("go", "Button", child="label", action={"name": "order", "context": [
            {"key": "name", "value": {"path": "/name"}}]}),
        component("label", "Text", text={"literalString": "Order"})]}},
    {"dataModelUpdate": {"surfaceId": "order", "contents": [{"key": "name", "valueString": "Ada"}]}},
    {"beginRendering": {"surfaceId": "order", "root": "root"}}))


class World:
    """A gateway and a node whose canvas is switched on and approved."""

    def __init__(self, test, form=FORM):
        self.test = test
        self.home = test.machine("gw")
        self.gateway = self.home.gateway()
        self.port = self.gateway.port
        self.box = test.machine("box")
        self.box.approvals("full")
        self.tap = Tap(self.port)  # hears what a press of the button tells the agent
        self.box.cli("node", "enable", "canvas")
        self.env = {"DISPLAY": None, "WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": test.dir}
        self.start()
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.port)
        wait_until(lambda: usable(self.home, self.port, "box", "canvas.view"), "the canvas")
        self.home.cli("nodes", "canvas", "a2ui", "push", "--jsonl", "-", "--node", "box", port=self.port, stdin=form.encode())

    def start(self):
        self.node = self.box.node(self.tap.port, env=self.env)

    def watch(self, *args, **kw):
        return self.home.cli("nodes", "canvas", "watch", "--node", "box", *args, port=self.port, **kw)

    def actions(self):
        """What the node told the agent, oldest first."""
        return [json.loads(e["payloadJSON"])["message"] for e in self.tap.requests("node.event") if e["event"] == "agent.request"]

    def path(self, *args):
        url = urlsplit(json.loads(self.watch("--json", *args).out)["url"])
        equal((url.scheme, url.port), ("http", self.port), "address")
        check(re.fullmatch(r"/__openclaw__/cap/[A-Za-z0-9_-]{24}/__openclaw__/a2ui/", url.path), url.path)
        return url.path
