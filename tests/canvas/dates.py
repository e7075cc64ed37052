"""Dates as people write them where they live. The locales are made here, in a folder of the test (localedef, of Debian's package
locales)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = sys.argv[1]
FILE = "\n".join(json.dumps(m) for m in (
    {"surfaceUpdate": {"surfaceId": "s", "components": [
        {"id": "root", "component": {"Column": {"children": {"explicitList": ["both", "day", "time", "none"]}}}},
        {"id": "both", "component": {"DateTimeInput": {"value": {"literalString": "2026-03-05T14:30"}, "enableDate": True, "enableTime": True}}},
        {"id": "day", "component": {"DateTimeInput": {"value": {"literalString": "2026-03-05"}, "enableDate": True, "enableTime": False}}},
        {"id": "time", "component": {"DateTimeInput": {"value": {"literalString": "09:05"}, "enableDate": False, "enableTime": True}}},
        {"id": "none", "component": {"DateTimeInput": {"value": {"literalString": ""}, "enableDate": True, "enableTime": False}}}]}},
    {"beginRendering": {"surfaceId": "s", "root": "root"}}))
ENGLISH, GERMAN = ("Clear", "Today", "Done", "Time", "Choose a date"), ("Leeren", "Heute", "Fertig", "Uhrzeit", "Datum wählen")
# locale: what is shown, then what the calendar begins with: month, and the first day of the week; then words, in the same language
CASES = {
    "C": ("5 Mar 2026, 14:30", "5 Mar 2026", "09:05", "March 2026", "Mo", ENGLISH),
    "C.UTF-8": ("5 Mar 2026, 14:30", "5 Mar 2026", "09:05", "March 2026", "Mo", ENGLISH),
    "xx_NOWHERE.UTF-8": ("5 Mar 2026, 14:30", "5 Mar 2026", "09:05", "March 2026", "Mo", ENGLISH),
    "de_DE.ISO-8859-1": ("5 Mar 2026, 14:30", "5 Mar 2026", "09:05", "March 2026", "Mo", ENGLISH),
    "de_DE.UTF-8": ("05.03.2026, 14:30", "05.03.2026", "09:05", "März 2026", "Mo", GERMAN),
    "en_US.UTF-8": ("03/05/2026, 2:30 PM", "03/05/2026", "9:05 AM", "March 2026", "Sun", ENGLISH),
    "nl_NL.UTF-8": ("05-03-2026, 14:30", "05-03-2026", "09:05", "maart 2026", "ma", ("Wissen", "Vandaag", "Klaar", "Tijd", "Kies een datum")),
    "pl_PL.UTF-8": ("05.03.2026, 14:30", "05.03.2026", "09:05", "marzec 2026", "pon", ("Wyczyść", "Dzisiaj", "Gotowe", "Godzina", "Wybierz datę")),  # not "marca": it stands alone
}


def main():
    folder = tempfile.mkdtemp(prefix="oc-locale-")
    try:
        for name in CASES:
            language, charset = (name.split(".") + [""])[:2]
            if "_" in language and language != "xx_NOWHERE" and subprocess.run(
                    ["localedef", "--no-archive", "-i", language, "-f", charset, os.path.join(folder, name)], capture_output=True).returncode > 1:
                sys.exit(f"cannot run: localedef has no sources of {name} (scripts/deps test)")
        path = os.path.join(folder, "dates.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write(FILE)
        for name, (both, day, time, month, first, words) in CASES.items():
            env = {**os.environ, "LOCPATH": folder, "LC_ALL": name, "TZ": "UTC", "FONTCONFIG_FILE": os.path.join(HERE, "fonts.conf")}
            done = subprocess.run([PROGRAM, "render", path, "--dump", "list", "--activate", "day"], env=env, capture_output=True, text=True, check=True)
            for text in (both, day, time, month, *words):
                assert f" '{text}' " in done.stdout, f"{name}: no {text!r} in\n{done.stdout}"
            after = done.stdout.split(f"'{month}'", 1)[1].split("\ntext ")
            assert f" '{first}' " in after[1], f"{name}: the week does not begin with {first}: {after[1]}"
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
