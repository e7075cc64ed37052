/* Real programs in real sandboxes. What the kernel lacks is said by a feature struct, so that the
 * ways of older kernels are walked on this one too. */
#ifndef TESTS_UNIT_PLATFORM_LINUX_SANDBOX_SANDBOX_SCENE_H
#define TESTS_UNIT_PLATFORM_LINUX_SANDBOX_SANDBOX_SCENE_H

#include "platform/platform.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "tests/unit/temp_dir.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct os_exec_ops *ops;
static const struct os_sandbox_ops *sandbox;
static struct os_sandbox_features kernel;

static const char *const system_dirs[] = { "/usr", "/bin", "/lib", "/lib64", "/etc", NULL };
static const struct os_sandbox_spec strict = { .is_on = true, .no_network = true };

struct sandbox_place {
    char *dir, *workspace, *run_dir, *secret;
};

static inline void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static inline char *read_text(const char *path) {
    char bytes[256] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof(bytes) - 1, f);
    fclose(f);
    return oc_strndup(bytes, n);
}

static inline int sandbox_setup(void **state) {
    struct sandbox_place *p = oc_new(struct sandbox_place);
    struct oc_error err;
    assert_int_equal(os_native.start(&err), OC_OK);
    ops = os_native.exec;
    sandbox = os_native.sandbox;
    sandbox->probe(&kernel);
    p->dir = temp_dir_make();
    p->workspace = oc_strfmt("%s/workspace", p->dir);
    p->run_dir = oc_strfmt("%s/run", p->dir);
    p->secret = oc_strfmt("%s/secret", p->dir);
    mkdir(p->workspace, 0700);
    mkdir(p->run_dir, 0700);
    static const char *const parts[] = { "tmp", "shm", "home" };
    for (size_t i = 0; i < OC_COUNT(parts); i++) {
        OC_AUTO_FREE char *part = oc_strfmt("%s/%s", p->run_dir, parts[i]);
        mkdir(part, 0700);
    }
    write_text(p->secret, "the secret\n");
    *state = p;
    return 0;
}

static inline int sandbox_teardown(void **state) {
    struct sandbox_place *p = *state;
    temp_dir_remove(p->dir);
    oc_free(p->workspace);
    oc_free(p->run_dir);
    oc_free(p->secret);
    oc_free(p);
    return 0;
}

static inline void need_sandbox(void) {
    if (kernel.landlock_abi < 1 || !kernel.seccomp) {
        skip();
    }
}

struct outcome {
    struct os_child_exit end;
    struct oc_buf out, err;
};

static inline void outcome_finish(struct outcome *o) {
    oc_buf_finish(&o->out);
    oc_buf_finish(&o->err);
}

static inline void read_all(int fd, struct oc_buf *ret) {
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&p, 1, 30000), 1);
        char bytes[4096];
        ssize_t n = read(fd, bytes, sizeof(bytes));
        if (n == 0) {
            return;
        }
        if (n > 0) {
            oc_buf_append(ret, bytes, (size_t)n);
        } else {
            assert_int_equal(errno, EAGAIN);
        }
    }
}

static inline enum oc_code try_run(const struct sandbox_place *p, const struct os_sandbox_spec *how,
        const char *path, const char *const *argv, struct outcome *ret, int *ret_errno,
        struct oc_error *err) {
    const char *const writable[] = { p->workspace, NULL };
    *ret = (struct outcome){ .out = OC_BUF_INIT(1 << 20), .err = OC_BUF_INIT(1 << 20) };
    struct os_sandbox_spec spec = *how;
    spec.readable = system_dirs;
    spec.writable = writable;
    spec.run_dir = p->run_dir;
    spec.features = how->features ? how->features : &kernel;
    struct os_sandbox_built *c = sandbox->prepare(&spec);
    OC_AUTO_FREE char *tmp = oc_strfmt("TMPDIR=%s/tmp", p->run_dir);
    OC_AUTO_FREE char *secret = oc_strfmt("SECRET=%s", p->secret);
    const char *env[] = { "PATH=/usr/bin:/bin", tmp, secret, NULL };
    struct os_child child;
    enum oc_code rc = ops->spawn(
            &(struct os_spawn_opts){
                    .path = path, .argv = argv, .env = env, .cwd = p->workspace, .sandbox = c },
            &child, ret_errno, err);
    sandbox->release(c);
    if (rc != OC_OK) {
        return rc;
    }
    read_all(child.out_fd, &ret->out);
    read_all(child.err_fd, &ret->err);
    struct pollfd ended = { .fd = child.exit_fd, .events = POLLIN };
    assert_int_equal(poll(&ended, 1, 30000), 1);
    assert_true(ops->reap(&child, &ret->end));
    ops->release(&child);
    return OC_OK;
}

static inline void run_script(const struct sandbox_place *p, const struct os_sandbox_spec *how,
        const char *script, struct outcome *ret) {
    const char *argv[] = { "sh", "-c", script, NULL };
    struct oc_error err = { 0 };
    int errnum = 0;
    if (try_run(p, how, "/bin/sh", argv, ret, &errnum, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
}

/* The script's last line of output is compared. */
static inline void expect_output(const struct sandbox_place *p, const struct os_sandbox_spec *how,
        const char *script, const char *out) {
    struct outcome o;
    run_script(p, how, script, &o);
    const char *got = o.out.data ? o.out.data : "";
    if (strcmp(got, out) != 0) {
        fail_msg("%s\ngave: %s\nand: %s", script, got, o.err.data ? o.err.data : "");
    }
    outcome_finish(&o);
}

/* This kernel's features, and those of older ones as far as they can be had by leaving things
 * out. */
static inline size_t list_kernels(struct os_sandbox_features ret[4]) {
    size_t n = 0;
    ret[n++] = kernel;
    if (kernel.landlock_abi > 2) {
        ret[n] = kernel;
        ret[n++].landlock_abi = 2;
    }
    if (kernel.namespaces) {
        ret[n] = kernel;
        ret[n].own_proc = ret[n].namespaces = false;
        n++;
        ret[n] = ret[n - 1];
        ret[n++].landlock_abi = kernel.landlock_abi > 2 ? 2 : kernel.landlock_abi;
    }
    return n;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

#endif
