#include "canvas/widgets/choices/choices.h"

#include "canvas/scene/build.h"
#include "canvas/widgets/field.h"
#include "lib/base/map.h"
#include "lib/base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* The C library knows no case in the C locale. */
static int32_t choices_fold(uint32_t c) {
    return utf8proc_tolower((int32_t)c);
}

static bool starts_with(const char *text, size_t len, size_t at, const char *with) {
    size_t n = strlen(with);
    for (size_t i = 0; i < n;) {
        if (at >= len) {
            return false;
        }
        if (choices_fold(oc_utf8_decode(text, len, at, &at)) !=
                choices_fold(oc_utf8_decode(with, n, i, &i))) {
            return false;
        }
    }
    return true;
}

static bool has_part(const char *text, const char *part) {
    size_t len = strlen(text), i = 0;
    do {
        if (starts_with(text, len, i, part)) {
            return true;
        }
        (void)oc_utf8_decode(text, len, i, &i);
    } while (i < len);
    return false;
}

/* Selections that are texts; a bare text is taken for an array of one. */
static size_t selection_count(const struct cv_value *v) {
    if (cv_value_type_of(v) == CV_V_STRING) {
        return 1;
    }
    size_t n = cv_value_type_of(v) == CV_V_ARRAY ? cv_value_count(v) : 0;
    return n < CV_CHOICES_MAX ? n : CV_CHOICES_MAX;
}

static const struct cv_value *selection_at(const struct cv_value *v, size_t i) {
    return cv_value_type_of(v) == CV_V_STRING ? v : cv_value_at(v, i);
}

static bool is_same(struct oc_slice a, struct oc_slice b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The selections, to ask for each option; as many as an attacker likes of both. */
struct set {
    struct oc_slice *slots;
    size_t mask;
};

static struct oc_slice *slot_of(const struct set *set, struct oc_slice value) {
    size_t i = oc_map_hash(value.ptr, value.len) & set->mask;
    while (set->slots[i].ptr && !is_same(set->slots[i], value)) {
        i = (i + 1) & set->mask;
    }
    return &set->slots[i];
}

static struct set set_of(struct cv_arena *arena, const struct cv_value *selections, size_t count) {
    struct set set = { .mask = 1 };
    while (set.mask < 2 * count) {
        set.mask = set.mask * 2 + 1;
    }
    set.slots = cv_arena_alloc(arena, (set.mask + 1) * sizeof(set.slots[0]));
    for (size_t i = 0; i < count; i++) {
        const struct cv_value *one = selection_at(selections, i);
        if (cv_value_type_of(one) == CV_V_STRING) {
            *slot_of(&set, cv_value_string(one)) = cv_value_string(one);
        }
    }
    return set;
}

static bool choices_has(const struct set *set, struct oc_slice value) {
    return slot_of(set, value)->ptr != NULL;
}

static const char *label_of(
        struct cv_scene *s, const struct cv_item *it, const struct cv_value *option) {
    const struct cv_value *label =
            cv_bound_resolve(it->surface, it->context, cv_value_get(option, "label"));
    if (cv_value_type_of(label) == CV_V_NULL) {
        label = cv_value_get(option, "value");
    }
    return cv_scene_text(s, label, CV_FIELD_MAX_LABEL);
}

static bool is_chips(const struct cv_item *it) {
    return cv_value_is(cv_item_prop(it, "variant"), "chips") ||
           cv_value_is(cv_item_prop(it, "type"), "chips");
}

void cv_choices_load(struct cv_scene *s, const struct cv_item *it, struct cv_choices *ret) {
    const struct cv_value *options = cv_item_prop(it, "options");
    const struct cv_value *selections = cv_input_value(it, "selections");
    double max = cv_value_number(cv_item_prop(it, "maxAllowedSelections"));
    size_t total = cv_value_type_of(options) == CV_V_ARRAY ? cv_value_count(options) : 0;
    size_t chosen = selection_count(selections);
    total = total < CV_CHOICES_MAX ? total : CV_CHOICES_MAX;
    if (s->build) { /* later it is one widget that a person uses */
        chosen = cv_scene_parts(s, chosen);
        total = cv_scene_parts(s, total);
    }
    *ret = (struct cv_choices){ .has_chips = is_chips(it),
        .is_filterable = cv_value_bool(cv_item_prop(it, "filterable")),
        .max = max >= 1 ? (size_t)fmin(max, CV_CHOICES_MAX) : 0,
        .filter = it->local->filter ? it->local->filter : "",
        .total = total };
    struct set set = set_of(s->arena, selections, chosen);
    for (size_t i = 0; i < chosen; i++) {
        ret->selected += cv_value_type_of(selection_at(selections, i)) == CV_V_STRING;
    }
    if (ret->max && ret->selected > ret->max) {
        cv_build_tell(s, CV_DIAG_WARNING, it->component, "too-many-selections",
                (struct oc_slice){ NULL, 0 }, "more selections than maxAllowedSelections allows");
    }
    ret->at = cv_arena_alloc(s->arena, (ret->total + 1) * sizeof(ret->at[0]));
    bool is_full = ret->max > 1 && ret->selected >= ret->max;
    for (size_t i = 0; i < ret->total; i++) {
        const struct cv_value *option = cv_value_at(options, i);
        struct cv_choice *c = &ret->at[ret->count];
        if (cv_value_type_of(option) != CV_V_MAP) {
            continue;
        }
        *c = (struct cv_choice){ .label = label_of(s, it, option),
            .value = cv_value_string(cv_value_get(option, "value")) };
        if (ret->is_filterable && ret->filter[0] && !has_part(c->label, ret->filter)) {
            continue;
        }
        c->is_selected = choices_has(&set, c->value);
        c->is_disabled = is_full && !c->is_selected;
        ret->count++;
    }
}

void cv_choices_toggle(
        struct cv_input *in, struct cv_item *it, const struct cv_choices *c, size_t i) {
    if (i >= c->count || c->at[i].is_disabled || (c->max == 1 && c->at[i].is_selected)) {
        return;
    }
    const struct cv_value *was = cv_input_value(it, "selections");
    struct cv_value *now = cv_value_create(CV_V_ARRAY);
    struct oc_slice value = c->at[i].value;
    for (size_t k = 0; c->max != 1 && k < selection_count(was); k++) {
        const struct cv_value *one = selection_at(was, k);
        if (cv_value_type_of(one) == CV_V_STRING && !is_same(cv_value_string(one), value)) {
            cv_value_append(now, cv_value_copy(one));
        }
    }
    if (!c->at[i].is_selected) {
        cv_value_append(now, cv_value_create_string(value.ptr ? value.ptr : "", value.len));
    }
    cv_input_write(in, it, "selections", now);
}

const char *cv_choices_header(struct cv_scene *s, const struct cv_choices *c) {
    if (c->selected == 0) {
        return c->max == 1 ? "Select an item" : "Select items";
    }
    for (size_t i = 0; c->max == 1 && i < c->count; i++) {
        if (c->at[i].is_selected) {
            return c->at[i].label;
        }
    }
    return cv_arena_printf(s->arena, "%zu Selected", c->selected);
}

size_t cv_choices_type_ahead(const struct cv_choices *c, int from, const char *utf8) {
    for (size_t step = 1; step <= c->count; step++) {
        size_t i = (from < 0 ? step - 1 : (size_t)from + step) % c->count;
        if (starts_with(c->at[i].label, strlen(c->at[i].label), 0, utf8)) {
            return i;
        }
    }
    return c->count;
}
