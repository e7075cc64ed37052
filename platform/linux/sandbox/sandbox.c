/* Everything about a sandbox that needs memory, done before there is a child. */
#include "platform/linux/sandbox/sandbox.h"

#include "lib/base/mem.h"
#include "platform/linux/process/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void release(struct oc_sandbox_built *c) {
    if (!c) {
        return;
    }
    oc_view_finish(&c->mounts);
    oc_free(c->filter);
    oc_landlock_finish(&c->landlock);
    oc_cgroup_remove(c->cgroup);
    oc_free(c);
}

static void build_walls(const struct oc_sandbox_spec *spec, struct oc_sandbox_built *c) {
    c->is_on = true;
    c->no_network = spec->no_network;
    c->namespaces = spec->features->namespaces;
    snprintf(c->uid_map, sizeof(c->uid_map), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(c->gid_map, sizeof(c->gid_map), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    if (c->namespaces) {
        oc_view_plan(spec, &c->mounts);
        oc_own_words_find(&c->words);
    }
    if (spec->features->seccomp) {
        c->filter = oc_new(struct oc_seccomp);
        oc_seccomp_build(spec, c->filter);
    }
    if (spec->features->landlock_abi > 0) {
        oc_landlock_plan(spec, &c->landlock);
    }
}

static struct oc_sandbox_built *prepare(const struct oc_sandbox_spec *spec) {
    struct oc_sandbox_built *c = oc_new(struct oc_sandbox_built);
    c->limits = spec->limits;
    if (spec->is_on) {
        build_walls(spec, c);
    }
    if ((spec->features->cgroup_memory && c->limits.memory_bytes > 0) ||
            (spec->features->cgroup_processes && c->limits.processes > 0)) {
        c->cgroup = oc_cgroup_create(&c->limits, c->namespaces ? OC_CONTAIN_HELPERS : 0);
        c->cgroup_errno = c->cgroup ? 0 : errno;
    }
    return c;
}

const struct oc_sandbox_ops oc_linux_sandbox = {
    .probe = oc_sandbox_probe,
    .claim = oc_cgroup_claim,
    .prepare = prepare,
    .release = release,
};
