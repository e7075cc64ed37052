/* The files of one command while they are looked for (node/looks/exec_operand.c): which were found, what they contain, and what could
 * not be bound. Only within this room. */
#ifndef NODE_LOOKS_EXEC_SEARCH_H
#define NODE_LOOKS_EXEC_SEARCH_H

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "node/argv/exec_path.h"
#include "node/looks/exec_operand.h"
#include "node/looks/exec_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define OC_SEARCH_PRIVATE \
    "lies where the node reads nothing for others (its own state, /proc, /sys, /dev)"

struct oc_search {
    struct oc_exec_operand *found;
    const struct oc_exec_place *place;
    struct oc_exec_state state; /* of the place, resolved once */
    struct oc_map *seen;        /* "index path" of the files that were added */
    size_t words;               /* looked at so far */
    size_t bytes;               /* read so far */
    struct timespec newest;
    char content[65]; /* of the file that was added last */
    bool can_be_hidden; /* a program was found by a name that another file can take (oc_search_program) */
    bool runs_theirs; /* something was added that a command can change */
};

/* Of the files that a word names. */
enum oc_search_which { OC_SEARCH_ANY_FILE, OC_SEARCH_CODE_ONLY };

/* One command: the whole, what a wrapper starts, or a part of the text of sh -c. */
struct oc_search_command {
    struct oc_strv argv; /* borrowed */
    const char *cwd;
    size_t first; /* the index of argv[0] in the whole command, or of the text that it stands in */
    bool is_in_text;     /* then all its words have that index */
    bool has_other_path; /* it runs in a login shell, whose startup files may set PATH */
    int depth;
};

/* The file of a program. */
struct oc_search_program {
    char *path;      /* the real one; NULL: there is none that could run. Owned */
    bool is_machine; /* machine code; everything else is a script of some kind, with or without "#!" */
    bool is_theirs;     /* a command can change it, or which one it is */
    bool can_be_hidden; /* a command can put another one of its name before it on PATH */
};

/* Adds all that decides what the command does; exec_operand.c. */
void oc_search_bind(const struct oc_search_command *c, struct oc_search *s);

size_t oc_search_index_of(const struct oc_search_command *c, size_t i);
char *oc_search_in_dir(const char *name, const char *cwd);
void oc_search_not_bound(struct oc_search *s, const char *what, const char *why);
/* Before each word, or piece of one: false when nobody waits for the answer, or when it was enough. */
bool oc_search_may_go_on(struct oc_search *s);
struct oc_exec_reading oc_search_reading(const struct oc_search *s, size_t max_bytes);
/* found->all becomes the seal of itself and one more fact. */
void oc_search_chain(
        struct oc_exec_operand *found, size_t index, const char *fact, const char *path);
/* True: it is there. What must not be opened counts as there, whether or not it is. */
bool oc_search_try_path_as(struct oc_search *s, size_t index, const char *name, const char *cwd,
        bool is_word, enum oc_search_which which);
bool oc_search_try_path(
        struct oc_search *s, size_t index, const char *name, const char *cwd, bool is_word);
bool oc_search_try_file_as(const struct oc_search_command *c, struct oc_search *s, size_t i,
        const char *name, enum oc_search_which which);
bool oc_search_try_file(
        const struct oc_search_command *c, struct oc_search *s, size_t i, const char *name);
/* What came with the system is changed by its owner, not by a command. */
bool oc_search_is_of_the_system(const char *path);
struct oc_search_program oc_search_find_program(
        const struct oc_search *s, const char *name, const char *cwd);
static inline void oc_auto_search_program(struct oc_search_program *p) {
    oc_free(p->path);
}
#define OC_AUTO_PROGRAM __attribute__((cleanup(oc_auto_search_program)))

#endif
