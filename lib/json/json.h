/* JSON the way we want it on top of cJSON: strict parsing, field tables, exact-case look-ups.
 *
 * cJSON alone ignores case in look-ups, truncates at \u0000, accepts trailing bytes, control
 * characters and broken UTF-8. Everything here refuses those. Parse on the core thread only. */
#ifndef LIB_JSON_JSON_H
#define LIB_JSON_JSON_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OC_JSON_MAX_DEPTH 64
#define OC_JSON_MAX_VALUES 1000000               /* in one tree; each costs about 80 bytes */
#define OC_JSON_MAX_EXACT (INT64_C(1) << 53)     /* integers up to here survive being a double */
#define OC_JSON_MAX_MS INT64_C(8640000000000000) /* the last moment JavaScript knows */

/* One JSON value, strict RFC 8259, UTF-8, depth ≤ OC_JSON_MAX_DEPTH, no duplicate keys, no \u0000.
 * Escaped lone surrogates become U+FFFD. */
enum oc_code oc_json_parse(
        const char *text, size_t len, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* OC_E_TOO_LARGE, before anything is made of it: more than so many values. For what a peer says. */
enum oc_code oc_json_parse_within(const char *text, size_t len, size_t max_values, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* JSON5 as far as people write it by hand: comments, trailing commas, unquoted keys, single quotes,
 * hex and signed numbers, line continuations in strings. Errors carry line and column. */
enum oc_code oc_json5_parse(
        const char *text, size_t len, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* The same; false: why it is none, and where. */
struct oc_json5_fault {
    unsigned line, column; /* from 1, in characters */
    const char *why;       /* literal */
};
bool oc_json5_parse_at(
        const char *text, size_t len, cJSON **ret, struct oc_json5_fault *fault) OC_MUST_USE;

static inline void oc_auto_json(cJSON **p) {
    cJSON_Delete(*p);
}
#define OC_AUTO_JSON __attribute__((cleanup(oc_auto_json)))

/* Exact-case look-ups; NULL (or the default) when absent, null or of another type; o may be NULL */
const cJSON *oc_json_get(const cJSON *o, const char *key); /* null counts as absent */
const char *oc_json_get_str(const cJSON *o, const char *key);
bool oc_json_get_bool(const cJSON *o, const char *key, bool def);
/* Numbers come with their range, because a peer may send any: nothing reads one without. A whole
 * number from min to max; what is missing, a fraction, no number or outside counts as def, which
 * may itself be outside. */
int64_t oc_json_get_int(const cJSON *o, const char *key, int64_t min, int64_t max, int64_t def);
/* The same, but a number outside, whole or not, is brought to the nearest end of the range. */
int64_t oc_json_clamp_int(const cJSON *o, const char *key, int64_t min, int64_t max, int64_t def);
/* A moment or a span in milliseconds, 0 to OC_JSON_MAX_MS. */
int64_t oc_json_get_ms(const cJSON *o, const char *key, int64_t def);
double oc_json_get_num(const cJSON *o, const char *key, double min, double max, double def);
double oc_json_clamp_num(const cJSON *o, const char *key, double min, double max, double def);
/* Integers within ±2^53, or what oc_json_set_int wrote. `v` may be NULL. */
bool oc_json_as_int(const cJSON *v, int64_t min, int64_t max, int64_t *ret);
bool oc_json_as_num(const cJSON *v, double min, double max, double *ret); /* never NaN */
/* The members of an object, whose names (member->string) are never NULL. What is no object, and
 * NULL, has none: a peer may send a list in its place, whose items have no names. */
#define oc_json_for_each_member(member, object)                                          \
    for ((member) = (object) != NULL && cJSON_IsObject(object) ? (object)->child : NULL; \
            (member) != NULL; (member) = (member)->next)
/* Dotted path: "gateway.auth.token". */
const cJSON *oc_json_path(const cJSON *o, const char *path);
void oc_json_get_strv(
        const cJSON *o, const char *key, struct oc_strv *ret); /* strings of the array */
/* Every string of b's array at key is in a's, too. */
bool oc_json_strv_covers(const cJSON *a, const cJSON *b, const char *key);

/* Building. set_str ignores NULL; the or_null form writes null instead. Integers print exactly. A
 * key that is already there is replaced. */
void oc_json_set_str(cJSON *o, const char *key, const char *value);
void oc_json_set_str_or_null(cJSON *o, const char *key, const char *value);
void oc_json_set_int(cJSON *o, const char *key, int64_t value);
void oc_json_set_bool(cJSON *o, const char *key, bool value);
void oc_json_set(cJSON *o, const char *key, cJSON *take_value); /* NULL is ignored */
void oc_json_set_strv(cJSON *o, const char *key, const struct oc_strv *v);
/* Compact or 2-space-indented text; caller frees. */
char *oc_json_print(const cJSON *v, bool pretty);
/* The same on one line, and fit for a terminal: characters that one obeys or that cannot be seen
 * are \uXXXX. Caller frees. */
char *oc_json_print_line(const cJSON *v);
#define OC_JSON_ESCAPE 13
void oc_json_escape_char(unsigned c, char ret[OC_JSON_ESCAPE]); /* one escape, or a pair */
enum oc_code oc_json_append(struct oc_buf *out, const cJSON *v, bool pretty);
/* Appends s as a JSON string with quotes. What is not UTF-8 becomes U+FFFD. */
enum oc_code oc_json_append_string(struct oc_buf *out, const char *s, size_t len);

/* Field tables. Errors read like the reference's: "must have required property 'nodeId'",
 * "at /timeoutMs: must be integer", "at root: unexpected property 'x'". */
enum oc_json_type { OC_JT_STR, OC_JT_BOOL, OC_JT_INT, OC_JT_ANY, OC_JT_OBJ, OC_JT_STRV };
enum {
    OC_REQUIRED = 1 << 0,
    OC_NONEMPTY = 1 << 1, /* for strings */
    OC_NULLABLE = 1 << 2, /* null counts as absent instead of as a wrong type */
};

struct oc_json_field {
    const char *key;
    enum oc_json_type type;
    unsigned flags;
    size_t offset;
    int64_t min, max;  /* INT range; STRV: max items */
    size_t has_offset; /* INT/BOOL: where a bool "was present" lives, or SIZE_MAX */
};

/* The pointer cast in the size check makes a wrong member type a compile error. */
#define OC_FIELD_CHECK(T, member, type) (0 * sizeof((__typeof__(((T *)0)->member) *)0 == (type *)0))
#define OC_STR(T, member, k, fl)                                                \
    {                                                                           \
        .key = (k), .type = OC_JT_STR, .flags = (fl), .has_offset = SIZE_MAX,   \
        .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, const char *) \
    }
#define OC_BOOL(T, member, k, fl)                                              \
    {                                                                          \
        .key = (k), .type = OC_JT_BOOL, .flags = (fl), .has_offset = SIZE_MAX, \
        .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, bool)        \
    }
#define OC_INT(T, member, k, fl, lo, hi)                                                           \
    {                                                                                              \
        .key = (k), .type = OC_JT_INT, .flags = (fl), .min = (lo), .max = (hi),                    \
        .has_offset = SIZE_MAX, .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, int64_t) \
    }
#define OC_ANY(T, member, k, fl)                                                 \
    {                                                                            \
        .key = (k), .type = OC_JT_ANY, .flags = (fl), .has_offset = SIZE_MAX,    \
        .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, const cJSON *) \
    }
#define OC_OBJ(T, member, k, fl)                                                 \
    {                                                                            \
        .key = (k), .type = OC_JT_OBJ, .flags = (fl), .has_offset = SIZE_MAX,    \
        .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, const cJSON *) \
    }
/* struct oc_strv, filled with copies: the decoded struct then needs oc_strv_finish. */
#define OC_STRV(T, member, k, fl, most)                                                       \
    {                                                                                         \
        .key = (k), .type = OC_JT_STRV, .flags = (fl), .max = (most), .has_offset = SIZE_MAX, \
        .offset = offsetof(T, member) + OC_FIELD_CHECK(T, member, struct oc_strv)             \
    }

/* Fills the struct from an object. Strings borrow from the tree. Absent fields keep their value.
 * Unknown keys are ignored (newer peers send more than we know). `where` is the JSON pointer
 * prefix, "" for the root. */
enum oc_code oc_json_decode(const cJSON *o, const char *where, const struct oc_json_field *fields,
        size_t n, void *ret, struct oc_error *err) OC_MUST_USE;

/* About how many values the text has; never fewer. For texts of peers, before they become a
 * tree. */
size_t oc_json_count_values(const char *text, size_t len);
/* About how much memory the tree takes. */
size_t oc_json_tree_bytes(const cJSON *tree);

#endif
