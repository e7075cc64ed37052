"""scripts/quickstart on a machine of many users: what others have put in its way, and what they can see of it.

The script is the real one, with a compiler that has nothing to do: the program is the one under test."""

import stat

from harness import *

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OTHER = 65534


def script(test):
    """A copy of the script beside a finished build; and a function that runs it."""
    tree = os.path.join(test.dir, "tree")
    tools = os.path.join(test.dir, "tools")
    for folder in ("scripts", "build/release/bin"):
        os.makedirs(os.path.join(tree, folder))
    os.makedirs(tools)
    shutil.copy(os.path.join(ROOT, "scripts/quickstart"), os.path.join(tree, "scripts/quickstart"))
    os.symlink(BINARY, os.path.join(tree, "build/release/bin/openclaw"))
    for path in (os.path.join(tree, "scripts/deps"), os.path.join(tools, "cmake")):
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n")
        os.chmod(path, 0o755)

    def run(*args, place, code=0):
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
        env.update(PATH=tools + ":" + os.environ["PATH"], HOME=test.dir, OPENCLAW_QUICKSTART_DIR=place)
        done = subprocess.run([os.path.join(tree, "scripts/quickstart"), *args], env=env, capture_output=True, text=True, check=False)
        equal(done.returncode, code, f"quickstart {args}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done.stdout + done.stderr

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
        contains(run(place=place), "It works.", "output")
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


run_tests(globals())
