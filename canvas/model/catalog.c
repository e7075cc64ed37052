/* Compares a component with the standard catalogue and tells what an agent's author got wrong.
 * Nothing is refused: widgets make the best of what they get. */
#include "canvas/model/bound.h"
#include "canvas/model/icons.h"
#include "canvas/model/model_parts.h"
#include "canvas/model/regexp.h"

#include "lib/base/mem.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum catalog_kind {
    BOUND_STRING,
    BOUND_NUMBER,
    BOUND_BOOLEAN,
    BOUND_ARRAY,
    STRING,
    NUMBER,
    INTEGER,
    BOOLEAN,
    ENUM,
    CHILD,
    CHILDREN,
    TABS,
    OPTIONS,
    ACTION
};
enum { REQUIRED = 1, INSTEAD = 2 };

struct catalog_row {
    const char *component; /* set: a component begins */
    const char *name;
    enum catalog_kind kind;
    unsigned flags;
    const char *values;
};

static const struct catalog_row rows[] = {
#define CV_COMPONENT(name) { #name, NULL, 0, 0, NULL },
#define CV_PROPERTY(name, kind, flags, values) { NULL, name, kind, flags, values },
#include "canvas/model/catalog.def"
#undef CV_COMPONENT
#undef CV_PROPERTY
};

/* One property that is being looked at. */
struct check {
    const struct cv_component *component;
    const struct cv_blame *blame;
    const char *name; /* "text", "tabItems[2].title" */
};

#define TELL(check, level, code, ...)                                          \
    cv_diags_add((check)->blame->diags, CV_DIAG_##level, (check)->blame->line, \
            (check)->blame->surface, (check)->component->id, code, __VA_ARGS__)

static bool catalog_expect(
        const struct check *c, const struct cv_value *v, enum cv_value_type type) {
    static const char *const names[] = { "null", "a boolean", "a number", "a string", "an object",
        "an array" };
    if (cv_value_type_of(v) == type) {
        return true;
    }
    TELL(c, WARNING, "wrong-type", "%s is %s, not %s", c->name, names[cv_value_type_of(v)],
            names[type]);
    return false;
}

/* Members of an object that nobody reads. */
static void expect_members(
        const struct check *c, const struct cv_value *map, const char *const *names) {
    for (size_t i = 0; i < cv_value_count(map); i++) {
        struct oc_slice key = cv_value_key(map, i);
        size_t k = 0;
        while (names[k] && !oc_slice_eq(key, names[k])) {
            k++;
        }
        if (!names[k]) {
            TELL(c, NOTE, "unknown-property", "%s has no '%.*s'", c->name, cv_diag_shown(key),
                    key.ptr);
        }
    }
}

static const struct cv_value *catalog_require(
        const struct check *c, const struct cv_value *map, const char *name) {
    const struct cv_value *v = cv_value_get(map, name);
    if (!v) {
        TELL(c, WARNING, "missing-property", "%s has no '%s'", c->name, name);
    }
    return v;
}

static const struct {
    const char *member;
    enum cv_value_type type;
} literals[] = { [BOUND_STRING] = { "literalString", CV_V_STRING },
    [BOUND_NUMBER] = { "literalNumber", CV_V_NUMBER },
    [BOUND_BOOLEAN] = { "literalBoolean", CV_V_BOOL },
    [BOUND_ARRAY] = { "literalArray", CV_V_ARRAY } };

static void check_literal(const struct check *c, const char *member, const struct cv_value *v,
        enum catalog_kind kind, bool any_kind) {
    for (size_t i = 0; i < OC_COUNT(literals); i++) {
        if (strcmp(member, literals[i].member) == 0 && cv_value_type_of(v) != literals[i].type) {
            TELL(c, WARNING, "wrong-type", "%s: the value of %s does not fit its name", c->name,
                    member);
        }
    }
    if (!any_kind && strcmp(member, literals[kind].member) != 0 && strcmp(member, "literal") != 0) {
        TELL(c, WARNING, "wrong-type", "%s has a %s, not a %s", c->name, member,
                literals[kind].member);
    }
}

static void check_bound(
        const struct check *c, const struct cv_value *v, enum catalog_kind kind, bool any_kind) {
    static const char *const members[] = { "literalString", "literalNumber", "literalBoolean",
        "literalArray", "literal", "path", NULL };
    if (cv_value_type_of(v) != CV_V_MAP) {
        TELL(c, WARNING, "bare-value", "%s is not {\"%s\":…} or {\"path\":…}: taken as it is",
                c->name, literals[kind].member);
        return;
    }
    unsigned found = 0;
    for (size_t i = 0; i < OC_COUNT(members) - 2; i++) {
        const struct cv_value *literal = cv_value_get(v, members[i]);
        if (literal && !found++) {
            check_literal(c, members[i], literal, kind, any_kind);
        }
    }
    if (found > 1) {
        TELL(c, WARNING, "two-value-members", "%s has several literals: the first counts", c->name);
    }
    const struct cv_value *path = cv_value_get(v, "path");
    if (path && cv_value_type_of(path) != CV_V_STRING) {
        TELL(c, WARNING, "wrong-type", "%s.path is not a string", c->name);
    }
    if (!found && !path) {
        TELL(c, WARNING, "missing-value", "%s has neither a literal nor a path", c->name);
    }
    expect_members(c, v, members);
}

static void check_enum(const struct check *c, const struct cv_value *v, const char *values) {
    if (cv_value_type_of(v) == CV_V_MAP && cv_bound_literal(v)) {
        TELL(c, NOTE, "wrong-type", "%s is a bound value, not a string", c->name);
        v = cv_bound_literal(v);
    }
    if (!catalog_expect(c, v, CV_V_STRING)) {
        return;
    }
    struct oc_slice s = cv_value_string(v);
    for (const char *at = values; *at;) {
        size_t len = strcspn(at, " ");
        if (len == s.len && memcmp(at, s.ptr, len) == 0) {
            return;
        }
        at += len + (at[len] == ' ');
    }
    TELL(c, WARNING, "wrong-enum", "%s is '%.*s', not one of: %s", c->name, cv_diag_shown(s), s.ptr,
            values);
}

static void check_children(const struct check *c, const struct cv_value *v) {
    static const char *const members[] = { "explicitList", "template", NULL }, *const parts[] = {
        "componentId", "dataBinding", NULL
    };
    const struct cv_value *list = v;
    if (cv_value_type_of(v) == CV_V_ARRAY) {
        TELL(c, NOTE, "bare-value", "%s is an array, not {\"explicitList\":[…]}: taken as it is",
                c->name);
    } else {
        if (!catalog_expect(c, v, CV_V_MAP)) {
            return;
        }
        expect_members(c, v, members);
        const struct cv_value *template = cv_value_get(v, "template");
        list = cv_value_get(v, "explicitList");
        if (list && template) {
            TELL(c, WARNING, "two-value-members",
                    "%s has an explicitList and a template: the list counts", c->name);
        }
        if (!list && !template) {
            TELL(c, WARNING, "missing-value", "%s has neither an explicitList nor a template",
                    c->name);
        }
        if (template) {
            struct check t = *c;
            t.name = "children.template";
            if (catalog_expect(&t, template, CV_V_MAP)) {
                expect_members(&t, template, parts);
                for (size_t i = 0; i < 2; i++) {
                    const struct cv_value *part = catalog_require(&t, template, parts[i]);
                    if (part && cv_value_type_of(part) != CV_V_STRING) {
                        TELL(&t, WARNING, "wrong-type", "%s.%s is not a string", t.name, parts[i]);
                    }
                }
            }
        }
        if (!list) {
            return;
        }
    }
    struct check t = *c;
    t.name = "children.explicitList";
    if (!catalog_expect(&t, list, CV_V_ARRAY)) {
        return;
    }
    for (size_t i = 0; i < cv_value_count(list); i++) {
        if (cv_value_type_of(cv_value_at(list, i)) == CV_V_STRING) {
            continue;
        }
        TELL(&t, WARNING, "wrong-type", "%s[%zu] is not a component's id", t.name, i);
        return;
    }
}

/* An array of objects with a text and something else: tabItems, options. */
static void check_list(
        const struct check *c, const struct cv_value *v, const char *text, const char *other) {
    const char *const members[] = { text, other, NULL };
    if (!catalog_expect(c, v, CV_V_ARRAY)) {
        return;
    }
    if (!cv_value_count(v)) {
        TELL(c, NOTE, "empty-list", "%s is empty", c->name);
    }
    for (size_t i = 0; i < cv_value_count(v); i++) {
        const struct cv_value *entry = cv_value_at(v, i), *part;
        char name[64], inner[80];
        struct check t = *c;
        snprintf(name, sizeof(name), "%s[%zu]", c->name, i);
        snprintf(inner, sizeof(inner), "%s.%s", name, text);
        t.name = name;
        if (!catalog_expect(&t, entry, CV_V_MAP)) {
            continue;
        }
        expect_members(&t, entry, members);
        part = catalog_require(&t, entry, other);
        if (part && cv_value_type_of(part) != CV_V_STRING) {
            TELL(&t, WARNING, "wrong-type", "%s.%s is not a string", name, other);
        }
        part = catalog_require(&t, entry, text);
        t.name = inner;
        if (part) {
            check_bound(&t, part, BOUND_STRING, false);
        }
    }
}

static void check_action(const struct check *c, const struct cv_value *v) {
    static const char *const members[] = { "name", "context", NULL }, *const parts[] = { "key",
        "value", NULL };
    if (!catalog_expect(c, v, CV_V_MAP)) {
        return;
    }
    expect_members(c, v, members);
    const struct cv_value *name = catalog_require(c, v, "name"),
                          *context = cv_value_get(v, "context");
    if (name && !cv_value_string(name).len) {
        TELL(c, WARNING, "wrong-type", "action.name is not a string with something in it");
    }
    struct check t = *c;
    t.name = "action.context";
    if (!context || !catalog_expect(&t, context, CV_V_ARRAY)) {
        return;
    }
    for (size_t i = 0; i < cv_value_count(context); i++) {
        const struct cv_value *entry = cv_value_at(context, i), *value;
        char entry_name[48];
        snprintf(entry_name, sizeof(entry_name), "action.context[%zu]", i);
        t.name = entry_name;
        if (!catalog_expect(&t, entry, CV_V_MAP)) {
            continue;
        }
        expect_members(&t, entry, parts);
        const struct cv_value *key = catalog_require(&t, entry, "key");
        if (key && cv_value_type_of(key) != CV_V_STRING) {
            TELL(&t, WARNING, "wrong-type", "%s.key is not a string", t.name);
        }
        value = catalog_require(&t, entry, "value");
        if (value) {
            check_bound(&t, value, BOUND_STRING, true);
        }
    }
}

static void check_number(const struct check *c, const struct cv_value *v, bool is_integer) {
    if (!catalog_expect(c, v, CV_V_NUMBER) || !is_integer) {
        return;
    }
    double n = cv_value_number(v);
    if (n != floor(n) || n < 0) {
        TELL(c, WARNING, "wrong-type", "%s is not a whole number of 0 or more", c->name);
    }
}

static void check_value(
        const struct check *c, const struct catalog_row *row, const struct cv_value *v) {
    switch (row->kind) {
    case BOUND_STRING:
    case BOUND_NUMBER:
    case BOUND_BOOLEAN:
    case BOUND_ARRAY:
        check_bound(c, v, row->kind, false);
        break;
    case STRING:
        catalog_expect(c, v, CV_V_STRING);
        break;
    case NUMBER:
    case INTEGER:
        check_number(c, v, row->kind == INTEGER);
        break;
    case BOOLEAN:
        catalog_expect(c, v, CV_V_BOOL);
        break;
    case ENUM:
        check_enum(c, v, row->values);
        break;
    case CHILD:
        catalog_expect(c, v, CV_V_STRING);
        break;
    case CHILDREN:
        check_children(c, v);
        break;
    case TABS:
        check_list(c, v, "title", "child");
        break;
    case OPTIONS:
        check_list(c, v, "label", "value");
        break;
    case ACTION:
        check_action(c, v);
        break;
    }
}

/* The rows of a component: from the returned one to the next that begins one, or the end. NULL: not
 * in the catalogue. */
static const struct catalog_row *catalog_find(const struct check *c) {
    const char *meant = NULL;
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        if (!rows[i].component) {
            continue;
        }
        if (strcmp(rows[i].component, c->component->type) == 0) {
            return &rows[i + 1];
        }
        if (strcasecmp(rows[i].component, c->component->type) == 0) {
            meant = rows[i].component;
        }
    }
    TELL(c, WARNING, "unknown-component",
            "'%.80s' is not in the standard catalogue: not shown%s%s%s", c->component->type,
            meant ? " (meant '" : "", meant ? meant : "", meant ? "'?)" : "");
    return NULL;
}

static bool is_known(const struct catalog_row *first, struct oc_slice name) {
    for (const struct catalog_row *r = first; r < rows + OC_COUNT(rows) && r->name; r++) {
        if (oc_slice_eq(name, r->name)) {
            return true;
        }
    }
    return false;
}

static void check_icon(const struct check *c) {
    const struct cv_value *name =
            cv_value_get(cv_value_get(c->component->props, "name"), "literalString");
    struct oc_slice s = cv_value_string(name);
    if (s.len && cv_icon_find(s.ptr) == cv_icon_find("")) {
        TELL(c, NOTE, "unknown-icon", "there is no icon '%.*s': a dot is drawn", cv_diag_shown(s),
                s.ptr);
    }
}

static void check_regexp(const struct check *c) {
    struct oc_slice s = cv_value_string(cv_value_get(c->component->props, "validationRegexp"));
    if (s.len && !cv_regexp_is_known(s)) {
        TELL(c, WARNING, "bad-regexp", "validationRegexp is not understood, any text passes: %.*s",
                cv_diag_shown(s), s.ptr);
    }
}

void cv_catalog_check(const struct cv_component *component, const struct cv_blame *blame) {
    struct check c = { .component = component, .blame = blame, .name = component->type };
    if (!blame->diags) {
        return;
    }
    const struct catalog_row *first = catalog_find(&c);
    if (!first) {
        return;
    }
    const struct cv_value *props = component->props;
    for (const struct catalog_row *r = first; r < rows + OC_COUNT(rows) && r->name; r++) {
        const struct cv_value *v = cv_value_get(props, r->name);
        bool is_last = r + 1 == rows + OC_COUNT(rows);
        bool has_other =
                !is_last && r[1].name && r[1].flags & INSTEAD && cv_value_get(props, r[1].name);
        c.name = r->name;
        if (v) {
            check_value(&c, r, v);
        } else if (r->flags & REQUIRED && !has_other) {
            TELL(&c, WARNING, "missing-property", "%s has no '%s'", component->type, r->name);
        }
    }
    for (size_t i = 0; i < cv_value_count(props); i++) {
        struct oc_slice key = cv_value_key(props, i);
        if (!is_known(first, key)) {
            TELL(&c, NOTE, "unknown-property", "%s has no '%.*s'", component->type,
                    cv_diag_shown(key), key.ptr);
        }
    }
    if (strcmp(component->type, "Icon") == 0) {
        check_icon(&c);
    }
    if (strcmp(component->type, "TextField") == 0) {
        check_regexp(&c);
    }
}
