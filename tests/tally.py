"""Adds up ctest's JUnit files and scripts/test's own checks, and closes with `N passed, N failed, N skipped`."""

import glob
import os
import sys
import xml.etree.ElementTree as ET


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
    for name in bad:
        print(f"failed: {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
