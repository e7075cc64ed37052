#include "gateway/canvas/canvas_touch.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/protocol/limits.h"

#include <math.h>
#include <string.h>

#define FAR 1e6 /* no canvas is as large */
#define MAX_TOUCH_VALUES 64

static bool is_far(double v) {
    return !isfinite(v) || v < -FAR || v > FAR;
}

static enum oc_code copy_numbers(
        const cJSON *from, const char *const *keys, cJSON *to, struct oc_error *err) {
    for (; *keys; keys++) {
        double v;
        if (!oc_json_as_num(oc_json_get(from, *keys), -FAR, FAR, &v)) {
            return oc_fail(err, OC_E_INVALID, "%s must be a number", *keys);
        }
        cJSON_AddNumberToObject(to, *keys, v);
    }
    return OC_OK;
}

static enum oc_code canvas_touch_copy(const cJSON *from, cJSON *to, struct oc_error *err) {
    static const char *const place[] = { "x", "y", NULL }, *const scroll[] = { "x", "y", "dx", "dy",
        NULL };
    const char *pointer = oc_json_get_str(from, "pointer"), *key = oc_json_get_str(from, "key"),
               *text = oc_json_get_str(from, "text");
    int64_t mods = oc_json_get(from, "mods") ? oc_json_get_int(from, "mods", 0, 7, -1) : 0;
    if (mods < 0) {
        return oc_fail(err, OC_E_INVALID, "mods are of 0 to 7");
    }
    if (mods > 0 && (pointer || key)) {
        oc_json_set_int(to, "mods", mods);
    }
    if (pointer) {
        oc_json_set_str(to, "pointer", pointer);
        return strlen(pointer) <= 16 ? copy_numbers(from, place, to, err)
                                     : oc_fail(err, OC_E_INVALID, "no pointer does that");
    }
    if (key) {
        oc_json_set_str(to, "key", key);
        return strlen(key) <= 16 ? OC_OK : oc_fail(err, OC_E_INVALID, "there is no such key");
    }
    if (text) {
        oc_json_set_str(to, "text", text);
        return strlen(text) <= GW_MAX_TOUCH_TEXT_BYTES ? OC_OK
                                                       : oc_fail(err, OC_E_TOO_LARGE, "long text");
    }
    if (oc_json_get_bool(from, "scroll", false)) {
        oc_json_set_bool(to, "scroll", true);
        return copy_numbers(from, scroll, to, err);
    }
    return oc_fail(err, OC_E_INVALID, "neither pointer, key, text nor scroll");
}

static enum oc_code copy_view(const cJSON *from, cJSON *to, struct oc_error *err) {
    static const struct {
        const char *name;
        double min, max;
        bool is_required;
    } members[] = { { "width", OC_MIN_VIEW_PX, OC_MAX_VIEW_PX, true },
        { "height", OC_MIN_VIEW_PX, OC_MAX_VIEW_PX, false },
        { "scale", 1, OC_MAX_VIEW_SCALE, false } };
    for (size_t i = 0; i < OC_COUNT(members); i++) {
        const cJSON *v = oc_json_get(from, members[i].name);
        double n;
        if ((v || members[i].is_required) &&
                !oc_json_as_num(v, members[i].min, members[i].max, &n)) {
            return oc_fail(err, OC_E_INVALID, "view.%s is of %g to %g", members[i].name,
                    members[i].min, members[i].max);
        }
        if (v) {
            oc_json_set(to, members[i].name, cJSON_CreateNumber(n));
        }
    }
    return OC_OK;
}

enum oc_code gw_touch_decode(
        const char *text, size_t len, cJSON **ret, cJSON **ret_view, struct oc_error *err) {
    OC_AUTO_JSON cJSON *said = NULL;
    enum oc_code rc = oc_json_parse_within(text, len, MAX_TOUCH_VALUES, &said, err);
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_JSON cJSON *copy = cJSON_CreateObject();
    const cJSON *view = oc_json_get(said, "view");
    rc = view ? copy_view(view, copy, err) : canvas_touch_copy(said, copy, err);
    if (rc == OC_OK) {
        *ret = view ? NULL : copy;
        *ret_view = view ? copy : NULL;
        copy = NULL;
    }
    return rc;
}

static double canvas_touch_number(const cJSON *o, const char *key) {
    return oc_json_get_num(o, key, -FAR, FAR, 0);
}

static bool is_move(const cJSON *touch) {
    return oc_streq(oc_json_get_str(touch, "pointer"), "move");
}

static bool is_scroll_at(const cJSON *a, const cJSON *b) {
    return oc_json_get(a, "scroll") && oc_json_get(b, "scroll") &&
           fabs(canvas_touch_number(a, "x") - canvas_touch_number(b, "x")) < 1 &&
           fabs(canvas_touch_number(a, "y") - canvas_touch_number(b, "y")) < 1;
}

static void add_number(cJSON *o, const char *key, double more) {
    double sum = canvas_touch_number(o, key) + more;
    oc_json_set(o, key, cJSON_CreateNumber(is_far(sum) ? more : sum));
}

/* Into what waits last. */
static bool canvas_touch_merge(cJSON *last, const cJSON *next) {
    const char *before = oc_json_get_str(last, "text"), *more = oc_json_get_str(next, "text");
    if (is_scroll_at(last, next)) {
        add_number(last, "dx", canvas_touch_number(next, "dx"));
        add_number(last, "dy", canvas_touch_number(next, "dy"));
        return true;
    }
    bool is_space = oc_streq(before, " ") || oc_streq(more, " "); /* may be a press of a button */
    if (before && more && !is_space && strlen(before) + strlen(more) <= GW_MAX_TOUCH_TEXT_BYTES) {
        OC_AUTO_FREE char *both = oc_strfmt("%s%s", before, more);
        oc_json_set_str(last, "text", both);
        return true;
    }
    return false;
}

bool gw_touches_add(struct gw_touches *t, cJSON *take_touch) {
    OC_AUTO_JSON cJSON *touch = take_touch;
    cJSON *last = t->count > 0 ? t->items[t->count - 1] : NULL;
    if (last && is_move(last) && is_move(touch)) {
        cJSON_Delete(last);
        t->items[t->count - 1] = oc_take(&touch);
        return true;
    }
    if (last && canvas_touch_merge(last, touch)) {
        return true;
    }
    if (t->count == GW_MAX_TOUCHES) {
        return false;
    }
    t->items[t->count++] = oc_take(&touch);
    return true;
}

cJSON *gw_touches_take(struct gw_touches *t) {
    if (t->count == 0) {
        return NULL;
    }
    cJSON *first = t->items[0];
    t->count--;
    for (size_t i = 0; i < t->count; i++) {
        t->items[i] = t->items[i + 1];
    }
    return first;
}

void gw_touches_finish(struct gw_touches *t) {
    for (cJSON *touch; (touch = gw_touches_take(t));) {
        cJSON_Delete(touch);
    }
}
