"""scripts/quickstart on a machine of many users: what others have put in its way, and what they can see of it.

The script is the real one, with a compiler that has nothing to do: the program is the one under test."""

import stat

from harness import *

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OTHER = 65534


def script(test, deps="#!/bin/sh\n", cmake="#!/bin/sh\n"):
    """A copy of the script beside a finished build; and a function that runs it."""
    tree = os.path.join(test.dir, "tree")
    tools = os.path.join(test.dir, "tools")
    for folder in ("scripts", "build/quick/bin"):
        os.makedirs(os.path.join(tree, folder))
    shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(tree, "examples"))
    os.makedirs(tools)
    shutil.copy(os.path.join(ROOT, "scripts/quickstart"), os.path.join(tree, "scripts/quickstart"))
    for name in ("openclaw", "openclaw-canvas"):
        os.symlink(os.path.join(os.path.dirname(os.path.realpath(BINARY)), name), os.path.join(tree, "build/quick/bin", name))
    for path, text in ((os.path.join(tree, "scripts/deps"), deps), (os.path.join(tools, "cmake"), cmake)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, 0o755)

    def run(*args, place, code=0, stderr=subprocess.PIPE):
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
        env.update(PATH=tools + ":" + os.environ["PATH"], HOME=test.dir, OPENCLAW_QUICKSTART_DIR=place)
        done = subprocess.run([os.path.join(tree, "scripts/quickstart"), *args], env=env, stdout=subprocess.PIPE, stderr=stderr, text=True,
                              check=False)
        said = done.stdout + (done.stderr or "")
        equal(done.returncode, code, f"quickstart {args}: {said[-2000:]}")
        return said

    return run


def bystander(user=None):
    """A process that could be taken for one of ours by its words."""
    return subprocess.Popen(["/bin/sh", "-c", "read x", "openclaw"], stdin=subprocess.PIPE, user=user)


def test_a_directory_that_others_have_prepared_is_not_used(test):
    need_root()
    run = script(test)
    victim = bystander()
    try:
        for name in ("open", "link", "foreign", "inside"):
            place = os.path.join(test.dir, name)
            os.makedirs(os.path.join(place, "bin"))
            with open(os.path.join(place, "gateway.pid"), "w", encoding="utf-8") as f:
                f.write(f"{victim.pid}\n")
            if name == "open":
                os.chmod(place, 0o777)
            elif name == "link":
                os.rename(place, place + ".real")
                os.symlink(place + ".real", place)
            elif name == "inside":
                os.chmod(os.path.join(place, "bin"), 0o777)
            else:
                os.chown(place, OTHER, OTHER)
            for args in ((), ("--stop",)):
                contains(run(*args, place=place, code=1), place, "refusal")
            check(not os.path.exists(os.path.join(place, "home")), f"{name} was used")
        equal(victim.poll(), None, "a process that a foreign file named")
    finally:
        victim.kill()
        victim.wait()


def test_only_processes_of_our_own_are_stopped(test):
    run = script(test)
    place = os.path.join(test.dir, "own")
    os.makedirs(place, 0o700)
    need_root()
    theirs = bystander(OTHER)
    try:
        for text in (str(theirs.pid), "1", "-1", "0", "x; touch trap", ""):
            with open(os.path.join(place, "gateway.pid"), "w", encoding="utf-8") as f:
                f.write(text + "\n")
            contains(run("--stop", place=place), "gateway is not running", text)
        check(theirs.poll() is None, "a process of another user was stopped")
    finally:
        theirs.kill()
        theirs.wait()


def test_nothing_of_it_is_for_others(test):
    run = script(test)
    place = os.path.join(test.dir, "odd 'name' $(touch trap) \"x\"")
    try:
        said = run(place=place)
        contains(said, "It works, after ", "output")
        equal(re.findall(r"^== (\d)/6 .*", said, re.M), list("123456"), "steps")
        equal(len(re.findall(r" \(\d+ s\)$", said, re.M)), 6, "times of steps")
        # The picture is what the form looks like, of a size that people can read.
        with open(os.path.join(place, "canvas.png"), "rb") as f:
            picture = f.read()
        equal(picture[:8], b"\x89PNG\r\n\x1a\n", "the first bytes of the picture")
        check(struct.unpack(">II", picture[16:24]) >= (400, 300) and len(picture) > 5000, "an empty picture")
        contains(said, f"the picture is {place}/canvas.png", "output")
        with open(os.path.join(place, "home/.openclaw/openclaw.json"), encoding="utf-8") as f:
            token = json.load(f)["gateway"]["auth"]["token"]
        for folder, folders, files in os.walk(place):
            for name in folders + files:
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                check(mode & 0o077 == 0 or stat.S_ISLNK(mode), f"{path} is {oct(mode)}")
        equal(os.stat(place).st_mode & 0o777, 0o700, "mode of the directory")
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    check(token.encode() not in f.read(), "the token is in argv")
            except OSError:
                pass
        for name in ("gateway.log", "node.log"):
            with open(os.path.join(place, name), encoding="utf-8") as f:
                check(token not in f.read(), f"the token is in {name}")
        contains(run(place=place), "already running", "once more")
    finally:
        contains(run("--stop", place=place), "gateway stopped", "stop")
    check(not os.path.exists(os.path.join(test.dir, "tree", "trap")), "a name was executed")


def test_without_the_canvas(test):
    """Its libraries cannot be installed: the rest works, and what is missing is said, with what helps."""
    run = script(test, deps="#!/bin/sh\n[ $1 = build ]\n")
    place = os.path.join(test.dir, "own")
    try:
        said = run(place=place)
        contains(said, "left out", "output")
        contains(said, "scripts/deps canvas", "what helps")
        contains(said, "It works, after ", "output")
        check(not os.path.exists(os.path.join(place, "canvas.png")), "a picture of nothing")
    finally:
        run("--stop", place=place)


def test_progress_and_failures_of_the_build(test):
    """On a terminal every line of the compiler replaces the one before; a build that fails is shown whole."""
    lines = "".join(f"echo '[{n}/3] Building C object x{n}.c'\n" for n in (1, 2, 3))
    run = script(test, cmake=f"#!/bin/sh\n[ $1 = --build ] || exit 0\n{lines}echo 'x3.c:7: error: no such thing'\nexit 1\n")
    master, slave = pty.openpty()
    try:
        run(place=os.path.join(test.dir, "own"), code=1, stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 65536):
                seen += chunk
        except OSError:
            pass
        for n in (1, 2, 3):
            contains(seen.decode(), f"\r\x1b[K[{n}/3] Building C object x{n}.c", "progress")
        contains(seen.decode(), "x3.c:7: error: no such thing\r\n", "the compiler's words")
    finally:
        os.close(master)
    said = run(place=os.path.join(test.dir, "own"), code=1)
    contains(said, "[3/3] Building C object x3.c\nx3.c:7: error: no such thing\n", "the compiler's words, elsewhere")


run_tests(globals())
