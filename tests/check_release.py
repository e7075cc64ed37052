"""Checks that nothing made for tests is in what people run, that it links none of the helper programs' libraries, and one library
for WebSocket frames: the one that was chosen.

check_release.py <root> <binary> <ON|OFF> <wslay|libwebsockets>: the presets leave the echo endpoint out of releases, and the given
binary has it exactly when the option says so (otherwise the search below would prove nothing). check_release.py <binary>: has none,
and wslay.
"""

import json
import os
import re
import subprocess
import sys

MARK = b"/__test__/"
HELPERS_ONLY = ("libdbus", "libgeoclue", "libgio", "libglib", "libgobject", "libgps", "libgst", "libgtk", "libnotify", "libpipewire",
                "libspa", "libwayland", "libwebkit", "libX11", "libxcb")


def has_mark(path):
    with open(path, "rb") as f:
        return MARK in f.read()


FRAMES = {"wslay": "libwslay.", "libwebsockets": "libwebsockets."}


def library_problems(path, frames):
    """Where there is no readelf the format is another one too."""
    try:
        told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    except OSError:
        return []
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", told)
    if not needed:
        return [f"readelf finds no library in {path}"]
    problems = [f"{path} links {name}, which belongs to a helper program" for name in needed if name.startswith(HELPERS_ONLY)]
    linked = [library for library, start in FRAMES.items() if any(name.startswith(start) for name in needed)]
    if linked != [frames]:
        problems.append(f"{path} should link {frames} for its frames, and links {linked}")
    return problems


def main(args):
    if len(args) == 1:
        return library_problems(args[0], "wslay") + (
            [f"{args[0]} contains the test endpoint {MARK.decode()}"] if has_mark(args[0]) else [])
    root, binary, option, frames = args
    problems = library_problems(binary, frames)
    with open(os.path.join(root, "CMakePresets.json"), encoding="utf-8") as f:
        presets = {p["name"]: p.get("cacheVariables", {}) for p in json.load(f)["configurePresets"]}
    if "OC_WEBSOCKETS" in presets["release"]:
        problems.append("the release has the default frames")
    if presets["release"].get("OC_TEST_ECHO") != "OFF":
        problems.append("the release preset must set OC_TEST_ECHO to OFF")
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as f:
        line = next(line for line in f if line.startswith("option(OC_TEST_ECHO"))
    if not line.rstrip().endswith("OFF)"):
        problems.append("OC_TEST_ECHO must be OFF unless a preset asks for it")
    if has_mark(binary) != (option.upper() == "ON"):
        problems.append(f"OC_TEST_ECHO is {option}, but {binary} says otherwise")
    return problems


found = main(sys.argv[1:])
print("\n".join(found) or "ok")
sys.exit(1 if found else 0)
