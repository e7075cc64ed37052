"""Checks that the programs of a release carry no debug symbols, that those are beside them, and that tools find them there; the
same of what is installed.

check_symbols.py <build folder>
"""

import os
import subprocess
import sys
import tempfile

LARGEST = 1500 * 1000  # bytes of openclaw; tests/bench/footprint has the same limit


def run(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


def place_of_main(program, symbols):
    """What addr2line says of main, asked with the program's name only."""
    address = next(line.split()[0] for line in run("nm", symbols).splitlines() if line.lower().endswith(" t main"))
    return run("addr2line", "-f", "-e", program, address).split()


def check(folder, names):
    problems = []
    for name in names:
        program, symbols = os.path.join(folder, name), os.path.join(folder, ".debug", name + ".debug")
        if not os.path.exists(symbols):
            problems.append(f"{symbols} is missing")
            continue
        if any(word in run("readelf", "-SW", program) for word in (".debug_info", ".symtab")):
            problems.append(f"{program} has symbols of its own")
            continue
        function, place = place_of_main(program, symbols)
        if function != "main" or "main.c:" not in place:
            problems.append(f"addr2line says of main in {program}: {function} {place}")
    return problems


def programs_in(folder):
    return [e.name for e in os.scandir(folder) if e.is_file() and e.name.startswith("openclaw")]


def main(build):
    bin_folder = os.path.join(build, "bin")
    problems = check(bin_folder, programs_in(bin_folder))
    size = os.path.getsize(os.path.join(bin_folder, "openclaw"))
    if size > LARGEST:
        problems.append(f"openclaw has {size} bytes")
    if problems:
        return problems
    with tempfile.TemporaryDirectory() as prefix:
        run("cmake", "--install", build, "--prefix", prefix)
        folders = [os.path.join(prefix, "bin"), os.path.join(prefix, "libexec", "openclaw")]
        problems += [f"{f} has debug symbols that nobody asked for" for f in folders if os.path.exists(os.path.join(f, ".debug"))]
        run("cmake", "--install", build, "--prefix", prefix, "--component", "symbols")
        for folder in folders:
            problems += check(folder, programs_in(folder) if os.path.isdir(folder) else [])
    return problems


if __name__ == "__main__":
    found = main(sys.argv[1])
    print("\n".join(found) or "ok")
    sys.exit(1 if found else 0)
