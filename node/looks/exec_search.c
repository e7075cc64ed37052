#include "node/looks/exec_search.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_reach.h"
#include "node/looks/exec_code.h"
#include "node/looks/exec_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all files of one command together. */
#define MAX_HASHED_BYTES (16u << 20)
#define MAX_HASHED_FILES 64
#define MAX_REASONS 8

size_t nd_search_index_of(const struct nd_search_command *c, size_t i) {
    return c->is_in_text ? c->first : c->first + i;
}

char *nd_search_in_dir(const char *name, const char *cwd) {
    return name[0] == '/' || !cwd ? oc_strdup(name) : oc_path_join(cwd, name);
}

void nd_search_not_bound(struct nd_search *s, const char *what, const char *why) {
    if (s->found->unbound.count < MAX_REASONS) {
        OC_AUTO_FREE char *shown = oc_printable(what, strlen(what), 100);
        OC_AUTO_FREE char *text = oc_strfmt("%s %s", shown, why);
        oc_strv_add_unique(&s->found->unbound, text);
    }
}

bool nd_search_may_go_on(struct nd_search *s) {
    const struct nd_exec_place *place = s->place;
    if (place->is_cancelled && atomic_load(place->is_cancelled)) {
        return false;
    }
    if (place->steps) {
        atomic_fetch_add(place->steps, 1);
    }
    if (s->words >= ND_MAX_LOOKED_WORDS) {
        nd_search_not_bound(s, "the command", "has more words than the node looks at (256)");
        return false;
    }
    s->words++;
    return true;
}

struct nd_exec_reading nd_search_reading(const struct nd_search *s, size_t max_bytes) {
    return (struct nd_exec_reading){ .state = &s->state,
        .max_bytes = max_bytes,
        .is_cancelled = s->place->is_cancelled,
        .steps = s->place->steps };
}

void nd_search_chain(
        struct nd_exec_operand *found, size_t index, const char *fact, const char *path) {
    OC_AUTO_FREE char *line = oc_strfmt("%s %zu %s %s", found->all, index, fact, path);
    nd_exec_seal(line, strlen(line), found->all);
}

/* The content, together with the path: the same text elsewhere has another seal, so that none can
 * be guessed by writing it to a file of one's own. "" where there is too much of it or we may not
 * look. */
static void seal_content(struct nd_search *s, const char *path, char ret[65]) {
    unsigned char digest[32];
    size_t bytes = 0;
    struct nd_exec_reading how = nd_search_reading(s, MAX_HASHED_BYTES - s->bytes);
    ret[0] = '\0';
    if (s->found->count > MAX_HASHED_FILES || !nd_exec_read_digest(path, &how, digest, &bytes)) {
        return;
    }
    s->bytes += bytes;
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(1u << 20);
    oc_buf_puts(&text, path);
    oc_buf_append(&text, "", 1);
    oc_buf_append(&text, digest, sizeof(digest));
    nd_exec_seal(text.data, text.len, ret);
}

static bool is_newer(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* Nobody can set the time of the last change (ctime). */
static char *identity_of(const struct stat *st) {
    return oc_strfmt("%ju %ju %jd %jd.%ld %jd.%ld", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
            (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
            (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static bool is_seen(struct nd_search *s, size_t index, const char *path) {
    OC_AUTO_FREE char *key = oc_strfmt("%zu %s", index, path);
    return oc_map_put(s->seen, key, s) != NULL;
}

/* is_word: it is named by a word of its own, as the reference's plan wants it. */
static void add_file(
        struct nd_search *s, size_t index, const char *path, const struct stat *st, bool is_word) {
    struct nd_exec_operand *found = s->found;
    OC_AUTO_FREE char *real = nd_exec_real(path);
    const char *known = real ? real : path;
    if (!nd_search_is_of_the_system(path) || !nd_search_is_of_the_system(known)) {
        s->runs_theirs = true;
    }
    if (is_seen(s, index, known)) {
        return;
    }
    char content[65];
    found->count++;
    found->last = index > found->last ? index : found->last;
    seal_content(s, known, content);
    if (!content[0]) { /* who it is can be kept while what is in it changes */
        nd_search_not_bound(s, known, "was not read: it is too large, or one file too many");
    }
    memcpy(s->content, content, sizeof(content));
    OC_AUTO_FREE char *identity = content[0] ? NULL : identity_of(st);
    nd_search_chain(found, index, identity ? identity : content, known);
    if (found->count == 1 || is_newer(&st->st_ctim, &s->newest)) {
        s->newest = st->st_ctim;
        oc_free(found->newest);
        found->newest = oc_strdup(known);
    }
    if (found->files.count < ND_MAX_BOUND_SHOWN) {
        oc_strv_add_unique(&found->files, known);
    }
    if (is_word && (!found->path || index < found->index)) {
        found->index = index;
        oc_free(found->path);
        found->path = oc_strdup(known);
        memcpy(found->content, content, sizeof(content));
    }
}

/* What nobody can compare, because it is another content each time it is read; NULL: a file or
 * directory. */
static const char *kind_of(const struct stat *st) {
    return S_ISFIFO(st->st_mode)                          ? "a pipe"
           : S_ISSOCK(st->st_mode)                        ? "a socket"
           : S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode) ? "a device"
                                                          : NULL;
}

bool nd_search_try_path_as(struct nd_search *s, size_t index, const char *name, const char *cwd,
        bool is_word, enum nd_search_which which) {
    OC_AUTO_FREE char *path = nd_search_in_dir(name, cwd);
    struct stat st;
    if (!name[0] || strcmp(path, "/dev/null") == 0) {
        return false;
    }
    if (nd_exec_is_private_of(path, &s->state)) {
        nd_search_not_bound(s, name, ND_SEARCH_PRIVATE);
        nd_search_chain(s->found, index, "private", name);
        return true;
    }
    if (stat(path, &st) != 0) {
        return false;
    }
    if (S_ISREG(st.st_mode)) {
        struct nd_exec_reading how = nd_search_reading(s, 0);
        if (which == ND_SEARCH_ANY_FILE || nd_exec_is_code(path, &st, &how)) {
            add_file(s, index, path, &st, is_word);
        }
        return true;
    }
    const char *kind = kind_of(&st);
    if (kind) {
        OC_AUTO_FREE char *why = oc_strfmt("is %s, whose content cannot be compared", kind);
        nd_search_not_bound(s, name, why);
    }
    nd_search_chain(s->found, index, kind ? kind : "a directory", path);
    return kind != NULL;
}

bool nd_search_try_path(
        struct nd_search *s, size_t index, const char *name, const char *cwd, bool is_word) {
    return nd_search_try_path_as(s, index, name, cwd, is_word, ND_SEARCH_ANY_FILE);
}

bool nd_search_try_file_as(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const char *name, enum nd_search_which which) {
    return nd_search_try_path_as(s, nd_search_index_of(c, i), name, c->cwd, !c->is_in_text, which);
}

bool nd_search_try_file(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *name) {
    return nd_search_try_file_as(c, s, i, name, ND_SEARCH_ANY_FILE);
}

static bool is_machine_code(const char *path) {
    char head[4] = { 0 };
    OC_AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
           memcmp(head, "\177ELF", sizeof(head)) == 0;
}

bool nd_search_is_of_the_system(const char *path) {
    return ((oc_starts_with(path, "/usr/") && !oc_starts_with(path, "/usr/local/")) ||
                   oc_starts_with(path, "/bin/") || oc_starts_with(path, "/sbin/")) &&
           !strstr(path, "/../");
}

/* A directory of PATH where programs are put by others than the system's owner. */
static bool is_open_dir(const char *dir) {
    OC_AUTO_FREE char *inside = oc_path_join(dir, "");
    bool is_system = oc_starts_with(inside, "/usr/") || oc_starts_with(inside, "/bin/") ||
                     oc_starts_with(inside, "/sbin/");
    return dir[0] == '/' && (!is_system || strstr(inside, "/../")) && nd_exec_may_touch(dir) &&
           (access(dir, W_OK) == 0 || errno == ENOENT);
}

/* found: on path_env, for a bare name. */
static bool can_be_hidden(const char *path_env, const char *found) {
    for (const char *at = path_env; *at;) {
        size_t len = strcspn(at, ":");
        OC_AUTO_FREE char *dir = oc_strndup(at, len);
        if (oc_starts_with(found, dir) && !strchr(found + len + (found[len] == '/'), '/')) {
            return false;
        }
        if (is_open_dir(dir)) {
            return true;
        }
        at += len;
        at += *at == ':';
    }
    return false;
}

struct nd_search_program nd_search_find_program(
        const struct nd_search *s, const char *name, const char *cwd) {
    OC_AUTO_FREE char *found = NULL;
    struct nd_search_program p = { 0 };
    if (nd_exec_find(name, cwd, s->place->path_env, &found) == 0) {
        p.path = nd_exec_real(found);
        p.is_machine = p.path && is_machine_code(p.path);
        /* ~/bin/x may lead to /usr/bin/ls now and to a shell in a moment */
        p.is_theirs = p.path &&
                      !(nd_search_is_of_the_system(found) && nd_search_is_of_the_system(p.path));
        p.can_be_hidden = !strchr(name, '/') && can_be_hidden(s->place->path_env, found);
    }
    return p;
}
