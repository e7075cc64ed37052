"""Makes the Debian packages and looks into them: a server can have `openclaw` without any desktop library, the helpers come by
themselves and are found where their packages put them.

check_packages.py <build folder>
"""

import os
import subprocess
import sys
import tempfile

FOREIGN = ("glib", "gstreamer", "pipewire", "gtk", "notify", "wayland", "x11", "cairo", "pango", "webkit", "rsvg")
# What each brings; openclaw-canvas is for servers too, so that one brings no desktop and no browser.
HELPERS = {"openclaw-media": ("openclaw-media",), "openclaw-desktop": ("openclaw-desktop",),
           "openclaw-canvas": ("openclaw-canvas", "openclaw-canvas-svg"),
           "openclaw-canvas-window": ("openclaw-canvas-window",), "openclaw-web": ("openclaw-web",)}
NOT_ON_SERVERS = ("gtk-4", "webkit", "wayland", "gstreamer")


def run(*args, **kw):
    return subprocess.run(args, check=True, capture_output=True, text=True, **kw).stdout


def main(build):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        run("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder)
        made = {name.split("_")[0]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb")}
        if sorted(made) != sorted(("openclaw", *HELPERS)):
            return [f"made {sorted(made)}"]
        needs = run("dpkg-deb", "-f", made["openclaw"], "Depends").lower()
        problems += [f"openclaw depends on {word}: {needs}" for word in FOREIGN if word in needs]
        frames = {word: f"lib{word}" in needs for word in ("wslay", "websockets")}
        if frames != {"wslay": True, "websockets": False}:
            problems.append(f"openclaw should depend on wslay for its frames: {needs}")
        needs = run("dpkg-deb", "-f", made["openclaw-canvas"], "Depends").lower()
        problems += [f"openclaw-canvas depends on {word}: {needs}" for word in NOT_ON_SERVERS if word in needs]
        root = os.path.join(folder, "root")
        run("dpkg-deb", "-x", made["openclaw"], root)
        program = os.path.join(root, "usr/bin/openclaw")
        if not run(program, "--version").strip():
            problems.append("the packaged openclaw says nothing")
        for package, programs in HELPERS.items():
            run("dpkg-deb", "-x", made[package], root)
            for program in programs:
                path = os.path.join(root, "usr/libexec/openclaw", program)
                if not os.access(path, os.X_OK):
                    problems.append(f"{package} has no {program}")
                elif program != "openclaw-canvas-svg" and program not in run(path, "--help"):
                    problems.append(f"the packaged {program} has no help")
    return problems


if __name__ == "__main__":
    found = main(sys.argv[1])
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)
