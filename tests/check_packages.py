"""Makes the Debian packages and looks into them: a server can have `openclaw` without any desktop library, the helpers come by
themselves and are found where their packages put them, lintian has nothing to complain about, two runs give the same bytes, and the
scripts of packages write nothing. Also what is installed without a package, and removed again.

check_packages.py <build folder>
"""

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOREIGN = ("glib", "gstreamer", "pipewire", "gtk", "notify", "wayland", "x11", "cairo", "pango", "webkit", "rsvg")
# What each brings; openclaw-canvas is for servers too, so that one brings no desktop and no browser.
HELPERS = {"openclaw-media": ("openclaw-media",), "openclaw-desktop": ("openclaw-desktop",),
           "openclaw-canvas": ("openclaw-canvas", "openclaw-canvas-svg"),
           "openclaw-canvas-window": ("openclaw-canvas-window",), "openclaw-web": ("openclaw-web",)}
NOT_ON_SERVERS = ("gtk-4", "webkit", "wayland", "gstreamer")
SHELLS = {"usr/share/bash-completion/completions/openclaw": "complete -F _openclaw openclaw",
          "usr/share/zsh/vendor-completions/_openclaw": "#compdef openclaw",
          "usr/share/fish/vendor_completions.d/openclaw.fish": "complete -c openclaw"}


def run(*args, **kw):
    done = subprocess.run(args, capture_output=True, text=True, check=False, **kw)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(args)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def pack(build, folder, **env):
    run("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder, env={**os.environ, **env})
    return {name.split("_")[0]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb")}


def release_of():
    """What marks packages of this release: "~deb12"."""
    told = dict(re.findall(r'^(ID|VERSION_ID)="?([a-z0-9.]+)', read("/etc/os-release").decode(), re.M))
    return f"~{told['ID'].replace('debian', 'deb')}{told['VERSION_ID']}" if len(told) == 2 else ""


def field(package, name):
    return run("dpkg-deb", "-f", package, name).strip()


def check_needs(made):
    needs = field(made["openclaw"], "Depends").lower()
    problems = [f"openclaw depends on {word}: {needs}" for word in FOREIGN if word in needs]
    frames = {word: f"lib{word}" in needs for word in ("wslay", "websockets")}
    if frames != {"wslay": True, "websockets": False}:
        problems.append(f"openclaw should depend on wslay for its frames: {needs}")
    needs = field(made["openclaw-canvas"], "Depends").lower()
    problems += [f"openclaw-canvas depends on {word}: {needs}" for word in NOT_ON_SERVERS if word in needs]
    version = field(made["openclaw"], "Version")
    if not version.endswith(release_of()):
        problems.append(f"{version} does not say for which release it was built: {release_of()}")
    whole = field(made["openclaw-full"], "Depends")
    problems += [f"openclaw-full should depend on {name} (= {version}): {whole}" for name in ("openclaw", *HELPERS)
                 if f"{name} (= {version})" not in whole]
    return problems


def check_programs(made, root):
    """All unpacked into one root, as installed."""
    problems = []
    for package in made.values():
        run("dpkg-deb", "-x", package, root)
    if not run(os.path.join(root, "usr/bin/openclaw"), "--version").strip():
        problems.append("the packaged openclaw says nothing")
    for package, programs in HELPERS.items():
        for program in programs:
            path = os.path.join(root, "usr/libexec/openclaw", program)
            if not os.access(path, os.X_OK):
                problems.append(f"{package} has no {program}")
            elif program != "openclaw-canvas-svg" and program not in run(path, "--help"):
                problems.append(f"the packaged {program} has no help")
    return problems


def check_documents(root):
    problems = []
    manual = gzip.decompress(read(root, "usr/share/man/man1/openclaw.1.gz"))
    if manual != read(ROOT, "docs/openclaw.1"):
        problems.append("the packaged manual page is another one")
    for path, mark in SHELLS.items():
        if mark not in read(root, path).decode():
            problems.append(f"{path} has no '{mark}'")
    bash, zsh, fish = (os.path.join(root, path) for path in SHELLS)
    run("bash", "-n", bash)
    run("fish", "-n", fish)
    # As zsh does at the first Tab: the file is the function.
    first = run("zsh", "-fc", 'fpath=($1); autoload -Uz _openclaw; compadd() { print -- $@ }; words=(openclaw x); CURRENT=2; _openclaw', "zsh",
                os.path.dirname(zsh))
    if " gateway " not in first:
        problems.append(f"zsh completes at first: {first!r}")
    entries = os.path.join(root, "usr/share/applications")
    for name in ("openclaw.desktop", "openclaw-canvas-window.desktop"):
        run("desktop-file-validate", os.path.join(entries, name))
        icon = re.search(r"^Icon=(.+)$", read(entries, name).decode(), re.M)[1]
        xml.etree.ElementTree.parse(os.path.join(root, f"usr/share/icons/hicolor/scalable/apps/{icon}.svg"))
    changes = gzip.decompress(read(root, "usr/share/doc/openclaw/changelog.Debian.gz")).decode()
    if run("dpkg-parsechangelog", "-l", "-", "-S", "Timestamp", input=changes).strip() == "":
        problems.append("dpkg cannot read the changelog")
    return problems


def contents(package):
    """Of an archive of archives, whose own mode follows the umask."""
    members = run("ar", "t", package).split()
    return [(name, hashlib.sha256(subprocess.run(["ar", "p", package, name], stdout=subprocess.PIPE, check=True).stdout).digest())
            for name in members]


def check_same_bytes(build, made, folder):
    """Another day, another place, another umask: the same packages. And nothing of the place of the build is in the programs."""
    again = os.path.join(folder, "again")
    os.mkdir(again)
    old = os.umask(0o077)
    try:
        second = pack(build, again, TZ="Asia/Tokyo", LC_ALL="C.UTF-8")
    finally:
        os.umask(old)
    problems = [f"{name}: a second run gives other bytes" for name, path in made.items() if contents(path) != contents(second[name])]
    for folder_of, _, names in os.walk(os.path.join(folder, "root")):
        problems += [f"{name} has the path of the tree in it" for name in names if ROOT.encode() in read(folder_of, name)]
    return problems


def check_lintian(made):
    done = subprocess.run(["lintian", "--fail-on", "error", "--tag-display-limit", "0", *made.values()], capture_output=True, text=True,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line[:2] in ("E:", "W:")]
    return lines or ([f"lintian: {done.stdout}{done.stderr}"] if done.returncode else [])


def check_scripts(made, folder):
    """With every file of this machine read-only, each does its work: it has nothing to write."""
    problems = []
    control = os.path.join(folder, "control")
    run("dpkg-deb", "-e", made["openclaw"], control)
    jail = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net", "--setenv", "HOME", "/nowhere"]
    calls = [("postinst", "configure"), ("postinst", "configure", "0.0.1"), ("prerm", "upgrade", "9"), ("prerm", "remove")]
    for script, *args in calls:
        said = run(*jail, os.path.join(control, script), *args)
        if (args == ["remove"]) != ("openclaw purge" in said):
            problems.append(f"{script} {args} says: {said!r}")
    for name, package in made.items():
        scripts = set(os.listdir(run_control(package, os.path.join(folder, "control-" + name)))) & {"preinst", "postinst", "prerm", "postrm"}
        if scripts != ({"postinst", "prerm"} if name == "openclaw" else set()):
            problems.append(f"{name} has scripts: {scripts}")
    return problems


def run_control(package, folder):
    run("dpkg-deb", "-e", package, folder)
    return folder


def files_in(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def check_by_hand(build, root, folder):
    """cmake --install and the target uninstall; install.sh of the tarball and its --uninstall."""
    problems = []
    prefix = os.path.join(folder, "prefix")
    run("cmake", "--install", build, "--prefix", prefix)
    if "bin/openclaw" not in files_in(prefix) or "share/zsh/site-functions/_openclaw" not in files_in(prefix):
        problems.append(f"cmake --install made {files_in(prefix)}")
    mine = os.path.join(prefix, "share/doc/openclaw/notes-of-mine")
    with open(mine, "w", encoding="utf-8") as file:
        file.write("x")
    run("cmake", "--build", build, "--target", "uninstall")
    if files_in(prefix) != ["share/doc/openclaw/notes-of-mine"] or os.path.exists(os.path.join(prefix, "libexec/openclaw")):
        problems.append(f"the target uninstall leaves {files_in(prefix)}")

    tree = os.path.join(folder, "openclaw-0-linux")
    for path in ("bin", "lib/openclaw", "share/man/man1"):
        os.makedirs(os.path.join(tree, path))
    for source, to in (("usr/bin/openclaw", "bin/openclaw"), ("usr/share/man/man1/openclaw.1.gz", "share/man/man1/openclaw.1.gz")):
        run("cp", os.path.join(root, source), os.path.join(tree, to))
    run("cp", os.path.join(ROOT, "packaging/install.sh"), tree)
    home = os.path.join(folder, "home 'x' $y")
    script = os.path.join(tree, "install.sh")
    for _ in range(2):  # over itself, too
        said = run(script, "--prefix", home + "/.local", env={"PATH": os.environ["PATH"], "HOME": home})
        if "Installed" not in said or run(home + "/.local/bin/openclaw", "--version") == "":
            problems.append(f"install.sh says {said}")
    other = os.path.join(home, ".local/share/man/man1/other.1")
    with open(other, "w", encoding="utf-8") as file:
        file.write("x")
    run(script, "--prefix", home + "/.local", "--uninstall", env={"PATH": os.environ["PATH"], "HOME": home})
    if files_in(home) != [".local/share/man/man1/other.1"]:
        problems.append(f"install.sh --uninstall leaves {files_in(home)}")
    # A program that does not run here is not installed.
    with open(os.path.join(tree, "bin/openclaw"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 1\n")
    done = subprocess.run([script, "--prefix", folder + "/not"], capture_output=True, text=True, check=False)
    if done.returncode == 0 or os.path.exists(folder + "/not"):
        problems.append("install.sh installs what does not run")
    return problems


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        first, root = os.path.join(folder, "first"), os.path.join(folder, "root")
        os.mkdir(first)
        made = pack(build, first)
        if sorted(made) != sorted(("openclaw", "openclaw-full", *HELPERS)):
            return [f"made {sorted(made)}"]
        return [*check_needs(made), *check_programs(made, root), *check_documents(root), *check_same_bytes(build, made, folder),
                *check_lintian(made), *check_scripts(made, folder), *check_by_hand(build, root, folder)]


if __name__ == "__main__":
    found = main(sys.argv[1])
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)
