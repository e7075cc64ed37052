"""The canvas of our node with the real command line and the real gateway of 2026.2.26, the version whose agents draw on it."""

import os

from hosts import *

COMMANDS = ["canvas.present", "canvas.hide", "canvas.navigate", "canvas.eval", "canvas.snapshot", "canvas.a2ui.push",
            "canvas.a2ui.pushJSONL", "canvas.a2ui.reset"]
FORM = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "order", "components": [
        {"id": "root", "component": {"Button": {"child": "label", "action": {"name": "go"}}}},
        {"id": "label", "component": {"Text": {"text": {"literalString": "Go"}}}}]}},
    {"beginRendering": {"surfaceId": "order", "root": "root"}}))
HELPER = os.path.join(os.path.dirname(os.path.realpath(BINARY)), "openclaw-canvas")


def canvas_node(test, gateway_home, port):
    box = test.machine("box")
    box.approvals("full")
    box.cli("node", "enable", "canvas")
    node = box.node(port, env={"DISPLAY": None, "WAYLAND_DISPLAY": None, "XDG_RUNTIME_DIR": test.dir})
    return box, node


def draw(user, port, test):
    """Every verb of the real command line."""

    def canvas(*args, code=0):
        return user.cli("nodes", "canvas", *args, "--node", "box", port=port, code=code)

    path = os.path.join(test.dir, "form.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(FORM)
    contains(canvas("a2ui", "push", "--jsonl", path).out, "canvas a2ui push ok (v0.8, 2 messages)")
    contains(canvas("present", "--x", "10", "--width", "300", "--height", "200").out, "canvas present ok")
    contains(canvas("eval", "openclawA2UI.getSurfaces()").out, '["order"]')
    for name, first in (("png", b"\x89PNG"), ("jpg", b"\xff\xd8\xff")):
        out = canvas("snapshot", "--format", name).out
        media = re.search(r"MEDIA:(\S+)", out)
        check(media, f"no MEDIA line: {out}")
        where = media.group(1).replace("~", os.path.join(user.state, "home"))
        with open(where, "rb") as f:
            check(f.read().startswith(first), f"not a {name}")
        os.remove(where)
    contains(canvas("a2ui", "push", "--text", "Hello").out, "canvas a2ui push ok")
    contains(canvas("hide").out, "canvas hide ok")
    contains(canvas("eval", "1+1", code=1).err, "CANVAS_EVAL_UNSUPPORTED")
    contains(canvas("navigate", "http://127.0.0.1:1/", code=1).err, "CANVAS_UNAVAILABLE")
    contains(canvas("a2ui", "reset").out, "canvas a2ui reset ok")
    contains(canvas("eval", "openclawA2UI.getSurfaces()").out, "[]")


def test_its_command_line_through_our_gateway(test):
    home = test.machine("gw")
    gateway = home.gateway()
    canvas_node(test, home, gateway.port)
    wait_until(lambda: home.cli_json("nodes", "pending", "--json", port=gateway.port), "the node's request")
    home.cli("nodes", "approve", "--yes", port=gateway.port)
    wait_until(lambda: usable(home, gateway.port, "box", "canvas.present"), "the canvas")
    draw(Peer(test, "2", "user"), gateway.port, test)


def test_its_gateway(test):
    """A Linux node needs its commands in gateway.nodes.allowCommands there. That this gateway takes agent.request was seen on
    the wire; here the button is pressed, and the node goes on."""
    peer = Peer(test, "2", "gw")
    port = free_port()
    peer.gateway(port, nodes={"allowCommands": COMMANDS + ["canvas.input"]})
    box, _ = canvas_node(test, peer, port)
    wait_until(lambda: any(n.get("connected") and "canvas.present" in (n.get("commands") or [])
                           for n in peer.cli_json("nodes", "status", "--json", port=port)["nodes"]), "the node", 120, pause=0.5)
    draw(peer, port, test)
    ours = test.machine("user")
    ours.cli("nodes", "canvas", "a2ui", "push", "--jsonl", os.path.join(test.dir, "form.jsonl"), "--node", "box", port=port)
    for params in ({"key": "Tab"}, {"key": "Enter"}):
        done = ours.cli_json("nodes", "invoke", "--node", "box", "--command", "canvas.input", "--params", json.dumps(params),
                             "--json", port=port)
        equal(done["payload"], {"taken": True}, "input")
    equal(ours.cli("nodes", "canvas", "eval", "openclawA2UI.getSurfaces()", "--node", "box", port=port).out, '["order"]\n')


if not os.path.exists(HELPER):
    print("skipped: openclaw-canvas is not built here")
    sys.exit(77)
run_tests(globals())
