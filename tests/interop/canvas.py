"""The canvas of our node with the real command line and the real gateway of 2026.2.26, the version whose agents draw on it."""

import http.server
import os
import threading

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


class Model(http.server.ThreadingHTTPServer):
    """What the real gateway's agent thinks with: hears what it is asked, and has nothing to say to it."""

    daemon_threads = True

    def __init__(self):
        model = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                chunks = ({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Done."}, "finish_reason": None}]},
                          {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
                text = "".join("data: %s\n\n" % json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", **c})
                               for c in chunks) + "data: [DONE]\n\n"
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(text.encode())
                model.asked.append(body)

            def log_message(self, *args):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def config(self):
        return {"agent": {"model": {"primary": "ours/m"}},
                "models": {"providers": {"ours": {
                    "baseUrl": f"http://127.0.0.1:{self.server_port}/v1", "apiKey": "none", "api": "openai-completions",
                    "models": [{"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 100000, "maxTokens": 1000,
                                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}}

    def heard(self, words):
        """The last message of a question that has these words."""
        for body in list(self.asked):
            last = json.dumps([m["content"] for m in body["messages"] if m["role"] == "user"][-1:], ensure_ascii=False)
            if words in last:
                return last
        return None


def test_its_gateway(test):
    """A Linux node needs its commands in gateway.nodes.allowCommands there. The button is pressed: the real gateway's agent is
    asked what the node told, in the main session."""
    peer, model = Peer(test, "2", "gw"), Model()
    port = free_port()
    peer.gateway(port, top=model.config(), nodes={"allowCommands": COMMANDS + ["canvas.input"]})
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
    said = wait_until(lambda: model.heard("CANVAS_A2UI"), "what the agent is asked", 120, pause=0.2)
    check(re.search(r"CANVAS_A2UI action=go session=main surface=order component=root host=box instance=\S+ (via=\S+ )?default=update_canvas", said), said)
    equal(ours.cli("nodes", "canvas", "eval", "openclawA2UI.getSurfaces()", "--node", "box", port=port).out, '["order"]\n')


need(os.path.exists(HELPER), "openclaw-canvas is not built")
run_tests(globals())
