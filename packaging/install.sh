#!/bin/sh
# Installs the openclaw of this folder, without a package manager:
#
#   ./install.sh                        into /usr/local as root, else into ~/.local
#   ./install.sh --prefix DIR           into another place
#   ./install.sh --uninstall            removes what it has put there; settings and keys stay (openclaw purge removes those)
#
# Asks nothing, fetches nothing, starts nothing.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=${HOME:?}/.local; fi
action=install
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=${2:?--prefix DIR}; shift 2 ;;
    --prefix=*) prefix=${1#*=}; shift ;;
    --uninstall) action=uninstall; shift ;;
    -h | --help) sed -n '2,8p' install.sh | sed 's/^# \{0,1\}//'; exit 0 ;;
    *) die "unknown option $1; there are --prefix DIR, --uninstall and --help" ;;
    esac
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
manifest=$prefix/share/openclaw/files

# The files of the list that are there, then the folders of ours that are empty.
remove_listed() {
    while IFS= read -r file; do
        case $file in /* | *..*) die "$manifest has been changed: $file" ;; esac
        rm -f "$prefix/$file"
    done <"$manifest"
    rm -f "$manifest"
    rmdir "$prefix/share/openclaw" "$prefix/lib/openclaw" "$prefix/share/doc/openclaw" 2>/dev/null || true
}

if [ $action = uninstall ]; then
    [ -f "$manifest" ] || die "nothing of this script's is in $prefix"
    remove_listed
    say "Removed openclaw from $prefix. Settings and keys stay in ~/.openclaw."
    exit 0
fi

# Before anything is written: does it run here at all?
bin/openclaw --version >/dev/null 2>&1 || {
    bin/openclaw --version || true
    die "openclaw does not run on this machine. It needs glibc 2.36 and OpenSSL 3, as Debian 12, Ubuntu 24.04 and Fedora 38 have them."
}
if [ -f "$manifest" ]; then
    remove_listed
fi
mkdir -p "$prefix/share/openclaw"
find bin lib share -type f | sort >"$manifest"
while IFS= read -r file; do
    mkdir -p "$prefix/${file%/*}"
    # A program that runs keeps its old file.
    cp "$file" "$prefix/$file.new.$$"
    mv -f "$prefix/$file.new.$$" "$prefix/$file"
done <"$manifest"
say "Installed $("$prefix/bin/openclaw" --version) into $prefix/bin."
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) say "$prefix/bin is not in your PATH. For this shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
say "Next: openclaw gateway run"
