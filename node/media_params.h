/* Parameters of captures, read as the apps read them: what is missing has a default, a number out of its range is brought into it,
 * and what is of another type is refused. */
#ifndef NODE_MEDIA_PARAMS_H
#define NODE_MEDIA_PARAMS_H

#include "base/error.h"
#include "base/json.h"

struct oc_media_number {
    const char *name;
    double missing, min, max;
};
/* Adds the number to ret. OC_E_INVALID names the parameter. */
enum oc_code oc_media_copy_number(const cJSON *params, const struct oc_media_number *number,
        cJSON *ret, struct oc_error *err) OC_MUST_USE;
/* The same for a whole number; the fraction is cut off. */
enum oc_code oc_media_copy_int(const cJSON *params, const struct oc_media_number *number,
        cJSON *ret, struct oc_error *err) OC_MUST_USE;
enum oc_code oc_media_copy_bool(const cJSON *params, const char *name, bool missing, cJSON *ret,
        struct oc_error *err) OC_MUST_USE;
/* missing may be NULL: then a missing word stays missing. words ends with NULL; NULL words: any. */
enum oc_code oc_media_copy_word(const cJSON *params, const char *name, const char *missing,
        const char *const *words, cJSON *ret, struct oc_error *err) OC_MUST_USE;

#endif
