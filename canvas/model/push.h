/* The messages of a push, for those who apply it. */
#ifndef CANVAS_MODEL_PUSH_H
#define CANVAS_MODEL_PUSH_H

#include "canvas/model/model.h"
#include "lib/a2ui/a2ui.h"

struct oc_message {
    enum oc_message_kind kind;
    unsigned line;
    struct oc_value *body; /* what stands behind the name; any type */
};

struct oc_push {
    struct oc_message *items;
    size_t count, cap;
};

#endif
