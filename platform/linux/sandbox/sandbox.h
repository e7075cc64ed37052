/* The sandbox on Linux, the parts between its files.
 *
 * Landlock decides about files by their place in the tree, but not about their names and metadata;
 * a mount namespace in which nothing else is does. A pid namespace hides the other processes, a
 * network namespace the network, and seccomp refuses what opens a way around: sockets of local
 * services, new namespaces, ptrace, and the corners of the kernel where the bugs are.
 *
 * What runs in the child (marked "child") makes no other calls than system calls: the parent may
 * have other threads, whose locks are held forever in the copy. */
#ifndef PLATFORM_LINUX_SANDBOX_SANDBOX_H
#define PLATFORM_LINUX_SANDBOX_SANDBOX_H

#include "platform/linux/kernel/seccomp.h"
#include "platform/platform.h"

#include <stddef.h>
#include <sys/types.h>

/* Where building the sandbox failed; what the child reports. OS_STEP_EXEC is the program's own
 * failure. */
enum os_sandbox_step {
    OS_STEP_EXEC,
    OS_STEP_NAMESPACES,
    OS_STEP_MOUNTS,
    OS_STEP_LIMITS,
    OS_STEP_CAPABILITIES,
    OS_STEP_LANDLOCK,
    OS_STEP_SECCOMP,
    OS_STEP_COUNT,
};

struct os_landlock_rule {
    char *path; /* NULL: end of the list */
    uint64_t access;
};

struct os_landlock {
    int abi; /* 0: none */
    bool no_tcp;
    struct os_landlock_rule *rules;
};

/* One thing in the program's own root, in the order in which they are made. */
struct os_mount_op {
    enum os_mount_kind { OS_MOUNT_DIR, OS_MOUNT_LINK, OS_MOUNT_BIND } kind;
    char *from; /* of a link its target; of a bind the real path outside, without links */
    char *to;   /* absolute */
    bool is_dir, writable;
    int fd; /* child */
};

struct os_mounts {
    struct os_mount_op *ops;
    size_t count;
    bool own_proc;
};

/* Where the kernel finds our command line; NULL: not known. */
struct os_own_words {
    char *start;
    size_t len;
};

struct os_sandbox_built {
    bool is_on, namespaces, no_network;
    char uid_map[64], gid_map[64];
    struct os_mounts mounts;
    struct os_own_words
            words; /* which is the first process's in the namespace, too, until it is wiped */
    struct os_landlock landlock;
    struct os_seccomp *filter; /* NULL: none */
    struct os_limits limits;
    char *cgroup;     /* its directory; NULL: none */
    int cgroup_errno; /* why there is none although there should be */
};

extern const struct os_sandbox_ops os_linux_sandbox;

enum {
    OS_SANDBOX_HELPERS = 2
}; /* processes between the supervisor and a program with namespaces */

/* sandbox_start.c, child: the supervisor's child, whose descriptors 0 to 2 are the program's,
 * becomes the sandboxed program. What fails goes to report_fd as an int for os_sandbox_failure. */
_Noreturn void os_sandbox_become(const struct os_spawn_opts *opts, int report_fd);
/* Which part of the sandbox could not be built, a literal, or NULL when it was not the sandbox.
 * Leaves a plain errno. */
const char *os_sandbox_failure(int *errnum);

/* sandbox_probe.c */
void os_sandbox_probe(struct os_sandbox_features *ret);

/* sandbox_landlock.c */
void os_landlock_plan(const struct os_sandbox_spec *spec, struct os_landlock *ret);
void os_landlock_finish(struct os_landlock *l);
int os_landlock_enter(const struct os_landlock *l); /* child: errno or 0 */

/* sandbox_seccomp.c */
void os_seccomp_build(const struct os_sandbox_spec *spec, struct os_seccomp *ret);

/* sandbox_view.c */
void os_view_plan(const struct os_sandbox_spec *spec, struct os_mounts *ret);
void os_view_finish(struct os_mounts *m);

/* sandbox_words.c */
void os_own_words_find(struct os_own_words *ret);
void os_own_words_wipe(const struct os_own_words *w); /* child: of this process */

/* sandbox_mounts.c, child: errno or 0. */
int os_namespaces_enter(const struct os_sandbox_built *c);
int os_mounts_enter(const struct os_mounts *m);

/* limits.c, child: errno or 0. */
int os_limits_enter(const struct os_limits *limits, bool has_own_users);

#endif
