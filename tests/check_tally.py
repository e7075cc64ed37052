"""What scripts/test says at its end: green only when everything ran, but for what the registry's absence excuses."""

import os
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
EXCUSE = "skipped by the registry probe: the npm registry is unreachable: ENOTFOUND; not installed: oc9"
GOOD = ("unit/a", "run", "")


def tally(cases=(GOOD,), **files):
    """Exit code and lines for one run of ctest; files: name and content of the others."""
    with tempfile.TemporaryDirectory(prefix="oc-tally-") as folder:
        text = "".join(f'<testcase name="{name}" status="{status}"><system-out>{escape(said)}</system-out></testcase>'
                       for name, status, said in cases)
        files = {"dev-1.xml": f"<testsuite>{text}</testsuite>", "runs": "dev-1.xml 0\n", **{k.replace("__", "-"): v for k, v in files.items()}}
        for name, content in files.items():
            if content is not None:
                with open(os.path.join(folder, name.replace("_xml", ".xml")), "w", encoding="utf-8") as f:
                    f.write(content)
        done = subprocess.run([sys.executable, os.path.join(HERE, "tally.py"), folder], capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout.splitlines()


def ends(result, code, last, *parts):
    assert result[0] == code and result[1][-1] == last, result
    for part in parts:
        assert any(part in line for line in result[1][:-1]), (part, result)


def main():
    ends(tally(), 0, "1 passed, 0 failed, 0 skipped")
    ends(tally(cases=()), 1, "0 passed, 0 failed, 0 skipped")
    ends(tally([GOOD, ("unit/b", "fail", "")]), 1, "1 passed, 1 failed, 0 skipped", "failed: dev unit/b")

    # Skipped: only for the probe's verdict, and only who says so.
    absent = ("interop/x", "notrun", "one line\n" + EXCUSE)
    ends(tally([GOOD, absent], probe="unreachable: ENOTFOUND\n"), 0, "1 passed, 0 failed, 1 skipped", f"skipped: dev interop/x: {EXCUSE}")
    ends(tally([GOOD, absent], probe="reachable\n"), 1, "1 passed, 1 failed, 0 skipped", "failed: dev interop/x: did not run")
    ends(tally([GOOD, absent]), 1, "1 passed, 1 failed, 0 skipped", "did not run, and not for the registry's probe")
    for other in ("skipped: no camera here", "", "Unable to find executable"):
        ends(tally([GOOD, ("e2e/y", "notrun", other)], probe="unreachable: ENOTFOUND\n"), 1, "1 passed, 1 failed, 0 skipped", "failed: dev e2e/y")
    ends(tally([GOOD, ("e2e/z", "disabled", "")], probe="unreachable: x\n"), 1, "1 passed, 1 failed, 0 skipped", "failed: dev e2e/z")

    # ctest that breaks before it has results, or in the middle of writing them.
    ends(tally(runs="dev-1.xml 0\nasan-2.xml 8\n"), 1, "1 passed, 1 failed, 0 skipped", "ctest left no asan-2.xml, exit code 8")
    ends(tally(runs="dev-1.xml 8\n"), 1, "1 passed, 1 failed, 0 skipped", "ctest ended with 8")
    ends(tally(asan__2_xml="<testsuite><testc", runs="dev-1.xml 0\nasan-2.xml 1\n"), 1, "1 passed, 1 failed, 0 skipped", "asan-2.xml")

    # Checks, times, second tries.
    ends(tally(checks="passed format\nfailed clang-tidy\n"), 1, "2 passed, 1 failed, 0 skipped", "failed: clang-tidy")
    ends(tally(stages="format 3\nasan 605\n"), 0, "1 passed, 0 failed, 0 skipped", "asan        10 min 05 s", "together    10 min 08 s")
    log = "1/2 Test #1: unit/a ....***Failed 0.1 sec\n    Test #1: unit/a ....   Passed 0.1 sec\n"
    result = tally(**{"ctest.log": log})
    ends(result, 0, "1 passed, 0 failed, 0 skipped", "passed at its second try only: unit/a")


if __name__ == "__main__":
    main()
