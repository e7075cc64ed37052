#include "lib/config/config_schema.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/config/config_path.h"
#include "lib/config/size.h"
#include "lib/json/json_index.h"

#include <string.h>
#include <strings.h>

#define TEXT OC_CONFIG_TEXT
#define FLAG OC_CONFIG_FLAG
#define INTEGER OC_CONFIG_INTEGER
#define NUMBER OC_CONFIG_NUMBER
#define TEXTS OC_CONFIG_TEXTS
#define SIZE OC_CONFIG_SIZE
#define ANYTHING OC_CONFIG_ANYTHING
#define HOT OC_CONFIG_HOT
#define RESTART OC_CONFIG_RESTART
#define READ OC_CONFIG_READ
#define FOREIGN OC_CONFIG_FOREIGN
#define SECRET OC_CONFIG_SECRET
static const struct oc_config_key keys[] = {
#define OC_KEY(path, type, flags, def, allowed, summary) \
    { path, type, flags, def, allowed, summary },
#include "lib/config/config_keys.def"
#undef OC_KEY
};
#undef TEXT
#undef FLAG
#undef INTEGER
#undef NUMBER
#undef TEXTS
#undef SIZE
#undef ANYTHING
#undef HOT
#undef RESTART
#undef READ
#undef FOREIGN
#undef SECRET

const struct oc_config_key *oc_config_keys(size_t *ret_count) {
    *ret_count = OC_COUNT(keys);
    return keys;
}

/* The length of the section an open row stands for, without its ".*"; 0 for other rows. */
static size_t open_length(const struct oc_config_key *k) {
    return oc_ends_with(k->path, ".*") ? strlen(k->path) - 2 : 0;
}

static bool is_below(const char *path, const char *section, size_t len) {
    return strncmp(path, section, len) == 0 &&
           (path[len] == '.' || path[len] == '[' || path[len] == '\0');
}

const struct oc_config_key *oc_config_key_find(const char *path) {
    const struct oc_config_key *open = NULL;
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        size_t n = open_length(&keys[i]);
        if (n == 0 && strcmp(keys[i].path, path) == 0) {
            return &keys[i];
        }
        if (n > 0 && is_below(path, keys[i].path, n)) {
            open = &keys[i];
        }
    }
    return open;
}

char *oc_config_other_spelling(const char *path) {
    static const char *const names[][2] = {
        { "gateway.nodes.allowCommands", "gateway.nodes.commands.allow" },
        { "gateway.nodes.denyCommands", "gateway.nodes.commands.deny" },
    };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        for (size_t j = 0; j < 2; j++) {
            size_t n = strlen(names[i][j]);
            if (is_below(path, names[i][j], n)) {
                return oc_strfmt("%s%s", names[i][1 - j], path + n);
            }
        }
    }
    return NULL;
}

/* A path that leads to rows without being one itself. */
static bool is_section(const char *path) {
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        size_t n = strlen(path);
        if (strncmp(keys[i].path, path, n) == 0 && keys[i].path[n] == '.') {
            return true;
        }
    }
    return false;
}

static size_t config_schema_smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Levenshtein, case ignored: "allowcommands" is as near as can be. */
static size_t config_schema_distance(const char *a, size_t na, const char *b, size_t nb) {
    enum { MAX = 64 };
    size_t row[MAX + 1];
    if (na > MAX || nb > MAX) {
        return MAX;
    }
    for (size_t j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t cost = (a[i - 1] | 0x20) != (b[j - 1] | 0x20);
            size_t best = config_schema_smaller(
                    config_schema_smaller(row[j], row[j - 1]) + 1, diagonal + cost);
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

/* What was probably meant by an unknown key: a neighbour with nearly that name, else the same name
 * in another place. Caller frees; NULL when nothing is near. */
static char *config_schema_nearest(const char *path) {
    const char *dot = strrchr(path, '.'), *leaf = dot ? dot + 1 : path;
    size_t parent = (size_t)(leaf - path), best = strlen(leaf) < 4 ? 2 : 3, best_len = 0;
    const char *found = NULL;
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        if (strncmp(keys[i].path, path, parent) != 0) {
            continue;
        }
        size_t n = strcspn(keys[i].path + parent, ".");
        size_t d = config_schema_distance(leaf, strlen(leaf), keys[i].path + parent, n);
        if (d < best) {
            best = d;
            found = keys[i].path;
            best_len = parent + n;
        }
    }
    size_t top = strcspn(path, ".");
    for (size_t i = 0; !found && i < OC_COUNT(keys); i++) {
        const char *last = strrchr(keys[i].path, '.');
        if (last && oc_streq(last + 1, leaf) && strncmp(keys[i].path, path, top) == 0) {
            found = keys[i].path;
            best_len = strlen(found);
        }
    }
    return found ? oc_strndup(found, best_len) : NULL;
}

/* Nobody reads more, and each one is looked up in the text. */
#define MAX_ISSUES 64

static void add_issue(cJSON *to, const char *path, const char *message) {
    if (cJSON_GetArraySize(to) == MAX_ISSUES) {
        return;
    }
    cJSON *issue = cJSON_CreateObject();
    oc_json_set_str(issue, "path", path);
    oc_json_set_str(issue, "message", message);
    cJSON_AddItemToArray(to, issue);
}

static bool is_listed(const char *allowed, const char *value) {
    size_t len = strlen(value);
    for (const char *p = allowed; p; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, value, len) == 0 && (p[len] == '|' || p[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static void range_of(const struct oc_config_key *k, int64_t *ret_min, int64_t *ret_max) {
    const char *dots = k->allowed ? strstr(k->allowed, "..") : NULL;
    *ret_min = -OC_JSON_MAX_EXACT;
    *ret_max = OC_JSON_MAX_EXACT;
    if (dots) {
        OC_AUTO_FREE char *low = oc_strndup(k->allowed, (size_t)(dots - k->allowed));
        (void)oc_parse_int(low, -OC_JSON_MAX_EXACT, OC_JSON_MAX_EXACT, ret_min);
        (void)oc_parse_int(dots + 2, 0, OC_JSON_MAX_EXACT, ret_max);
    }
}

static bool all_texts(const cJSON *v) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, v) {
        if (!cJSON_IsString(item)) {
            return false;
        }
    }
    return cJSON_IsArray(v);
}

/* What no list of this setting may hold; NULL: it holds nothing such. */
static const char *forbidden_text(const struct oc_config_key *k, const cJSON *list) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (strcmp(k->path, "node.exec.env.allow") == 0 &&
                strcasecmp(item->valuestring, "PATH") == 0) {
            return "must not name PATH: programs are looked up, shown and approved by the node's "
                   "own; set PATH for the node";
        }
    }
    return NULL;
}

/* NULL when the value fits, else what was expected. Caller frees. */
static char *config_schema_misfit(const struct oc_config_key *k, const cJSON *v) {
    int64_t n, min, max;
    double d;
    const char *forbidden;
    switch (k->type) {
    case OC_CONFIG_TEXT:
        if (!cJSON_IsString(v)) {
            return oc_strdup("must be a text in quotes");
        }
        return !k->allowed || is_listed(k->allowed, v->valuestring)
                       ? NULL
                       : oc_strfmt("must be one of %s", k->allowed);
    case OC_CONFIG_FLAG:
        return cJSON_IsBool(v) ? NULL : oc_strdup("must be true or false");
    case OC_CONFIG_INTEGER:
        range_of(k, &min, &max);
        return oc_json_as_int(v, min, max, &n)
                       ? NULL
                       : oc_strfmt("must be a whole number%s%s", k->allowed ? " in " : "",
                                 k->allowed ? k->allowed : "");
    case OC_CONFIG_NUMBER:
        range_of(k, &min, &max);
        return oc_json_as_num(v, (double)min, (double)max, &d)
                       ? NULL
                       : oc_strfmt("must be a number%s%s", k->allowed ? " in " : "",
                                 k->allowed ? k->allowed : "");
    case OC_CONFIG_TEXTS:
        if (!all_texts(v)) {
            return oc_strdup("must be a list of texts");
        }
        forbidden = forbidden_text(k, v);
        return forbidden ? oc_strdup(forbidden) : NULL;
    case OC_CONFIG_SIZE:
        return oc_json_as_size(v, &n) ? NULL : oc_strdup("must be " OC_SIZE_FORMS);
    case OC_CONFIG_ANYTHING:
        break;
    }
    return NULL;
}

/* Rows of its own inside of an open section. */
static bool has_rows_below(const char *path) {
    size_t n = strlen(path);
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        const char *p = keys[i].path;
        if (strncmp(p, path, n) == 0 && p[n] == '.' && strcmp(p + n, ".*") != 0) {
            return true;
        }
    }
    return false;
}

/* What an owner writes here is meant to hold commands in. That nothing comes of it must not go
 * unnoticed, be it a slip of the sandbox that only a later version has. */
#define STRICT_SECTION "node"

static void add_unknown(cJSON *to, const char *path, bool is_error) {
    if (!to || cJSON_GetArraySize(to) == MAX_ISSUES) {
        return;
    }
    OC_AUTO_FREE char *near = config_schema_nearest(path);
    OC_AUTO_FREE char *text =
            near ? oc_strfmt("unknown key; did you mean %s?", near)
                 : oc_strfmt("unknown key; %s", is_error ? "remove it, no node knows such a setting"
                                                         : "it does nothing");
    add_issue(to, path, text);
}

static void config_schema_check(const cJSON *v, const char *path, cJSON *errors, cJSON *warnings) {
    const struct oc_config_key *k = oc_config_key_find(path);
    if (cJSON_IsNull(v)) {
        return; /* the same as not there */
    }
    if (k && !(cJSON_IsObject(v) && has_rows_below(path))) {
        OC_AUTO_FREE char *wrong = k->flags & OC_CONFIG_FOREIGN ? NULL : config_schema_misfit(k, v);
        if (wrong && errors) {
            add_issue(errors, path, wrong);
        }
        return;
    }
    if (!is_section(path)) {
        bool is_strict = is_below(path, STRICT_SECTION, strlen(STRICT_SECTION));
        add_unknown(is_strict ? errors : warnings, path, is_strict);
        return;
    }
    if (!cJSON_IsObject(v)) {
        if (errors) {
            bool was_list = cJSON_IsArray(v) && strcmp(path, "node.exec.env") == 0;
            add_issue(errors, path,
                    was_list ? "must be an object { … }; the list of variables that commands in a "
                               "sandbox inherit is node.exec.env.inherit"
                             : "must be an object { … }");
        }
        return;
    }
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, v) {
        OC_AUTO_FREE char *below = oc_config_path_add(path, child->string, 0);
        config_schema_check(child, below, errors, warnings);
    }
}

void oc_config_check(const cJSON *config, cJSON *errors, cJSON *warnings) {
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, config) {
        OC_AUTO_FREE char *path = oc_config_path_add("", child->string, 0);
        config_schema_check(child, path, errors, warnings);
    }
}

static void keep_ours(cJSON *v, const char *parent) {
    for (cJSON *child = v->child, *next; child; child = next) {
        next = child->next;
        OC_AUTO_FREE char *path = oc_config_path_add(parent, child->string, 0);
        const struct oc_config_key *k = oc_config_key_find(path);
        if (cJSON_IsObject(child) && (k ? has_rows_below(path) : is_section(path))) {
            keep_ours(child, path);
        } else if (!k || k->flags & OC_CONFIG_FOREIGN) {
            cJSON_Delete(cJSON_DetachItemViaPointer(v, child));
        }
    }
}

void oc_config_keep_ours(cJSON *config) {
    keep_ours(config, "");
}

unsigned oc_config_changes(const cJSON *before, const cJSON *after) {
    unsigned changes = 0;
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        size_t n = open_length(&keys[i]);
        OC_AUTO_FREE char *path = oc_strndup(keys[i].path, n > 0 ? n : strlen(keys[i].path));
        if (!oc_json_same(oc_json_path(before, path), oc_json_path(after, path))) {
            changes |= keys[i].flags & (OC_CONFIG_HOT | OC_CONFIG_RESTART);
        }
    }
    return changes;
}

static cJSON *value_schema(const struct oc_config_key *k) {
    static const char *const names[] = { [OC_CONFIG_TEXT] = "string",
        [OC_CONFIG_FLAG] = "boolean",
        [OC_CONFIG_INTEGER] = "integer",
        [OC_CONFIG_NUMBER] = "number",
        [OC_CONFIG_TEXTS] = "array" };
    cJSON *s = cJSON_CreateObject();
    oc_json_set_str(s, "description", k->summary);
    if (k->type == OC_CONFIG_SIZE) {
        static const char *const both[] = { "string", "integer" };
        oc_json_set(s, "type", cJSON_CreateStringArray(both, OC_COUNT(both)));
        oc_json_set_str(s, "pattern", "^[0-9]+[KkMmGgTt]?$");
        oc_json_set_int(s, "minimum", 1);
    } else if (k->type != OC_CONFIG_ANYTHING) {
        oc_json_set_str(s, "type", names[k->type]);
    }
    if (k->type == OC_CONFIG_TEXTS) {
        oc_json_set_str(cJSON_AddObjectToObject(s, "items"), "type", "string");
    }
    if (k->type == OC_CONFIG_TEXT && k->allowed) {
        cJSON *list = cJSON_AddArrayToObject(s, "enum");
        for (const char *p = k->allowed; *p;) {
            size_t n = strcspn(p, "|");
            OC_AUTO_FREE char *word = oc_strndup(p, n);
            cJSON_AddItemToArray(list, cJSON_CreateString(word));
            p += n + (p[n] == '|');
        }
    }
    if ((k->type == OC_CONFIG_INTEGER || k->type == OC_CONFIG_NUMBER) && k->allowed) {
        int64_t min, max;
        range_of(k, &min, &max);
        oc_json_set_int(s, "minimum", min);
        oc_json_set_int(s, "maximum", max);
    }
    struct oc_error ignored;
    cJSON *def = NULL;
    if (k->def && oc_json_parse(k->def, strlen(k->def), &def, &ignored) == OC_OK) {
        oc_json_set(s, "default", def);
    }
    return s;
}

/* The schema of an object's member, made when it is missing. */
static cJSON *config_schema_member(cJSON *object, const char *key) {
    cJSON *members = cJSON_GetObjectItemCaseSensitive(object, "properties");
    if (!members) {
        oc_json_set_str(object, "type", "object");
        members = cJSON_AddObjectToObject(object, "properties");
    }
    cJSON *m = cJSON_GetObjectItemCaseSensitive(members, key);
    return m ? m : cJSON_AddObjectToObject(members, key);
}

cJSON *oc_config_json_schema(void) {
    cJSON *root = cJSON_CreateObject();
    oc_json_set_str(root, "$schema", "https://json-schema.org/draft/2020-12/schema");
    oc_json_set_str(root, "title", "openclaw.json");
    oc_json_set_str(root, "type", "object");
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        cJSON *at = root;
        size_t open = open_length(&keys[i]);
        const char *p = keys[i].path, *end = p + (open > 0 ? open : strlen(p));
        while (p < end) {
            size_t n = strcspn(p, ".");
            OC_AUTO_FREE char *key = oc_strndup(p, n);
            at = config_schema_member(at, key);
            p += n + 1;
        }
        OC_AUTO_JSON cJSON *s = value_schema(&keys[i]);
        while (s->child) {
            cJSON *m = cJSON_DetachItemViaPointer(s, s->child);
            OC_AUTO_FREE char *key = oc_strdup(m->string);
            oc_json_set(at, key, m);
        }
    }
    return root;
}

cJSON *oc_config_ui_hints(void) {
    cJSON *hints = cJSON_CreateObject();
    for (size_t i = 0; i < OC_COUNT(keys); i++) {
        if (open_length(&keys[i]) > 0) {
            continue;
        }
        cJSON *hint = cJSON_AddObjectToObject(hints, keys[i].path);
        oc_json_set_str(hint, "help", keys[i].summary);
        if (keys[i].flags & OC_CONFIG_SECRET) {
            oc_json_set_bool(hint, "sensitive", true);
        }
    }
    return hints;
}
