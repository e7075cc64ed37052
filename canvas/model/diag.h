/* What is wrong with what an agent sent, told without stopping: the agent's author reads it with
 * `openclaw canvas check`. */
#ifndef CANVAS_MODEL_DIAG_H
#define CANVAS_MODEL_DIAG_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum cv_diag_level { CV_DIAG_NOTE, CV_DIAG_WARNING, CV_DIAG_ERROR };

struct cv_diag {
    enum cv_diag_level level;
    unsigned line;             /* physical line of the last push that is to blame; 0: none */
    char *surface, *component; /* ids; NULL: none */
    const char *code;          /* static, "missing-child" … all are listed in docs/CANVAS.md */
    char *message;
};

struct cv_diags {
    struct cv_diag *items;
    size_t count, dropped; /* past CV_MAX_DIAGNOSTICS only counted */
};

void cv_diags_add(struct cv_diags *d, enum cv_diag_level level, unsigned line, const char *surface,
        const char *component, const char *code, const char *fmt, ...)
        __attribute__((format(printf, 7, 8)));
void cv_diags_clear(struct cv_diags *d); /* also frees */
/* "[{"level":"warning","line":3,"surface":"main","component":"x","code":"…","message":"…"}]" */
enum oc_code cv_diags_print_json(struct oc_buf *out, const struct cv_diags *d);
/* "line 3: warning: main/x: no component 'y' (missing-child)", one a line */
enum oc_code cv_diags_print_text(struct oc_buf *out, const struct cv_diags *d);

/* How many bytes of a name are told: whole characters, for "%.*s". */
int cv_diag_shown(struct oc_slice name);

#endif
