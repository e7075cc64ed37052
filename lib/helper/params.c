#include "lib/helper/params.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORD = 512, MAX_CHOICES = 256 };

/* 1e6 and 60000 alike as people write them. */
static const char *params_shown(double value, char text[32]) {
    snprintf(text, 32, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%g", value);
    return text;
}

static enum oc_code refuse_number(
        const struct oc_param *p, const cJSON *item, struct oc_error *err) {
    char min[32], max[32], asked[32];
    bool is_number = cJSON_IsNumber(item) && isfinite(item->valuedouble);
    return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be a %snumber from %s to %s%s%s",
            p->name, p->kind == OC_PARAM_INDEX ? "whole " : "", params_shown(p->min, min),
            params_shown(p->max, max), is_number ? ", not " : "",
            is_number ? params_shown(item->valuedouble, asked) : "");
}

/* Nothing of no length, no width or no pictures exists; no delay and the worst quality do. */
static bool is_impossible(const struct oc_param *p, double value) {
    if (p->kind == OC_PARAM_INDEX) {
        return value < p->min || value > p->max || value != floor(value);
    }
    return value < 0 || (value == 0 && p->min >= 1);
}

static void note_change(const struct oc_param *p, double asked, double used, cJSON *clamped) {
    cJSON *note = cJSON_CreateObject();
    oc_json_set_str(note, "name", p->name);
    oc_json_set(note, "asked", cJSON_CreateNumber(asked));
    oc_json_set(note, "used", cJSON_CreateNumber(used));
    oc_json_set(note, "min", cJSON_CreateNumber(p->min));
    oc_json_set(note, "max", cJSON_CreateNumber(p->max));
    cJSON_AddItemToArray(clamped, note);
}

static enum oc_code read_number(const struct oc_param *p, const cJSON *item, cJSON *ret,
        cJSON *clamped, struct oc_error *err) {
    double value = p->missing;
    if (item) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) ||
                is_impossible(p, item->valuedouble)) {
            return refuse_number(p, item, err);
        }
        value = item->valuedouble < p->min   ? p->min
                : item->valuedouble > p->max ? p->max
                                             : item->valuedouble;
        value = p->kind == OC_PARAM_NUMBER ? value : floor(value);
        if (value != item->valuedouble) {
            note_change(p, item->valuedouble, value, clamped);
        }
    }
    oc_json_set(ret, p->name, cJSON_CreateNumber(value));
    return OC_OK;
}

static enum oc_code read_bool(
        const struct oc_param *p, const cJSON *item, cJSON *ret, struct oc_error *err) {
    if (item && !cJSON_IsBool(item)) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be true or false", p->name);
    }
    oc_json_set_bool(ret, p->name, item ? cJSON_IsTrue(item) : p->missing != 0);
    return OC_OK;
}

static void put_choices(const struct oc_param *p, struct oc_buf *out) {
    for (size_t i = 0; p->words[i]; i++) {
        oc_buf_printf(out, "%s%s", i > 0 ? ", " : "", p->words[i]);
    }
}

static bool is_choice(const struct oc_param *p, const char *word) {
    for (size_t i = 0; p->words && p->words[i]; i++) {
        if (strcmp(p->words[i], word) == 0) {
            return true;
        }
    }
    return !p->words;
}

static enum oc_code refuse_word(const struct oc_param *p, const char *word, struct oc_error *err) {
    if (p->must) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s", p->must);
    }
    OC_AUTO_BUF struct oc_buf choices = OC_BUF_INIT(MAX_CHOICES);
    put_choices(p, &choices);
    return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must not be '%s', but one of %s",
            p->name, word, choices.data);
}

static enum oc_code read_text(
        const struct oc_param *p, const cJSON *item, cJSON *ret, struct oc_error *err) {
    if (item && !cJSON_IsString(item)) {
        return oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be text", p->name);
    }
    if (item && !oc_str_blank(item->valuestring)) {
        oc_json_set_str(ret, p->name, item->valuestring);
    }
    return OC_OK;
}

static enum oc_code read_word(
        const struct oc_param *p, const cJSON *item, cJSON *ret, struct oc_error *err) {
    if (item && (!cJSON_IsString(item) || strlen(item->valuestring) > MAX_WORD)) {
        return p->must ? refuse_word(p, "", err)
                       : oc_fail(err, OC_E_INVALID, "INVALID_REQUEST: %s must be a short text",
                                 p->name);
    }
    OC_AUTO_FREE char *copy = item ? oc_strdup(item->valuestring) : NULL;
    const char *word = copy ? oc_trim(copy) : NULL;
    word = word && *word ? word : p->word;
    if (word && !is_choice(p, word)) {
        return refuse_word(p, word, err);
    }
    oc_json_set_str(ret, p->name, word);
    return OC_OK;
}

enum oc_code oc_params_read(const struct oc_param *table, const cJSON *params, cJSON *ret,
        cJSON *ret_clamped, struct oc_error *err) {
    enum oc_code rc = OC_OK;
    for (const struct oc_param *p = table; rc == OC_OK && p->name; p++) {
        const cJSON *item = oc_json_get(params, p->name);
        rc = p->kind == OC_PARAM_BOOL   ? read_bool(p, item, ret, err)
             : p->kind == OC_PARAM_WORD ? read_word(p, item, ret, err)
             : p->kind == OC_PARAM_TEXT ? read_text(p, item, ret, err)
                                        : read_number(p, item, ret, ret_clamped, err);
    }
    return rc;
}

void oc_param_describe(const struct oc_param *p, struct oc_buf *out) {
    char min[32], max[32], missing[32];
    if (p->kind == OC_PARAM_BOOL) {
        oc_buf_printf(out, "true or false (%s unless given)", p->missing != 0 ? "true" : "false");
    } else if (p->kind == OC_PARAM_WORD && p->words) {
        put_choices(p, out);
    } else if (p->kind == OC_PARAM_WORD) {
        oc_buf_puts(out, "a short text");
    } else if (p->kind == OC_PARAM_TEXT) {
        oc_buf_puts(out, "text");
    } else {
        oc_buf_printf(out, "%s to %s (%s unless given)", params_shown(p->min, min),
                params_shown(p->max, max), params_shown(p->missing, missing));
    }
    if (p->word) {
        oc_buf_printf(out, " (%s unless given)", p->word);
    }
}
