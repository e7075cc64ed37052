/* The messages of a push, for those who apply it. */
#ifndef CANVAS_MODEL_PUSH_H
#define CANVAS_MODEL_PUSH_H

#include "canvas/model/model.h"
#include "lib/a2ui/a2ui.h"

struct cv_message {
    enum oc_message_kind kind;
    unsigned line;
    struct cv_value *body; /* what stands behind the name; any type */
};

struct cv_push {
    struct cv_message *items;
    size_t count, cap;
};

#endif
