/* What a person approves must still be that when it runs (protocol.md §10.7): the directory and the program are replaced
 * by their real paths, and refused where a link on the way could be turned to something else in between. */
#ifndef NODE_EXEC_HARDEN_H
#define NODE_EXEC_HARDEN_H

#include "base/error.h"
#include "base/str.h"

/* Replaces *cwd by its real path. Error texts are the reference's and carry the wire code. */
enum oc_code oc_exec_harden_cwd(char **cwd, struct oc_error *err) OC_MUST_USE;

/* A path in argv[0] becomes the real one; a bare name stays, it is looked up when it runs, and so does the shell of a
 * script. cwd may be NULL. */
enum oc_code oc_exec_harden_program(
        struct oc_strv *argv, const char *cwd, struct oc_error *err) OC_MUST_USE;

#endif
