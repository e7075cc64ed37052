"""The sandbox tests on another kernel, in a virtual machine: sandbox.py TEST-BINARY… KERNEL-IMAGE [KERNEL-PARAMETERS].

The kernel of the machine that runs the tests is one of many. This packs the test programs (*_test), a shell, Python and what they
need of this machine's files into an initial file system, boots it with QEMU, and runs them as root and as an ordinary user.
Part of scripts/test --long. scripts/deps vm brings what it needs:

    python3 tests/vm/sandbox.py build/dev/bin/platform_sandbox_*_test ~/.cache/openclaw-vm/kernel/boot/vmlinuz-*
    python3 tests/vm/sandbox.py build/dev/bin/platform_cgroup_test ~/.cache/openclaw-vm/kernel/boot/vmlinuz-*
"""

import glob
import os
import re
import stat
import subprocess
import sys
import tempfile
import zlib

PROGRAMS = ["/bin/sh", "/usr/bin/python3", "/usr/bin/setpriv", "/usr/bin/unshare", "/usr/bin/setsid", "/usr/bin/env",
            "/bin/mount", "/bin/stty", "/usr/bin/id", "/bin/grep"] + [f"/bin/{name}" for name in (
                "cat chmod chown cp cut dd dmesg echo find head id ln ls mkdir mkfifo mktemp mv readlink rm sed seq sleep sort stat tail tee timeout touch tr "
                "true uname wc").split()]

INIT = """#!/bin/sh
export PATH=/usr/bin:/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev; mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /dev/pts /dev/shm; mount -t devpts devpts /dev/pts; mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs /tmp
chmod 1777 /tmp /dev/shm; chmod 666 /dev/null
echo "kernel $(uname -r)"
python3 -c 'import ctypes; print("landlock", ctypes.CDLL(None).syscall(444, None, 0, 1))'
for test in /tests/*; do $test; echo "$test as root: $?"; done
echo ROOT
for test in /tests/*; do setpriv --reuid=65534 --regid=65534 --clear-groups $test; echo "$test as user: $?"; done
echo END
python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321fedc)'
"""


def libraries(path):
    text = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/[^\s]+) \(0x", text)


class Archive:
    """A cpio archive in the one format the kernel reads."""

    def __init__(self):
        self.parts, self.names = [], set()

    def add(self, name, mode, data=b""):
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.add(parent, stat.S_IFDIR | 0o755)
        self.names.add(name)
        encoded = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        head = b"070701" + b"".join(b"%08x" % f for f in fields)
        for part in (head + encoded, data):
            self.parts.append(part + b"\0" * (-len(part) % 4))

    def file(self, path, name=None):
        with open(os.path.realpath(path), "rb") as f:
            self.add((name or path).lstrip("/"), stat.S_IFREG | 0o755, f.read())

    def write(self, path):
        self.add("TRAILER!!!", 0)
        pack = zlib.compressobj(1, wbits=31)
        with open(path, "wb") as f:
            f.write(pack.compress(b"".join(self.parts)) + pack.flush())


def add_python(archive):
    version = "python" + subprocess.run(["/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                                        capture_output=True, text=True, check=True).stdout.strip()
    for path in glob.glob(f"/usr/lib/{version}/**/*", recursive=True):
        if os.path.isfile(path) and not re.search(r"/(__pycache__|test|idlelib|tkinter|lib2to3|dist-packages)/", path):
            archive.file(path)
            if path.endswith(".so"):
                for library in libraries(path):
                    archive.file(library)


def build(tests, target):
    archive = Archive()
    # Real directories: where /bin is a link, both names get the files.
    for path in [*PROGRAMS, *tests]:
        if path in tests or os.path.exists(path):
            archive.file(path, f"tests/{os.path.basename(path)}" if path in tests else path)
            for library in libraries(path):
                archive.file(library)
    add_python(archive)
    for name in ("proc", "sys", "dev", "tmp", "var/tmp", "etc", "root"):
        archive.add(name, stat.S_IFDIR | 0o755)
    archive.add("etc/passwd", stat.S_IFREG | 0o644, b"root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n")
    archive.add("init", stat.S_IFREG | 0o755, INIT.encode())
    archive.write(target)


def main():
    tests = [os.path.abspath(path) for path in sys.argv[1:] if path.endswith("_test")]
    kernel, *parameters = sys.argv[1 + len(tests):]
    with tempfile.TemporaryDirectory() as scratch:
        initrd = os.path.join(scratch, "initrd")
        build(tests, initrd)
        append = " ".join(["console=ttyS0 quiet panic=-1 rdinit=/init", *parameters])
        argv = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "1500", "-nographic", "-no-reboot", "-kernel", kernel, "-initrd", initrd,
                "-append", append, "-nic", "none",
                # Its clock counts instructions: on a busy machine it would jump over what the tests measure.
                "-icount", "shift=3,sleep=off"]
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=1500, check=False)
        text = done.stdout.decode("utf-8", "replace")
        print(text or done.stderr.decode("utf-8", "replace"))
    good = bool(tests) and "END" in text
    for test in tests:
        for user in ("root", "user"):
            if f"/tests/{os.path.basename(test)} as {user}: 0" not in text:
                print(f"FAILED: {os.path.basename(test)} as {user}")
                good = False
    if not parameters and "[  SKIPPED ]" in text.split("ROOT")[0]:
        print("FAILED: with all that this kernel has, root skips nothing")
        good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
