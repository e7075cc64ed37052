#include "node/looks/exec_harden.h"

#include "lib/base/mem.h"
#include "node/argv/exec_argv.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_read.h"
#include "node/looks/run_cwd.h"

#include <string.h>

enum oc_code nd_exec_harden_program(
        struct oc_strv *argv, const char *cwd, const char *state_dir, struct oc_error *err) {
    char **program = &argv->items[0];
    struct nd_argv_shape shape;
    nd_argv_shape_of(argv, &shape);
    if (shape.script || !strchr(*program, '/')) {
        return OC_OK;
    }
    OC_AUTO_FREE char *joined = (*program)[0] == '/' || !cwd ? nd_run_absolute(*program)
                                                             : oc_strfmt("%s/%s", cwd, *program);
    OC_AUTO_FREE char *real =
            state_dir && nd_exec_is_private(joined, state_dir) ? NULL : nd_exec_real(joined);
    if (!real) {
        struct oc_grounds grounds = { .cause = OC_CAUSE_UNSTABLE_PROGRAM,
            .gate = OC_GATE_LOCAL,
            .remedy = OC_REMEDY_REAL_PATHS };
        oc_grounds_set_subject(&grounds, *program);
        return nd_run_refuse_path(err, &grounds, "a stable executable path");
    }
    enum oc_code rc = nd_run_check_text(real, err);
    if (rc != OC_OK) {
        return rc;
    }
    oc_free(*program);
    *program = oc_take(&real);
    return OC_OK;
}

char *nd_exec_program(const struct oc_strv *argv, const char *cwd, const char *state_dir) {
    OC_AUTO_FREE char *found = NULL;
    if (nd_exec_find(argv->items[0], cwd, nd_exec_search_path(), &found) != 0 ||
            (state_dir && strchr(argv->items[0], '/') && nd_exec_is_private(found, state_dir))) {
        return NULL;
    }
    return nd_exec_real(found);
}
