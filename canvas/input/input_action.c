/* What input does to the world: values that are written, and actions that the agent is told. */
#include "canvas/input/input.h"
#include "canvas/model/data_path.h"
#include "lib/base/mem.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static struct oc_slice slice(const char *s) {
    return (struct oc_slice){ s, strlen(s) };
}

static void drop_draft(struct oc_local *l) {
    oc_value_destroy(l->draft);
    oc_value_destroy(l->draft_of);
    l->draft = l->draft_of = NULL;
}

const struct oc_value *oc_input_value(const struct oc_item *it, const char *prop) {
    const struct oc_value *v = oc_item_value(it, prop);
    if (oc_item_path(it, prop).ptr || !it->local->draft) {
        return v;
    }
    return oc_value_equal(v, it->local->draft_of) ? it->local->draft : v;
}

static void write_data(struct oc_input *in, const struct oc_item *it, struct oc_slice path,
        struct oc_value *take_value) {
    struct oc_place place;
    bool ok = false;
    if (in->on_entered) {
        (void)oc_path_locate(it->surface, it->context, path, OC_PATH_VALUE, &place, &ok);
    }
    struct oc_value *value = ok ? oc_value_ref(take_value) : NULL;
    if (oc_surface_write(in->scene->model, it->surface, it->context, path, take_value) && value) {
        in->on_entered(in->user, it->surface, place.segments, place.count, value);
    }
    oc_value_destroy(value);
}

void oc_input_write(
        struct oc_input *in, struct oc_item *it, const char *prop, struct oc_value *take_value) {
    struct oc_slice path = oc_item_path(it, prop);
    in->changed = true;
    if (path.ptr) {
        write_data(in, it, path, take_value);
        return;
    }
    struct oc_value *literal = oc_value_copy(oc_item_value(it, prop));
    drop_draft(it->local);
    it->local->draft = take_value;
    it->local->draft_of = literal;
}

static void timestamp(const struct oc_input *in, char out[32]) {
    int64_t ms = oc_wall_ms(in->clock ? in->clock : &oc_clock_system);
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 32 - n, ".%03dZ", (int)(ms % 1000));
}

static void put(struct oc_value *map, const char *key, struct oc_slice text) {
    oc_value_set(map, slice(key), oc_value_create_string(text.ptr ? text.ptr : "", text.len));
}

/* 0, false and "" are values; what a path does not find is null. NULL: more than an action can carry, which is known before it is
 * copied as often as it is named. */
static struct oc_value *context_of(const struct oc_item *it, const struct oc_value *entries) {
    struct oc_value *context = oc_value_create(OC_V_MAP);
    size_t sum = 0;
    for (size_t i = 0; i < oc_value_count(entries); i++) {
        const struct oc_value *entry = oc_value_at(entries, i);
        const struct oc_value *key = oc_value_get(entry, "key");
        if (oc_value_type(key) != OC_V_STRING) {
            continue;
        }
        const struct oc_value *value =
                oc_bound_resolve(it->surface, it->context, oc_value_get(entry, "value"));
        struct oc_value_size size = oc_value_size(value);
        sum += oc_value_string(key).len + size.values + size.bytes;
        if (sum > OC_CANVAS_MAX_ACTION_BYTES) {
            oc_value_destroy(context);
            return NULL;
        }
        oc_value_set(context, oc_value_string(key),
                value ? oc_value_copy(value) : oc_value_create(OC_V_NULL));
    }
    return context;
}

void oc_input_fire(struct oc_input *in, struct oc_item *it, const struct oc_value *action) {
    const struct oc_value *name = oc_value_get(action, "name");
    if (oc_value_type(name) != OC_V_STRING || !in->on_action) {
        return;
    }
    char now[32];
    timestamp(in, now);
    const struct oc_value *entries = oc_value_get(action, "context");
    struct oc_value *context =
            context_of(it, oc_value_type(entries) == OC_V_ARRAY ? entries : NULL);
    if (!context) {
        if (in->on_refused) {
            in->on_refused(in->user, "too much data for one message");
        }
        return;
    }
    struct oc_value *out = oc_value_create(OC_V_MAP);
    put(out, "name", oc_value_string(name));
    put(out, "surfaceId", slice(it->surface->id));
    put(out, "sourceComponentId", slice(it->id));
    put(out, "timestamp", slice(now));
    oc_value_set(out, slice("context"), context);
    in->on_action(in->user, out);
}
