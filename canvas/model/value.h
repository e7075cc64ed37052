/* A JSON value as A2UI needs it: maps keep their order and find a key in constant time, arrays are indexed in constant time,
 * strings have a length and may hold U+0000. Numbers are doubles.
 *
 * A value owns what is in it. Readers accept NULL and answer like null. */
#ifndef CANVAS_MODEL_VALUE_H
#define CANVAS_MODEL_VALUE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oc_value_type { OC_V_NULL, OC_V_BOOL, OC_V_NUMBER, OC_V_STRING, OC_V_MAP, OC_V_ARRAY };

struct oc_value;

enum oc_value_type oc_value_type(const struct oc_value *v);
bool oc_value_bool(const struct oc_value *v);              /* false unless a boolean that is true */
double oc_value_number(const struct oc_value *v);          /* 0 unless a number */
struct oc_slice oc_value_string(const struct oc_value *v); /* empty unless a string */
bool oc_value_is(const struct oc_value *v, const char *text); /* a string with exactly this text */
size_t oc_value_count(const struct oc_value *v);              /* members of a map or array */
const struct oc_value *oc_value_at(const struct oc_value *v, size_t i);
struct oc_slice oc_value_key(const struct oc_value *map, size_t i);
const struct oc_value *oc_value_get(const struct oc_value *map, const char *key);
const struct oc_value *oc_value_find(const struct oc_value *map, struct oc_slice key);
bool oc_value_equal(const struct oc_value *a, const struct oc_value *b);

struct oc_value *oc_value_create(enum oc_value_type type); /* null, false, 0, "", empty */
struct oc_value *oc_value_create_bool(bool b);
struct oc_value *oc_value_create_number(double n);
struct oc_value *oc_value_create_string(const char *s, size_t len);
struct oc_value *oc_value_copy(const struct oc_value *v);
/* The same value once more: both owners destroy it, neither may change it. NULL gives NULL. */
struct oc_value *oc_value_ref(const struct oc_value *v);
void oc_value_destroy(struct oc_value
                *v); /* any depth, without recursion on the C stack past OC_VALUE_MAX_DEPTH */
/* Replaces a member of the same key at its place. */
void oc_value_set(struct oc_value *map, struct oc_slice key, struct oc_value *take_value);
void oc_value_append(struct oc_value *array, struct oc_value *take_value);
void oc_value_put_at(struct oc_value *array, size_t i, struct oc_value *take_value); /* i ≤ count */
bool oc_value_index(struct oc_slice segment, size_t *ret); /* decimal digits, below 10⁹ */
struct oc_value *oc_value_mutable(
        struct oc_value *v, struct oc_slice key_or_index); /* NULL when not there */

/* How many values it is made of (at least 1), how many bytes its texts and keys have, how deep it is (a scalar: 0). */
struct oc_value_size {
    size_t values, bytes;
    unsigned depth;
};
struct oc_value_size oc_value_size(const struct oc_value *v);

#define OC_VALUE_MAX_DEPTH 64
/* value_parse.c, value_print.c, value_number.c. */

/* Of one text: each costs about 60 bytes. */
#define OC_VALUE_MAX_VALUES 1000000
/* Strict JSON, but a raw or escaped U+0000 is kept, lone surrogates and broken UTF-8 become U+FFFD, a repeated key: last wins. */
enum oc_code oc_value_parse(
        const char *text, size_t len, struct oc_value **ret, struct oc_error *err) OC_MUST_USE;
/* The same with a shared budget of values, which it lessens. OC_E_TOO_LARGE when that is used up, or nested too deep. */
enum oc_code oc_value_parse_within(const char *text, size_t len, size_t *budget,
        struct oc_value **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code oc_value_print(struct oc_buf *out, const struct oc_value *v); /* compact JSON */
double oc_number_parse(const char *text, size_t len); /* of a JSON number; not by the locale */
/* As people read it: JavaScript's String(n) for numbers, nothing for null, compact JSON for maps and arrays. U+0000 as U+FFFD. */
enum oc_code oc_value_to_text(struct oc_buf *out, const struct oc_value *v);
enum oc_code oc_string_to_text(struct oc_buf *out, struct oc_slice s);
enum oc_code oc_number_to_text(struct oc_buf *out, double n);
enum oc_code oc_number_print(struct oc_buf *out, double n, const char *not_finite);

OC_DEFINE_AUTO(oc_value, struct oc_value);

#endif
