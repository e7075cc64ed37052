"""Commands in a sandbox, through the real gateway and node and with the real kernel: what they cannot reach, what still
works, and what is said where the kernel lacks something."""

import ctypes
import errno

from harness import *


def can_sandbox():
    """Landlock and user namespaces, asked of the kernel and not of our program."""
    landlock = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if ctypes.CDLL(None).unshare(0x10000000 | 0x00020000) == 0 else 1)
    return landlock > 0 and os.waitpid(pid, 0)[1] == 0


class Box:
    """A gateway and a node whose commands are in a sandbox."""

    def __init__(self, test, mode="strict", wrapper=(), variables=None, owner=None, **settings):
        number = len(test.processes)  # a test may have several
        self.home = test.machine(f"gw{number}")
        self.gateway = self.home.gateway()
        self.box = test.machine(f"box{number}")
        self.box.approvals("full")
        self.workspace = os.path.join(self.box.home, "work")
        os.makedirs(self.workspace, exist_ok=True)
        settings = {"workspace": [self.workspace], "sandbox": mode, **settings}
        self.box.config({"node": {"exec": settings}})
        for base, _, names in os.walk(self.box.home if owner else ""):
            for path in (base, *(os.path.join(base, name) for name in names)):
                os.chown(path, owner, owner)
        self.node = Process(test, "node-box",
                            [*wrapper, BINARY, "node", "run", "--host", "127.0.0.1", "--port", str(self.gateway.port),
                             "--display-name", "box"], self.box.env(PATH="/usr/local/bin:/usr/bin:/bin", **(variables or {})))
        wait_until(lambda: self.home.cli_json("nodes", "pending", "--json", port=self.gateway.port), "the node's request")
        self.home.cli("nodes", "approve", "--yes", port=self.gateway.port)
        wait_until(lambda: usable(self.home, self.gateway.port, "box"), "the approved node")

    def run(self, *argv, cwd=None, code=None):
        where = ["--cwd", cwd] if cwd else []
        return self.home.cli("nodes", "run", "--node", "box", *where, "--", *argv, port=self.gateway.port, code=code)

    def sh(self, script, **kw):
        return self.run("sh", "-c", script, **kw)

    def python(self, program):
        """Runs a program that prints what it got; gives that."""
        done = self.run("python3", "-c", program, code=0)
        return done.out.strip()

    def file(self, name, text, mode=0o600):
        path = os.path.join(self.box.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path


def content(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def invoke(box):
    """The result of a run as it comes over the wire."""
    return box.home.cli_json("nodes", "run", "--node", "box", "--json", "--", "true", port=box.gateway.port)["payload"]


def refused(box, script):
    done = box.sh(script)
    check(done.returncode != 0, f"{script!r} worked:\n{done.out}")
    check("SECRET" not in done.out, f"{script!r} found the secret")


def test_nothing_outside_is_read_or_changed(test):
    for mode in ("workspace", "strict"):
        box = Box(test, mode)
        secret = box.file(".ssh/id_ed25519", "SECRET\n")
        beside = os.path.join(box.box.home, "beside")
        identity = os.path.join(box.box.state, "identity", "device.json")
        approvals = os.path.join(box.box.state, "exec-approvals.json")
        before = [content(p) for p in (identity, approvals)]
        for script in (f"cat {secret}", f"ln -s {secret} l; cat l", f"cat /proc/self/root{secret}",
                       f"cat /proc/$PPID/root{secret}", f"ln {secret} h && cat h", f"mv {secret} m", f"cp {secret} c",
                       f"cat ../.ssh/id_ed25519", f"cat {identity}", f"ls {box.box.home}", f"ls {box.box.state}",
                       f"echo x > {secret}", f"echo x >> {secret}", f"rm {secret}",
                       f"echo x > {beside}", f"mkdir {beside}", f"ln -s /etc {beside}", f"echo x > n; mv n {beside}",
                       f"echo x > n; ln n {beside}", f"chmod 777 {secret}", f"touch {secret}",
                       f"python3 -c 'import os; os.truncate(\"{secret}\", 0)'", f"echo '{{}}' > {approvals}",
                       f"python3 -c 'import os; os.rename(\"{box.workspace}\", \"{beside}\")'",
                       "cat /root/.bashrc /root/.profile", "echo x > /tmp/../var/tmp/openclaw-sandboxed && false"):
            refused(box, script)
        equal(content(secret), "SECRET\n")
        check(not os.path.lexists(beside), "something was made beside the workspace")
        check(not os.path.exists("/var/tmp/openclaw-sandboxed"), "a file was left in /var/tmp")
        equal([content(p) for p in (identity, approvals)], before, "the node's own files")
        equal(os.stat(secret).st_mode & 0o777, 0o600, "mode of the secret")


def test_the_attempts_are_real_ones(test):
    """Without a sandbox they succeed: what is refused elsewhere is refused by the sandbox."""
    box = Box(test, "off")
    secret = box.file(".ssh/id_ed25519", "SECRET\n")
    beside = os.path.join(box.box.home, "beside")
    for script in (f"cat {secret}", f"ln -sf {secret} l; cat l", f"cat /proc/self/root{secret}", f"ln {secret} h && cat h",
                   f"ls {box.box.state}", f"chmod 777 {secret}", f"touch {secret}", f"echo x >> {secret}", f"mkdir {beside}",
                   f"cat /proc/{box.node.child.pid}/cmdline", f"kill -0 {box.node.child.pid}",
                   "/usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX); socket.socket()'"):
        box.sh(script, cwd=box.workspace, code=0)


def test_the_nodes_own_command_line_is_not_seen(test):
    """The first process inside is a child of the node, and has its words from it."""
    for sandbox in ("workspace", "strict"):
        box = Box(test, sandbox)
        done = box.sh("tr '\\0' . < /proc/1/cmdline; cat /proc/[0-9]*/cmdline", cwd=box.workspace, code=0)
        for word in ("openclaw", "--display-name", "127.0.0.1", str(box.gateway.port)):
            check(word not in done.out, done.out)


SPY = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for path in sys.argv[1:]:
    try:
        os.stat(path)
        print('stat', path)
    except OSError:
        pass
    fd = libc.inotify_init1(os.O_NONBLOCK)
    if fd >= 0 and libc.inotify_add_watch(fd, path.encode(), 0xfff) >= 0:
        print('watches', path)
with open('/proc/self/mountinfo') as f:
    print(*('mounted ' + line.split()[4] for line in f if line.split()[4].startswith(tuple(sys.argv[1:]))), sep='\\n')
print('end')
"""


def test_names_in_private_directories_stay_unknown(test):
    """Neither by looking at them, nor by watching their directory while somebody else works there; for root and an ordinary user."""
    wrapper, owner = unprivileged(test)
    for mode, who in (("strict", []), ("workspace", []), ("strict", wrapper), ("workspace", wrapper)):
        box = Box(test, mode, wrapper=who, owner=owner if who else None)
        secret = box.file("letters/to-the-bank.txt", "SECRET\n")
        beside = os.path.join(os.path.dirname(box.workspace), "letters")
        private = [secret, beside, os.path.join(box.box.state, "identity"), os.path.join(box.box.state, "exec-approvals.json"),
                   box.home.home, "/etc/shadow", "/etc/ssh/sshd_config", "/etc/sudoers.d", "/var/lib/dpkg", "/var/log",
                   "/sys/fs/cgroup", "/sys/class", "/sys/kernel/debug", "/dev/pts", "/dev/disk", "/dev/mapper", "/run/user",
                   "/run/systemd/system", "/boot", "/mnt", "/media", "/srv", "/work", BINARY]
        spy = os.path.join(box.workspace, "spy.py")
        with open(spy, "w", encoding="utf-8") as f:
            f.write(SPY)
        os.chmod(spy, 0o644)
        equal(box.run("python3", "spy.py", *private, "/usr/bin", box.workspace, code=0).out.split("\n"),
              ["stat /usr/bin", f"stat {box.workspace}", f"mounted {box.workspace}", "end", ""], f"what a {mode} command learnt")
        # and what programs ask the system for is there
        equal(box.sh("test $(nproc) -ge 1 && getconf _NPROCESSORS_CONF > /dev/null && date > /dev/null && df . > /dev/null &&"
                     "cat /sys/devices/system/cpu/online > /dev/null && echo fine", code=0).out, "fine\n")


def test_a_terminal_has_its_name_and_no_other_has(test):
    box = Box(test)
    _, other = os.openpty()
    shown = box.home.cli("nodes", "run", "--node", "box", "--tty", "--", "sh", "-c",
                         f"test -c $(tty) && echo own; test -e {os.ttyname(other)} && echo other; echo end",
                         port=box.gateway.port).out.split()
    equal(shown, ["own", "end"], "terminals")


def test_an_inherited_descriptor_does_not_lead_out(test):
    secret = os.path.join(test.dir, "held")
    with open(secret, "w", encoding="utf-8") as f:
        f.write("SECRET\n")
    box = Box(test, wrapper=["sh", "-c", f'exec 9<{secret} 8<{test.dir}; exec "$@"', "sh"])
    refused(box, "cat <&9")
    refused(box, "cat /proc/self/fd/8/held /dev/fd/9")


def test_the_working_directory_must_be_in_the_workspace(test):
    box = Box(test)
    os.makedirs(os.path.join(box.workspace, "sub"))
    os.symlink("/etc", os.path.join(box.workspace, "out"))
    equal(box.run("pwd", code=0).out.strip(), box.workspace)
    equal(box.run("pwd", cwd=os.path.join(box.workspace, "sub"), code=0).out.strip(), os.path.join(box.workspace, "sub"))
    for cwd in ("/", "/etc", box.box.home, os.path.join(box.workspace, "out"), os.path.join(box.workspace, "..")):
        done = box.run("pwd", cwd=cwd)
        check(done.returncode != 0, f"ran in {cwd}")
        contains(done.err, "SYSTEM_RUN_DENIED", "refusal")
    contains(box.run("pwd", cwd="/etc").err, "node.exec.workspace", "refusal")


def test_ordinary_tools_work_in_the_workspace(test):
    for mode in ("workspace", "strict"):
        box = Box(test, mode)
        equal(box.python("import tempfile, json, subprocess; f = tempfile.NamedTemporaryFile(); f.write(b'x');"
                         "print(subprocess.run(['echo', 'child'], capture_output=True, check=True).stdout.decode())"), "child")
        equal(box.python("import multiprocessing as m\nl = m.Lock()\nwith l: print('locked')"), "locked")
        equal(box.sh("rm -rf d; mkdir -p d/e; echo text > d/e/f; mv d/e/f d/g; ln d/g d/h; ln -s g d/i; chmod +x d/g;"
                     "cat d/i; ls d; rm -r d/e; cat < /dev/null; echo $(( $(ps -e | wc -l) < 20 ))", code=0).out,
              "text\ne\ng\nh\ni\n1\n")
        need(shutil.which("git"), "git")
        equal(box.sh("rm -rf r; git init -q r && cd r && git config user.email a@b && git config user.name n &&"
                     "echo 1 > f && git add f && git commit -qm m && git clone -q . ../clone$$ && git log --format=%s",
                     code=0).out, "m\n")
        need(shutil.which("cc"), "cc")
        equal(box.sh("printf '#include <stdio.h>\\nint main(void) { puts(\"built\"); }' > m.c; cc -o m m.c && ./m",
                     code=0).out, "built\n")
        equal(box.sh("exit 7").returncode, 7)
        equal(invoke(box)["sandbox"], mode, "what the result says about the sandbox")


def test_the_network_is_out_of_reach(test):
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\0openclaw-" + uuid.uuid4().hex)
    abstract.listen()
    tries = (f"socket.create_connection(('127.0.0.1', {tcp.getsockname()[1]}))",
             "socket.create_connection(('127.0.0.1', PORT))",
             f"socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp.getsockname()[1]}))",
             f"socket.socket(socket.AF_UNIX).connect({abstract.getsockname()!r})",
             "socket.socket(socket.AF_UNIX).connect(PATH)",
             "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', PATH + '.dgram')")
    reached = {"strict": [], "strict on": [], "workspace": [], "workspace on": [0, 1, 2]}
    for name, expected in reached.items():
        mode, _, network = name.partition(" ")
        box = Box(test, mode, **({"network": network} if network else {}))
        path = os.path.join(box.workspace, "s")
        local = socket.socket(socket.AF_UNIX)
        local.bind(path)
        local.listen()
        datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        datagrams.bind(path + ".dgram")
        got = []
        for i, attempt in enumerate(tries):
            program = (f"import socket\nPATH = {path!r}\nPORT = {box.gateway.port}\n"
                       f"try:\n    {attempt}\n    print('reached')\nexcept OSError as e:\n    print(e)")
            if box.python(program) == "reached":
                got.append(i)
        equal(got, expected, f"reached from {name}")
    tcp.setblocking(False)
    abstract.setblocking(False)
    tcp.accept()  # of workspace with network
    for listener in (tcp, abstract):
        try:
            listener.accept()
            raise Failure("a connection came through")
        except BlockingIOError:
            pass


def unprivileged(test):
    """A wrapper that makes an ordinary user of root, and its number."""
    need(shutil.which("setpriv"), "setpriv")
    need_root()
    os.chmod(test.dir, 0o755)
    for path in (os.path.dirname(BINARY), test.dir):
        while path != "/" and os.path.exists(path):
            check(os.stat(path).st_mode & 1, f"cannot run: an ordinary user may not enter {path} (chmod a+x)")
            path = os.path.dirname(path)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], 65534


def test_the_machines_secrets_are_out_of_reach(test):
    """Also for root, to whom every file that is opened is readable, whatever its mode."""
    secrets = [p for p in ("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/sudoers", "/etc/ssl/private", "/etc/apt/auth.conf",
                           "/etc/NetworkManager", "/etc/wireguard", "/etc/machine-id", "/etc/ssh/ssh_host_rsa_key",
                           "/etc/ssh/ssh_host_ed25519_key", "/etc/apt", "/etc/cron.d", "/opt", "/var/lib", "/root", "/etc")
               if os.path.exists(p)]
    check("/etc/shadow" in secrets, "this machine has no /etc/shadow to try")
    wrapper, owner = unprivileged(test)
    for mode in ("strict", "workspace"):
        for who in ([], wrapper):
            box = Box(test, mode, wrapper=who, owner=owner if who else None)
            for path in secrets:
                refused(box, f"{'ls' if os.path.isdir(path) else 'cat'} {path}")
            for path in ("/proc/kallsyms", "/proc/modules", "/proc/kcore", "/proc/keys", "/proc/timer_list"):
                equal(box.sh(f"head -c 1 {path} 2> /dev/null").out, "", path)
            # and what everybody needs is there
            program = ("import pwd, grp, socket, ssl, locale, os, mimetypes\n"
                       "print(pwd.getpwuid(0).pw_name, grp.getgrgid(0).gr_name, socket.getaddrinfo('localhost', 1)[0][4][1],"
                       "ssl.create_default_context().check_hostname, open('/proc/self/status').read(4))\n"
                       "for name in ('hosts', 'nsswitch.conf', 'ld.so.cache', 'os-release', 'ssl/certs/ca-certificates.crt'):\n"
                       "    os.path.exists('/etc/' + name) and open('/etc/' + name, 'rb').read(1)")
            equal(box.python(program), "root root 1 True Name")


def test_other_processes_are_out_of_reach(test):
    box = Box(test)
    pid = box.node.child.pid
    other = subprocess.Popen(["sleep", "1000"])
    try:
        for target in (pid, other.pid):
            for script in (f"kill -9 {target}", f"cat /proc/{target}/environ", f"cat /proc/{target}/cmdline",
                           f"ls /proc/{target}/root/", f"cat /proc/{target}/mem"):
                refused(box, script)
        box.sh("kill -9 -1; kill -9 1; kill -9 0")
        program = ("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                   f"print([libc.ptrace(16, p, 0, 0) for p in ({pid}, {other.pid}, 1)])")
        equal(box.python(program), "[-1, -1, -1]")
        equal(other.poll(), None, "another process")
        equal(box.run("echo", "alive", code=0).out, "alive\n")
        equal(box.node.child.poll(), None, "the node")
    finally:
        other.kill()
        other.wait()


def test_what_a_command_leaves_running_ends_with_it(test):
    box = Box(test)
    box.sh("setsid sleep 1234567 > /dev/null 2>&1 < /dev/null & sleep 0", code=0)

    def is_gone():
        done = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True)
        return b"sleep 1234567" not in done.stdout

    wait_until(is_gone, "the end of what was left behind")


def test_background_runs_and_terminals_are_contained_too(test):
    box = Box(test)
    secret = box.file("secret", "SECRET\n")
    probe = f"cat {secret}; echo $?; grep -c NoNewPrivs:.1 /proc/self/status; "
    handle = box.home.cli("nodes", "run", "--node", "box", "--background", "--", "sh", "-c", probe + "read x; echo got $x",
                          port=box.gateway.port).out.strip()
    box.home.cli("nodes", "runs", "--node", "box", "write", handle, "typed", port=box.gateway.port)
    box.home.cli("nodes", "runs", "--node", "box", "--wait", "poll", handle, port=box.gateway.port)
    log = box.home.cli("nodes", "runs", "--node", "box", "log", handle, port=box.gateway.port).out
    contains(log, "1\n1\ngot typed", "log")
    check("SECRET" not in log, "a background run read the secret")
    wait_until(lambda: os.listdir(os.path.join(box.box.state, "sandbox")) == [], "the temporary files to be removed")
    shown = box.home.cli("nodes", "run", "--node", "box", "--tty", "--", "sh", "-c",
                         probe + "test -t 1 && echo x > /dev/tty && echo terminal", port=box.gateway.port).out
    contains(shown, "terminal", "output")
    check("SECRET" not in shown, "a command with a terminal read the secret")
    handle = box.home.cli("nodes", "run", "--node", "box", "--background", "--", "sleep", "7654321",
                          port=box.gateway.port).out.strip()
    box.home.cli("nodes", "runs", "--node", "box", "kill", handle, port=box.gateway.port)
    wait_until(lambda: b"sleep 7654321" not in subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout,
               "the end of the killed run")


def test_privileges_are_not_gained(test):
    box = Box(test)
    status = box.run("cat", "/proc/self/status", code=0).out
    for line in ("NoNewPrivs:\t1", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "Seccomp:\t2"):
        contains(status, line, "status")
    box.sh("cp /bin/sh mine; chmod 4755 mine; chmod 755 mine")
    equal(os.stat(os.path.join(box.workspace, "mine")).st_mode & 0o7777, 0o755, "mode")


def test_setuid_programs_stay_ordinary(test):
    plain, owner = unprivileged(test)
    box = Box(test, wrapper=plain, owner=owner)
    tool = os.path.join(box.workspace, "id")
    shutil.copy(shutil.which("id"), tool)
    os.chmod(tool, 0o4755)
    equal(subprocess.run([*plain, tool, "-u"], capture_output=True, check=True).stdout, b"0\n", "without a sandbox")
    equal(box.run(tool, "-u", code=0).out, "65534\n", "in the sandbox")
    equal(box.run("id", "-u", code=0).out, "65534\n")


def test_the_environment_holds_no_secrets(test):
    box = Box(test, variables={"AWS_SECRET_ACCESS_KEY": "SECRET", "GITHUB_TOKEN": "SECRET", "MY_TOOL": "shown",
                         "SSH_AUTH_SOCK": "/run/SECRET", "LC_TIME": "C"}, env={"inherit": ["MY_TOOL"]})
    out = box.run("env", code=0).out
    check("SECRET" not in out and TOKEN not in out, f"secrets in:\n{out}")
    contains(out, "MY_TOOL=shown", "environment")
    contains(out, "LC_TIME=C", "environment")
    home = re.search(r"^HOME=(.*)$", out, re.M).group(1)
    check(home.startswith(os.path.join(box.box.state, "sandbox", "run-")), f"HOME is {home}")
    given = box.home.cli("nodes", "run", "--node", "box", "--env", "GIVEN=by-caller", "--env", f"HOME={box.box.home}", "--",
                         "env", port=box.gateway.port).out
    contains(given, "GIVEN=by-caller", "environment")
    check(f"HOME={box.box.home}\n" not in given, "the caller chose HOME")


def test_temporary_files_go_with_the_command(test):
    box = Box(test)
    box.sh("echo x > $TMPDIR/f; echo x > ~/g; mkdir -p $TMPDIR/closed/in; echo > $TMPDIR/closed/in/h; chmod 0 $TMPDIR/closed",
           code=0)
    runs = os.path.join(box.box.state, "sandbox")
    wait_until(lambda: os.listdir(runs) == [], "the temporary files to be removed")
    os.makedirs(os.path.join(runs, "run-left"))
    box.node.stop(signal.SIGKILL)
    box.node = box.box.node(box.gateway.port, name="box")
    wait_until(lambda: os.listdir(runs) == [], "what an earlier node left to be removed")


def test_more_can_be_opened(test):
    extra = os.path.join(test.dir, "extra")
    os.makedirs(os.path.join(extra, "bin"))
    os.makedirs(os.path.join(extra, "data"))
    tool = os.path.join(extra, "bin", "tool")
    with open(tool, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho tool\n")
    os.chmod(tool, 0o755)
    box = Box(test, "strict")
    done = box.run(tool)
    check(done.returncode != 0, "ran a program outside")
    contains(done.err, "node.exec.readable", "refusal")
    box.node.stop()
    box.box.config({"node": {"exec": {"sandbox": "strict", "workspace": [box.workspace], "readable": [f"{extra}/bin"],
                                      "writable": [f"{extra}/data"]}}})
    box.node = box.box.node(box.gateway.port, name="box")
    wait_until(lambda: usable(box.home, box.gateway.port, "box"), "the node")
    equal(box.run(tool, code=0).out, "tool\n")
    equal(box.sh(f"echo x > {extra}/data/f && cat {extra}/data/f", code=0).out, "x\n")
    refused(box, f"echo x > {tool}")
    refused(box, f"echo x > {extra}/f")


def test_limits_hold(test):
    for mode in ("off", "strict"):
        box = Box(test, mode, limits={"memory": "256M", "cpuSeconds": 1, "fileSize": "8K", "openFiles": 64})
        contains(box.sh("python3 -c 'bytearray(600 << 20)' 2>&1").out, "MemoryError", "output")
        # None of the four has too much, but together they have.
        hoard = "import signal; b = b'x' * (100 << 20); signal.pause()"
        contains(box.sh(f'for i in 1 2 3 4; do python3 -c "{hoard}" & done; wait', code=137).err, "node.exec.limits.memory", "error")
        # Memory that the kernel does not count as anybody's data.
        hoard = "import mmap, signal; m = mmap.mmap(-1, 400 << 20); [m.write(b'x' * 4096) for _ in range(100 << 10)]; signal.pause()"
        contains(box.sh(f'python3 -c "{hoard}"', code=137).err, "node.exec.limits.memory", "error")
        burn = "for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait"
        contains(box.sh(burn, code=137).err, "node.exec.limits.cpuSeconds", "error")
        check(box.sh("while :; do :; done").returncode != 0, "ran for ever")
        where = box.workspace
        box.sh(f"head -c 100000 /dev/zero > {where}/big")
        equal(os.path.getsize(os.path.join(where, "big")), 8192, "file size")
        equal(box.sh("ulimit -n", code=0).out, "64\n")


def test_mistakes_in_the_settings_are_told_at_the_start(test):
    box = test.machine("box")
    for settings, text in (({"sandbox": "strickt"}, "off|workspace|strict"),
                           ({"sandbox": True}, "node.exec.sandbox"),
                           ({"sandbx": "strict"}, "node.exec.sandbx"),
                           ({"sandbox": "workspace", "network": False}, "node.exec.network"),
                           ({"sandbox": "strict", "workspace": [box.home]}, "holds the keys"),
                           ({"sandbox": "strict", "workspace": ["/"]}, "holds the keys"),
                           ({"sandbox": "strict", "readable": ["~/.openclaw/identity"]}, "node.exec.readable"),
                           ({"sandbox": "strict", "workspace": ["/no/such/place"]}, "/no/such/place"),
                           ({"limits": {"memory": "much"}}, "node.exec.limits.memory")):
        os.makedirs(os.path.join(box.state, "identity"), exist_ok=True)
        box.config({"node": {"exec": settings}})
        done = box.cli("node", "run", "--port", "1", code=1)
        contains(done.err, text, f"error for {settings}")
    box.config({})
    contains(box.cli("node", "run", "--port", "1", "--sandbox", "none", code=2).err, "off|workspace|strict", "error")


def no_landlock():
    """A wrapper that makes the kernel answer as one without Landlock: a seccomp filter over the node."""
    return [sys.executable, "-c", """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def insn(code, jt, jf, k): return struct.pack('HBBI', code, jt, jf, k)
program = insn(0x20, 0, 0, 0) + insn(0x35, 0, 2, 444) + insn(0x25, 1, 0, 446) + insn(6, 0, 0, 0x50000 | int(sys.argv[1]))
program += insn(6, 0, 0, 0x7fff0000)
buffer = ctypes.create_string_buffer(program)
class Fprog(ctypes.Structure): _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_void_p)]
fprog = Fprog(len(program) // 8, ctypes.addressof(buffer))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(fprog)) == 0, ctypes.get_errno()
os.execvp(sys.argv[2], sys.argv[2:])
"""]


def no_namespaces():
    """A wrapper that makes the kernel refuse new user namespaces, by the setting an administrator would use."""
    return ["unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh"]


def test_a_kernel_that_lacks_something_is_told_and_nothing_runs(test):
    for wrapper, text in (([*no_landlock(), str(errno.ENOSYS)], "no Landlock, which guards the files: needs Linux 5.13"),
                          ([*no_landlock(), str(errno.EOPNOTSUPP)], "add landlock to the lsm= list"),
                          (no_namespaces(), "no user namespaces")):
        for mode in ("strict", "workspace"):
            box = Box(test, mode, wrapper=wrapper)
            contains(box.node.output(), text, "start of the node")
            contains(box.node.output(), "no command runs", "start of the node")
            done = box.run("touch", "ran")
            check(done.returncode != 0, "it ran")
            contains(done.err, "SYSTEM_RUN_DENIED: sandbox not available", "refusal")
            contains(done.err, text, "refusal")
            check(not os.path.exists(os.path.join(box.workspace, "ran")), "it ran")
        # strict never falls back; workspace does when told, with what is left.
        strict = Box(test, "strict", wrapper=wrapper, sandboxFallback="allow")
        contains(strict.run("true").err, "sandbox not available", "refusal")
        box = Box(test, "workspace", wrapper=wrapper, sandboxFallback="allow")
        contains(box.node.output(), "commands run with what is there", "start of the node")
        secret = box.file("secret", "SECRET\n")
        box.sh(f"echo x > {secret}")
        equal(content(secret), "SECRET\n")
        equal(box.sh("echo in > f && cat f", code=0).out, "in\n")
        contains(invoke(box)["sandbox"], text, "result")


def test_doctor_tells_what_is_missing(test):
    box = test.machine("box")
    box.config({"node": {"exec": {"sandbox": "strict"}}})

    def finding(*wrapper):
        done = subprocess.run([*wrapper, BINARY, "doctor", "--json"], env=box.env(), capture_output=True, check=False)
        return [f for f in json.loads(done.stdout)["checks"] if f["check"] == "sandbox"][0]

    contains(finding()["text"], "strict in ", "finding")
    check(finding()["level"] != "fail", "the kernel has everything")
    check(not os.path.exists(os.path.join(box.state, "workspace")), "doctor made a directory")
    missing = finding(*no_landlock(), str(errno.ENOSYS))
    equal(missing["level"], "fail")
    contains(missing["text"], "no Landlock", "finding")
    contains(finding(*no_namespaces())["text"], "no user namespaces", "finding")
    box.config({"node": {"exec": {"sandbox": "workspace", "sandboxFallback": "allow"}}})
    equal(finding(*no_namespaces())["level"], "warn")
    box.config({"node": {"exec": {"sandbx": "strict"}}})
    contains(finding()["text"], "node.exec.sandbx", "finding")
    box.config({})
    contains(finding()["text"], "off; this kernel could sandbox commands", "finding")


need(can_sandbox(), "this kernel has no Landlock or no user namespaces: nothing can be sandboxed here")
run_tests(globals())
