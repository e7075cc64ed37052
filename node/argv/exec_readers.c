#include "node/argv/exec_readers.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "node/argv/exec_option_names.h"

#include <string.h>

/* Carriers whose words are mostly data, and the letters of their options whose value is code. */
static const struct {
    const char *const *names;
    const char *letters;
} readers[] = {
#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
    { NAMES("awk", "gawk", "goawk", "mawk", "nawk", "original-awk"), "Efil" },
    { NAMES("gsed", "sed", "ssed"), "f" },
    { NAMES("less", "man", "more", "most"), "k" },
    { NAMES("ed", "emacs", "ex", "joe", "mcedit", "micro", "nano", "pico", "red", "rview", "rvim",
              "vi", "view", "vim", "vim.basic", "vim.tiny", "vimdiff"),
            "SUlsu" },
    { NAMES("duckdb", "mariadb", "mysql", "psql", "sqlite"), "f" },
    { NAMES("rsync", "scp", "sftp"), "FSe" },
    { NAMES("find", "split"), "" },
#undef NAMES
};

static size_t reader_of(const char *name) {
    size_t i = 0;
    while (i < OC_COUNT(readers) && !oc_str_in(name, readers[i].names)) {
        i++;
    }
    return i;
}

bool nd_exec_reads_data(const char *name) {
    return reader_of(name) < OC_COUNT(readers);
}

bool nd_exec_is_code_option(const char *name, const char *word) {
    size_t reader = reader_of(name);
    const char *letters = reader < OC_COUNT(readers) ? readers[reader].letters : "EFcfilrx";
    return nd_exec_is_called_like_code(word) || strncmp(word, "--file", 6) == 0 ||
           (word[0] == '-' && oc_is_one_of(word[1], letters));
}
