"""Tests that sleep: none is left out of ctest, none can skip itself. check_tests.py SOURCE BUILD

The one reason to skip is the verdict of tests/interop/install-peers. What a test needs is installed by scripts/deps test; what is not
there is a failure. What takes long or another kernel (tests/long, tests/vm) is run by scripts/test --long and no ctest test."""

import glob
import json
import os
import re
import subprocess
import sys

# Tests that tests/vm runs on kernels with less.
SANDBOX = [f"tests/unit/platform/linux/sandbox/{name}" for name in
           ("platform_sandbox_files_test.c", "platform_sandbox_processes_test.c", "platform_sandbox_start_test.c", "sandbox_scene.h")]
# pattern; files that may have it
FORBIDDEN = [
    (r"SKIP_RETURN_CODE|\bDISABLED\s+(TRUE|ON|1)\b|GTEST_SKIP", ()),
    (r"SKIP_REGULAR_EXPRESSION", ("tests/interop/CMakeLists.txt",)),
    (r"\bexit\(77\)|\breturn 77\b|\bexit 77\b|unittest\.skip|SkipTest", ()),
    (r"""print\(f?["'](part )?skipped""", ("tests/tally.py", "tests/bench/canvas")),
    # Kernels without Landlock or without control groups of our own: those of tests/vm. Under ctest cmocka's word for it is a failure.
    (r"^\s*skip\(\);", (*SANDBOX, "tests/unit/platform/linux/cgroup/platform_cgroup_test.c", "tests/unit/platform/linux/helper/helper_sandbox_test.c")),
    # Who is not root hears so from need_root(). Here either user is fine: namespaces, the compositor that refuses root, a limit that the
    # kernel does not set for it.
    (r"^\s*(if|elif)\b[^\n]*(\bgete?uid\(\) *[!=]= *0\b|\bis_root\b|\bIS_ROOT\b)",
     ("tests/e2e/manager.py", "tests/carriers/search.py", "tests/desktop/session.py", "tests/bench/exec",
      *SANDBOX, "tests/unit/unit.h")),
    # What is not there is a failure: need(…). A test that goes without it says what it goes without.
    (r"^\s*if (not )?shutil\.which\(|\bif \(!has_\w+\(\)\)|\bhas_v6\b",
     ("tests/interop/install-peers", "tests/interop/exec-policy-2026.2.26.py", "tests/canvas/web_window.py", "tests/e2e/32-looks.py")),
    (r"skipped by the registry probe", ("tests/interop/install-peers", "tests/interop/CMakeLists.txt", "tests/interop/peers_cache.py",
                                         "tests/tally.py", "tests/check_tally.py")),
]
IN_A_MACHINE = {"platform_cgroup_test"}


def texts():
    names = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard", "--", "tests", "cmake"], capture_output=True, text=True,
                           check=True).stdout.split("\0")
    for name in names:
        if name != "tests/check_tests.py" and os.path.isfile(name) and not re.search(r"/(corpus|goldens|data|states|reference|pictures)/", name):
            with open(name, encoding="utf-8", errors="replace") as f:
                yield name, f.read()


def faults_in_text():
    for name, text in texts():
        for pattern, allowed in FORBIDDEN:
            found = name not in allowed and re.search(pattern, text, re.MULTILINE)
            if found:
                yield f"{name}: {found[0].strip()!r}: a test must not skip itself"


def faults_in_list(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = json.loads(shown)["tests"]
    words = {os.path.basename(word) for test in tests for word in test.get("command", [])}
    wanted = {os.path.basename(path)[:-2] for kind in ("unit", "integration") for path in glob.glob(f"tests/{kind}/**/*_test.c", recursive=True)}
    wanted |= {os.path.basename(path)[:-2] for path in glob.glob("tests/fuzz/fuzz_*.c")}
    for path in set(glob.glob("tests/*/*.py")) - set(glob.glob("tests/long/*.py")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        is_test = re.search(r"^run_tests\(globals\(\)\)", text, re.MULTILINE) or re.match(r"tests/(e2e|desktop)/\d\d-", path)
        if is_test or (path.startswith("tests/canvas/") and "__main__" in text):
            wanted.add(os.path.basename(path))
    wanted |= {os.path.basename(path) for path in glob.glob("tests/check_*.py")} - BY_SCRIPT
    for name in sorted(wanted - words - IN_A_MACHINE):
        yield f"{name} is no ctest test: name it in its CMakeLists.txt"
    with open("scripts/test", encoding="utf-8") as f:
        script = f.read()
    for path in glob.glob("tests/long/*.py"):
        if path not in script:
            yield f"{path} is in no stage of scripts/test --long"


BY_SCRIPT = {"check_packages.py", "check_symbols.py"}  # need the release: scripts/test runs them


def main(source, build):
    os.chdir(source)
    faults = [*faults_in_text(), *faults_in_list(build)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
