/* A JSON value as A2UI needs it: maps keep their order and find a key in constant time, arrays are
 * indexed in constant time, strings have a length and may hold U+0000. Numbers are doubles.
 *
 * A value owns what is in it. Readers accept NULL and answer like null. */
#ifndef CANVAS_VALUE_VALUE_H
#define CANVAS_VALUE_VALUE_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cv_value_type { CV_V_NULL, CV_V_BOOL, CV_V_NUMBER, CV_V_STRING, CV_V_MAP, CV_V_ARRAY };

struct cv_value;

enum cv_value_type cv_value_type_of(const struct cv_value *v);
bool cv_value_bool(const struct cv_value *v);              /* false unless a boolean that is true */
double cv_value_number(const struct cv_value *v);          /* 0 unless a number */
struct oc_slice cv_value_string(const struct cv_value *v); /* empty unless a string */
bool cv_value_is(const struct cv_value *v, const char *text); /* a string with exactly this text */
size_t cv_value_count(const struct cv_value *v);              /* members of a map or array */
const struct cv_value *cv_value_at(const struct cv_value *v, size_t i);
struct oc_slice cv_value_key(const struct cv_value *map, size_t i);
const struct cv_value *cv_value_get(const struct cv_value *map, const char *key);
const struct cv_value *cv_value_find(const struct cv_value *map, struct oc_slice key);
bool cv_value_equal(const struct cv_value *a, const struct cv_value *b);

struct cv_value *cv_value_create(enum cv_value_type type); /* null, false, 0, "", empty */
struct cv_value *cv_value_create_bool(bool b);
struct cv_value *cv_value_create_number(double n);
struct cv_value *cv_value_create_string(const char *s, size_t len);
struct cv_value *cv_value_copy(const struct cv_value *v);
/* The same value once more: both owners destroy it, neither may change it. NULL gives NULL. */
struct cv_value *cv_value_ref(const struct cv_value *v);
void cv_value_destroy(struct cv_value
                *v); /* any depth, without recursion on the C stack past CV_VALUE_MAX_DEPTH */
/* Replaces a member of the same key at its place. */
void cv_value_set(struct cv_value *map, struct oc_slice key, struct cv_value *take_value);
void cv_value_append(struct cv_value *array, struct cv_value *take_value);
void cv_value_put_at(struct cv_value *array, size_t i, struct cv_value *take_value); /* i ≤ count */
bool cv_value_index(struct oc_slice segment, size_t *ret); /* decimal digits, below 10⁹ */
struct cv_value *cv_value_mutable(
        struct cv_value *v, struct oc_slice key_or_index); /* NULL when not there */

/* How many values it is made of (at least 1), how many bytes its texts and keys have, how deep it
 * is (a scalar: 0). */
struct cv_value_size {
    size_t values, bytes;
    unsigned depth;
};
struct cv_value_size cv_value_measure(const struct cv_value *v);

#define CV_VALUE_MAX_DEPTH 64
/* value_parse.c, value_print.c, value_number.c. */

/* Of one text: each costs about 60 bytes. */
#define CV_VALUE_MAX_VALUES 1000000
/* Strict JSON, but a raw or escaped U+0000 is kept, lone surrogates and broken UTF-8 become U+FFFD,
 * a repeated key: last wins. */
enum oc_code cv_value_parse(
        const char *text, size_t len, struct cv_value **ret, struct oc_error *err) OC_MUST_USE;
/* The same with a shared budget of values, which it lessens. OC_E_TOO_LARGE when that is used up,
 * or nested too deep. */
enum oc_code cv_value_parse_within(const char *text, size_t len, size_t *budget,
        struct cv_value **ret, struct oc_error *err) OC_MUST_USE;
/* The same; the error's text does not say where it is, *ret_at does. */
enum oc_code cv_value_parse_at(const char *text, size_t len, size_t *budget, struct cv_value **ret,
        size_t *ret_at, struct oc_error *err) OC_MUST_USE;
enum oc_code cv_value_print(struct oc_buf *out, const struct cv_value *v); /* compact JSON */
double cv_number_parse(const char *text, size_t len); /* of a JSON number; not by the locale */
/* As people read it: JavaScript's String(n) for numbers, nothing for null, compact JSON for maps
 * and arrays. U+0000 as U+FFFD. */
enum oc_code cv_value_to_text(struct oc_buf *out, const struct cv_value *v);
enum oc_code cv_string_to_text(struct oc_buf *out, struct oc_slice s);
enum oc_code cv_number_to_text(struct oc_buf *out, double n);
enum oc_code cv_number_print(struct oc_buf *out, double n, const char *not_finite);

OC_DEFINE_AUTO(cv_value, struct cv_value);

#endif
