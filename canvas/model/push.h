/* The messages of a push, for those who apply it. */
#ifndef CANVAS_MODEL_PUSH_H
#define CANVAS_MODEL_PUSH_H

#include "canvas/model/model.h"

enum oc_message_kind {
    OC_MESSAGE_BEGIN_RENDERING,
    OC_MESSAGE_DATA_MODEL_UPDATE,
    OC_MESSAGE_DELETE_SURFACE,
    OC_MESSAGE_SURFACE_UPDATE,
    OC_MESSAGE_KINDS
};
extern const char *const oc_message_names[OC_MESSAGE_KINDS];

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
