"""What people download, installed where nothing else is: packages in clean systems of Debian 12 and 13, the tarball, packages for
Fedora in a root of their own, the container file. Run by scripts/test --long packages; needs root, debootstrap, rpm and buildah
(scripts/deps packages).

packages.py [debian-12] [debian-13] [bytes] [rpm] [tarball] [container]        only these

Of each release of Debian there is a small system in ~/.cache/openclaw-packages, made once; every test works on a copy. In those the
tree is built as the release is: the packages fit the release that they were built on.
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.expanduser("~/.cache/openclaw-packages")
SUITES = {"debian-12": "bookworm", "debian-13": "trixie"}
# What apt, dpkg and useradd keep for themselves.
THEIRS = re.compile(r"^(var/(lib/(dpkg|apt|systemd|pam|ucf)|cache|log|backups)|etc/(ld\.so\.cache|(sub)?[ug]id-?$|passwd-?$|shadow-?$|group-?$|"
                    r"gshadow-?$|\.pwd\.lock|resolv\.conf)|tmp|proc|dev|run|root/\.)")
# Of the parts of the programs that Fedora's packages have.
FEDORA = {"openclaw": {"cjson", "openssl-libs", "wslay"}, "openclaw-canvas": {"cairo", "pango", "libjpeg-turbo"},
          "openclaw-media": {"gstreamer1", "pipewire-libs"}, "openclaw-desktop": {"glib2", "libnotify"},
          "openclaw-canvas-window": {"gtk4"}, "openclaw-web": {"webkitgtk6.0", "bubblewrap"}, "openclaw-full": set()}


def say(text):
    print(f"== {text}", flush=True)


def run(*args, **kw):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **kw)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(args)} ended with {done.returncode}:\n{done.stdout[-6000:]}")
    return done.stdout


def check(condition, text):
    if not condition:
        raise RuntimeError(text)


def inside(root, script, *args, env=None):
    """Runs a shell script in a root, with processes of its own: all of them end with it."""
    boot = ("mount -t proc proc \"$0/proc\"; mount --rbind /dev \"$0/dev\"; mount -t tmpfs tmpfs \"$0/run\"; "
            "exec chroot \"$0\" /bin/sh -euc \"$@\"")
    shutil.copy("/etc/resolv.conf", os.path.join(root, "etc/resolv.conf"))
    clean = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
             "DEBIAN_FRONTEND": "noninteractive", **{k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")}, **(env or {})}
    return run("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "sh", "-euc", boot, root, script,
               "sh", *args, env=clean)


def base(suite):
    """The smallest system of a release, made once."""
    root = os.path.join(CACHE, suite)
    if not os.path.exists(root):
        say(f"debootstrap {suite}")
        os.makedirs(CACHE, exist_ok=True)
        work = tempfile.mkdtemp(dir=CACHE)
        run("debootstrap", "--variant=minbase", suite, os.path.join(work, "root"))
        os.rename(os.path.join(work, "root"), root)
        os.rmdir(work)
    return root


def copy_of(root, folder, name):
    to = os.path.join(folder, name)
    run("cp", "-a", "--reflink=auto", root, to)
    return to


def put_tree(root, place):
    """The tree without what was built, as a clone has it."""
    to = os.path.join(root, place.lstrip("/"))
    os.makedirs(to)
    run("bash", "-euo", "pipefail", "-c", 'git ls-files -zco --exclude-standard | tar --null -T - -cf - | tar -C "$0" -xf -', to, cwd=ROOT)


BUILD = """
cd "$1"
cmake --preset release -DOC_PACKAGE_REVISION="$2" >/dev/null
cmake --build --preset release >/tmp/build.log || { tail -n 40 /tmp/build.log; exit 1; }
umask 022 # the archive's own mode follows it, as in scripts/release
cpack --config build/release/CPackConfig.cmake -B "$3" >/tmp/cpack.log || { cat /tmp/cpack.log; exit 1; }
rm -rf "$3/_CPack_Packages"
"""


def build(suite, folder):
    """The packages of the core and of the canvas without a window, in a system of that release, twice: revisions 1 and 2."""
    root = copy_of(base(suite), folder, suite + "-build")
    put_tree(root, "/usr/src/openclaw")
    say(f"{suite}: packages that are needed to build")
    inside(root, "/usr/src/openclaw/scripts/deps canvas")
    say(f"{suite}: build")
    for revision in ("1", "2"):
        inside(root, BUILD, "/usr/src/openclaw", revision, f"/packages/{revision}")
    return root


def files_of(root):
    found = set()
    for folder, folders, names in os.walk(root):
        at = os.path.relpath(folder, root)
        folders[:] = [f for f in folders if not THEIRS.match(os.path.normpath(os.path.join(at, f)))]
        found |= {os.path.normpath(os.path.join(at, n)) for n in names + folders}
    return {f for f in found if not THEIRS.match(f)}


# A user who has nothing but what the package gives them. $1: version, of the package that is installed first; $2: of the second.
LIFE = r"""
as() { setpriv --reuid=2000 --regid=2000 --clear-groups env -i HOME=/home/ada PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"; }
wait_for() { i=0; until "$@" >/dev/null 2>&1; do i=$((i + 1)); [ $i -lt 300 ] || { echo "timed out: $*"; cat /home/ada/*.log; exit 1; }; sleep 0.1; done; }
connected() { as openclaw nodes status --connected --json | grep -q '"connected": true'; }
apt-get update -qq
mkdir -p /home/ada && chown 2000:2000 /home/ada && chmod 700 /home/ada
apt-get install -y -qq --no-install-recommends /packages/1/openclaw_*.deb
ip link set lo up 2>/dev/null || true

as sh -c 'openclaw gateway run >/home/ada/gateway.log 2>&1 & echo $! >/home/ada/gateway.pid'
wait_for as openclaw gateway health
as sh -c 'openclaw node run --display-name box >/home/ada/node.log 2>&1 & echo $! >/home/ada/node.pid'
wait_for connected
as openclaw nodes approve --yes
as openclaw approvals allowlist add /usr/bin/uname
echo "ran: $(as openclaw nodes run --node box -- uname -s)"
man_page=$(zcat /usr/share/man/man1/openclaw.1.gz | head -n 2 | tail -n 1) && echo "$man_page"

before=$(find /home -newer /home/ada/node.pid | sort | cksum)
touch /home/mark
apt-get install -y -qq --no-install-recommends /packages/2/openclaw_*.deb
echo "upgraded to: $(dpkg-query -W -f '${Version}' openclaw)"
kill -0 "$(cat /home/ada/gateway.pid)" "$(cat /home/ada/node.pid)"
echo "ran after the upgrade: $(as openclaw nodes run --node box -- uname -s)"

apt-get install -y -qq --no-install-recommends /packages/2/openclaw-canvas_*.deb
as openclaw canvas render /usr/src/hello.jsonl --out /home/ada/hello.png
head -c 8 /home/ada/hello.png | od -An -c | head -n 1

kill "$(cat /home/ada/node.pid)" "$(cat /home/ada/gateway.pid)"
wait_for sh -c '! kill -0 $(cat /home/ada/gateway.pid) 2>/dev/null && ! kill -0 $(cat /home/ada/node.pid) 2>/dev/null'
as openclaw purge --yes
ls -A /home/ada
dpkg --purge openclaw-canvas openclaw
apt-get autoremove -y -qq --purge
dpkg -l | grep openclaw || echo "no package is left"
"""


def debian(suite, folder):
    built = build(suite, folder)
    number = "12" if suite == "bookworm" else "13"
    names = sorted(os.listdir(os.path.join(built, "packages/1")))
    check(all(f"~deb{number}" in name for name in names), f"packages of {suite}: {names}")
    check({n.split("_")[0] for n in names} == {"openclaw", "openclaw-canvas"}, f"packages of {suite}: {names}")
    root = copy_of(base(suite), folder, suite + "-clean")
    before = files_of(root)
    shutil.copytree(os.path.join(built, "packages"), os.path.join(root, "packages"))
    shutil.copy(os.path.join(ROOT, "examples/canvas/hello.jsonl"), os.path.join(root, "usr/src/hello.jsonl"))
    say(f"{suite}: install, use, upgrade, purge")
    said = inside(root, LIFE)
    for part in ("ran: Linux\n", ".Dt OPENCLAW 1", f"-2~deb{number}\n", "these processes still run the old version",
                 "ran after the upgrade: Linux\n", "211   P   N   G", "Removed.", "openclaw purge", "no package is left"):
        check(part in said, f"{suite}: '{part}' is missing:\n{said}")
    left = {f for f in files_of(root) - before if not re.match(r"packages|usr/src/hello|home(/mark|/ada(/(gateway|node)\.(log|pid)|/hello\.png)?)?$", f)}
    check(not left, f"{suite}: left behind: {sorted(left)[:50]}")
    check(before <= files_of(root), f"{suite}: gone: {sorted(before - files_of(root))[:50]}")
    return built


def same_bytes(folder):
    """Two builds, in places, times, languages and with umasks of their own: the same packages."""
    root = copy_of(base("bookworm"), folder, "bytes")
    for place in ("/usr/src/openclaw", "/home/somebody/a longer place"):
        put_tree(root, place)
    inside(root, "/usr/src/openclaw/scripts/deps canvas")
    sums = []
    for place, prefix in (("/usr/src/openclaw", "umask 022; export TZ=UTC;"),
                          ("/home/somebody/a longer place", "umask 027; export TZ=Asia/Tokyo USER=x;")):
        say(f"build in {place}")
        inside(root, prefix + BUILD, place, "1", f"/out{len(sums)}")
        made = glob.glob(os.path.join(root, f"out{len(sums)}", "*.deb"))
        sums.append({os.path.basename(p): hashlib.sha256(open(p, "rb").read()).hexdigest() for p in made})
    check(sums[0] and sums[0] == sums[1], f"two builds differ:\n{sums[0]}\n{sums[1]}")


def release(*what):
    say(f"scripts/release {' '.join(what)}")
    run(os.path.join(ROOT, "scripts/release"), "--unsigned", *what)
    dist = os.path.join(ROOT, "build/dist")
    run("sha256sum", "-c", "SHA256SUMS", cwd=dist)
    return dist


# In a root that has nothing but the programs, the libraries of this machine, and a place for state.
ALONE = r"""
set -eu
openclaw gateway run >/state/gateway.log 2>&1 & gateway=$!
i=0; until openclaw gateway health >/dev/null 2>&1; do i=$((i + 1)); [ $i -lt 300 ] || { cat /state/gateway.log; exit 1; }; sleep 0.1; done
openclaw node run --display-name box >/state/node.log 2>&1 & node=$!
i=0; until openclaw nodes status --connected --json | grep -q '"connected": true'; do i=$((i + 1)); [ $i -lt 300 ] || { cat /state/node.log; exit 1; }; sleep 0.1; done
openclaw nodes approve --yes
openclaw approvals allowlist add /usr/bin/uname
echo "ran: $(openclaw nodes run --node box -- uname -s)"
kill $node $gateway
wait
"""


def rpm(folder):
    dist = release("rpm")
    made = {re.match(r"(openclaw(?:-[a-z]+)*)-\d", os.path.basename(p))[1]: p for p in glob.glob(os.path.join(dist, "*.rpm"))}
    check(set(made) == set(FEDORA), f"made {sorted(made)}")
    for name, path in made.items():
        needs = {line.split()[0] for line in run("rpm", "-qp", "--requires", path).splitlines()}
        check(FEDORA[name] <= needs, f"{name} requires {sorted(needs)}")
        strange = [n for n in needs if re.match(r"lib[a-z0-9.+-]+[0-9]$", n) and n != "librsvg2" or "cmark" in n or "utf8proc.so" in n or "sqlite3.so" in n]
        check(not strange, f"{name} requires what Fedora has not: {strange}")
    root = os.path.join(folder, "rpm")
    os.makedirs(os.path.join(root, "state"))
    for path in made.values():
        run("sh", "-euc", 'rpm2cpio "$1" | (cd "$2" && cpio -id --quiet)', "sh", path, root)
    # Sbin and lib of a merged /usr, as Fedora has it.
    jail = ["bwrap", "--bind", root, "/", "--ro-bind", "/usr/lib", "/usr/lib", "--ro-bind", "/usr/lib64", "/usr/lib64", "--symlink",
            "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--dev", "/dev", "--proc", "/proc",
            "--tmpfs", "/tmp", "--unshare-pid", "--unshare-net", "--die-with-parent", "--clearenv", "--setenv", "HOME", "/state",
            "--setenv", "PATH", "/usr/bin"]
    for tool in ("sh", "sleep", "grep", "uname", "cat"):
        jail += ["--ro-bind", os.path.realpath(shutil.which(tool)), f"/usr/bin/{tool}"]
    say("rpm: unpacked, in a root of its own")
    said = run(*jail, "/bin/sh", "-c", ALONE)
    check("ran: Linux\n" in said, said)


def tarball(folder):
    dist = release("tarball")
    (path,) = glob.glob(os.path.join(dist, "*.tar.gz"))
    for suite in SUITES.values():
        root = copy_of(base(suite), folder, suite + "-tarball")
        shutil.copy(path, os.path.join(root, "tmp/openclaw.tar.gz"))
        say(f"tarball in {suite}")
        said = inside(root, r"""
            apt-get update -qq; apt-get install -y -qq --no-install-recommends libssl3 >/dev/null
            mkdir -p /state /home/ada; chown 2000:2000 /state /home/ada
            cat >/state/life
            cat >/state/run <<'R'
            set -eu
            cd /state && tar xzf /tmp/openclaw.tar.gz && openclaw-*/install.sh
            export PATH=$HOME/.local/bin:$PATH
            ldd ~/.local/bin/openclaw
            sh /state/life
            openclaw purge --yes
            openclaw-*/install.sh --uninstall
            find ~ -type f
R
            setpriv --reuid=2000 --regid=2000 --clear-groups env -i HOME=/home/ada PATH=/usr/bin:/bin LANG=C.UTF-8 sh /state/run
            """.replace("cat >/state/life", "cat >/state/life <<'L'\n" + ALONE + "L"))
        check("ran: Linux\n" in said and "Installed" in said and "Removed openclaw from /home/ada/.local" in said, said)
        linked = set(re.findall(r"^\s*(lib[a-z0-9+_-]+)\.so", said, re.M))
        check(linked <= {"libc", "libm", "libssl", "libcrypto", "libcjson", "libwslay", "libz", "libzstd"}, f"links {sorted(linked)}")
        check(not re.search(r"^/home/ada/", said.split("Removed openclaw from")[1], re.M), said[-2000:])


def container(folder):
    """The container file, built on a root of ours instead of an image from elsewhere, and run."""
    store = os.path.join(folder, "containers")
    buildah = ["buildah", "--root", store, "--runroot", os.path.join(folder, "containers-run"), "--storage-driver", "vfs"]
    base_root = base("bookworm")
    say("container: the base")
    work = run(*buildah, "from", "scratch").strip().splitlines()[-1]
    archive = os.path.join(folder, "base.tar")
    run("tar", "-C", base_root, "--exclude=./dev/*", "-cf", archive, ".")
    run(*buildah, "add", work, archive, "/")
    run(*buildah, "commit", work, "localhost/openclaw-base")
    tree = os.path.join(folder, "tree")
    os.mkdir(tree)
    put_tree(tree, "/src")
    say("container: build")
    run(*buildah, "build", "--isolation", "chroot", "--network", "host", "--build-arg", "BASE=localhost/openclaw-base", "-t", "openclaw", "-f",
        os.path.join(tree, "src/packaging/Containerfile"), os.path.join(tree, "src"))
    say("container: run")
    work = run(*buildah, "from", "localhost/openclaw").strip().splitlines()[-1]
    told = run(*buildah, "inspect", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}", work)
    check(told.strip() == "openclaw [openclaw] [gateway run --bind lan]", told)
    said = run(*buildah, "run", "--isolation", "chroot", work, "sh", "-c", ALONE.replace("/state/", "/var/lib/openclaw/").replace(
        "gateway run", "gateway run --bind lan") + "\nid -u\nls -ld /var/lib/openclaw")
    check("ran: Linux\n" in said and "\n10001\n" in said and "drwx------" in said, said)


def main(wanted):
    check(os.geteuid() == 0, "only root makes systems")
    tests = {"debian-12": lambda f: debian("bookworm", f), "debian-13": lambda f: debian("trixie", f), "bytes": same_bytes, "rpm": rpm,
             "tarball": tarball, "container": container}
    bad = 0
    for name in wanted or tests:
        since = time.monotonic()
        folder = tempfile.mkdtemp(prefix="openclaw-packages-", dir="/var/tmp")
        try:
            tests[name](folder)
            print(f"ok {name} ({time.monotonic() - since:.0f} s)", flush=True)
        except RuntimeError as failure:
            bad += 1
            print(f"FAILED {name}: {failure}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
