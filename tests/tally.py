"""Adds up ctest's JUnit files and scripts/test's own checks, and closes with `N passed, N failed, N skipped`."""

import glob
import os
import re
import sys
import xml.etree.ElementTree as ET


def second_tries(folder):
    log = os.path.join(folder, "ctest.log")
    if not os.path.exists(log):
        return []
    failed, mended = set(), []
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            said = re.match(r"[ 0-9/]*Test +#\d+: (\S+) [ .]*(\*\*\*)?", line)
            if said and said[2]:
                failed.add(said[1])
            elif said and said[1] in failed:
                failed.discard(said[1])
                mended.append(said[1])
    return mended


def main(folder):
    passed, failed, skipped, bad = 0, 0, 0, []
    for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
        label = os.path.basename(path).split("-")[0]
        for case in ET.parse(path).getroot().iter("testcase"):
            status = case.get("status")
            if status == "run":
                passed += 1
            elif status in ("notrun", "disabled"):
                skipped += 1
                said = (case.findtext("system-out") or "").strip().splitlines()
                why = [line for line in said if line.startswith("skipped")] or said[-1:] or ["no reason given"]
                print(f"skipped: {label} {case.get('name')}: {why[0]}")
            else:
                failed += 1
                bad.append(f"{label} {case.get('name')}")
    checks = os.path.join(folder, "checks")
    if os.path.exists(checks):
        with open(checks, encoding="utf-8") as lines:
            for line in lines:
                word, name = line.split(maxsplit=1)
                if word == "passed":
                    passed += 1
                else:
                    failed += 1
                    bad.append(name.strip())
    for name in second_tries(folder):
        print(f"passed at its second try only: {name}")
    for name in bad:
        print(f"failed: {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
