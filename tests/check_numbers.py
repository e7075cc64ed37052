"""Numbers in JSON come from peers. Only base/ looks at them unchecked; everybody else reads them with their range."""

import os
import re
import sys

FOLDERS = ("base", "protocol", "net", "platform", "canvas", "gateway", "node", "cli")
MAY_LOOK = {"base/json.c", "base/json.h", "base/json_decode.c", "base/json_print.c", "base/params.c"}
RAW = re.compile(r"->value(double|int)\b|\bcJSON_GetNumberValue\b")


def check(root):
    problems, files = [], 0
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(base, name), root)
                if not name.endswith((".c", ".h")) or path in MAY_LOOK:
                    continue
                files += 1
                with open(os.path.join(root, path), encoding="utf-8") as lines:
                    problems += [f"{path}:{number}: a number without its range; use oc_json_get_int, oc_json_as_num …"
                                 for number, line in enumerate(lines, 1) if RAW.search(line)]
    return problems, files


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)
