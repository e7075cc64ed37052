/* Namespaces of a contained program: it sees its own processes and no network, and everything but its
 * own directories is read-only, metadata included, which Landlock does not look at. Runs in the child. */
#include "platform/linux/contain.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
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

static int change(const char *path, unsigned flags, uint64_t set, uint64_t clear) {
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

int oc_namespaces_enter(const struct oc_containment *c) {
    int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
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

static int bind(const char *from, const char *to) {
    return mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : errno;
}

/* A stand-in for a place that may not exist, or not for us. */
static int stand_in(const char *from, const char *to) {
    int rc = bind(from, to);
    return rc == ENOENT ? 0 : rc;
}

/* What was read-only before it came to us stays so, and that is the owner's decision: such a directory
 * is then not writable. */
static void make_writable(const char *path) {
    if (change(path, WHOLE_TREE, 0, READ_ONLY) != 0) {
        (void)change(path, 0, 0, READ_ONLY);
    }
}

/* /proc is about more than processes. What tells of the kernel itself or of the machine's other users is covered, whatever
 * the kernel's own settings say. What cannot be covered is not there, or refuses in its own way. */
static void cover_proc(void) {
    static const char *const files[] = { "/proc/kallsyms", "/proc/kcore", "/proc/kmsg",
        "/proc/keys", "/proc/key-users", "/proc/config.gz", "/proc/iomem", "/proc/ioports",
        "/proc/kpagecgroup", "/proc/kpagecount", "/proc/kpageflags", "/proc/latency_stats",
        "/proc/modules", "/proc/sched_debug", "/proc/slabinfo", "/proc/sysrq-trigger",
        "/proc/timer_list", "/proc/timer_stats", "/proc/vmallocinfo" };
    static const char *const dirs[] = { "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver",
        "/proc/fs", "/proc/irq", "/proc/scsi" };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)bind("/dev/null", files[i]);
    }
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        (void)mount("none", dirs[i], "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555");
    }
}

int oc_mounts_enter(const struct oc_mounts *m) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return errno;
    }
    int rc = 0;
    for (char **p = m->writable; *p && !rc; p++) {
        rc = bind(*p, *p);
    }
    rc = rc ? rc : stand_in(m->shm, "/dev/shm");
    if (m->over_tmp) {
        rc = rc ? rc : stand_in(m->tmp, "/tmp");
        rc = rc ? rc : stand_in(m->tmp, "/var/tmp");
    }
    if (m->own_proc && !rc &&
            mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
        rc = errno;
    }
    if (m->own_proc && !rc) {
        cover_proc();
    }
    rc = rc ? rc : change("/", WHOLE_TREE, READ_ONLY | NO_SUID, 0);
    if (rc) {
        return rc;
    }
    for (char **p = m->writable; *p; p++) {
        make_writable(*p);
    }
    make_writable("/dev/shm");
    if (m->over_tmp) {
        make_writable("/tmp");
        make_writable("/var/tmp");
    }
    return 0;
}
