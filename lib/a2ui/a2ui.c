#include "lib/a2ui/a2ui.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <string.h>

const char *const oc_message_names[OC_MESSAGE_KINDS] = { "beginRendering", "dataModelUpdate",
    "deleteSurface", "surfaceUpdate" };

static bool is_space(char c) {
    return oc_is_one_of(c, " \t\r\v\f");
}

/* As JavaScript's a2ui_trim(), which takes a byte order mark for space. */
static struct oc_slice a2ui_trim(const char *from, const char *to) {
    for (;;) {
        if (from < to && is_space(*from)) {
            from++;
        } else if (to - from >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0) {
            from += 3;
        } else {
            break;
        }
    }
    while (to > from && is_space(to[-1])) {
        to--;
    }
    return (struct oc_slice){ from, (size_t)(to - from) };
}

bool oc_a2ui_next_line(struct oc_a2ui_lines *lines, struct oc_slice *ret) {
    while (lines->at < lines->end) {
        const char *newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
        *ret = a2ui_trim(lines->at, newline ? newline : lines->end);
        lines->at = newline ? newline + 1 : lines->end;
        lines->number++;
        if (ret->len > 0) {
            return true;
        }
    }
    return false;
}

struct oc_a2ui_keys oc_a2ui_keys_of(const void *object, oc_a2ui_has_fn *has) {
    /* A message with one of these would draw nothing, or half of what was meant. */
    static const char *const newer[] = { "createSurface", "updateComponents", "updateDataModel",
        "version" };
    struct oc_a2ui_keys keys = { .creates_surface = has(object, newer[0]) };
    for (size_t i = 0; i < OC_MESSAGE_KINDS; i++) {
        if (has(object, oc_message_names[i])) {
            keys.kinds++;
            keys.kind = (enum oc_message_kind)i;
        }
    }
    for (size_t i = 0; i < OC_COUNT(newer) && !keys.newer; i++) {
        keys.newer = has(object, newer[i]) ? newer[i] : NULL;
    }
    return keys;
}
