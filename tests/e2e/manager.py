"""A real systemd as the service manager of one test's user, in namespaces of its own: units, processes and control groups are
nobody else's, and all of it is gone with the test."""

import os
import shutil
import subprocess
import sys

from harness import Failure, Process, need, wait_until

SYSTEMD = next((p for p in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if os.path.exists(p)), None)

# systemd looks for /run/systemd/system to see whether it is wanted, and makes control groups below its own.
BOOT = r"""
no() { echo "cannot run: this kernel gives us no private systemd: $1"; exit 1; }
group=/sys/fs/cgroup/$OPENCLAW_TEST_GROUP
mount --make-rprivate / && mount -t tmpfs tmpfs /run || no "mounts are forbidden"
mkdir -p /run/systemd/system
mount -t cgroup2 none /sys/fs/cgroup || no "control groups cannot be mounted"
mkdir "$group" && echo $$ > "$group/cgroup.procs" || no "control groups cannot be made here (as root they can)"
OPENCLAW_TEST_MANAGER=1 unshare --cgroup "$@"
code=$?
echo $$ > /sys/fs/cgroup/cgroup.procs
find "$group" -depth -type d -exec rmdir {} +
exit $code
"""


def enter():
    """Goes on in namespaces of its own; fails where there are none."""
    if os.environ.pop("OPENCLAW_TEST_MANAGER", None):
        return
    need(SYSTEMD and shutil.which("systemctl") and shutil.which("unshare"), "systemd or unshare is not installed")
    unshare = ["unshare", "--mount", "--pid", "--cgroup", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        unshare += ["--user", "--map-root-user"]
    need(subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode == 0, "the kernel forbids namespaces")
    env = dict(os.environ, OPENCLAW_TEST_GROUP=f"openclaw-test-{os.getpid()}")
    sys.exit(subprocess.run([*unshare, "sh", "-c", BOOT, "sh", sys.executable, *sys.argv], env=env, check=False).returncode)


class Manager:
    """`systemd --user` for one machine of a test."""

    def __init__(self, machine, runtime=None):
        self.machine = machine
        self.runtime = runtime or os.path.join(machine.test.dir, "run")
        self.units = os.path.join(machine.home, ".config/systemd/user")
        os.makedirs(self.runtime, mode=0o700, exist_ok=True)
        self.start()

    def env(self, **more):
        return self.machine.env(**self.session(), **more)

    def session(self):
        """Of whoever runs the tests nothing, neither their systemd nor their screen."""
        return {"XDG_RUNTIME_DIR": self.runtime, **dict.fromkeys(("DBUS_SESSION_BUS_ADDRESS", "XDG_CONFIG_HOME", "DISPLAY",
                                                                  "WAYLAND_DISPLAY", "XAUTHORITY"))}

    def start(self):
        env = {k: v for k, v in self.env().items() if not k.startswith("OPENCLAW_")}  # a manager knows nothing of ours
        self.process = Process(self.machine.test, "systemd", [SYSTEMD, "--user", "--log-target=console"], env)
        ready = ("running", "degraded")
        wait_until(lambda: self.ask("is-system-running") in ready, "systemd --user")

    def ask(self, *args):
        done = subprocess.run(["systemctl", "--user", "--no-pager", *args], env=self.env(), capture_output=True, timeout=60,
                              check=False)
        return done.stdout.decode().strip()

    def show(self, unit, name):
        return self.ask("show", "--value", f"--property={name}", unit)

    def drop_in(self, unit, text):
        """What an owner writes with systemctl edit."""
        folder = os.path.join(self.units, unit + ".d")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "test.conf"), "w", encoding="utf-8") as f:
            f.write(text)

    def pid_after(self, unit, old):
        """The main process once it is another one and ready."""
        def look():
            pid = self.show(unit, "MainPID")
            return pid if pid not in ("0", "", old) and self.show(unit, "ActiveState") == "active" else None
        try:
            return wait_until(look, f"another process of {unit}", pause=0.05)
        except Failure as failure:
            raise Failure(f"{failure}\n{self.ask('status', unit)}\n{self.process.output()[-3000:]}") from None

    def cli(self, *args, **kw):
        return self.machine.cli(*args, env={**self.session(), **kw.pop("env", {})}, **kw)

    def cli_json(self, *args, **kw):
        return self.machine.cli_json(*args, "--json", env={**self.session(), **kw.pop("env", {})}, **kw)

    def stop(self):
        """As a log-out or a reboot does."""
        self.ask("exit")
        self.process.wait_exit()
