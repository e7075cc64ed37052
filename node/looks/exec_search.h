/* The files of one command while they are looked for (node/looks/exec_operand.c): which were found,
 * what they contain, and what could not be bound. Only within this room. */
#ifndef NODE_LOOKS_EXEC_SEARCH_H
#define NODE_LOOKS_EXEC_SEARCH_H

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_operand.h"
#include "node/looks/exec_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define ND_SEARCH_PRIVATE \
    "lies where the node reads nothing for others (its own state, /proc, /sys, /dev)"

struct nd_search {
    struct nd_exec_operand *found;
    const struct nd_exec_place *place;
    struct nd_exec_state state; /* of the place, resolved once */
    struct oc_map *seen;        /* "index path" of the files that were added */
    size_t words;               /* looked at so far */
    size_t bytes;               /* read so far */
    struct timespec newest;
    char content[65];   /* of the file that was added last */
    bool can_be_hidden; /* a program was found by a name that another file can take
                           (nd_search_program) */
    bool runs_theirs;   /* something was added that a command can change */
};

/* Of the files that a word names. */
enum nd_search_which { ND_SEARCH_ANY_FILE, ND_SEARCH_CODE_ONLY };

/* One command: the whole, what a wrapper starts, or a part of the text of sh -c. */
struct nd_search_command {
    struct oc_strv argv; /* borrowed */
    const char *cwd;
    size_t first; /* the index of argv[0] in the whole command, or of the text that it stands in */
    bool is_in_text;     /* then all its words have that index */
    bool has_other_path; /* it runs in a login shell, whose startup files may set PATH */
    int depth;
};

/* The file of a program. */
struct nd_search_program {
    char *path;      /* the real one; NULL: there is none that could run. Owned */
    bool is_machine; /* machine code; everything else is a script of some kind, with or without "#!"
                      */
    bool is_theirs;  /* a command can change it, or which one it is */
    bool can_be_hidden; /* a command can put another one of its name before it on PATH */
};

/* Adds all that decides what the command does; exec_operand.c. */
void nd_search_bind(const struct nd_search_command *c, struct nd_search *s);

size_t nd_search_index_of(const struct nd_search_command *c, size_t i);
char *nd_search_in_dir(const char *name, const char *cwd);
void nd_search_not_bound(struct nd_search *s, const char *what, const char *why);
/* Before each word, or piece of one: false when nobody waits for the answer, or when it was
 * enough. */
bool nd_search_may_go_on(struct nd_search *s);
struct nd_exec_reading nd_search_reading(const struct nd_search *s, size_t max_bytes);
/* found->all becomes the seal of itself and one more fact. */
void nd_search_chain(
        struct nd_exec_operand *found, size_t index, const char *fact, const char *path);
/* True: it is there. What must not be opened counts as there, whether or not it is. */
bool nd_search_try_path_as(struct nd_search *s, size_t index, const char *name, const char *cwd,
        bool is_word, enum nd_search_which which);
bool nd_search_try_path(
        struct nd_search *s, size_t index, const char *name, const char *cwd, bool is_word);
bool nd_search_try_file_as(const struct nd_search_command *c, struct nd_search *s, size_t i,
        const char *name, enum nd_search_which which);
bool nd_search_try_file(
        const struct nd_search_command *c, struct nd_search *s, size_t i, const char *name);
/* What came with the system is changed by its owner, not by a command. */
bool nd_search_is_of_the_system(const char *path);
struct nd_search_program nd_search_find_program(
        const struct nd_search *s, const char *name, const char *cwd);
static inline void nd_auto_search_program(struct nd_search_program *p) {
    oc_free(p->path);
}
#define ND_AUTO_PROGRAM __attribute__((cleanup(nd_auto_search_program)))

#endif
