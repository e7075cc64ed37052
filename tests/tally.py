"""Adds up ctest's JUnit files and scripts/test's own checks, and closes with `N passed, N failed, N skipped`.

In the folder: *.xml of ctest; `runs`, a line "file exit-code" per run of ctest; `checks`, a line "passed|failed name" per check that is
no ctest test; `stages`, a line "name seconds" each; `ctest.log`, what ctest said, a line "run of ctest: file" before each run; `probe`, the
verdict on the registry. A test is skipped only for that verdict, and
says so; one that did not run for any other reason has failed, as has a run of ctest that left no results."""

import glob
import os
import re
import sys
import xml.etree.ElementTree as ET

SKIP = "skipped by the registry probe: "  # says tests/interop/install-peers
RUN = "run of ctest: "  # says scripts/test


def lines_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as lines:
        return [line.rstrip("\n") for line in lines if line.strip()]


def label_of(path):
    """dev-2.xml is a run of dev."""
    return os.path.basename(path).split("-")[0]


def second_tries(folder):
    """A failure in one run is not mended by another."""
    failed, mended, label = set(), [], ""
    for line in lines_of(folder, "ctest.log"):
        if line.startswith(RUN):
            failed, label = set(), label_of(line[len(RUN):]) + " "
        said = re.match(r"[ 0-9/]*Test +#\d+: (\S+) [ .]*(\*\*\*)?", line)
        if said and said[2]:
            failed.add(said[1])
        elif said and said[1] in failed:
            failed.discard(said[1])
            mended.append(label + said[1])
    return mended


class Tally:
    def __init__(self, folder):
        self.folder, self.passed, self.failed, self.skipped = folder, 0, [], []
        self.is_unreachable = "".join(lines_of(folder, "probe")).startswith("unreachable")

    def add_case(self, label, case):
        """Whether it is fine."""
        name, status = f"{label} {case.get('name')}", case.get("status")
        if status == "run":
            self.passed += 1
            return True
        said = (case.findtext("system-out") or "").strip().splitlines()
        if status in ("notrun", "disabled"):
            why = [line for line in said if line.startswith(SKIP)]
            if why and self.is_unreachable:
                self.skipped.append((name, why[0]))
                return True
            told = case.find("skipped")
            reason = (said[-1:] or [(told.get("message") if told is not None else "") or "no reason given"])[0]
            self.failed.append(f"{name}: did not run, and not for the registry's probe: {reason}")
            return False
        self.failed.append(name)
        return False

    def add_file(self, path):
        label = label_of(path)
        return all([self.add_case(label, case) for case in ET.parse(path).getroot().iter("testcase")])

    def add_all(self):
        fine = {}
        for path in sorted(glob.glob(os.path.join(self.folder, "*.xml"))):
            try:
                fine[os.path.basename(path)] = self.add_file(path)
            except ET.ParseError as error:
                fine[os.path.basename(path)] = False
                self.failed.append(f"{os.path.basename(path)}: {error}")
        for name, code in (line.split() for line in lines_of(self.folder, "runs")):
            if name not in fine:
                self.failed.append(f"ctest left no {name}, exit code {code}")
            elif code != "0" and fine[name]:
                self.failed.append(f"ctest ended with {code} although all of {name} passed")
        for word, name in (line.split(maxsplit=1) for line in lines_of(self.folder, "checks")):
            if word == "passed":
                self.passed += 1
            else:
                self.failed.append(name)

    def tell(self):
        stages = [line.split() for line in lines_of(self.folder, "stages")]
        for name, seconds in stages:
            print(f"{name:<10} {int(seconds) // 60:3d} min {int(seconds) % 60:02d} s")
        if stages:
            total = sum(int(seconds) for _, seconds in stages)
            print(f"{'together':<10} {total // 60:3d} min {total % 60:02d} s")
        for name in second_tries(self.folder):
            print(f"passed at its second try only: {name}")
        for name, why in self.skipped:
            print(f"{name}: {why}")
        for name in self.failed:
            print(f"failed: {name}")
        if self.skipped:  # whoever reads nothing but the end sees what is missing in it
            print(f"skipped: {', '.join(name for name, _ in self.skipped)}")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped")
        return 1 if self.failed or not self.passed else 0


def main(folder):
    tally = Tally(folder)
    tally.add_all()
    return tally.tell()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
