"""Checks that the lists of sources and of tests in CMake files are sorted, so that two changes rarely meet in one line and a file is
found where it is looked for. check_lists.py <root>"""

import os
import re
import subprocess
import sys

# The calls that list sources, and what in them is one.
CALL = re.compile(r"\b(add_executable|add_library|oc_room|target_sources)\s*\(([^()]*)\)")
SOURCE = re.compile(r"(?<![\w/.}-])[\w./${}-]+\.c\b")
# A block of tests: lines that follow each other.
TESTS = re.compile(r"(?:^[ \t]*oc_test(?:_program)?\([^\n]*\)[^\n]*\n)+", re.MULTILINE)
TEST = re.compile(r"oc_test(?:_program)?\((?:unit|integration)?\s*([\w/]+)")


def unsorted(words):
    return next((f"'{later}' stands behind '{first}'" for first, later in zip(words, words[1:]) if later < first), None)


def folders_first(path):
    """Files of a folder stand before those of the folders in it."""
    folder, name = os.path.split(path)
    return folder.split("/"), name


def problems_in(text):
    text = re.sub(r"#[^\n]*", "", text)
    for call, words in CALL.findall(text):
        problem = unsorted(SOURCE.findall(words))
        if problem:
            yield f"{call}({words.split()[0]} …): {problem}"
    for block in TESTS.finditer(text):
        problem = unsorted([folders_first(path) for path in TEST.findall(block[0])])
        if problem:
            yield f"tests: {problem}"


def main(root):
    names = subprocess.run(["git", "-C", root, "ls-files", "-c", "-o", "--exclude-standard", "--", "*CMakeLists.txt", "*.cmake"], check=True,
                           capture_output=True, text=True).stdout.split()
    problems, lists = [], 0
    for name in names:
        with open(os.path.join(root, name), encoding="utf-8") as f:
            text = f.read()
        lists += len(CALL.findall(text))
        problems += [f"{name}: {problem}" for problem in problems_in(text)]
    return problems, lists


if __name__ == "__main__":
    # Known answers first: a search that finds nothing proves nothing.
    assert list(problems_in("oc_room(a b\n    y.c\n    x.c)\n")) and not list(problems_in("oc_room(a b\n    ../z.c\n    x.c # a\n    y.c)\n"))
    found, count = main(sys.argv[1])
    for line in found:
        print(line)
    print(f"{count} lists, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)
