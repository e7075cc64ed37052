/* Everything about a containment that needs memory, done before there is a child. */
#include "platform/linux/contain.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "platform/linux/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A stand-in for /tmp would hide what lies there. */
static bool is_tmp_free(const struct oc_contain_spec *spec) {
    static const char *const places[] = { "/tmp", "/var/tmp" };
    for (size_t i = 0; i < OC_COUNT(places); i++) {
        bool is_used = oc_path_covers(places[i], spec->run_dir);
        for (const char *const *p = spec->readable; *p && !is_used; p++) {
            is_used = oc_path_covers(places[i], *p);
        }
        for (const char *const *p = spec->writable; *p && !is_used; p++) {
            is_used = oc_path_covers(places[i], *p);
        }
        if (is_used) {
            return false;
        }
    }
    return true;
}

static void plan_mounts(const struct oc_contain_spec *spec, struct oc_mounts *ret) {
    struct oc_strv v = { 0 };
    struct stat st;
    for (const char *const *p = spec->writable; *p; p++) {
        if (stat(*p, &st) == 0) {
            oc_strv_add(&v, *p);
        }
    }
    ret->tmp = oc_strfmt("%s/tmp", spec->run_dir);
    ret->shm = oc_strfmt("%s/shm", spec->run_dir);
    OC_AUTO_FREE char *home = oc_strfmt("%s/home", spec->run_dir);
    oc_strv_add(&v, ret->tmp);
    oc_strv_add(&v, home);
    ret->writable = oc_new_array(char *, v.count + 1);
    memcpy(ret->writable, v.items, v.count * sizeof(*v.items));
    oc_free(v.items); /* the strings live on */
    ret->over_tmp = is_tmp_free(spec);
    ret->own_proc = spec->features->own_proc;
}

static void release(struct oc_containment *c) {
    if (!c) {
        return;
    }
    for (char **p = c->mounts.writable; p && *p; p++) {
        oc_free(*p);
    }
    oc_free(c->mounts.writable);
    oc_free(c->mounts.tmp);
    oc_free(c->mounts.shm);
    oc_free(c->filter);
    oc_landlock_finish(&c->landlock);
    oc_cgroup_remove(c->cgroup);
    oc_free(c);
}

static void build_walls(const struct oc_contain_spec *spec, struct oc_containment *c) {
    c->walls = true;
    c->no_network = spec->no_network;
    c->namespaces = spec->features->namespaces;
    snprintf(c->uid_map, sizeof(c->uid_map), "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(c->gid_map, sizeof(c->gid_map), "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    plan_mounts(spec, &c->mounts);
    if (spec->features->seccomp) {
        c->filter = oc_seccomp_build(spec, &c->filter_len);
    }
    if (spec->features->landlock_abi > 0) {
        oc_landlock_plan(spec, &c->landlock);
    }
}

static struct oc_containment *prepare(const struct oc_contain_spec *spec) {
    struct oc_containment *c = oc_new(struct oc_containment);
    c->limits = spec->limits;
    if (spec->walls) {
        build_walls(spec, c);
    }
    if ((spec->features->cgroup_memory && c->limits.memory_bytes > 0) ||
            (spec->features->cgroup_processes && c->limits.processes > 0)) {
        c->cgroup = oc_cgroup_create(&c->limits, c->namespaces ? OC_CONTAIN_HELPERS : 0);
        c->cgroup_errno = c->cgroup ? 0 : errno;
    }
    return c;
}

const struct oc_contain_ops oc_linux_contain = {
    .probe = oc_contain_probe,
    .claim = oc_cgroup_claim,
    .prepare = prepare,
    .release = release,
};
