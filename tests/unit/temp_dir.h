/* A directory of one test's own. */
#ifndef TESTS_UNIT_TEMP_DIR_H
#define TESTS_UNIT_TEMP_DIR_H

#include "lib/base/mem.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline char *temp_dir_make(void) {
    const char *base = getenv("TMPDIR");
    char *path = oc_strfmt("%s/oc-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        abort();
    }
    return path;
}

static inline int temp_dir_unlink_one(
        const char *path, const struct stat *st, int kind, struct FTW *at) {
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static inline void temp_dir_remove(char *take_path) {
    nftw(take_path, temp_dir_unlink_one, 16, FTW_DEPTH | FTW_PHYS);
    oc_free(take_path);
}

#endif
