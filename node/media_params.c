#include "node/media_params.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

enum { MAX_WORD = 512 };

static enum oc_code read_number(const cJSON *params, const struct oc_media_number *number,
        double *ret, struct oc_error *err) {
    const cJSON *item = oc_json_get(params, number->name);
    double value = number->missing;
    if (item) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) {
            return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be a number", number->name);
        }
        value = item->valuedouble;
    }
    value = value < number->min ? number->min : value;
    *ret = value > number->max ? number->max : value;
    return OC_OK;
}

enum oc_code oc_media_copy_number(const cJSON *params, const struct oc_media_number *number,
        cJSON *ret, struct oc_error *err) {
    double value = 0;
    enum oc_code rc = read_number(params, number, &value, err);
    if (rc == OC_OK) {
        oc_json_set(ret, number->name, cJSON_CreateNumber(value));
    }
    return rc;
}

enum oc_code oc_media_copy_int(const cJSON *params, const struct oc_media_number *number,
        cJSON *ret, struct oc_error *err) {
    double value = 0;
    enum oc_code rc = read_number(params, number, &value, err);
    if (rc == OC_OK) {
        oc_json_set_int(ret, number->name, (int64_t)value);
    }
    return rc;
}

enum oc_code oc_media_copy_bool(
        const cJSON *params, const char *name, bool missing, cJSON *ret, struct oc_error *err) {
    const cJSON *item = oc_json_get(params, name);
    if (item && !cJSON_IsBool(item)) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be true or false", name);
    }
    oc_json_set_bool(ret, name, item ? cJSON_IsTrue(item) : missing);
    return OC_OK;
}

static bool is_among(const char *word, const char *const *words) {
    for (; *words; words++) {
        if (strcmp(word, *words) == 0) {
            return true;
        }
    }
    return false;
}

enum oc_code oc_media_copy_word(const cJSON *params, const char *name, const char *missing,
        const char *const *words, cJSON *ret, struct oc_error *err) {
    const cJSON *item = oc_json_get(params, name);
    if (item && (!cJSON_IsString(item) || strlen(item->valuestring) > MAX_WORD)) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be a short text", name);
    }
    OC_AUTO_FREE char *copy = oc_strdup(item ? item->valuestring : missing);
    const char *word = copy ? oc_trim(copy) : NULL;
    if (!word || !*word) {
        word = missing;
    }
    if (!word) {
        return OC_OK;
    }
    if (words && !is_among(word, words)) {
        OC_AUTO_FREE char *choices = oc_strdup(words[0]);
        for (size_t i = 1; words[i]; i++) {
            char *longer = oc_strfmt("%s, %s", choices, words[i]);
            oc_free(choices);
            choices = longer;
        }
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must not be '%s', but one of %s",
                name, word, choices);
    }
    oc_json_set_str(ret, name, word);
    return OC_OK;
}
