"""What scripts/test says at its end: green only when everything ran, but for what the registry's absence excuses."""

import os
import re
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


def logged(*runs):
    """ctest.log as run_ctest of scripts/test writes it, for (preset, what ctest says)…"""
    with open(os.path.join(HERE, "..", "scripts", "test"), encoding="utf-8") as f:
        function = re.search(r"^run_ctest\(\) \{\n.*?^\}\n", f.read(), re.MULTILINE | re.DOTALL)[0]
    with tempfile.TemporaryDirectory(prefix="oc-tally-") as folder:
        for preset, text in runs:
            script = 'set -euo pipefail\nctest() { touch "$4"; printf %s "$said"; }\n' + function + 'run_ctest "$preset"\n'
            subprocess.run(["bash", "-c", script], env={**os.environ, "results": folder, "preset": preset, "said": text},
                           stdout=subprocess.DEVNULL, check=True)
        with open(os.path.join(folder, "ctest.log"), encoding="utf-8") as f:
            return f.read()


def main():
    ends(tally(), 0, "1 passed, 0 failed, 0 skipped")
    ends(tally(cases=()), 1, "0 passed, 0 failed, 0 skipped")
    ends(tally([GOOD, ("unit/b", "fail", "")]), 1, "1 passed, 1 failed, 0 skipped", "failed: dev unit/b")

    # Skipped: only for the probe's verdict, and only who says so.
    absent = ("interop/x", "notrun", "one line\n" + EXCUSE)
    result = tally([GOOD, absent, ("interop/y", "notrun", EXCUSE)], probe="unreachable: ENOTFOUND\n")
    ends(result, 0, "1 passed, 0 failed, 2 skipped", f"dev interop/x: {EXCUSE}", f"dev interop/y: {EXCUSE}")
    assert result[1][-2] == "skipped: dev interop/x, dev interop/y", result
    result = tally([GOOD, absent, ("unit/b", "fail", "")], probe="unreachable: ENOTFOUND\n")
    ends(result, 1, "1 passed, 1 failed, 1 skipped", "failed: dev unit/b")
    assert result[1][-2] == "skipped: dev interop/x", result
    assert not any(line.startswith("skipped") for line in tally()[1])
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
    bad, good = "1/2 Test #1: unit/a ....***Failed 0.1 sec\n", "    Test #1: unit/a ....   Passed 0.1 sec\n"
    ends(tally(**{"ctest.log": logged(("dev", bad + good))}), 0, "1 passed, 0 failed, 0 skipped", "passed at its second try only: dev unit/a")
    for runs in ([("dev", bad + bad), ("asan", good)], [("dev", good), ("asan", bad + bad)], [("dev", bad + bad), ("dev", good)]):
        assert not any("second try" in line for line in tally(**{"ctest.log": logged(*runs)})[1]), runs
    said = [line for line in tally(**{"ctest.log": logged(("dev", bad + good), ("asan", bad + good))})[1] if "second try" in line]
    assert said == [f"passed at its second try only: {name} unit/a" for name in ("dev", "asan")], said


if __name__ == "__main__":
    main()
