"""Numbers in JSON come from peers. Only lib/json and lib/helper look at them unchecked; everybody else reads them with their range. And names of
members: a list has none, and a peer may send one where an object is expected, so loops that look at names are over objects only."""

import os
import re
import sys

FOLDERS = ("lib", "platform", "canvas", "gateway", "node", "cli")
MAY_LOOK = {"lib/json/json.c", "lib/json/json.h", "lib/json/json_decode.c", "lib/json/json_print.c", "lib/helper/params.c"}
MAY_WALK = ("lib/json/", "lib/config/", "gateway/methods/config/config_write.c", "gateway/pairing/store_import.c")  # through lists and objects alike, and they ask for the name first
LOOP = re.compile(r"cJSON_ArrayForEach\((\w+),")
RAW = re.compile(r"->value(double|int)\b|\bcJSON_GetNumberValue\b")


def loops(path, text):
    """Of cJSON_ArrayForEach whose body looks at a name."""
    for found in LOOP.finditer(text):
        body = text[found.end():text.find("\n}\n", found.end())]
        body = body.split(f"cJSON_ArrayForEach({found[1]},")[0]
        if re.search(rf"\b{found[1]}->string\b", body):
            yield f"{path}:{text.count(chr(10), 0, found.start()) + 1}: a list has no names; use oc_json_for_each_member"


def check(root):
    problems, files = [], 0
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(base, name), root)
                if not name.endswith((".c", ".h")) or path in MAY_LOOK:
                    continue
                files += 1
                with open(os.path.join(root, path), encoding="utf-8") as text:
                    if not path.startswith(MAY_WALK):
                        problems += loops(path, text.read())
                    text.seek(0)
                    problems += [f"{path}:{number}: a number without its range; use oc_json_get_int, oc_json_as_num …"
                                 for number, line in enumerate(text, 1) if RAW.search(line)]
    return problems, files


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)
