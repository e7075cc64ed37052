/* JSON as bytes: check a text, find members, and move strings in and out of quotes without building
 * a tree.
 *
 * This is how a 20 MB result passes through the gateway: the frame is validated and cut into
 * slices, and the answer is put together from slices of the same bytes.
 *
 * Words: a "body" is what stands between the quotes of a JSON string, still escaped. */
#ifndef LIB_JSON_JSON_SCAN_H
#define LIB_JSON_JSON_SCAN_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Incremental validator: strict RFC 8259 and UTF-8, bounded depth, constant memory. Escaped lone
 * surrogates pass, as the grammar has it: JavaScript peers send them when they cut a text in the
 * middle of an emoji. */
struct oc_json_check {
    uint8_t state, literal_pos;
    const char *literal;
    uint8_t utf8_need, utf8_lo, utf8_hi;
    uint8_t hex_left;
    unsigned depth, max_depth;
    uint64_t stack[4]; /* one bit per level: 1 = object, 0 = array; max_depth ≤ 256 */
    bool in_key;
    size_t steps_left; /* see oc_json_valid_within */
};
void oc_json_check_init(struct oc_json_check *c, unsigned max_depth);
/* False as soon as the bytes cannot be part of one JSON value. */
bool oc_json_check_feed(struct oc_json_check *c, const char *data, size_t len);
bool oc_json_check_end(struct oc_json_check *c); /* true if exactly one complete value was fed */

bool oc_json_valid(const char *text, size_t len, unsigned max_depth);
/* The same for text that is itself inside a JSON string (payloadJSON): body is the escaped content.
 * A text of more than max_steps is not looked at to its end, and counts as invalid. */
bool oc_json_valid_escaped(struct oc_slice body, unsigned max_depth, size_t max_steps);
/* A long text is checked at once, which must not take long. Plain characters in strings cost next
 * to nothing, all others are a step each. Heavy: it has max_steps of them and was not looked at to
 * its end. */
bool oc_json_valid_within(
        const char *text, size_t len, unsigned max_depth, size_t max_steps, bool *ret_is_heavy);

enum oc_json_kind {
    OC_JK_OBJECT,
    OC_JK_ARRAY,
    OC_JK_STRING,
    OC_JK_NUMBER,
    OC_JK_TRUE,
    OC_JK_FALSE,
    OC_JK_NULL
};

struct oc_json_value {
    enum oc_json_kind kind;
    struct oc_slice raw; /* with quotes or brackets, no surrounding white space */
};
/* For a text that has passed oc_json_valid. */
struct oc_json_value oc_json_root(struct oc_slice text);
/* The string's body; only for OC_JK_STRING. */
struct oc_slice oc_json_body(struct oc_json_value v);

/* Walks over the members of a valid object. Start with a zeroed cursor. */
struct oc_json_cursor {
    size_t pos;
    bool started;
};
struct oc_json_member {
    struct oc_slice key; /* body, still escaped */
    struct oc_json_value value;
};
bool oc_json_next(struct oc_slice object, struct oc_json_cursor *c, struct oc_json_member *ret);
/* The same over the items of a valid array. */
bool oc_json_next_item(struct oc_slice array, struct oc_json_cursor *c, struct oc_json_value *ret);
/* First member whose unescaped key equals key. */
bool oc_json_find(struct oc_slice object, const char *key, struct oc_json_value *ret);
/* Several members in one walk: fills value and found of each pick. Returns a key that is there
 * twice, or NULL. */
struct oc_json_pick {
    const char *key;
    struct oc_json_value value;
    bool found;
};
const char *oc_json_pick_all(struct oc_slice object, struct oc_json_pick *picks, size_t n);
/* A whole number from min to max, within ±2^53. */
bool oc_json_int(struct oc_json_value v, int64_t min, int64_t max, int64_t *ret);

/* body → text, in pieces: reads from body->ptr (advancing it), writes at most max bytes. Returns
 * bytes written; 0 means the body is used up. A lone surrogate becomes U+FFFD. max must be at
 * least 4. */
size_t oc_json_unescape_step(struct oc_slice *body, char *out, size_t max);
/* The code point of the escape at s (which starts with a backslash) and its length, 12 for a
 * surrogate pair. */
#define OC_JSON_LONE_SURROGATE 0x110000u
unsigned oc_json_escape_at(const char *s, size_t len, size_t *ret_len);
/* text → body, in pieces; max must be at least 12. */
size_t oc_json_escape_step(struct oc_slice *text, char *out, size_t max);
/* Whole-string forms. The copy is NUL-terminated; NULL if it would hold a NUL or be longer than
 * max. */
char *oc_json_unescape(struct oc_slice body, size_t max);
enum oc_code oc_json_unescape_append(struct oc_buf *out, struct oc_slice body); /* may hold NULs */

#endif
