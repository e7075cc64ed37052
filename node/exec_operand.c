#include "node/exec_operand.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "node/exec_carriers.h"
#include "node/exec_path.h"
#include "protocol/identity.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all files of one command together; the loop waits while they are read. */
#define MAX_HASHED_BYTES (16u << 20)
#define MAX_HASHED_FILES 64

struct search {
    struct oc_exec_operand *found;
    size_t bytes; /* read so far */
    struct timespec newest;
};

static char *in_dir(const char *name, const char *cwd) {
    return name[0] == '/' || !cwd ? oc_strdup(name) : oc_path_join(cwd, name);
}

/* The content by its hash; "" where there is too much of it or we may not look. */
static void hash_content(struct search *s, const char *path, const struct stat *st, char ret[65]) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    size_t left = MAX_HASHED_BYTES - s->bytes;
    ret[0] = '\0';
    if (s->found->count <= MAX_HASHED_FILES && (uintmax_t)st->st_size <= left &&
            oc_file_read(path, left, &text, NULL) == OC_OK) {
        s->bytes += text.len;
        oc_sha256_hex(text.len > 0 ? text.data : "", text.len, ret);
    }
}

static bool is_newer(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* found->all becomes the hash of itself and one more file. */
static void chain(struct oc_exec_operand *found, size_t index, const char *path, const char *sha256,
        const struct stat *st) {
    OC_AUTO_FREE char *who = NULL;
    if (!sha256[0]) { /* nobody can set the time of the last change (ctime) */
        who = oc_strfmt("%ju %ju %jd %jd.%ld %jd.%ld", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
                (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
    }
    OC_AUTO_FREE char *line =
            oc_strfmt("%s %zu %s %s", found->all, index, who ? who : sha256, path);
    oc_sha256_hex(line, strlen(line), found->all);
}

static void add_file(struct search *s, size_t index, const char *path, const struct stat *st) {
    struct oc_exec_operand *found = s->found;
    char sha256[65];
    found->count++;
    hash_content(s, path, st, sha256);
    OC_AUTO_FREE char *real = found->count <= MAX_HASHED_FILES ? oc_exec_real(path) : NULL;
    chain(found, index, real ? real : path, sha256, st);
    if (found->count == 1 || is_newer(&st->st_ctim, &s->newest)) {
        s->newest = st->st_ctim;
        oc_free(found->newest);
        found->newest = oc_strdup(real ? real : path);
    }
    if (found->count == 1) {
        found->index = index;
        found->path = oc_strdup(real ? real : path);
        memcpy(found->sha256, sha256, sizeof(sha256));
    }
}

static bool try_file(struct search *s, size_t index, const char *name, const char *cwd) {
    OC_AUTO_FREE char *path = in_dir(name, cwd);
    struct stat st;
    if (!name[0] || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    add_file(s, index, path, &st);
    return true;
}

/* "python3 proj" and "node proj" run a file in there. */
static void try_dir(struct search *s, size_t index, const char *name, const char *cwd) {
    static const char *const mains[] = { "__main__.py", "package.json", "index.js" };
    OC_AUTO_FREE char *dir = in_dir(name, cwd);
    for (size_t i = 0; name[0] && i < OC_COUNT(mains); i++) {
        try_file(s, index, mains[i], dir);
    }
}

/* x.py, --require=x.js, -fx.awk: options of programs we do not know, so all ways to write one. */
static void try_word(struct search *s, size_t index, const char *word, const char *cwd) {
    if (try_file(s, index, word, cwd)) {
        return;
    }
    if (word[0] != '-') {
        try_dir(s, index, word, cwd);
        return;
    }
    const char *value = strchr(word, '=');
    if (value) {
        try_file(s, index, value + 1, cwd);
    }
    if (word[1] && word[1] != '-') {
        try_file(s, index, word + 2, cwd);
    }
}

/* The file of argv[0]. */
struct program {
    char *path;      /* the real one; NULL: there is none that could run. Owned */
    bool is_machine; /* machine code; everything else is a script of some kind, with or without "#!" */
    bool is_theirs; /* a command can change it, or which one it is */
};

static bool is_machine_code(const char *path) {
    char head[4] = { 0 };
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
           memcmp(head, "\177ELF", sizeof(head)) == 0;
}

/* What came with the system is changed by its owner, not by a command. */
static bool is_of_the_system(const char *path) {
    return ((oc_starts_with(path, "/usr/") && !oc_starts_with(path, "/usr/local/")) ||
                   oc_starts_with(path, "/bin/") || oc_starts_with(path, "/sbin/")) &&
           !strstr(path, "/../");
}

static struct program find_program(const char *name, const char *cwd, const char *path_env) {
    OC_AUTO_FREE char *found = NULL;
    struct program p = { 0 };
    if (oc_exec_find(name, cwd, path_env, &found) == 0) {
        p.path = oc_exec_real(found);
        p.is_machine = p.path && is_machine_code(p.path);
        /* ~/bin/x may lead to /usr/bin/ls now and to a shell in a moment */
        p.is_theirs = p.path && !(is_of_the_system(found) && is_of_the_system(p.path));
    }
    return p;
}

bool oc_exec_operand_find(const struct oc_strv *argv, const char *cwd, const char *path_env,
        struct oc_exec_operand *ret) {
    *ret = (struct oc_exec_operand){ 0 };
    struct search s = { .found = ret };
    const char *name = argv->items[0];
    struct program program = find_program(name, cwd, path_env);
    if (program.is_theirs && !program.is_machine) {
        try_file(&s, 0, program.path, NULL);
    }
    if (oc_exec_is_carrier(oc_path_name(name)) ||
            (program.path && oc_exec_is_carrier(oc_path_name(program.path)))) {
        for (size_t i = 1; i < argv->count; i++) {
            try_word(&s, i, argv->items[i], cwd);
        }
    }
    if (program.is_theirs && program.is_machine) {
        try_file(&s, 0, program.path, NULL); /* last: callers are told about the script */
    }
    ret->program = program.path;
    ret->is_program_theirs = program.is_theirs;
    return ret->count > 0;
}

void oc_exec_operand_finish(struct oc_exec_operand *o) {
    oc_free(o->path);
    oc_free(o->newest);
    oc_free(o->program);
    *o = (struct oc_exec_operand){ 0 };
}
