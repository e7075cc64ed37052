"""install-peers with a registry of this test's own on loopback and the real npm: what is broken is found and mended, what cannot be
had fails or is skipped for the one reason that counts, and neither haste nor a kill leaves a cache that looks complete."""

import base64
import hashlib
import http.server
import io
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from harness import *  # noqa: E402,F403

INSTALL = os.path.join(HERE, "install-peers")
SKIP = "skipped by the registry probe: "


def tarball(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo("package/" + name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


class Registry:
    """One package, `small`; counts who asks for it, and can keep its file back."""

    def __init__(self, main="module.exports = { word: 'loads' };\n"):
        self.file = tarball({"package.json": json.dumps({"name": "small", "version": "1.0.0", "main": "m.js"}), "m.js": main,
                             "data/more.txt": "more\n" * 100})
        self.asked, self.is_asked, self.may_go = [], threading.Event(), threading.Event()
        self.may_go.set()
        self.overloaded = 0  # so many questions are answered with this only
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                registry.asked.append(self.path)
                if registry.overloaded > 0:
                    registry.overloaded -= 1
                    return self.say(503, "application/json", b"{}")
                if self.path.endswith(".tgz"):
                    registry.is_asked.set()
                    registry.may_go.wait(DEADLINE)
                    return self.say(200, "application/octet-stream", registry.file)
                if self.path != "/small":
                    return self.say(404, "application/json", b"{}")
                sum_ = base64.b64encode(hashlib.sha512(registry.file).digest()).decode()
                version = {"name": "small", "version": "1.0.0", "main": "m.js",
                           "dist": {"tarball": f"{registry.url}/small/-/small-1.0.0.tgz", "integrity": "sha512-" + sum_}}
                self.say(200, "application/json", json.dumps(
                    {"name": "small", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}).encode())

            def say(self, code, kind, body):
                try:
                    self.send_response(code)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # killed meanwhile
                    pass

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Cache:
    def __init__(self, test, registry, package="small@1.0.0"):
        self.test, self.registry = test, registry
        self.peers = os.path.join(test.dir, "peers")
        self.place = os.path.join(self.peers, "lib")
        self.parts = os.path.join(test.dir, "parts.json")
        with open(self.parts, "w", encoding="utf-8") as f:
            json.dump([package, [{"name": "lib", "steps": [["--ignore-scripts", package]],
                                  "try": ["node", "-e", "console.log(require('small').word)"], "says": "loads"}]], f)
        self.more = {}

    def start(self, *args):
        env = {k: v for k, v in os.environ.items() if not k.lower().startswith(("npm_config_", "openclaw_"))}
        env.update(HOME=self.test.dir, OPENCLAW_PEERS=self.peers, OPENCLAW_PEERS_PARTS=self.parts, npm_config_registry=self.registry.url,
                   npm_config_fetch_retries="0", **self.more)
        return subprocess.Popen([INSTALL, *args], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def run(self, *args, code=0):
        child = self.start(*args)
        out, err = child.communicate(timeout=120)
        equal(child.returncode, code, f"install-peers {args}\n{out}\n{err}\nexit code")
        return out, err

    def file(self, name="node_modules/small/m.js"):
        return os.path.join(self.place, name)

    def check_whole(self):
        equal(self.run("--ready")[0].strip(), self.peers)
        with open(self.file(), encoding="utf-8") as f:
            contains(f.read(), "loads")
        equal(sorted(n for n in os.listdir(self.peers) if n.startswith((".new", ".old"))), [], "left behind")


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def test_a_whole_cache_is_left_alone(test):
    cache = Cache(test, Registry())
    cache.run()
    cache.check_whole()
    asked = len(cache.registry.asked)
    cache.run()
    equal(len(cache.registry.asked), asked, "questions to the registry")


def test_what_is_broken_is_found_and_mended(test):
    cache = Cache(test, Registry())
    cache.run()
    write(os.path.join(test.dir, "verdict"), "reachable\n")
    cache.more = {"OPENCLAW_PROBE": os.path.join(test.dir, "verdict")}
    other = "module.exports = { word: 'loafs' };\n"
    for what, harm in (("node_modules/small/m.js: No such file", lambda: os.unlink(cache.file())),
                       ("node_modules/small/m.js has other content", lambda: os.truncate(cache.file(), 5)),
                       ("node_modules/small/m.js has other content", lambda: write(cache.file(), other)),
                       ("data/more.txt: No such file", lambda: shutil.rmtree(cache.file("node_modules/small/data"))),
                       ("its installation did not end", lambda: os.unlink(cache.file(".complete.json"))),
                       ("its installation did not end", lambda: os.truncate(cache.file(".complete.json"), 20)),
                       ("installed for other tests", lambda: write(cache.file(".complete.json"), '{"recipe": "older", "files": {}}'))):
        harm()
        contains(cache.run()[1], what)
        cache.check_whole()


def test_an_old_half_installed_cache_is_mended(test):
    """As several installers at once left it: the folder of the package, and nothing in it."""
    cache = Cache(test, Registry())
    os.makedirs(cache.file("node_modules/small"))
    cache.run("--ready", code=1)
    cache.run()
    cache.check_whole()


def test_without_registry_nothing_is_skipped_that_was_installed(test):
    """Broken is a failure with the file's name. Never installed is the one reason to skip."""
    cache = Cache(test, Registry())
    cache.run()
    cache.registry.close()
    cache.run()
    cache.check_whole()  # nobody needs a registry for what is there
    os.unlink(cache.file())
    out, err = cache.run(code=1)
    check(SKIP not in out, out)
    contains(err, "m.js: No such file")
    contains(err, "unreachable: ECONNREFUSED")
    shutil.rmtree(cache.place)
    contains(cache.run(code=4)[0], SKIP + "the npm registry is unreachable: ECONNREFUSED; not installed: lib")
    contains(cache.run("--ready", code=4)[0], SKIP)


def test_one_verdict_counts_for_the_whole_run(test):
    cache = Cache(test, Registry())
    verdict = os.path.join(test.dir, "verdict")
    cache.run("--probe", verdict)
    with open(verdict, encoding="utf-8") as f:
        equal(f.read(), "reachable\n")
    cache.more = {"OPENCLAW_PROBE": verdict}
    cache.registry.close()
    out, err = cache.run(code=1)  # it was there when the run began: what happens later is no reason to skip
    check(SKIP not in out, out)
    contains(err, "cannot be installed")
    cache.run("--probe", verdict)
    contains(cache.run(code=4)[0], SKIP)
    os.unlink(verdict)
    check(SKIP not in cache.run("--ready", code=1)[0], "skipped without a verdict")


def test_a_registry_that_refuses_is_a_failure(test):
    cache = Cache(test, Registry(), "absent@1.0.0")
    out, err = cache.run(code=1)
    check(SKIP not in out, out)
    contains(err, "E404")
    check(not os.path.exists(cache.place), "something was put in place")


def test_a_registry_that_is_overloaded_is_a_failure(test):
    """It was reached: that is no reason to skip anything."""
    cache = Cache(test, Registry())
    cache.registry.overloaded = 1000
    out, err = cache.run(code=1)
    check(SKIP not in out, out)
    contains(err, "E503")
    check(not os.path.exists(cache.place), "something was put in place")
    verdict = os.path.join(test.dir, "verdict")
    cache.run("--probe", verdict)
    with open(verdict, encoding="utf-8") as f:
        equal(f.read(), "reachable\n")


def test_a_registry_that_is_overloaded_for_a_moment_is_asked_again(test):
    cache = Cache(test, Registry())
    write(os.path.join(test.dir, "verdict"), "reachable\n")
    cache.more = {"OPENCLAW_PROBE": os.path.join(test.dir, "verdict")}
    cache.registry.overloaded = 2
    equal(cache.run()[1].count("trying once more"), 2, "further tries")
    cache.check_whole()


def test_what_does_not_load_is_not_put_in_place(test):
    cache = Cache(test, Registry(main="throw new Error('torn');\n"))
    contains(cache.run(code=1)[1], "torn")
    check(not os.path.exists(cache.place), "something was put in place")


def test_two_at_once_install_once(test):
    cache = Cache(test, Registry())
    cache.registry.may_go.clear()
    first = cache.start()
    check(cache.registry.is_asked.wait(DEADLINE), "nobody asked for the package")
    others = [cache.start() for _ in range(3)]
    for other in others:
        contains(other.stderr.readline(), "waiting for another install-peers")
    cache.registry.may_go.set()
    said = ""
    for child in (first, *others):
        out, err = child.communicate(timeout=120)
        equal((child.returncode, out.strip()), (0, cache.peers), err)
        said += err
    equal(said.count("installing lib"), 1, "installations")
    cache.check_whole()


def test_killed_in_the_middle_it_mends_itself(test):
    cache = Cache(test, Registry())
    cache.registry.may_go.clear()
    first = cache.start()
    check(cache.registry.is_asked.wait(DEADLINE), "nobody asked for the package")
    first.kill()
    first.communicate(timeout=DEADLINE)
    check(not os.path.exists(cache.place), "something was put in place")
    check([n for n in os.listdir(cache.peers) if n.startswith(".new-lib-")], "it was not in the middle")
    cache.run("--ready", code=1)
    cache.registry.may_go.set()
    cache.run()
    cache.check_whole()


run_tests(globals())
