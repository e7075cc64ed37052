/* Parameters of a request, by a table of what they may be. What is missing has a default. A number
 * that is only too small or too large is brought into its range, as the apps do, and whoever asked
 * is told so. What no reading of the range could mean (below zero, no number, another type, an
 * unknown word) is refused with the range. */
#ifndef LIB_HELPER_PARAMS_H
#define LIB_HELPER_PARAMS_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

enum oc_param_kind {
    OC_PARAM_NUMBER = 1,
    OC_PARAM_INT,   /* the fraction is cut off */
    OC_PARAM_INDEX, /* a whole number that is not brought into its range: the nearest other thing
                       would be a wrong one */
    OC_PARAM_BOOL,
    OC_PARAM_WORD, /* trimmed; a blank one counts as missing */
    OC_PARAM_TEXT, /* the same, but of any length and not trimmed */
};

struct oc_param {
    const char *name; /* NULL ends a table */
    enum oc_param_kind kind;
    double missing, min, max; /* a number's; a bool is missing 0 or 1 */
    const char *word;         /* when missing; NULL: it stays missing */
    const char *const *words; /* ends with NULL; NULL: any word */
    const char *must; /* what a refusal says it must be, where others expect certain words */
};

/* Adds what the table names to ret, and to ret_clamped, an array, one
 *   {"name":"durationMs","asked":36000000,"used":60000,"min":250,"max":60000}
 * for each number that was changed. OC_E_INVALID names the parameter. */
enum oc_code oc_params_read(const struct oc_param *table, const cJSON *params, cJSON *ret,
        cJSON *ret_clamped, struct oc_error *err) OC_MUST_USE;
/* "250 to 60000 (3000 unless given)", for a help text. */
void oc_param_describe(const struct oc_param *param, struct oc_buf *out);

#endif
