"""What a canvas program that was taken over could do: tried from inside (probe.c), while it goes on drawing."""

import base64
import ctypes
import errno
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from wire import Canvas

FOLDER, PROBE, FONTS = os.path.dirname(sys.argv[1]), sys.argv[2], os.path.join(os.path.dirname(__file__), "fonts.conf")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="red"/></svg>'
PAGE = ('{"surfaceUpdate":{"surfaceId":"s","components":[{"id":"c","component":{"Column":{"children":{"explicitList":["t","i"]}}}},'
        '{"id":"t","component":{"Text":{"text":{"literalString":"Hello"}}}},'
        '{"id":"i","component":{"Image":{"url":{"literalString":"data:image/svg+xml;base64,%s"}}}}]}}\n'
        '{"beginRendering":{"surfaceId":"s","root":"c"}}\n') % base64.b64encode(SVG).decode()


def landlock():
    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)


def status(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


class Sandboxed(Canvas):
    """A canvas program in a home of its own, with the probe in it."""

    def __init__(self, name, work):
        self.work, self.state = work, os.path.join(work, "home", ".openclaw")
        os.makedirs(os.path.join(self.state, "canvas"))
        os.mkdir(os.path.join(work, "run"), 0o700)
        for secret in ("token", "canvas/page.png"):
            with open(os.path.join(self.state, secret), "w", encoding="utf-8") as f:
                f.write("SECRET")
        self.reads = [os.path.join(self.state, "token"), os.path.join(self.state, "canvas/page.png"), "/etc/passwd"]
        self.writes = [os.path.join(self.state, "token"), os.path.join(work, "home", ".bashrc"), os.path.join(work, "file")]
        self.log = os.path.join(work, "log")
        os.environ.update(HOME=os.path.join(work, "home"), XDG_RUNTIME_DIR=os.path.join(work, "run"), LD_PRELOAD=PROBE,
                          OC_PROBE_READ=":".join(self.reads + ["/usr/bin/env"]), OC_PROBE_WRITE=":".join(self.writes))
        with open(self.log, "wb") as log:
            super().__init__(os.path.join(FOLDER, name), FONTS, "--root", os.path.join(self.state, "canvas"), stderr=log)
        os.environ.pop("LD_PRELOAD")

    def probe(self):
        """What was tried, and the error that it ended with."""
        os.kill(self.process.pid, signal.SIGUSR1)
        while True:
            self.ask("eval", {"javaScript": "document.title"})  # the answer comes after the signal was taken
            with open(self.log, encoding="utf-8") as f:
                lines = [line.split()[1:] for line in f if line.startswith("probe ")]
            if lines and lines[-1][0] == "end":
                return {(what, about): int(number) for what, about, number in lines}

    def draws(self):
        self.ask("push", {}, PAGE.encode())
        _, picture = self.ask("snapshot", {"format": "png"})
        assert picture.startswith(b"\x89PNG") and len(picture) > 1000, len(picture)
        return picture

    def starter(self):
        """The process that starts the web program, or None."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as f:
            for pid in f.read().split():
                with open(f"/proc/{pid}/comm", encoding="utf-8") as comm:
                    if comm.read() == "openclaw-starts\n":
                        return int(pid)
        return None


def check_walls(canvas, is_alone):
    before = canvas.draws()
    got = canvas.probe()
    now = status(canvas.process.pid)
    assert (now["NoNewPrivs"], now["Seccomp"], now["CapEff"].strip("0")) == ("1", "2", ""), now
    assert got["trace", "-"] == errno.EPERM and got["mode", "-"] == errno.EPERM and got["internet", "-"] == errno.EACCES, got
    assert got["local", "-"] == (errno.EACCES if is_alone else 0), got
    abi = landlock()
    if abi >= 1:
        secrets = canvas.reads if is_alone else canvas.reads[:-1]
        assert [got["read", path] for path in secrets] == [errno.EACCES] * len(secrets), got
        assert [got["write", path] for path in canvas.writes] == [errno.EACCES] * len(canvas.writes), got
    if abi >= 6 and is_alone:
        assert got["signal", "-"] == errno.EPERM, got
    assert got["read", "/usr/bin/env"] == 0, got
    assert canvas.draws() == before


def check_starter(canvas):
    """It holds nothing of the canvas program, and does not outlive it."""
    pid = canvas.starter()
    if not os.path.exists(os.path.join(FOLDER, "openclaw-web")):
        assert pid is None
        return
    files = {fd: os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
    assert set(files) == {"0", "1", "2", "3"} and files["0"] == "/dev/null" and files["3"].startswith("socket:"), files
    end = os.pidfd_open(pid)
    canvas.process.kill()
    canvas.process.wait()
    assert select.select([end], [], [], 60)[0], "it is still there"
    os.close(end)


def run(name, is_alone):
    work = tempfile.mkdtemp(prefix="oc-sandbox-")
    try:
        with Sandboxed(name, work) as canvas:
            check_walls(canvas, is_alone)
            check_starter(canvas)
    finally:
        shutil.rmtree(work)
    print(f"{name}: ok", flush=True)


def by_hand(what, *options):
    """`render` and `check` draw in the same sandbox: probed while they wait for a picture."""
    work = tempfile.mkdtemp(prefix="oc-sandbox-")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        page, secret = os.path.join(work, "page.jsonl"), os.path.join(work, "secret")
        for path, text in ((page, PAGE.replace("data:image/svg+xml;base64,", "https://pictures.example/")), (secret, "SECRET")):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        env = {**os.environ, "LD_PRELOAD": PROBE, "FONTCONFIG_FILE": FONTS, "OC_PROBE_READ": f"{secret}:{page}:/usr/bin/env",
               "OC_PROBE_WRITE": os.path.join(work, "new")}
        with subprocess.Popen([os.path.join(FOLDER, "openclaw-canvas"), what, page, "--pictures-fd", str(theirs.fileno()),
                               *(o.replace("WORK", work) for o in options)],
                              env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[theirs.fileno()], text=True) as process:
            theirs.close()
            url = json.loads(ours.recv(65536))["event"]["wanted"]
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as f:
                drawer, = map(int, f.read().split())
            os.kill(drawer, signal.SIGUSR1)
            got = {}
            while ("end", "-") not in got:
                _, kind, about, number = process.stderr.readline().split()
                got[kind, about] = int(number)
            now = status(drawer)
            assert (now["NoNewPrivs"], now["Seccomp"], now["CapEff"].strip("0")) == ("1", "2", ""), now
            assert got["internet", "-"] == got["local", "-"] == errno.EACCES and got["trace", "-"] == errno.EPERM, got
            if landlock() >= 1:
                assert got["read", secret] == got["read", page] == got["write", os.path.join(work, "new")] == errno.EACCES, got
            assert got["read", "/usr/bin/env"] == 0, got
            ours.send(json.dumps({"params": {"url": url, "error": "none"}}).encode())
            out, _ = process.communicate()
            assert process.returncode == 0 and out, (process.returncode, out)
        if what == "render":
            with open(os.path.join(work, "page.png"), "rb") as f:
                assert f.read(4) == b"\x89PNG"
    finally:
        ours.close()
        shutil.rmtree(work)
    print(f"{what}: ok", flush=True)


def main():
    run("openclaw-canvas", True)
    by_hand("render", "--dump", "list", "--out", "WORK/page.png")
    by_hand("check")
    if not os.path.exists(os.path.join(FOLDER, "openclaw-canvas-window")) or not shutil.which("Xvfb"):
        return
    r, w = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(w), "-screen", "0", "1280x900x24"], pass_fds=[w], stderr=subprocess.DEVNULL) as x:
        os.close(w)
        os.environ.update(DISPLAY=":" + os.read(r, 16).decode().strip(), GDK_BACKEND="x11", GTK_A11Y="none", GSETTINGS_BACKEND="memory")
        os.environ.pop("WAYLAND_DISPLAY", None)
        os.environ.pop("DBUS_SESSION_BUS_ADDRESS", None)
        try:
            run("openclaw-canvas-window", False)
        finally:
            x.terminate()


main()
