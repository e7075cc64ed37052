/* A machine made of words: which programs there are and what their links point to. For tests of the
 * exec engine, which looks at files only through struct nd_exec_fs. */
#ifndef TESTS_UNIT_NODE_POLICY_EXEC_SCENE_H
#define TESTS_UNIT_NODE_POLICY_EXEC_SCENE_H

#include "lib/json/json.h"
#include "node/policy/exec_judge.h"
#include "tests/unit/unit.h"

#include <errno.h>

/* "path" or "link>target", NULL-terminated. */
static inline const char *cv_scene_find(const char *const *files, const char *path) {
    const char *dot = strstr(path, "/./");
    OC_AUTO_FREE char *plain =
            dot ? oc_strfmt("%.*s%s", (int)(dot - path), path, dot + 2) : oc_strdup(path);
    for (; *files; files++) {
        size_t len = strcspn(*files, ">");
        if (strlen(plain) == len && strncmp(*files, plain, len) == 0) {
            return (*files)[len] ? *files + len + 1 : *files;
        }
    }
    return NULL;
}

static inline int oc_scene_check(void *user, const char *path) {
    return cv_scene_find(user, path) ? 0 : ENOENT;
}

static inline char *oc_scene_real(void *user, const char *path) {
    const char *found = cv_scene_find(user, path);
    return oc_strdup(found);
}

static inline cJSON *oc_scene_list(const char *const *patterns) {
    cJSON *list = cJSON_CreateArray();
    for (; *patterns; patterns++) {
        cJSON *entry = cJSON_CreateObject();
        oc_json_set_str(entry, "pattern", *patterns);
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

/* What runs, as one line of quoted words; NULL when it is refused. Caller frees. */
static inline char *oc_scene_line(const struct nd_exec_judgement *j) {
    if (!j->is_satisfied) {
        return NULL;
    }
    if (strcmp(j->path, "/bin/sh") == 0) {
        return oc_strdup(j->argv.items[j->argv.count - 1]);
    }
    struct oc_buf line = OC_BUF_INIT(1u << 20);
    oc_buf_printf(&line, "'%s'", j->path);
    for (size_t i = 1; i < j->argv.count; i++) {
        oc_buf_printf(&line, " '%s'", j->argv.items[i]);
    }
    return oc_buf_take(&line);
}

static inline void oc_scene_judge(
        const struct nd_exec_scene *scene, const char *const *argv, struct nd_exec_judgement *ret) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    for (; *argv; argv++) {
        oc_strv_add(&v, *argv);
    }
    nd_exec_judge(scene, &v, ret);
}

#endif
