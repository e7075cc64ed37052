/* The sandbox on Linux, the parts between its files.
 *
 * Landlock decides about files by their place in the tree, but not about their names and metadata; a mount
 * namespace in which nothing else is does. A pid namespace hides the other processes, a
 * network namespace the network, and seccomp refuses what opens a way around: sockets of local services,
 * new namespaces, ptrace, and the corners of the kernel where the bugs are.
 *
 * What runs in the child (marked "child") makes no other calls than system calls: the parent may have
 * other threads, whose locks are held for ever in the copy. */
#ifndef PLATFORM_LINUX_SANDBOX_SANDBOX_H
#define PLATFORM_LINUX_SANDBOX_SANDBOX_H

#include "platform/linux/kernel/seccomp.h"
#include "platform/platform.h"

#include <stddef.h>
#include <sys/types.h>

/* Where building the sandbox failed; what the child reports. OC_STEP_EXEC is the program's own failure. */
enum oc_sandbox_step {
    OC_STEP_EXEC,
    OC_STEP_NAMESPACES,
    OC_STEP_MOUNTS,
    OC_STEP_LIMITS,
    OC_STEP_CAPABILITIES,
    OC_STEP_LANDLOCK,
    OC_STEP_SECCOMP,
    OC_STEP_COUNT,
};

struct oc_landlock_rule {
    char *path; /* NULL: end of the list */
    uint64_t access;
};

struct oc_landlock {
    int abi; /* 0: none */
    bool no_tcp;
    struct oc_landlock_rule *rules;
};

/* One thing in the program's own root, in the order in which they are made. */
struct oc_mount_op {
    enum oc_mount_kind { OC_MOUNT_DIR, OC_MOUNT_LINK, OC_MOUNT_BIND } kind;
    char *from; /* of a link its target; of a bind the real path outside, without links */
    char *to;   /* absolute */
    bool is_dir, writable;
    int fd; /* child */
};

struct oc_mounts {
    struct oc_mount_op *ops;
    size_t count;
    bool own_proc;
};

/* Where the kernel finds our command line; NULL: not known. */
struct oc_own_words {
    char *start;
    size_t len;
};

struct oc_sandbox_built {
    bool is_on, namespaces, no_network;
    char uid_map[64], gid_map[64];
    struct oc_mounts mounts;
    struct oc_own_words
            words; /* which is the first process's in the namespace, too, until it is wiped */
    struct oc_landlock landlock;
    struct oc_seccomp *filter; /* NULL: none */
    struct oc_limits limits;
    char *cgroup;     /* its directory; NULL: none */
    int cgroup_errno; /* why there is none although there should be */
};

extern const struct oc_sandbox_ops oc_linux_sandbox;

enum {
    OC_CONTAIN_HELPERS = 2
}; /* processes between the supervisor and a program with namespaces */

/* sandbox_start.c, child: the supervisor's child, whose descriptors 0 to 2 are the program's, becomes the
 * sandboxed program. What fails goes to report_fd as an int for oc_sandbox_failure. */
_Noreturn void oc_sandbox_become(const struct oc_spawn_opts *opts, int report_fd);
/* Which part of the sandbox could not be built, a literal, or NULL when it was not the sandbox. Leaves a plain errno. */
const char *oc_sandbox_failure(int *errnum);

/* sandbox_probe.c */
void oc_sandbox_probe(struct oc_sandbox_features *ret);

/* sandbox_landlock.c */
void oc_landlock_plan(const struct oc_sandbox_spec *spec, struct oc_landlock *ret);
void oc_landlock_finish(struct oc_landlock *l);
int oc_landlock_enter(const struct oc_landlock *l); /* child: errno or 0 */

/* sandbox_seccomp.c */
void oc_seccomp_build(const struct oc_sandbox_spec *spec, struct oc_seccomp *ret);

/* sandbox_view.c */
void oc_view_plan(const struct oc_sandbox_spec *spec, struct oc_mounts *ret);
void oc_view_finish(struct oc_mounts *m);

/* sandbox_words.c */
void oc_own_words_find(struct oc_own_words *ret);
void oc_own_words_wipe(const struct oc_own_words *w); /* child: of this process */

/* sandbox_mounts.c, child: errno or 0. */
int oc_namespaces_enter(const struct oc_sandbox_built *c);
int oc_mounts_enter(const struct oc_mounts *m);

/* limits.c, child: errno or 0. */
int oc_limits_enter(const struct oc_limits *limits, bool has_own_users);

#endif
