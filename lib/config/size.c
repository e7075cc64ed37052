#include "lib/config/size.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

bool oc_parse_size(const char *text, int64_t *ret) {
    static const char units[] = "KkMmGgTt";
    OC_AUTO_FREE char *digits = oc_strdup(text);
    size_t n = strlen(digits);
    const char *unit = n > 0 ? strchr(units, digits[n - 1]) : NULL;
    int shift = 0;
    if (unit) {
        shift = 10 * (int)((unit - units) / 2 + 1);
        digits[n - 1] = '\0';
    }
    int64_t number;
    if (!oc_parse_int(digits, 1, INT64_MAX >> shift, &number)) {
        return false;
    }
    *ret = number << shift;
    return true;
}

bool oc_json_as_size(const cJSON *v, int64_t *ret) {
    int64_t number;
    if (cJSON_IsString(v)) {
        return oc_parse_size(v->valuestring, ret);
    }
    if (!oc_json_as_int(v, 1, OC_JSON_MAX_EXACT, &number)) {
        return false;
    }
    *ret = number;
    return true;
}
