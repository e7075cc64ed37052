"""Which functions running programs pass, in which order: gdb prints a line at each, and the program goes on.

A place is file:function, and gdb knows from the debug information whether that file has it: one that is not there is an error, and
one that is passed cannot be made up. The programs are the ordinary ones, nothing is built in for this. They do not let others of
their user look into them (PR_SET_DUMPABLE), so it takes root.

The walks are the tables of docs/ARCHITECTURE.md: rows of process, place, what happens.
"""

from harness import *

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MARK = "passed "


def walk(title):
    """{process: [place, …]} of the section with this title, in the order of the document."""
    with open(os.path.join(ROOT, "docs", "ARCHITECTURE.md"), encoding="utf-8") as f:
        sections = re.split(r"(?m)^## ", f.read())
    (section,) = [s for s in sections if s.startswith(title + "\n")]
    found = {}
    for process, place in re.findall(r"(?m)^\| ([\w-]+) \| `([\w./-]+:\w+)` \|", section):
        found.setdefault(process, []).append(place)
    check(found, f"docs/ARCHITECTURE.md has no walk {title}")
    return found


def in_sources(places):
    """For programs that are not traced: each place is a function that is defined in that file."""
    for place in places:
        path, name = place.split(":")
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            check(re.search(r"(?m)^[a-z][\w *]*\b" + name + r"\(", f.read()), f"{place} is not there")


class Tracer(Process):
    """gdb on a program that runs (pid), or around one from its start (argv). Several may start at once: ready() waits."""

    def __init__(self, test, name, places, pid=None, argv=None, env=None):
        need(shutil.which("gdb"), "gdb")
        check(os.geteuid() == 0, "cannot run: programs of ours can be traced by root only (sudo)")
        self.places = list(dict.fromkeys(places))
        script = ["set breakpoint pending off", "handle all nostop noprint pass", "handle SIGINT stop nopass"]
        script += [f'dprintf {place},"\\n{MARK}{place}\\n"' for place in self.places]
        script += ["echo ready\\n", *(["continue", "detach"] if pid else ["run"])]
        command = ["gdb", "-nx", "-q", "-batch", "-iex", "set auto-solib-add off", "-iex", "set debuginfod enabled off"]
        command += [part for line in script for part in ("-ex", line)]
        # A program that is traced cannot look for leaks. gdb starts it by a shell.
        env = {**(env or os.environ), "ASAN_OPTIONS": "detect_leaks=0", "SHELL": "/bin/sh"}
        super().__init__(test, f"trace-{name}", command + (["-p", str(pid)] if pid else ["--args", *argv]), env)

    def ready(self):
        self.wait_for(r"(?m)^ready$", self.name)
        unknown = re.findall(r"(?m)^(?:No source file|Function ).*$", self.output())
        check(not unknown, f"docs/ARCHITECTURE.md names places that are not there: {unknown}")
        return self

    def passed(self):
        return re.findall(r"(?m)^" + MARK + r"(\S+)$", self.output())

    def follows(self, places):
        """Whether these places were passed, in this order; whatever else was passed in between."""
        rest = iter(self.passed())
        return all(place in rest for place in places)

    def expect(self, places):
        def first_missing():
            rest = iter(self.passed())
            return next((p for p in places if p not in rest), None)

        try:
            wait_until(lambda: self.follows(places), self.name)
        except Failure:
            text = "\n  ".join(self.passed())
            raise Failure(f"{self.name} did not pass {first_missing()} in the order of docs/ARCHITECTURE.md; passed:\n  {text}") from None

    def detach(self):
        """Lets go of a program that goes on."""
        self.stop(signal.SIGINT)
