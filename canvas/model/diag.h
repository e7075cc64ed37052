/* What is wrong with what an agent sent, told without stopping: the agent's author reads it with `openclaw canvas check`. */
#ifndef CANVAS_MODEL_DIAG_H
#define CANVAS_MODEL_DIAG_H

#include "lib/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

enum oc_diag_level { OC_DIAG_NOTE, OC_DIAG_WARNING, OC_DIAG_ERROR };

struct oc_diag {
    enum oc_diag_level level;
    unsigned line;             /* physical line of the last push that is to blame; 0: none */
    char *surface, *component; /* ids; NULL: none */
    const char *code;          /* static, "missing-child" … all are listed in docs/CANVAS.md */
    char *message;
};

struct oc_diags {
    struct oc_diag *items;
    size_t count, dropped; /* past OC_CANVAS_MAX_DIAGNOSTICS only counted */
};

void oc_diags_add(struct oc_diags *d, enum oc_diag_level level, unsigned line, const char *surface,
        const char *component, const char *code, const char *fmt, ...)
        __attribute__((format(printf, 7, 8)));
void oc_diags_clear(struct oc_diags *d); /* also frees */
/* "[{"level":"warning","line":3,"surface":"main","component":"x","code":"…","message":"…"}]" */
enum oc_code oc_diags_print_json(struct oc_buf *out, const struct oc_diags *d);
/* "line 3: warning: main/x: no component 'y' (missing-child)", one a line */
enum oc_code oc_diags_print_text(struct oc_buf *out, const struct oc_diags *d);

/* How many bytes of a name are told: whole characters, for "%.*s". */
int oc_diag_shown(struct oc_slice name);

#endif
