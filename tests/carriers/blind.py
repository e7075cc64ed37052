"""A search that sees nothing, or not all that is there, is a failure. The programs are played; tests/carriers/search.py judges for real."""

import contextlib
import io
import subprocess

import search


class World:
    """What is installed, and what the searches find, one after the other."""

    def __init__(self, there, *finds):
        self.there, self.finds, self.asked = there, list(finds), []

    def enclosed(self, names):
        self.asked.append(names)
        out = "".join(f"{name}\tM\n" for name in self.finds.pop(0) if name in names)
        return subprocess.CompletedProcess([], 0, stdout=out.encode())

    def judge(self, *args):
        """Exit code and output of the search."""
        search.enclosed, search.programs = self.enclosed, lambda: {name: "/usr/bin/" + name for name in self.there}
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = search.main(list(args))
        assert not self.finds, f"searches that did not happen: {self.finds}"
        return code, said.getvalue()


def main():
    known = sorted(search.rows("found.txt"))
    assert World(known, known).judge("--known")[0] == 0
    code, said = World(known, [], []).judge("--known")
    assert code == 1 and f"{known[0]} runs what it is told, and the search does not see it" in said, said
    # One that was late is tried once more; one that is not installed is not missed.
    world = World(known[:-1], known[1:], known[:1])
    assert world.judge("--known")[0] == 0 and world.asked[1] == known[:1], world.asked
    code, said = World(known, known[1:], []).judge("--known")
    assert code == 1 and said.count("does not see it") == 1, said

    # The whole search, which does not try what is known to be a carrier: but for these.
    some = [*search.SENTINELS, "cat"]
    world = World(some, search.SENTINELS)
    assert world.judge()[0] == 0 and set(world.asked[0]) == set(some), world.asked
    code, said = World(some, [], []).judge()
    assert code == 1 and said.count("does not see it") == len(search.SENTINELS), said
    code, said = World(some, some).judge()
    assert code == 1 and said.startswith("cat\t"), said
    code, said = World(["cat", "env"]).judge()
    assert code == 1 and "only 1 are installed" in said, said
    # Who names programs asks what they do.
    assert World(some, []).judge("cat")[0] == 0


if __name__ == "__main__":
    main()
