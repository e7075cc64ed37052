/* What every unit test starts with: cmocka and its prerequisites, and a directory of its own. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLICE(literal) ((struct oc_slice){ (literal), sizeof(literal) - 1 })

static inline int oc_temp_remove_one(
        const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* cmocka setup and teardown: *state is the path of a fresh directory. */
static inline int oc_temp_setup(void **state) {
    const char *base = getenv("TMPDIR");
    char *path = oc_strfmt("%s/oc-unit-XXXXXX", base && *base ? base : "/tmp");
    *state = mkdtemp(path);
    return *state ? 0 : -1;
}

static inline int oc_temp_teardown(void **state) {
    int rc = nftw(*state, oc_temp_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    oc_free(*state);
    return rc;
}

/* For tests with another user of the machine, whom only root can become: for anybody else they have
 * failed. */
static inline void oc_need_root(void) {
    if (geteuid() != 0) {
        fail_msg("cannot run: it takes another user of this machine (sudo)");
    }
}

static inline unsigned oc_mode_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (unsigned)st.st_mode & 07777 : 0;
}

static inline void oc_write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) < 0, 0);
    assert_int_equal(fclose(f), 0);
}

#endif
