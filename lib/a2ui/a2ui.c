#include "lib/a2ui/a2ui.h"

#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <string.h>

const char *const oc_message_names[OC_MESSAGE_KINDS] = { "beginRendering", "dataModelUpdate",
    "deleteSurface", "surfaceUpdate" };

#define FEW_LINES 3 /* each of which may have a word about it */

static bool is_space(char c) {
    return oc_is_one_of(c, " \t\r\v\f\n");
}

/* As JavaScript's trim(), which takes a byte order mark for space. */
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

/* Behind the string that starts here; NULL: it does not end on its line. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end && *at != '\n'; at++) {
        if (*at == '"') {
            return at + 1;
        }
        at += *at == '\\' && at + 1 < end;
    }
    return NULL;
}

/* Behind the object or array that starts here, by its brackets; NULL: it has no end. What is in it
 * is for a parser. */
static const char *skip_value(const char *at, const char *end) {
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            if (!at) {
                return NULL;
            }
            continue;
        }
        depth += oc_is_one_of(*at, "{[");
        depth -= oc_is_one_of(*at, "}]");
        at++;
        if (depth == 0) {
            return at;
        }
    }
    return NULL;
}

static bool opens_value(struct oc_slice s) {
    return s.len > 0 && oc_is_one_of(s.ptr[0], "{[");
}

static bool is_number(struct oc_slice s) {
    size_t digits = 0;
    for (size_t i = 0; i < s.len; i++) {
        digits += s.ptr[i] >= '0' && s.ptr[i] <= '9';
        if (!oc_is_one_of(s.ptr[i], "0123456789+-.eE")) {
            return false;
        }
    }
    return digits > 0;
}

/* One value of JSON as far as one sees without reading it, on a line of its own. */
static bool is_whole(struct oc_slice line) {
    const char *end = line.ptr + line.len;
    if (opens_value(line)) {
        return skip_value(line.ptr, end) == end;
    }
    return line.ptr[0] == '"' ? skip_string(line.ptr, end) == end
                              : is_number(line) || oc_slice_eq(line, "true") ||
                                        oc_slice_eq(line, "false") || oc_slice_eq(line, "null");
}

static bool next_line(const char **at, const char *end, struct oc_slice *ret) {
    while (*at < end) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        *ret = a2ui_trim(*at, newline ? newline : end);
        *at = newline ? newline + 1 : end;
        if (ret->len > 0) {
            return true;
        }
    }
    return false;
}

/* The next object or array, however many lines it has; what is none is the rest. */
static bool next_value(const char **at, const char *end, struct oc_slice *ret) {
    struct oc_slice rest = a2ui_trim(*at, end);
    const char *behind = opens_value(rest) ? skip_value(rest.ptr, rest.ptr + rest.len) : NULL;
    *ret = behind ? (struct oc_slice){ rest.ptr, (size_t)(behind - rest.ptr) } : rest;
    *at = behind ? behind : end;
    return rest.len > 0;
}

static bool are_values(const char *at, const char *end) {
    struct oc_slice value;
    while (next_value(&at, end, &value)) {
        if (!opens_value(value) || skip_value(value.ptr, value.ptr + value.len) == NULL) {
            return false;
        }
    }
    return true;
}

/* Lines as the reference has them, unless the text makes sense only as a whole, or makes so little
 * that a word about each line would help nobody. */
static bool are_lines(const char *text, const char *end) {
    const char *at = text;
    struct oc_slice line;
    size_t lines = 0, whole = 0;
    while (next_line(&at, end, &line)) {
        lines++;
        whole += is_whole(line);
    }
    return whole == lines || (!are_values(text, end) && (whole * 2 >= lines || lines <= FEW_LINES));
}

void oc_a2ui_begin(struct oc_a2ui_reader *r, const char *text, size_t len) {
    *r = (struct oc_a2ui_reader){ .text = text,
        .at = text,
        .end = text + len,
        .counted = text,
        .line = 1,
        .is_lines = are_lines(text, text + len) };
}

/* One message of an array: up to the next comma that is not inside of it. */
static struct oc_slice next_element(struct oc_a2ui_reader *r) {
    const char *from = r->array.ptr, *end = from + r->array.len, *at = from;
    while (at < end && *at != ',') {
        const char *behind = *at == '"'                ? skip_string(at, end)
                             : oc_is_one_of(*at, "{[") ? skip_value(at, end)
                                                       : at + 1;
        at = behind ? behind : end;
    }
    r->array = at < end ? (struct oc_slice){ at + 1, (size_t)(end - at - 1) }
                        : (struct oc_slice){ NULL, 0 };
    return a2ui_trim(from, at);
}

/* An array of messages; an empty one is none. */
static bool enter_array(struct oc_a2ui_reader *r, struct oc_slice value) {
    const char *end = value.ptr + value.len;
    if (value.ptr[0] != '[' || skip_value(value.ptr, end) != end ||
            a2ui_trim(value.ptr + 1, end - 1).len == 0) {
        return false;
    }
    r->array = (struct oc_slice){ value.ptr + 1, value.len - 2 };
    r->has_arrays = true;
    return true;
}

bool oc_a2ui_next(struct oc_a2ui_reader *r, struct oc_slice *ret) {
    bool is_there = true;
    if (!r->array.ptr) {
        is_there = r->is_lines ? next_line(&r->at, r->end, ret) : next_value(&r->at, r->end, ret);
    }
    if (is_there && (r->array.ptr || enter_array(r, *ret))) {
        *ret = next_element(r);
    }
    while (is_there && r->counted < ret->ptr) {
        r->line += *r->counted++ == '\n';
    }
    return is_there;
}

void oc_a2ui_place(
        const struct oc_a2ui_reader *r, const char *at, size_t *ret_line, size_t *ret_column) {
    const char *start = r->counted;
    *ret_line = r->line;
    while (start < at) {
        *ret_line += *start++ == '\n';
    }
    *ret_column = 1;
    for (; start > r->text && start[-1] != '\n'; start--) {
        *ret_column += ((unsigned char)start[-1] & 0xc0) != 0x80; /* not inside a character */
    }
}

enum oc_code oc_a2ui_put_line(struct oc_buf *out, struct oc_slice message) {
    for (size_t i = 0; i < message.len; i++) {
        (void)oc_buf_putc(out, (char)(is_space(message.ptr[i]) ? ' ' : message.ptr[i]));
    }
    return oc_buf_putc(out, '\n');
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
