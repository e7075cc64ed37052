/* Everything about a sandbox that needs memory, done before there is a child. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "platform/linux/cgroup/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void sandbox_release(struct os_sandbox_built *c) {
    if (!c) {
        return;
    }
    os_view_finish(&c->mounts);
    oc_free(c->filter);
    os_landlock_finish(&c->landlock);
    os_cgroup_remove(c->cgroup);
    oc_free(c);
}

static void build_parts(const struct os_sandbox_spec *spec, struct os_sandbox_built *c) {
    c->is_on = true;
    c->no_network = spec->no_network;
    c->namespaces = spec->features->namespaces;
    snprintf(c->uid_map, sizeof(c->uid_map), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(c->gid_map, sizeof(c->gid_map), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    if (c->namespaces) {
        os_view_plan(spec, &c->mounts);
        os_own_words_find(&c->words);
    }
    if (spec->features->seccomp) {
        c->filter = oc_new(struct os_seccomp);
        os_seccomp_build(spec, c->filter);
    }
    if (spec->features->landlock_abi > 0) {
        os_landlock_plan(spec, &c->landlock);
    }
}

static struct os_sandbox_built *sandbox_prepare(const struct os_sandbox_spec *spec) {
    struct os_sandbox_built *c = oc_new(struct os_sandbox_built);
    c->limits = spec->limits;
    if (spec->is_on) {
        build_parts(spec, c);
    }
    if ((spec->features->cgroup_memory && c->limits.memory_bytes > 0) ||
            (spec->features->cgroup_processes && c->limits.processes > 0)) {
        c->cgroup = os_cgroup_create(&c->limits, c->namespaces ? OS_SANDBOX_HELPERS : 0);
        c->cgroup_errno = c->cgroup ? 0 : errno;
    }
    return c;
}

const struct os_sandbox_ops os_linux_sandbox = {
    .probe = os_sandbox_probe,
    .claim = os_cgroup_claim,
    .prepare = sandbox_prepare,
    .release = sandbox_release,
};
