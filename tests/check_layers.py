"""Checks the rooms of docs/ARCHITECTURE.md: who may include whom, which library headers stay where, and that each has unit tests or is
told there to be tested by others. check_layers.py <root>"""

import os
import re
import sys

# Our folders with sources; every room in them must be in ALLOWED.
FOLDERS = ("lib", "platform", "canvas", "gateway", "node", "cli")


def part(name, rooms, may):
    """The rooms of a part see each other, and all of them see the same others. "." is the part's own folder."""
    return {os.path.normpath(f"{name}/{room}"): {f"{name}/*", *may} for room in rooms.split()}


def stairs(name, may, rooms, floor=()):
    """The rooms of a part stand in an order in which each sees some of those before it, and headers of the part's folder that see none of
    its rooms."""
    return {os.path.normpath(f"{name}/{room}"): {*may, *(f"{name}/{one}" for one in (*seen.split(), *floor))}
            for room, seen in rooms.items()}


GROUND = {"lib/base", "lib/files", "lib/json"}
CORE = GROUND | {"lib/config", "lib/identity", "lib/log", "lib/net", "lib/net/loop", "lib/net/watch", "lib/net/ws", "lib/protocol", "lib/state",
               "lib/text", "platform/platform.h"}

# Headers of a part's folder that its rooms see: the machine a node runs on, its settings, how its
# connection is; what every command has, and how it reads words and prints.
FLOOR = {"canvas": (), "gateway": (), "node": ("machine.h", "place.h", "state.h", "status.h"),
         "cli": ("child.h", "command.h", "completion.h", "help.h", "options.h", "output.h", "pretty.h", "progress.h", "table.h", "text.h")}
# The files of the command line behind those headers stand below its rooms, too.
FLOOR_SOURCES = {"cli": tuple(header[:-1] + "c" for header in FLOOR["cli"])}

# Each sees only rooms before it.
CANVAS = {
    "value": "",
    "model": "value",
    "images": "model",
    "text": "model value",
    "display": "images model text",
    "rich": "display model text value",
    "scene": "display images model rich text value",
    "input": "model scene text",
    "widgets": "display images input model rich scene text",
    "widgets/choices": "input scene widgets",
    "widgets/players": "input scene text widgets",
    "paint": "display images model text",
    "serve": "images input model paint scene text value",
    "svg": "images",
    "window": "scene serve",
    "web": "images paint serve window",
}
GATEWAY = {
    "store": "",
    "origin": "",
    "fairness": "origin",
    "settings": "origin",
    "pairing": "origin store",
    "nodes": "origin pairing settings store",
    "invoke": "fairness nodes",
    "conn": "fairness nodes origin pairing settings",
    "canvas": "conn fairness invoke nodes origin settings",
    "exec": "conn fairness invoke nodes store",
    "audit": "conn exec invoke nodes store",
    "handshake": "conn fairness invoke nodes origin pairing settings store",
}
NODE = {
    "argv/paths": "",
    "argv/shell": "argv/paths",
    "argv": "argv/paths argv/shell",
    "looks": "argv argv/paths argv/shell",
    "process": "",
    "sandbox": "argv/paths",
    "link": "",
    "helper": "link process",
    "owner": "helper link",
    "call": "helper link owner",
    "policy": "argv argv/paths argv/shell call link looks",
    "run/log": "process",
    "run": "argv argv/paths call link looks owner policy process run/log sandbox",
    "canvas": "helper link owner",
    "declare": "call helper link owner policy sandbox",
    "commands": "argv argv/paths call canvas helper link looks owner policy process run run/log sandbox",
}
CLI = {
    "gateway": "",
    "nodes": "gateway",
    "pairing": "gateway",
    "approvals": "gateway nodes",
    "run": "approvals gateway nodes",
    "canvas": "gateway nodes pairing",
    "service": "",
    "doctor": "gateway nodes service",
    "commands": "canvas doctor gateway nodes pairing run service",
    "commands/approvals": "approvals gateway nodes",
    "commands/gateway": "gateway nodes service",
    "commands/nodes": "canvas gateway nodes run",
}

# room: what it may include besides itself: a room, one header, or all rooms of a part ("gateway/*"). The rooms of lib/ stand in an order
# in which each sees only rooms before it: there is no way back.
ALLOWED = {
    "lib/base": set(),
    "lib/address": {"lib/base"},
    "lib/log": {"lib/base"},
    "lib/a2ui": {"lib/base"},
    "lib/files": {"lib/base"},
    "lib/text": {"lib/base"},
    "lib/json": {"lib/base"},
    "lib/config": {"lib/base", "lib/files", "lib/json"},
    "lib/helper": {"lib/base", "lib/files", "lib/json"},
    "lib/identity": {"lib/base"},
    "lib/protocol": {"lib/base", "lib/json", "lib/text"},
    "lib/state": {"lib/base", "lib/files", "lib/identity", "lib/json", "lib/log", "lib/protocol"},
    # How much one may do in a round of the loop is a ceiling like others (limits.h).
    "lib/net/loop": {"lib/base", "lib/protocol/limits.h"},
    "lib/net/watch": {"lib/base", "lib/net/loop"},
    "lib/net/http": {"lib/base"},
    # One of the two libraries' folders is built (OC_WEBSOCKETS); what libwebsockets asks for at first is HTTP.
    "lib/net/frames": {"lib/base"},
    "lib/net/frames/lws": {"lib/base", "lib/net/frames", "lib/net/http", "lib/net/loop"},
    "lib/net/frames/wslay": {"lib/base", "lib/net/frames", "lib/net/loop"},
    # A message is JSON that is escaped while it is sent; how large one may be is the protocol's (limits.h).
    "lib/net/ws": {"lib/base", "lib/json", "lib/net/frames", "lib/net/http", "lib/net/loop", "lib/protocol/limits.h"},
    # Whose the other end of a socket is, the system knows.
    "lib/net": {"lib/address", "lib/base", "lib/files", "lib/net/http", "lib/net/loop", "lib/net/ws", "platform/platform.h"},
    "lib/net/server": {"lib/base", "lib/net", "lib/net/http", "lib/net/loop", "lib/net/ws", "platform/platform.h"},
    "lib/client": {"lib/base", "lib/identity", "lib/json", "lib/net", "lib/net/loop", "lib/net/ws", "lib/protocol"},

    "platform": {"lib/base"},
    "platform/macos": {"lib/base", "platform"},
    # The sandbox that a process puts itself into; also the picture decoders do.
    "platform/linux/kernel": {"lib/base"},
    "platform/linux/cgroup": {"lib/base", "lib/files", "platform"},
    "platform/linux/device": {"lib/base", "platform"},
    "platform/linux/sandbox": {"lib/base", "lib/files", "platform", "platform/linux/cgroup", "platform/linux/kernel"},
    # A program in a sandbox is started by the supervisor, which is told by the sandbox what to do.
    "platform/linux/process": {"lib/base", "lib/files", "platform", "platform/linux/cgroup", "platform/linux/sandbox"},
    "platform/linux": {"lib/base", "platform", "platform/linux/device", "platform/linux/process", "platform/linux/sandbox"},
    # The helper programs' side: the core includes none of these.
    "platform/linux/helper": {"lib/base", "lib/files", "lib/helper", "lib/json", "platform/linux/kernel", "platform/linux/sandbox"},
    "platform/linux/bus": set(),
    "platform/linux/desktop": {"lib/base", "lib/helper", "lib/json", "platform/linux/bus", "platform/linux/helper"},
    "platform/linux/media": {"lib/base", "lib/files", "lib/helper", "lib/json", "platform/linux/bus", "platform/linux/helper"},
    "platform/linux/media/camera": {"lib/base", "lib/files", "lib/helper", "lib/json", "platform/linux/helper", "platform/linux/media"},
    "platform/linux/media/screen": {"lib/base", "lib/helper", "lib/json", "platform/linux/helper", "platform/linux/media"},

    **stairs("canvas", GROUND | {"lib/a2ui", "lib/address", "lib/helper"}, CANVAS),
    **stairs("gateway", CORE | {"lib/net/http", "lib/net/server"}, GATEWAY),
    # Above them, where all of a gateway comes together: these see its inside (core.h) and each other.
    **part("gateway", ". methods methods/config", CORE | {"lib/net/http", "lib/net/server"}),
    **stairs("node", CORE | {"lib/client", "lib/helper"}, NODE, FLOOR["node"]),
    "node": CORE | {"lib/client", "lib/helper", "node/*"},
    **stairs("cli", CORE | {"lib/a2ui", "lib/client", "lib/helper", "lib/net/http", "gateway/*", "node/*"}, CLI, FLOOR["cli"]),
    "cli": CORE | {"lib/a2ui", "lib/client", "lib/helper", "lib/net/http", "gateway/*", "node/*", "cli/*"},
}
# The canvas programs have the helpers' sandbox.
ALLOWED["canvas/serve"].add("platform/linux/helper")
# What was pushed is kept message by message.
ALLOWED["node/canvas"].add("lib/a2ui")
ALLOWED["canvas/images"].add("platform/linux/kernel")

# library header prefix: rooms that may see it; nothing else may
LIBRARIES = {
    "cjson/": {"cli", "lib/json"},  # the command line declares what prints a tree
    "libwebsockets.h": {"lib/net/frames/lws"},
    "wslay/": {"lib/net/frames/wslay"},
    "sqlite3.h": {"gateway/store"},
    "qrencode.h": {"cli/pairing"},
    "utf8proc.h": {"canvas/text", "canvas/widgets/choices", "cli"},
    "openssl/": {"lib/identity", "lib/net", "lib/net/ws", "lib/state"},
}
DESKTOP = {"canvas/web", "canvas/window", "platform/linux/bus", "platform/linux/desktop", "platform/linux/media", "platform/linux/media/camera",
           "platform/linux/media/screen"}
MEDIA = {"platform/linux/media", "platform/linux/media/camera", "platform/linux/media/screen"}
HELPER_LIBRARIES = {
    "glib": DESKTOP,
    "gio/": DESKTOP,
    "libnotify/": {"platform/linux/desktop"},
    "gtk/": {"canvas/window", "canvas/web"},
    "webkit/": {"canvas/web"},
    "cairo": {"canvas/images", "canvas/paint", "canvas/text", "canvas/window", "canvas/web"},
    "pango/": {"canvas/text"},
    "hb.h": {"canvas/text"},
    "pcre2.h": {"canvas/model"},
    "cmark-gfm": {"canvas/rich"},
    "librsvg/": {"canvas/svg"},
    "libdeflate.h": {"canvas/paint"},
    "jpeglib.h": {"canvas/images", "canvas/paint"},
    "spng.h": {"canvas/images"},
    "webp/": {"canvas/images"},
    "gif_lib.h": {"canvas/images"},
    "X11/": {"canvas/window"},
    "fontconfig/": {"canvas/serve", "canvas/text"},  # the sandbox leaves fonts readable
    "gst/": MEDIA,
    "pipewire/": MEDIA,
    "spa/": MEDIA,
    "wayland-": MEDIA,
    "xcb/": MEDIA,
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def may_include(room, target):
    there = os.path.dirname(target)
    return there == room or any(one in (there, target) or (one.endswith("/*") and (there + "/").startswith(one[:-1]))
                                for one in ALLOWED[room])


def is_floor(room, name):
    return name in FLOOR.get(room, ())


def problems_of(room, where, quote, target):
    if quote == '"':
        name = os.path.basename(where.split(":")[0])
        is_below = is_floor(room, name) or name in FLOOR_SOURCES.get(room, ())
        if is_below and target.startswith(room + "/") and not is_floor(room, target[len(room) + 1:]):
            yield f"{where}: what all rooms of {room}/ see may include none of them"
        # canvas_page_files.h is made by the build, where its room is, too.
        if not may_include(room, target):
            yield f"{where}: {room}/ may not include {target}"
        return
    if target.split("/")[0] in FOLDERS:
        yield f"{where}: <{target}> is ours: include it in quotes"
    for prefix, owners in [*LIBRARIES.items(), *HELPER_LIBRARIES.items()]:
        if target.startswith(prefix) and room not in owners:
            yield f"{where}: <{target}> belongs to {sorted(owners)}"


MOST_FILES = 25  # of a room


def check(root):
    problems, files, seen = [], 0, set()
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            room = os.path.relpath(base, root)
            names = [name for name in sorted(names) if name.endswith((".c", ".h"))]
            if names and room not in ALLOWED:
                problems.append(f"{room}/ is no room: say in tests/check_layers.py and docs/ARCHITECTURE.md what it may include")
                continue
            if len(names) > MOST_FILES:
                problems.append(f"{room}/ has {len(names)} files: cut it, a room has at most {MOST_FILES}")
            for name in names:
                seen.add(room)
                files += 1
                with open(os.path.join(base, name), encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        if match:
                            problems += problems_of(room, f"{room}/{name}:{number}", *match.groups())
    problems += [f"{room}/ is in the table and not in the tree" for room in sorted(set(ALLOWED) - seen)]
    with open(os.path.join(root, "docs", "ARCHITECTURE.md"), encoding="utf-8") as f:
        told = re.findall(r"^\| `([a-z/0-9]+)` \|", f.read().split("\n## Rooms\n")[1].split("\n## ")[0], re.M)
    problems += [f"{room}/ is no row of docs/ARCHITECTURE.md" for room in sorted(seen - set(told))]
    problems += wrong_rows(root)
    problems += strayed(root)
    problems += [f"docs/ARCHITECTURE.md has a row for {room}/, which is no room" for room in sorted(set(told) - seen)]
    return problems, files


def wrong_rows(root):
    """Rows of lib/ whose third column is not what ALLOWED says. A room is called by its own name there."""
    with open(os.path.join(root, "docs", "ARCHITECTURE.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| `(lib/[a-z/0-9]+)` \| [^|]+ \| ([^|]+) \|", f.read(), re.M)
    for room, told in rows:
        may = {one if one.endswith("platform.h") else one.removeprefix("lib/").removeprefix("net/") for one in ALLOWED.get(room, ())}
        if set(re.findall(r"`([^`]+)`", told)) != may:
            yield f"docs/ARCHITECTURE.md: {room} may include {' '.join(sorted(may)) or 'nothing'}"


# Headers whose functions are elsewhere: contracts that one of several fills, and tables that a room above fills.
CONTRACTS = ("canvas/scene/playing.h", "canvas/scene/scene.h", "cli/command.h", "lib/net/frames/frames.h",
             "platform/linux/media/tasks.h", "platform/platform.h")
OURS = r"^(?!static|typedef|extern|#)[a-z][\w *]*?\b((?:gw|nd|cv|cli|os|oc)_[a-z0-9_]+)\([^;{}]*\)"
DECLARED, DEFINED = re.compile(OURS + r"[^;{}]*;", re.M), re.compile(OURS + r" \{$", re.M)


def strayed(root):
    """Functions that one room declares and another defines: a way back that includes do not show."""
    declared, defined = {}, {}
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if name.endswith((".c", ".h", ".m")):
                    path = os.path.relpath(os.path.join(base, name), root)
                    with open(os.path.join(root, path), encoding="utf-8") as f:
                        text = f.read()
                    found = DECLARED.findall(text) if name.endswith(".h") else DEFINED.findall(text)
                    for function in found:
                        (declared if name.endswith(".h") else defined).setdefault(function, []).append(path)
    for function, headers in sorted(declared.items()):
        rooms = {os.path.dirname(path) for path in defined.get(function, ())}
        if rooms and not any(os.path.dirname(path) in rooms or path in CONTRACTS for path in headers):
            yield f"{function} is declared in {headers[0]} and defined in {defined[function][0]}"


def untested(root, rooms):
    """Rooms with sources that have neither unit tests in their own folder of tests/unit nor a row that says what else tests them."""
    with open(os.path.join(root, "docs", "ARCHITECTURE.md"), encoding="utf-8") as f:
        rows = dict(re.findall(r"^\| `([a-z/0-9]+)` \| (.+) \|$", f.read().split("\n## Tests\n")[1], re.M))
    rows = {room: re.findall(r"`(tests/[^`]+)`", by) for room, by in rows.items() if room in rooms}
    for room in sorted(rooms):
        has_sources = any(name.endswith((".c", ".m")) for name in os.listdir(os.path.join(root, room)))
        folder = os.path.join(root, "tests", "unit", room)
        has_tests = os.path.isdir(folder) and any(name.endswith("_test.c") for name in os.listdir(folder))
        if has_sources and not has_tests and not rows.get(room):
            yield f"{room}/ has no tests in tests/unit/{room}/ and no row of docs/ARCHITECTURE.md that says what tests it"
        if has_tests and room in rows:
            yield f"docs/ARCHITECTURE.md says that {room}/ has no unit tests, but tests/unit/{room}/ has"
        yield from (f"docs/ARCHITECTURE.md: {path} is not there" for path in rows.get(room, ()) if not os.path.exists(os.path.join(root, path)))


def backwards():
    """The rooms of parts that stand in order that see one below them in the table."""
    for name in ("lib", "platform", *FLOOR):
        order = [room for room in ALLOWED if (room + "/").startswith(name + "/") and name + "/*" not in ALLOWED[room]]
        floor = {f"{name}/{header}" for header in FLOOR.get(name, ())}
        for at, room in enumerate(order):
            for one in ALLOWED[room] - floor:
                there = os.path.dirname(one) if one.endswith(".h") else one
                is_own = there == name or there.startswith(name + "/")
                if is_own and there not in order[:at]:
                    yield f"{room}/ sees {one}, which is not before it in the table"


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    found += backwards()
    found += untested(sys.argv[1], ALLOWED)
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)
