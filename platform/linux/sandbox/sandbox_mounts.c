/* Namespaces of a sandboxed program: it sees its own processes, no network, and a root of its own
 * (sandbox_view.c) in which everything but its own directories is read-only. Runs in the child. */
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442 /* on all processors */
#endif

/* As the kernel has it; headers disagree about which of them defines it. */
struct mount_change {
    uint64_t set, clear, propagation, userns_fd;
};
enum { READ_ONLY = 1, NO_SUID = 2, WHOLE_TREE = 0x8000 };

static int sandbox_mounts_change(const char *path, unsigned flags, uint64_t set, uint64_t clear) {
    struct mount_change c = { .set = set, .clear = clear };
    return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &c, sizeof(c)) == 0 ? 0 : errno;
}

static int write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    ssize_t n = write(fd, text, strlen(text));
    int rc = n < 0 ? errno : 0;
    close(fd);
    return rc;
}

int os_namespaces_enter(const struct os_sandbox_built *c) {
    int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWCGROUP |
                (c->no_network ? CLONE_NEWNET : 0);
    if (unshare(flags) != 0) {
        return errno;
    }
    /* Files in the /proc directory of a process that is not dumpable belong to root. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) {
        return errno;
    }
    int rc = write_file("/proc/self/setgroups", "deny");
    rc = rc ? rc : write_file("/proc/self/uid_map", c->uid_map);
    rc = rc ? rc : write_file("/proc/self/gid_map", c->gid_map);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return rc;
}

static int sandbox_mounts_bind(const char *from, const char *to) {
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : errno;
}

/* What was read-only before it came to us stays so, and that is the owner's decision: such a
 * directory is then not writable. */
static void make_writable(const char *path) {
    if (sandbox_mounts_change(path, WHOLE_TREE, 0, READ_ONLY) != 0) {
        (void)sandbox_mounts_change(path, 0, 0, READ_ONLY);
    }
}

/* /proc is about more than processes. What tells of the kernel itself or of the machine's other
 * users is covered, whatever the kernel's own settings say. What cannot be covered is not there, or
 * refuses in its own way. */
static void cover_proc(void) {
    static const char *const files[] = { "/proc/kallsyms", "/proc/kcore", "/proc/kmsg",
        "/proc/keys", "/proc/key-users", "/proc/config.gz", "/proc/iomem", "/proc/ioports",
        "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags", "/proc/latency_stats",
        "/proc/modules", "/proc/sched_debug", "/proc/slabinfo", "/proc/sysrq-trigger",
        "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo",
        /* disks and files, what was said at boot, and when keys are pressed */
        "/proc/swaps", "/proc/partitions", "/proc/diskstats", "/proc/mdstat", "/proc/locks",
        "/proc/cmdline", "/proc/interrupts", "/proc/softirqs", "/proc/schedstat" };
    static const char *const dirs[] = { "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver",
        "/proc/fs", "/proc/irq", "/proc/scsi" };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)sandbox_mounts_bind("/dev/null", files[i]);
    }
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        (void)mount("none", dirs[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555");
    }
}

/* The plan has no links in its paths; who puts one there since then gets nothing bound. */
static int open_place(const char *path) {
    struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
    int at = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
    if (at < 0) {
        return -1;
    }
    int fd = (int)syscall(SYS_open_tree, at, "",
            AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    int saved = errno;
    close(at);
    errno = saved;
    return fd;
}

/* A readable place that has gone, or is not for us, is left out. */
static int open_places(const struct os_mounts *m) {
    for (size_t i = 0; i < m->count; i++) {
        struct os_mount_op *op = &m->ops[i];
        op->fd = op->kind == OS_MOUNT_BIND ? open_place(op->from) : -1;
        if (op->kind == OS_MOUNT_BIND && op->fd < 0 && op->writable) {
            return errno;
        }
    }
    return 0;
}

/* Our root is the working directory. */
static const char *sandbox_mounts_inside(const char *path) {
    return path + 1;
}

static int make_file(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0 ? 0 : errno;
}

static int sandbox_mounts_attach(struct os_mount_op *op) {
    int rc = 0;
    if (op->is_dir) {
        (void)mkdir(sandbox_mounts_inside(op->to), 0755);
    } else if (faccessat(AT_FDCWD, sandbox_mounts_inside(op->to), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        rc = make_file(sandbox_mounts_inside(op->to));
    }
    if (!rc && syscall(SYS_move_mount, op->fd, "", AT_FDCWD, sandbox_mounts_inside(op->to),
                       MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        rc = errno;
    }
    close(op->fd);
    op->fd = -1;
    return rc;
}

static int build_root(const struct os_mounts *m) {
    int rc = 0;
    for (size_t i = 0; i < m->count && !rc; i++) {
        struct os_mount_op *op = &m->ops[i];
        switch (op->kind) {
        case OS_MOUNT_DIR:
            rc = mkdir(sandbox_mounts_inside(op->to), 0755) == 0 || errno == EEXIST ? 0 : errno;
            break;
        case OS_MOUNT_LINK:
            rc = symlink(op->from, sandbox_mounts_inside(op->to)) == 0 || errno == EEXIST ? 0
                                                                                          : errno;
            break;
        case OS_MOUNT_BIND:
            rc = op->fd >= 0 ? sandbox_mounts_attach(op) : 0;
            break;
        }
    }
    return rc;
}

/* The name of a terminal that the program gets, and of no other one. */
static int show_terminal(void) {
    char path[64];
    ssize_t n = readlink("/proc/self/fd/0", path, sizeof(path) - 1);
    static const char pts[] = "/dev/pts/";
    if (n <= (ssize_t)(sizeof(pts) - 1) || memcmp(path, pts, sizeof(pts) - 1) != 0) {
        return 0;
    }
    path[n] = '\0';
    int fd = open_place(path);
    if (fd < 0) {
        return 0; /* of another machine's /dev/pts */
    }
    struct os_mount_op op = { .to = path, .fd = fd };
    int rc = mkdir("dev/pts", 0755) == 0 || errno == EEXIST ? 0 : errno;
    if (rc) {
        close(fd);
        return rc;
    }
    return sandbox_mounts_attach(&op);
}

/* Where the first root cannot be left (that of an initramfs), ours is laid over it. */
static int change_root(void) {
    if (syscall(SYS_pivot_root, ".", ".") == 0) {
        return umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 ? 0 : errno;
    }
    return errno == EINVAL && mount(".", "/", NULL, MS_MOVE, NULL) == 0 && chroot(".") == 0 &&
                           chdir("/") == 0
                   ? 0
                   : errno;
}

static int mount_proc(bool own) {
    if (!own) {
        return sandbox_mounts_bind("/proc", "proc");
    }
    return mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ? 0 : errno;
}

static int mount_root(void) {
    static const char *const places[] = { "/tmp", "/usr" }; /* covered for a moment */
    int rc = ENOENT;
    for (size_t i = 0; i < 2 && rc == ENOENT; i++) {
        rc = mount("none", places[i], "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755") == 0 &&
                             chdir(places[i]) == 0
                     ? 0
                     : errno;
    }
    return rc;
}

int os_mounts_enter(const struct os_mounts *m) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return errno;
    }
    int rc = open_places(m);
    rc = rc ? rc : mount_root();
    rc = rc ? rc : build_root(m);
    rc = rc ? rc : show_terminal();
    rc = rc ? rc : mount_proc(m->own_proc); /* while the old one is there, or it is refused */
    rc = rc ? rc : change_root();
    if (m->own_proc && !rc) {
        cover_proc();
    }
    rc = rc ? rc : sandbox_mounts_change("/", WHOLE_TREE, READ_ONLY | NO_SUID, 0);
    for (size_t i = 0; i < m->count && !rc; i++) {
        if (m->ops[i].kind == OS_MOUNT_BIND && m->ops[i].writable) {
            make_writable(m->ops[i].to);
        }
    }
    return rc;
}
