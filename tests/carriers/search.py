#!/usr/bin/env python3
"""Which installed programs run whatever they are told? Lists of allowed programs must not hold them (node/argv/exec_carriers.c).

    tests/carriers/search.py                  every program in /usr/bin and /usr/sbin (about an hour)
    tests/carriers/search.py NAME…            only these
    tests/carriers/search.py --known          those that a search has found before (tests/carriers/found.txt)

Every program is given a marker of its own in the forms by which programs are told to run something: `PROG marker`,
`PROG -c marker`, `PROG --exec=marker`, a script of its language, a line on its input, and whatever options its --help
describes with a word such as "command"; some of it on a terminal. It happens in namespaces of their own, without network, without privileges, on a
read-only file system with empty temporary directories, with limits of time and data. Whose marker was run and who is neither a
carrier nor in tests/carriers/ordinary.txt is named, and the exit code is 1. So it is when the search is blind: when it does not find again
what was found before, or what everybody knows to run programs."""

import concurrent.futures
import fcntl
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "..", "node", "argv", "exec_carriers.c")
DIRS = ("/usr/bin", "/usr/sbin")
WORK = "/tmp/carriers"
SECONDS = 1.5  # for one attempt
FIRST_SECONDS = 5  # for the first: some take long to start anything
AT_A_TIME = 8
MOST_LATE = 6  # attempts that did not end
MOST_OPTIONS = 16  # of one program's help
INSIDE = "OC_CARRIERS_INSIDE"
NOBODY = 65534
SENTINELS = ("env", "nice", "nohup", "setsid", "timeout", "xargs")  # whoever searches among all programs finds these
FEWEST_SENTINELS = 3

# Forms by which a program is told to run something. M is the marker.
FORMS = [
    ["M"], ["--", "M"], ["-c", "M"], ["-e", "M"], ["-x", "M"], ["-r", "M"], ["-f", "M"], ["--exec", "M"], ["--exec=M"],
    ["--command", "M"], ["--command=M"], ["--run", "M"], ["--eval", "M"], ["run", "M"], ["exec", "M"], ["exec", "--", "M"],
    ["x", "M"], ["1", "M"], ["0", "1", "M"], ["/tmp", "M"], [".", "M"], ["-n", "1", "M"], ["-o", "/dev/null", "M"],
    ["-o", "/dev/null", "--", "M"], ["A=b", "M"], ["-p", "M"], ["-s", "M"], ["-a", "M"], ["-i", "M"], ["-q", "M"],
    ["-u", "nobody", "M"], ["-t", "1", "M"], ["-d", "/tmp", "M"], ["-k", "M"], ["-l", "M"], ["-C", "/tmp", "M"],
    ["-c", "M", "all"],
]
# Scripts in the languages that interpreters speak, as a file, after -e, and after -c. M is the marker.
SCRIPTS = {
    "sh": "M\n",
    "python": "import os\nos.system('M')\n",
    "perl": "system('M');\n",
    "ruby": "system('M')\n",
    "lua": "os.execute('M')\n",
    "tcl": "exec M\n",
    "awk": "BEGIN { system(\"M\") }\n",
    "m4": "syscmd(`M')\n",
    "make": "all:\n\tM\n",
    "ninja": "rule r\n  command = M\nbuild all: r\n",
    "js": "require('child_process').execSync('M')\n",
    "gdb": "shell M\nquit\n",
    "bang": "!M\n",
    "sql": ".shell M\n\\! M\n",
    "guile": "(system \"M\")\n",
    "php": "<?php system('M');\n",
    "ed": "1e M\n!M\nq\n",
    "cmake": "execute_process(COMMAND M)\n",
    "rexx": "/* */ address system 'M'\n",
    "shebang": "#!M\n",
    "gnuplot": "system('M')\n",
    "octave": "system('M')\n",
    "expect": "spawn M\nexpect eof\n",
    "roff": ".sy M\n",
    "pic": ".PS\nsh X M X\n.PE\n",
    "mako": "<% import os; os.system('M') %>\n",
    "llvm": "@.s = constant [SIZE x i8] c\"M\\00\"\ndeclare i32 @system(i8*)\ndefine i32 @main() {\n  %r = call i32 @system("
            "i8* getelementptr ([SIZE x i8], [SIZE x i8]* @.s, i64 0, i64 0))\n  ret i32 %r\n}\n",
}
# How a file of a language is named, for programs that look at it.
ENDINGS = {"python": ".py", "perl": ".pl", "ruby": ".rb", "lua": ".lua", "js": ".js", "cmake": ".cmake", "sh": ".sh", "php": ".php",
           "tcl": ".tcl", "awk": ".awk", "make": ".mk", "gdb": ".gdb"}
# Options that take a file of a language, be it a configuration: for these languages, those whose name says nothing first.
FILE_FORMS = [(["--config", "F"], ("cmake", "python", "js", "perl", "lua")), (["--config=F"], ("python", "js")), (["-j", "F"], ("perl",)),
              (["-U", "F"], ("roff", "pic")), (["-x", "F"], ("gdb",)), (["-x", "-l", "F"], ("python",)), (["-C", "F"], ("cmake", "python"))]
# On a terminal, where some programs are of another mind.
TERMINAL_FORMS = [(["M"], None), ([], "sh"), ([], "bang"), ([], "gdb"), (["-x", "F"], "gdb")]
WORDS = re.compile(r"\b(cmd|command|commands|program|prog|exec|execute|run|shell|script|hook|filter|pager|editor|wrapper|launch"
                   r"|eval|compiler|plugin|rsh|utility|helper)\b", re.I)
OPTION = re.compile(r"^\s*((?:-\w|--[\w-]+)(?:[ =,|\[].*)?)$")
# Never started: they would end the search, or wait for somebody.
NOT_TRIED = {"reboot", "poweroff", "halt", "shutdown", "telinit", "init"}


def table():
    """The names of the carriers, as they are in the code."""
    with open(TABLE, encoding="utf-8") as f:
        body = re.search(r"names\[\] = \{(.*?)\n\};", f.read(), re.S).group(1)
    return set(re.findall(r'"([^"]+)"', body))


def is_carrier(name, names):
    """As nd_exec_is_carrier decides."""
    plain = name.lower()
    if plain.endswith(".exe") and len(plain) > 4:
        plain = plain[:-4]
    for form in (plain, re.sub(r"^.*?-linux-gnu[^-]*-(?=.)", "", plain)):
        if form in names or any(n.endswith("*") and form.startswith(n[:-1]) for n in names):
            return True
    return form.rstrip("0123456789.-_") in names


def rows(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return {line.split(None, 1)[0]: line.split(None, 1)[1].strip() for line in f if line.strip() and line[0] != "#"}


def limits():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (2, 3))
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 20, 16 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # not of addresses: valgrind reserves more


def environment(where, term):
    return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": where, "TMPDIR": where, "LANG": "C", "TERM": term}


def on_terminal():
    limits()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def start_on_terminal(argv, text, where, seconds=SECONDS):
    """The same with a terminal; gives whether its time was over."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 500, 200, 0, 0))  # nothing is shown in pages
    try:
        child = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, cwd=where, env=environment(where, "xterm"),
                                 preexec_fn=on_terminal)
    except OSError:
        os.close(ours)
        return False
    finally:
        os.close(theirs)
    try:
        os.write(ours, text + b"\n\x04")
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not select.select([ours], [], [], max(0, until - time.monotonic()))[0] or not os.read(ours, 65536):
                break
        return child.poll() is None
    except OSError:  # nobody has it open any more
        return False
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            pass
        child.kill()
        child.wait()
        os.close(ours)


def start(argv, text, where, seconds=SECONDS):
    """Runs it to its end, or until its time is over; gives what it printed."""
    env = environment(where, "dumb")
    try:
        child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=where, env=env,
                                 preexec_fn=limits)
    except OSError:
        return b"", False
    try:
        out, _ = child.communicate(text, timeout=seconds)
        return out[:200000], False
    except subprocess.TimeoutExpired:
        return b"", True
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except OSError:
            pass
        child.kill()
        child.stdout.close()
        child.stdin.close()
        child.wait()


def options_of(text):
    """Options that its help describes with a word such as "command"."""
    found = []
    for line in text.splitlines():
        if OPTION.match(line) and WORDS.search(line):
            for option in re.findall(r"(?<![\w-])(--[a-zA-Z][\w-]*|-\w)(?![\w-])", line)[:2]:
                if option not in found and option not in ("--help", "--version", "-h", "-V"):
                    found.append(option)
    return found[:MOST_OPTIONS]


class Attempts:
    """The forms in which one program is tried, each with a marker of its own."""

    def __init__(self, path):
        self.path = path
        self.where = os.path.join(WORK, os.path.basename(path))
        os.makedirs(self.where, exist_ok=True)
        self.count = 0
        self.late = 0

    def marker(self):
        self.count += 1
        path = os.path.join(self.where, f"m{self.count}")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n: > {path}.hit\n")
        os.chmod(path, 0o755)
        return path

    def file(self, text, ending):
        path = os.path.join(self.where, f"f{self.count}{ending}")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, 0o755)
        return path

    def attempt(self, shown, words, text="", ending="", has_terminal=False):
        """words and text with M for the marker; F is the text as a file. Gives shown if the marker ran."""
        if self.late >= MOST_LATE:
            return None  # it waits for somebody, whatever it is given
        marker = self.marker()
        text = re.sub(r"\bM\b", marker, text).replace("SIZE", str(len(marker) + 1))
        name = self.file(text, ending) if "F" in words or any(w.endswith("=F") for w in words) else None
        argv = [self.path]
        for word in words:
            word = re.sub(r"^(.*=)?F$", lambda m: (m.group(1) or "") + name, word) if name else word
            argv.append(text if word == "T" else re.sub(r"^(.*=)?M$", lambda m: (m.group(1) or "") + marker, word))
        told = text.encode() if not name and "T" not in words else b""
        seconds = FIRST_SECONDS if self.count == 1 else SECONDS
        is_late = (start_on_terminal(argv, told, self.where, seconds) if has_terminal
                   else start(argv, told, self.where, seconds)[1])
        self.late += is_late and not has_terminal
        return shown if os.path.exists(marker + ".hit") else None

    def all(self):
        for form in FORMS:
            yield " ".join(form), form, ""
        for form, languages in FILE_FORMS:
            for language in languages:
                yield f"{' '.join(form)} ({language})", form, SCRIPTS[language], ENDINGS.get(language, "")
        for form, language in TERMINAL_FORMS:
            yield f"{' '.join(form)} on a terminal ({language})", form, SCRIPTS.get(language, ""), "", True
        usage, _ = start([self.path, "--help"], b"", self.where)
        usage = usage.decode("latin-1")
        ours = [o for o in ("-e", "-c", "-f") if re.search(rf"(?<![\w-]){o}\b", usage)]
        for language, text in SCRIPTS.items():
            yield f"FILE ({language})", ["F"], text
            if language in ENDINGS:
                yield f"FILE{ENDINGS[language]}", ["F"], text, ENDINGS[language]
            yield f"< input ({language})", [], text
            for option in ours:
                yield f"{option} TEXT ({language})", [option, "F" if option == "-f" else "T"], text
        for option in options_of(usage):
            yield f"{option} M", [option, "M"], ""
            yield f"{option} M FILE", [option, "M", "/etc/hostname"], ""
            if option.startswith("--"):
                yield f"{option}=M", [f"{option}=M"], ""
                yield f"{option}=M FILE", [f"{option}=M", "/etc/hostname"], ""

    def run(self, enough):
        forms = []
        for attempt in self.all():
            hit = self.attempt(*attempt)
            if hit:
                forms.append(hit)
            if len(forms) == enough:
                break
        shutil.rmtree(self.where, ignore_errors=True)
        return forms


def programs():
    """By the name of the real file, which is what lists are compared with."""
    found = {}
    for directory in DIRS:
        for name in sorted(os.listdir(directory)):
            path = os.path.realpath(os.path.join(directory, name))
            if os.path.isfile(path) and os.access(path, os.X_OK) and name not in NOT_TRIED:
                found.setdefault(os.path.basename(path), path)
    return found


def search(names):
    os.makedirs(WORK, exist_ok=True)
    there = programs()
    wanted = {n: there[n] for n in (names or there) if n in there}
    found = {}
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for name, forms in zip(wanted, pool.map(lambda path: Attempts(path).run(1 if names else 3), wanted.values())):
            if forms:
                found[name] = forms
                print(f"{name}\t{'; '.join(forms)}", flush=True)
    print(f"{len(wanted)} programs, {len(found)} run what they are told", file=sys.stderr)


MOUNTS = """
set -e
mount --make-rprivate /
for d in /home /root /run /var/tmp /var/lib /var/cache /srv /mnt /dev/shm; do
    [ ! -d $d ] || mount -t tmpfs -o mode=1777,size=64m none $d
done
mount -t tmpfs -o mode=1777,size=512m none /tmp
mount -t proc none /proc
mount -o remount,ro,bind / /
exec "$@"
"""


def enclosed(args):
    """This script again, where nothing can come to harm."""
    script = "/run/carriers.py"
    inner = ["setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--pdeathsig=KILL"]
    if os.getuid() == 0:
        inner += [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    keep = f"cat > {script}; chmod 644 {script}; "
    outer = ["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    if os.getuid() != 0:
        outer += ["--user", "--map-root-user"]
    mounts = MOUNTS.replace('exec "$@"', keep + 'exec "$@" < /dev/null')
    with open(os.path.abspath(__file__), "rb") as f:
        return subprocess.run([*outer, "sh", "-c", mounts, "sh", *inner, "/usr/bin/python3", "-B", script, *args], stdin=f, check=False,
                              stdout=subprocess.PIPE, env={**os.environ, INSIDE: "1"})


def find(names):
    """name → forms, as the search of these says; None: it failed."""
    done = enclosed(names)
    if done.returncode != 0:
        print(f"the search itself failed with {done.returncode}")
        return None
    return dict(line.split("\t", 1) for line in done.stdout.decode().splitlines())


def find_all(names, known):
    """The same, and those that are known to run what they are told must be among them; on a busy machine they get a second try."""
    found = find(names)
    missed = [name for name in known if found is not None and name not in found]
    again = find(missed) if missed else {}
    if found is None or again is None:
        return None
    found.update(again)
    missed = [name for name in missed if name not in found]
    for name in missed:
        print(f"{name} runs what it is told, and the search does not see it")
    return None if missed else found


def main(args):
    if os.environ.get(INSIDE):
        search(args)
        return 0
    names, ordinary, before = table(), rows("ordinary.txt"), rows("found.txt")
    wrong = 0
    for name in before:
        if not is_carrier(name, names):
            print(f"{name} runs what it is told ({before[name]}) and is not in node/argv/exec_carriers.c")
            wrong += 1
    there, known = programs(), []
    if args == ["--known"]:
        args = known = sorted(name for name in before if name in there)
    elif not args:
        known = [name for name in SENTINELS if name in there]
        args = sorted({*known, *(n for n in there if not is_carrier(n, names))})
        if len(known) < FEWEST_SENTINELS:
            print(f"of {', '.join(SENTINELS)} only {len(known)} are installed: nobody could tell whether the search is blind")
            return 1
    found = find_all(args, known)
    if found is None:
        return 1
    for name, forms in found.items():
        if not is_carrier(name, names) and name not in ordinary:
            print(f"{name}\t{forms}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
