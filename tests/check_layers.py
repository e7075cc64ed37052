"""Checks the layer table of docs/ARCHITECTURE.md: who may include whom, and which system headers stay where."""

import os
import re
import sys

# folder: our folders it may include
ALLOWED = {
    "base": {"base"},
    "protocol": {"base", "protocol"},
    "net": {"base", "protocol", "net", "platform"},
    "platform": {"base", "platform"},
    "canvas": {"base", "canvas", "platform"},
    "gateway": {"base", "protocol", "net", "gateway", "platform"},
    "node": {"base", "protocol", "net", "node", "platform"},
    "cli": {"base", "protocol", "net", "platform", "gateway", "node", "cli"},
}

# library header prefix: folders that may see it
LIBRARIES = {
    "wslay/": {"net"},
    "sqlite3.h": {"gateway"},
    "openssl/": {"protocol", "net"},
}

# the helper programs' folders; nothing else may see these libraries
HELPER_LIBRARIES = {
    "glib": {"platform/linux/desktop", "platform/linux/media", "canvas/window", "canvas/web"},
    "gio/": {"platform/linux/desktop", "platform/linux/media", "canvas/window", "canvas/web"},
    "libnotify/": {"platform/linux/desktop"},
    "gtk/": {"canvas/window", "canvas/web"},
    "webkit/": {"canvas/web"},
    "cairo": {"canvas", "canvas/window", "canvas/web"},
    "pango/": {"canvas"},
    "fontconfig/": {"canvas"},
    "gst/": {"platform/linux/media"},
    "pipewire/": {"platform/linux/media"},
    "spa/": {"platform/linux/media"},
    "wayland-": {"platform/linux/media"},
    "xcb/": {"platform/linux/media"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def check(root):
    problems, files = [], 0
    for folder, allowed in ALLOWED.items():
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.join(base, name)
                files += 1
                with open(path, encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        if not match:
                            continue
                        quote, target = match.groups()
                        where = f"{os.path.relpath(path, root)}:{number}"
                        if quote == '"':
                            top = target.split("/")[0]
                            if top not in allowed:
                                problems.append(f"{where}: {folder}/ may not include {target}")
                            elif folder in ("net", "gateway", "node") and top == "platform" and target != "platform/platform.h":
                                problems.append(f"{where}: {folder}/ sees only platform/platform.h, not {target}")
                        else:
                            for prefix, owners in HELPER_LIBRARIES.items():
                                if target.startswith(prefix) and os.path.relpath(base, root) not in owners:
                                    problems.append(f"{where}: <{target}> belongs to {sorted(owners) or 'no helper yet'}")
                            for prefix, owners in LIBRARIES.items():
                                if target.startswith(prefix) and folder not in owners:
                                    problems.append(f"{where}: <{target}> belongs to {sorted(owners) or 'no core folder'}")
    return problems, files


if __name__ == "__main__":
    found, count = check(sys.argv[1])
    for problem in found:
        print(problem)
    print(f"{count} files, {len(found)} problems")
    sys.exit(1 if found or count == 0 else 0)
