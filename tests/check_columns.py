"""Checks that no line of C is longer than 100 columns, comments among them, which clang-format leaves alone. Where it is switched
off (tables of one item a line), in the rows of a .def file, which other programs read line by line, and in string literals that cannot
be cut a line may be longer. check_columns.py <root>"""

import os
import re
import subprocess
import sys

COLUMNS = 100
ROW = re.compile(r"[A-Z_0-9]+\(.*\)$")


def long_lines(path):
    is_table = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if "clang-format off" in line:
                is_table = True
            elif "clang-format on" in line:
                is_table = False
            is_row = path.endswith(".def") and ROW.match(line)
            if len(line) > COLUMNS and not is_table and not is_row and not re.search(r'"[^"]{40,}"', line):
                yield number, len(line)


def main(root):
    os.chdir(root)
    files = subprocess.check_output(["git", "ls-files", "*.c", "*.def", "*.h", "*.m"], text=True).split()
    found = [f"{path}:{number}: {columns} columns" for path in files for number, columns in long_lines(path)]
    return found, len(files)


found, count = main(sys.argv[1])
print("\n".join(found + [f"{count} files, {len(found)} problems"]))
sys.exit(bool(found))
