/* What input does to the world: values that are written, and actions that the agent is told. */
#include "canvas/input/input.h"
#include "canvas/model/data_path.h"
#include "lib/base/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static struct oc_slice input_action_slice(const char *s) {
    return (struct oc_slice){ s, strlen(s) };
}

static void drop_draft(struct cv_local *l) {
    cv_value_destroy(l->draft);
    cv_value_destroy(l->draft_of);
    l->draft = l->draft_of = NULL;
}

const struct cv_value *cv_input_value(const struct cv_item *it, const char *prop) {
    const struct cv_value *v = cv_item_value(it, prop);
    if (cv_item_path(it, prop).ptr || !it->local->draft) {
        return v;
    }
    return cv_value_equal(v, it->local->draft_of) ? it->local->draft : v;
}

static void write_data(struct cv_input *in, const struct cv_item *it, struct oc_slice path,
        struct cv_value *take_value) {
    struct cv_place place;
    bool ok = false;
    if (in->on_entered) {
        (void)cv_path_locate(it->surface, it->context, path, CV_PATH_VALUE, &place, &ok);
    }
    struct cv_value *value = ok ? cv_value_ref(take_value) : NULL;
    if (cv_surface_write(in->scene->model, it->surface, it->context, path, take_value) && value) {
        in->on_entered(in->user, it->surface, place.segments, place.count, value);
    }
    cv_value_destroy(value);
}

void cv_input_write(
        struct cv_input *in, struct cv_item *it, const char *prop, struct cv_value *take_value) {
    struct oc_slice path = cv_item_path(it, prop);
    in->changed = true;
    if (path.ptr) {
        write_data(in, it, path, take_value);
        return;
    }
    struct cv_value *literal = cv_value_copy(cv_item_value(it, prop));
    drop_draft(it->local);
    it->local->draft = take_value;
    it->local->draft_of = literal;
}

static void input_action_timestamp(const struct cv_input *in, char out[32]) {
    int64_t ms = oc_wall_ms(in->clock ? in->clock : &oc_clock_system);
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 32 - n, ".%03dZ", (int)(ms % 1000));
}

static void input_action_put(struct cv_value *map, const char *key, struct oc_slice text) {
    cv_value_set(map, input_action_slice(key),
            cv_value_create_string(text.ptr ? text.ptr : "", text.len));
}

/* 0, false and "" are values; what a path does not find is null. NULL: more than an action can
 * carry, which is known before it is copied as often as it is named. */
static struct cv_value *context_of(const struct cv_item *it, const struct cv_value *entries) {
    struct cv_value *context = cv_value_create(CV_V_MAP);
    size_t sum = 0;
    for (size_t i = 0; i < cv_value_count(entries); i++) {
        const struct cv_value *entry = cv_value_at(entries, i);
        const struct cv_value *key = cv_value_get(entry, "key");
        if (cv_value_type_of(key) != CV_V_STRING) {
            continue;
        }
        const struct cv_value *value =
                cv_bound_resolve(it->surface, it->context, cv_value_get(entry, "value"));
        struct cv_value_size size = cv_value_measure(value);
        sum += cv_value_string(key).len + size.values + size.bytes;
        if (sum > CV_MAX_ACTION_BYTES) {
            cv_value_destroy(context);
            return NULL;
        }
        cv_value_set(context, cv_value_string(key),
                value ? cv_value_copy(value) : cv_value_create(CV_V_NULL));
    }
    return context;
}

void cv_input_fire(struct cv_input *in, struct cv_item *it, const struct cv_value *action) {
    const struct cv_value *name = cv_value_get(action, "name");
    if (cv_value_type_of(name) != CV_V_STRING || !in->on_action) {
        return;
    }
    char now[32];
    input_action_timestamp(in, now);
    const struct cv_value *entries = cv_value_get(action, "context");
    struct cv_value *context =
            context_of(it, cv_value_type_of(entries) == CV_V_ARRAY ? entries : NULL);
    if (!context) {
        if (in->on_refused) {
            in->on_refused(in->user, "too much data for one message");
        }
        return;
    }
    struct cv_value *out = cv_value_create(CV_V_MAP);
    input_action_put(out, "name", cv_value_string(name));
    input_action_put(out, "surfaceId", input_action_slice(it->surface->id));
    input_action_put(out, "sourceComponentId", input_action_slice(it->id));
    input_action_put(out, "timestamp", input_action_slice(now));
    cv_value_set(out, input_action_slice("context"), context);
    in->on_action(in->user, out);
}
