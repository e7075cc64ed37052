"""V4L2 cameras in a virtual machine: v4l2.py OPENCLAW-MEDIA KERNEL-FOLDER.

Most kernels that tests run on have no V4L2. This boots Debian's with the driver vivid, whose two cameras send colour bars, and
asks the helper for a list, pictures and films as the node does: in its sandbox, as a user in the group video, without PipeWire and
without udev. Part of scripts/test --long. scripts/deps vm brings what it needs:

    python3 tests/vm/v4l2.py build/dev/bin/openclaw-media ~/.cache/openclaw-vm/kernel
"""

import array
import ctypes
import errno
import fcntl
import glob
import io
import json
import os
import re
import socket
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback

from sandbox import Archive, add_python, libraries

MODULES = """virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk rc-core cec mc videodev videobuf2-common
videobuf2-v4l2 videobuf2-memops videobuf2-vmalloc videobuf2-dma-contig v4l2-dv-timings v4l2-tpg vivid""".split()
PLUGINS = "app coreelements isomp4 jpeg playback typefindfunctions video4linux2 videoconvertscale videoparsersbad videorate x264".split()
DISK = 64 << 20  # what the guest brings back
VIDEO, USER = 44, 1000
FINIT_MODULE = 313  # of x86-64, as all of these
REQBUFS, QBUF, STREAMON, G_FMT = 0xC0145608, 0xC058560F, 0x40045612, 0xC0D05604

INIT = """#!/bin/sh
export PATH=/usr/bin:/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /tmp
exec python3 /vm/v4l2.py --guest
"""


class Guest:
    """The first and only program in there."""

    def __init__(self):
        self.told, self.captures = {}, {}

    def load(self, path, params=b""):
        """False: another module has to be there first."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        code = ctypes.CDLL(None, use_errno=True).syscall(FINIT_MODULE, fd, params, 0)
        os.close(fd)
        if code != 0 and ctypes.get_errno() != errno.ENOENT:
            raise OSError(ctypes.get_errno(), path)
        return code == 0

    def prepare(self):
        waiting = sorted(glob.glob("/vm/modules/*.ko"))
        while waiting:  # who needs whom differs from kernel to kernel
            left = [path for path in waiting if not self.load(path, b"n_devs=2 node_types=0x1,0x1" if "vivid" in path else b"")]
            if len(left) == len(waiting):
                raise OSError(errno.ENOENT, f"modules that miss a symbol: {left}")
            waiting = left
        for folder in ("/run/home", "/run/user"):
            os.makedirs(folder, mode=0o700)
            os.chown(folder, USER, USER)
        self.give_cameras()

    def give_cameras(self):
        """As udev does."""
        for path in glob.glob("/dev/video*"):
            os.chown(path, 0, VIDEO)
            os.chmod(path, 0o660)

    def start(self, what, params, max_bytes=10**7, groups=(VIDEO,)):
        """As the node does."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.send(json.dumps({"do": what, "params": params, "maxBytes": max_bytes}).encode())
        env = {"PATH": "/usr/bin:/bin", "HOME": "/run/home", "XDG_RUNTIME_DIR": "/run/user"}
        child = subprocess.Popen(["/vm/openclaw-media", "--socket"], stdin=theirs, env=env, cwd="/", user=USER, group=USER,
                                 extra_groups=groups)
        theirs.close()
        ours.settimeout(240)
        return child, ours

    def answer(self, name, child, ours):
        """Keeps it and the capture."""
        text, ancillary, _, _ = ours.recvmsg(128 * 1024, socket.CMSG_LEN(4))
        for _, _, data in ancillary:
            with open(array.array("i", data)[0], "rb") as capture:
                capture.seek(0)
                self.captures[name] = capture.read()
        child.wait(60)
        self.told[name] = json.loads(text or "{}")
        print(name, json.dumps(self.told[name]), flush=True)

    def ask(self, name, what, params, **more):
        self.answer(name, *self.start(what, params, **more))

    def wait_for_stream(self, path):
        """Until nobody else can have buffers."""
        until = time.monotonic() + 60
        with open(path, "r+b", buffering=0) as device:
            while time.monotonic() < until:
                try:
                    fcntl.ioctl(device, REQBUFS, struct.pack("5I", 0, 1, 1, 0, 0))
                except OSError as e:
                    if e.errno == errno.EBUSY:
                        return
                    raise
                time.sleep(0.02)
        raise TimeoutError(f"nobody uses {path}")

    def size_of(self, path):
        """As whoever used it last has set it."""
        with open(path, "r+b", buffering=0) as device:
            told = fcntl.ioctl(device, G_FMT, struct.pack("I204x", 1))
        return list(struct.unpack_from("2I", told, 8))

    def run(self):
        self.prepare()
        self.ask("list", "camera.list", {})
        self.ask("stranger", "camera.list", {}, groups=())
        self.ask("snap", "camera.snap", {"delayMs": 0, "maxWidth": 640})
        self.told["snap size"] = self.size_of("/dev/video0")
        self.ask("large", "camera.snap", {"delayMs": 0})
        self.told["large size"] = self.size_of("/dev/video0")
        self.ask("unknown", "camera.snap", {"deviceId": "/dev/video9"})
        # A low ceiling makes a small film: encoding is what takes long under emulation.
        self.ask("clip", "camera.clip", {"durationMs": 2000, "includeAudio": True}, max_bytes=60000)
        self.told["clip size"] = self.size_of("/dev/video0")
        self.busy()
        self.linked()
        self.unplugged()

    def busy(self):
        with open("/dev/video0", "r+b", buffering=0) as device:
            fcntl.ioctl(device, REQBUFS, struct.pack("5I", 2, 1, 1, 0, 0))
            fcntl.ioctl(device, QBUF, struct.pack("2I52xI24x", 0, 1, 1))
            fcntl.ioctl(device, STREAMON, struct.pack("I", 1))
            self.ask("busy list", "camera.list", {})
            self.ask("busy snap", "camera.snap", {"deviceId": "/dev/video0"})
            self.ask("busy clip", "camera.clip", {"deviceId": "/dev/video0", "durationMs": 500})
            self.ask("other snap", "camera.snap", {"deviceId": "/dev/video1", "delayMs": 0, "maxWidth": 320})
        self.ask("free snap", "camera.snap", {"deviceId": "/dev/video0", "delayMs": 0, "maxWidth": 320})

    def linked(self):
        """The names that udev gives to where a camera is plugged in."""
        os.makedirs("/dev/v4l/by-path")
        os.symlink("../../video1", "/dev/v4l/by-path/platform-vivid.0-video-index0")
        self.ask("linked list", "camera.list", {})
        self.ask("linked snap", "camera.snap", {"deviceId": "/dev/v4l/by-path/platform-vivid.0-video-index0", "delayMs": 0, "maxWidth": 320})

    def unplugged(self):
        waiting = self.start("camera.clip", {"durationMs": 60000}, max_bytes=600000)
        self.wait_for_stream("/dev/video0")
        with open(f"/proc/{waiting[0].pid}/status", encoding="ascii") as f:
            self.told["status"] = dict(re.findall(r"(NoNewPrivs|Seccomp|CapEff):\s*(\w+)", f.read()))
        with open("/sys/bus/platform/drivers/vivid/unbind", "w", encoding="ascii") as f:
            f.write("vivid.0")
        self.answer("unplugged", *waiting)
        self.ask("none", "camera.list", {})

    def report(self):
        self.captures["told.json"] = json.dumps(self.told).encode()
        with open("/dev/vda", "r+b") as disk:
            archive = tarfile.open(fileobj=io.BytesIO(), mode="w")
            for name, data in self.captures.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            archive.close()
            disk.write(archive.fileobj.getvalue())
            disk.flush()
            os.fsync(disk.fileno())


def guest():
    it = Guest()
    try:
        it.run()
    except Exception:  # pylint: disable=broad-except
        it.told["problem"] = traceback.format_exc()
        traceback.print_exc()
    it.report()
    ctypes.CDLL(None).reboot(0x4321FEDC)


class MergedArchive(Archive):
    """GStreamer finds its plugins beside its library, by whichever name: the links of this machine's / are kept."""

    def __init__(self):
        super().__init__()
        for name in ("bin", "lib", "lib64", "sbin"):
            if os.path.islink(f"/{name}"):
                self.add(name, stat.S_IFLNK | 0o777, os.readlink(f"/{name}").encode())

    def file(self, path, name=None):
        super().file(path, name or os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))

    def program(self, path, name=None):
        self.file(path, name)
        for library in libraries(path):
            self.file(library)


def initrd(path, helper, kernel):
    archive = MergedArchive()
    for name in ("proc", "sys", "dev", "run", "tmp", "etc"):
        archive.add(name, stat.S_IFDIR | 0o755)
    for program in ("/bin/sh", "/bin/mount", "/usr/bin/python3"):
        archive.program(program)
    add_python(archive)
    archive.program(helper, "vm/openclaw-media")
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("v4l2.py", "sandbox.py"):
        archive.file(os.path.join(here, name), f"vm/{name}")
    (folder,) = [os.path.join(os.path.dirname(lib), "gstreamer-1.0") for lib in libraries(helper) if "/libgstreamer-1.0" in lib]
    for name in PLUGINS:
        archive.program(os.path.join(folder, f"libgst{name}.so"))
    for i, name in enumerate(MODULES):
        (module,) = glob.glob(f"{kernel}/lib/modules/*/kernel/**/{name}.ko", recursive=True)
        archive.file(module, f"vm/modules/{i:03}-{name}.ko")
    archive.add("init", stat.S_IFREG | 0o755, INIT.encode())
    archive.write(path)


def boot(scratch, kernel):
    """Gives what the guest said on its console."""
    disk = os.path.join(scratch, "disk")
    with open(disk, "wb") as f:
        f.truncate(DISK)
    argv = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1500", "-nographic", "-no-reboot",
            "-nic", "none", "-kernel", glob.glob(f"{kernel}/boot/vmlinuz-*")[0], "-initrd", os.path.join(scratch, "initrd"),
            "-append", "console=ttyS0 quiet panic=-1 rdinit=/init", "-drive", f"file={disk},if=virtio,format=raw"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=1500, check=False)
    said = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|[^\n -~]", "", (done.stdout + done.stderr).decode("utf-8", "replace"))
    try:
        with tarfile.open(disk, "r:") as archive:
            archive.extractall(scratch)
    except tarfile.TarError:
        sys.exit(said[-4000:])
    return said


def colours(path):
    """Of the first picture in eight places from left to right, below what vivid writes into it."""
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", "scale=320:180", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
                          "rgb24", "-"], capture_output=True, check=True).stdout
    return [tuple(raw[(150 * 320 + 20 + 40 * i) * 3:][:3]) for i in range(8)]


def check_bars(path):
    seen = colours(path)
    # White, yellow, cyan, green, magenta, red, blue, black: how much red, green and blue each has.
    bars = ["".join("rgb"[i] for i in range(3) if c[i] > 100) for c in seen]
    assert bars == ["rgb", "rg", "gb", "g", "rb", "r", "b", ""], f"{path}: {seen}"


def refused(answer, wanted):
    assert answer["ok"] is False and re.search(wanted, answer["message"]), answer
    assert answer["message"].startswith(answer["code"]), answer


def judge(scratch):
    with open(os.path.join(scratch, "told.json"), encoding="utf-8") as f:
        told = json.load(f)
    assert "problem" not in told, told["problem"]
    both = [{"id": f"/dev/video{i}", "name": "vivid", "deviceType": "v4l2"} for i in (0, 1)]
    assert told["list"]["result"]["devices"] == told["busy list"]["result"]["devices"] == both, told["list"]
    refused(told["stranger"], r"^CAMERA_PERMISSION_REQUIRED: /dev/video\d is not for this user; sudo usermod -aG video")
    assert told["snap"]["result"] == {"format": "jpg", "width": 640, "height": 480}, told["snap"]
    # vivid is like most: 3840x2160 at 2 pictures a second, 1920x1080 at 5, 1280x720 at 12.5, 640x480 at 25.
    assert told["large"]["result"] == {"format": "jpg", "width": 1600, "height": 900} and told["large size"] == [1920, 1080], told["large"]
    assert told["snap size"] == told["clip size"] == [640, 480], (told["snap size"], told["clip size"])
    refused(told["unknown"], "^CAMERA_UNAVAILABLE: there is no camera '/dev/video9'")
    film = told["clip"]["result"]
    assert film["hasAudio"] is False and 1900 <= film["durationMs"] <= 2100, film
    refused(told["busy snap"], "^CAMERA_UNAVAILABLE: it is in use by another program")
    refused(told["busy clip"], "^CAMERA_UNAVAILABLE: it is in use by another program")
    assert told["status"] == {"CapEff": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}, told["status"]
    link = "/dev/v4l/by-path/platform-vivid.0-video-index0"
    assert [d["id"] for d in told["linked list"]["result"]["devices"]] == ["/dev/video0", link], told["linked list"]
    refused(told["unplugged"], "^CAMERA_UNAVAILABLE: .*: it was unplugged$")
    refused(told["none"], "^CAMERA_UNAVAILABLE: no V4L2 camera, and no PipeWire in this session")
    for name in ("snap", "large", "clip", "other snap", "free snap", "linked snap"):
        assert told[name]["ok"], told[name]
        check_bars(os.path.join(scratch, name))
    seconds = float(subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
                                    os.path.join(scratch, "clip")], capture_output=True, check=True).stdout)
    assert 1.6 <= seconds <= 2.1, f"the film has {seconds} s"  # emulated on a busy machine it loses its first frames


def main():
    if sys.argv[1] == "--guest":
        guest()
        return
    helper, kernel = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        initrd(os.path.join(scratch, "initrd"), os.path.abspath(helper), kernel)
        print(boot(scratch, kernel)[-3000:])
        judge(scratch)
    print("ok")


if __name__ == "__main__":
    main()
