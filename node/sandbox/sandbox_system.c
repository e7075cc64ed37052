/* What of the system a sandboxed command reads: what every machine has for everyone, and never what
 * is only for some.
 *
 * Root reads every file that a rule opens, whatever its mode says, and Landlock cannot leave
 * something out of a directory. So /etc is not opened: only the parts that programs need to start,
 * to find names, certificates and time zones, and to speak to people. No shadow, no host keys, no
 * credentials of package managers, no connections' passwords. The rest is the owner's to add
 * (node.exec.readable), as is /opt. */
#include "node/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* Only what exists counts. No /home, /root, /var, /run, /tmp, /proc, /sys: the exceptions are files
 * that name resolution and runtimes read. /sys/fs/cgroup is none of them: it lists the services and
 * programs of everyone. */
static const char *const places[] = { "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
    "/libx32", "/nix/store", "/gnu/store", "/run/current-system",
    "/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf", "/run/resolvconf/resolv.conf", "/sys/devices/system/cpu",
    "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage", "/proc/cpuinfo",
    "/proc/meminfo", "/proc/filesystems", "/proc/loadavg", "/proc/stat", "/proc/uptime",
    "/proc/version", "/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs" };

/* Names in /etc; a trailing '*' stands for any ending. */
static const char *const etc_names[] = { "ImageMagick-*", "OpenCL", "R", "alpine-release",
    "alternatives", "arch-release", "bash.bashrc", "bash_completion*", "bashrc", "ca-certificates*",
    "crypto-policies", "debian_version", "dictionaries-common", "dpkg", "emacs", "fedora-release",
    "fonts", "gai.conf", "ghostscript", "gitattributes", "gitconfig", "glvnd", "gnutls", "group",
    "gtk-2.0", "gtk-3.0", "gtk-4.0", "host.conf", "hostname", "hosts", "inputrc", "java*",
    "krb5.conf", "ld-musl-*", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload",
    "locale.alias", "locale.conf", "localtime", "login.defs", "lsb-release", "magic", "magic.mime",
    "mailcap", "manpath.config", "mime.types", "mtab", "nanorc", "networks", "nsswitch.conf",
    "openmpi", "os-release", "papersize", "paperspecs", "passwd", "perl", "profile", "profile.d",
    "protocols", "python*", "redhat-release", "resolv.conf", "rpc", "services", "sgml", "shells",
    "system-release", "terminfo", "texmf", "timezone", "vim", "vulkan", "xdg", "xml", "zshenv",
    "zshrc" };

/* Parts of directories in /etc that hold secrets, too. */
static const char *const etc_parts[] = { "/etc/default/locale", "/etc/pki/ca-trust",
    "/etc/pki/java", "/etc/pki/tls/cert.pem", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf",
    "/etc/ssh/ssh_config", "/etc/ssh/ssh_config.d", "/etc/ssh/ssh_known_hosts",
    "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
    "/etc/zsh" };

static bool is_needed(const char *name) {
    for (size_t i = 0; i < OC_COUNT(etc_names); i++) {
        size_t n = strlen(etc_names[i]);
        if (etc_names[i][n - 1] == '*' ? strncmp(etc_names[i], name, n - 1) == 0
                                       : strcmp(etc_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* A file that its owner keeps from others is no part of the system, whatever it is called. */
static void add_public(const char *path, struct oc_strv *ret) {
    struct stat st;
    if (stat(path, &st) == 0 && (st.st_mode & S_IROTH)) {
        oc_strv_add(ret, path);
    }
}

void nd_sandbox_system(struct oc_strv *ret) {
    for (size_t i = 0; i < OC_COUNT(places); i++) {
        oc_strv_add(ret, places[i]);
    }
    for (size_t i = 0; i < OC_COUNT(etc_parts); i++) {
        add_public(etc_parts[i], ret);
    }
    DIR *etc = opendir("/etc");
    const struct dirent *entry;
    while (etc && (entry = readdir(etc)) != NULL) {
        if (is_needed(entry->d_name)) {
            OC_AUTO_FREE char *path = oc_path_join("/etc", entry->d_name);
            add_public(path, ret);
        }
    }
    if (etc) {
        closedir(etc);
    }
}
