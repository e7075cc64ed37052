#!/usr/bin/env python3
"""Keeps a list on the canvas of a node: people add to it and tick off, and this redraws it. Usage: examples/loop.py NODE"""
import json
import re
import subprocess
import sys

NODE = sys.argv[1] if len(sys.argv) == 2 else sys.exit("usage: loop.py NODE")
items = ["Feed the cat", "Oil the press"]


def component(name, kind, **props):
    return {"id": name, "component": {kind: props}}


def text(name, words, **props):
    return component(name, "Text", text={"literalString": words}, **props)


def button(name, label, action, **context):
    wire = [{"key": key, "value": value} for key, value in context.items()]
    return [component(name, "Button", child=name + "-label", action={"name": action, "context": wire}), text(name + "-label", label)]


def draw():
    """The whole list, anew."""
    parts = [text("title", f"{len(items)} {'thing' if len(items) == 1 else 'things'} to do", usageHint="h2")]
    for number, item in enumerate(items):
        row = f"row{number}"
        parts += [component(row, "Row", children={"explicitList": [f"done{number}", f"item{number}"]}), text(f"item{number}", item),
                  *button(f"done{number}", "Done", "done", number={"literalNumber": number})]
    parts += [component("new", "TextField", label={"literalString": "Something new"}, text={"path": "/new"}),
              *button("add", "Add", "add", item={"path": "/new"})]
    rows = ["title", *(f"row{number}" for number in range(len(items))), "new", "add"]
    parts.append(component("root", "Column", children={"explicitList": rows}))
    messages = [{"surfaceUpdate": {"surfaceId": "list", "components": parts}},
                {"dataModelUpdate": {"surfaceId": "list", "contents": [{"key": "new", "valueString": ""}]}},
                {"beginRendering": {"surfaceId": "list", "root": "root"}}]
    subprocess.run(["openclaw", "nodes", "canvas", "a2ui", "push", "--node", NODE, "--jsonl", "-"], check=True,
                   input="\n".join(map(json.dumps, messages)).encode(), stdout=subprocess.DEVNULL)


def pressed(request):
    """Name and context. Where the gateway gives no fields, both are in the message."""
    if "action" in request:
        return request["action"], request.get("context") or {}
    found = re.search(r"action=(\S+)(?:.*? ctx=(\{.*\}) default=)?", request["message"], re.S)
    return (found[1], json.loads(found[2] or "{}")) if found else (None, {})


draw()
with subprocess.Popen(["openclaw", "nodes", "requests", "--json"], stdout=subprocess.PIPE) as heard:
    for line in heard.stdout:
        name, context = pressed(json.loads(line))
        item, number = context.get("item"), context.get("number")
        if name == "add" and isinstance(item, str) and item.strip():
            items.append(item[:100])
        elif name == "done" and isinstance(number, (int, float)) and 0 <= number < len(items):
            items.pop(int(number))
        draw()
