/* Which files a sandboxed program reaches. Everything that Landlock can forbid is forbidden, and the listed places are opened again. */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/kernel/landlock.h"
#include "platform/linux/sandbox/sandbox.h"

#include <errno.h>
#include <unistd.h>

static void add(struct oc_landlock *l, size_t *count, char *take_path, uint64_t access) {
    l->rules = oc_realloc(l->rules, (*count + 2) * sizeof(*l->rules));
    l->rules[(*count)++] =
            (struct oc_landlock_rule){ take_path, access & oc_landlock_file_rights(l->abi) };
    l->rules[*count] = (struct oc_landlock_rule){ NULL, 0 };
}

void oc_landlock_plan(const struct oc_sandbox_spec *spec, struct oc_landlock *ret) {
    /* Devices are not made in a workspace, and not used there either. */
    const uint64_t change =
            ~(uint64_t)(OC_LANDLOCK_MAKE_CHAR | OC_LANDLOCK_MAKE_BLOCK | OC_LANDLOCK_IOCTL_DEV);
    static const char *const own[] = { "tmp", "home", "shm" };
    /* Not /dev/pts and /dev/shm: the owner's terminals and other programs' memory. */
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
        "/dev/urandom", "/dev/tty" };
    size_t n = 0;
    *ret = (struct oc_landlock){ .abi = spec->features->landlock_abi, .no_tcp = spec->no_network };
    for (const char *const *p = spec->readable; *p; p++) {
        add(ret, &n, oc_strdup(*p), OC_LANDLOCK_READ | OC_LANDLOCK_EXECUTE);
    }
    for (const char *const *p = spec->writable; *p; p++) {
        add(ret, &n, oc_strdup(*p), change);
    }
    for (size_t i = 0; i < OC_COUNT(own); i++) {
        add(ret, &n, oc_strfmt("%s/%s", spec->run_dir, own[i]), change);
    }
    for (size_t i = 0; i < OC_COUNT(devices); i++) {
        add(ret, &n, oc_strdup(devices[i]),
                OC_LANDLOCK_READ_FILE | OC_LANDLOCK_WRITE_FILE | OC_LANDLOCK_IOCTL_DEV);
    }
    if (spec->features->namespaces) { /* the last of ours, in the program's own root */
        add(ret, &n, oc_strdup("/dev/shm"), change);
    }
    if (spec->features->namespaces && spec->features->own_proc) {
        add(ret, &n, oc_strdup("/proc"), OC_LANDLOCK_READ);
    }
}

void oc_landlock_finish(struct oc_landlock *l) {
    for (struct oc_landlock_rule *r = l->rules; r && r->path; r++) {
        oc_free(r->path);
    }
    oc_free(l->rules);
    *l = (struct oc_landlock){ 0 };
}

int oc_landlock_enter(const struct oc_landlock *l) {
    struct oc_landlock_handled handled = {
        .fs = oc_landlock_file_rights(l->abi),
        .net = l->no_tcp ? oc_landlock_tcp_rights(l->abi) : 0,
        .scoped = oc_landlock_scope_rights(l->abi),
    };
    OC_AUTO_FD int rules = oc_landlock_create(&handled);
    int rc = rules < 0 ? errno : 0;
    for (const struct oc_landlock_rule *r = l->rules; !rc && r->path; r++) {
        rc = oc_landlock_allow(rules, r->path, r->access);
    }
    return rc ? rc : oc_landlock_restrict(rules);
}
