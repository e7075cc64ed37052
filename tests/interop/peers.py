"""The real OpenClaw programs as peers: gateways, node hosts and command lines of 2026.2.26 ("2") and 2026.9.6 ("9")."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from harness import *  # noqa: E402,F403

QUIET = {"OPENCLAW_SKIP_CHANNELS": "1", "OPENCLAW_SKIP_CRON": "1", "OPENCLAW_SKIP_GMAIL_WATCHER": "1",
         "OPENCLAW_DISABLE_BONJOUR": "1", "OPENCLAW_NO_RESPAWN": "1", "OPENCLAW_NO_AUTO_UPDATE": "1", "NO_COLOR": "1"}


def installed():
    """The cache with the peers. Who installs them is ctest's first (interop/peers), or a person with install-peers. Ends with the line
    that lets a test be skipped where the registry's probe is why they are missing."""
    done = subprocess.run([os.path.join(HERE, "install-peers"), "--ready"], stdout=subprocess.PIPE, timeout=60, check=False)
    if done.returncode:
        print(done.stdout.decode() or "tests/interop/install-peers has not been run")
        sys.exit(1)
    return done.stdout.decode().strip()


PEERS = installed()
NODE = os.path.join(PEERS, "node26/node_modules/.bin/node")
PROGRAM = {"2": os.path.join(PEERS, "oc2/node_modules/openclaw/openclaw.mjs"),
           "9": os.path.join(PEERS, "oc9/node_modules/openclaw/openclaw.mjs")}


def free_port():
    """A port whose neighbours are likely free too (a real gateway also takes port + 2)."""
    for _ in range(50):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        try:
            with socket.create_server(("127.0.0.1", port + 2)):
                return port
        except OSError:
            continue
    raise Failure("no free port")


class Peer:
    """A private home for one real peer."""

    def __init__(self, test, version, name):
        self.test, self.version, self.name = test, version, name
        self.state = os.path.join(test.dir, name)
        os.makedirs(os.path.join(self.state, "home"), exist_ok=True)
        os.makedirs(os.path.join(self.state, "ws"), exist_ok=True)
        if not os.path.exists(os.path.join(self.state, "openclaw.json")):
            self.config({})

    def config(self, value):
        with open(os.path.join(self.state, "openclaw.json"), "w", encoding="utf-8") as f:
            json.dump(value, f)

    def env(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
        env.update(QUIET)
        env.pop("NODE_EXTRA_CA_CERTS", None)  # nothing here is signed by anybody, and every process would read it
        env.update(HOME=os.path.join(self.state, "home"), OPENCLAW_STATE_DIR=self.state,
                   OPENCLAW_CONFIG_PATH=os.path.join(self.state, "openclaw.json"), OPENCLAW_GATEWAY_TOKEN=TOKEN,
                   PATH=os.path.dirname(NODE) + ":" + os.environ["PATH"],
                   # A real command line takes a third less time with its code compiled.
                   NODE_COMPILE_CACHE=os.path.join(PEERS, "compile-cache"),
                   # Without it 2026.9.6 starts itself again for a cache in a directory below that one.
                   OPENCLAW_PACKAGED_COMPILE_CACHE_RESPAWNED="1")
        return env

    def gateway(self, port, top=None, **extra):
        """top: more of the configuration, beside `gateway`."""
        self.config({"gateway": {"mode": "local", "port": port, "bind": "loopback", "auth": {"mode": "token", "token": TOKEN},
                                 **extra},
                     "plugins": {"enabled": False}, "discovery": {"mdns": {"mode": "off"}}, "update": {"checkOnStart": False},
                     "agents": {"defaults": {"workspace": os.path.join(self.state, "ws"), **(top or {}).get("agent", {})}},
                     **{k: v for k, v in (top or {}).items() if k != "agent"}})
        process = Process(self.test, f"real-gateway-{self.version}", [NODE, PROGRAM[self.version], "gateway", "run"], self.env())
        process.port = port

        def listens():
            check(process.child.poll() is None, f"the real gateway ended:\n{process.output()[-2000:]}")
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                return False

        wait_until(listens, "the real gateway", 180, pause=0.1)
        return process

    def node(self, port):
        return Process(self.test, f"real-node-{self.version}",
                       [NODE, PROGRAM[self.version], "node", "run", "--host", "127.0.0.1", "--port", str(port),
                        "--display-name", self.name], self.env())

    def cli(self, *args, port, code=0):
        done = subprocess.run([NODE, PROGRAM[self.version], *args, "--url", f"ws://127.0.0.1:{port}", "--token", TOKEN],
                              env=self.env(), stdin=subprocess.DEVNULL, capture_output=True, timeout=180, check=False)
        done.out, done.err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        if code is not None and done.returncode != code:
            raise Failure(f"real {self.version} CLI {' '.join(args)}: {done.returncode}\n{done.out}\n{done.err}")
        return done

    def staying_cli(self):
        """A command line for many commands, which need not load its code again; ends with the test."""
        return subprocess.Popen([NODE, os.path.join(HERE, "one-process.mjs"), PROGRAM[self.version]], env=self.env(),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def cli_json(self, *args, port):
        done = self.cli(*args, port=port)
        start = min((i for i in (done.out.find("{"), done.out.find("[")) if i >= 0), default=0)
        return json.loads(done.out[start:])
