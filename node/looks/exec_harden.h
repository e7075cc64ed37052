/* What a person approves must still be that when it runs
 * (docs/EXEC.md#what-an-approval-is-bound-to): the program of a run; node/looks/run_cwd.h has the
 * directory. */
#ifndef NODE_LOOKS_EXEC_HARDEN_H
#define NODE_LOOKS_EXEC_HARDEN_H

#include "lib/base/error.h"
#include "lib/base/str.h"

/* A path in argv[0] becomes the real one; a bare name stays, it is looked up when it runs, and so
 * does the shell of a script. cwd may be NULL. */
enum oc_code nd_exec_harden_program(struct oc_strv *argv, const char *cwd, const char *state_dir,
        struct oc_error *err) OC_MUST_USE;

/* The real path of the file that argv[0] means now, for people; NULL when there is none. Caller
 * frees. */
char *nd_exec_program(const struct oc_strv *argv, const char *cwd, const char *state_dir);

#endif
