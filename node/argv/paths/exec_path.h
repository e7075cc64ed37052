/* Which file a command name means. */
#ifndef NODE_ARGV_PATHS_EXEC_PATH_H
#define NODE_ARGV_PATHS_EXEC_PATH_H

#include <stdbool.h>

/* The file system as far as the exec policy looks at it, so that judging a command is a function of
 * its inputs. `user` is handed back. */
struct nd_exec_fs {
    void *user;
    int (*check)(void *user, const char *path);  /* 0: an executable regular file; or errno */
    char *(*real)(void *user, const char *path); /* all links resolved, caller frees; or NULL */
    bool (*is_private)(void *user,
            const char *path); /* not to be told from one that is not there; NULL: none is */
};
extern const struct nd_exec_fs nd_exec_fs_native;

/* The part behind the last slash. */
const char *nd_path_name(const char *path);

/* Finds the executable regular file: a name with a slash in cwd (NULL: ours), another one on
 * path_env. Entries of path_env that are empty or relative are skipped: what they mean depends on
 * who asks. Returns 0 and the absolute path (caller frees), or errno as execvp would set it. */
int nd_exec_find(const char *name, const char *cwd, const char *path_env, char **ret_path);

/* The same in another file system; cwd must then be absolute. */
int nd_exec_find_in(const struct nd_exec_fs *fs, const char *name, const char *cwd,
        const char *path_env, char **ret_path);

/* All symbolic links resolved; NULL when there is no such file. Caller frees. */
char *nd_exec_real(const char *path);

/* Our own PATH, or a usual one when we have none. */
const char *nd_exec_search_path(void);

#endif
