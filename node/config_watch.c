#include "node/config_watch.h"

#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/json/json_index.h"
#include "lib/log/log.h"
#include "lib/net/watch/watch.h"

#include <string.h>

#define TAG "node.config"

enum { SETTLE_MS = 300, MAX_ROUNDS = 4 };

struct nd_config_watch {
    struct oc_loop *loop;
    char *path;
    struct oc_watch *watch;
    struct oc_strv files;
    bool has_read, reads_ancestor;
    nd_config_changed *on_change;
    void *user;
};

static void on_touched(void *user);

static void watch_files(struct nd_config_watch *w) {
    oc_watch_destroy(w->watch);
    w->watch = oc_watch_create(w->loop, &(struct oc_watch_opts){ .files = &w->files,
                                                .settle_ms = SETTLE_MS,
                                                .on_change = on_touched,
                                                .user = w });
}

/* Watches first and reads then: a change in between would never be heard of. Which files are
 * included is known only after reading, so it may take another round. */
static void read_watched(struct nd_config_watch *w, struct oc_config_file *ret) {
    for (int round = 1;; round++) {
        oc_config_file_read(w->path, ret);
        if (oc_strv_equal(&w->files, &ret->files) || ret->files.count == 0 || round == MAX_ROUNDS) {
            break;
        }
        oc_strv_finish(&w->files);
        oc_strv_copy(&w->files, &ret->files);
        watch_files(w);
        oc_config_file_finish(ret);
    }
    /* As gateway/supervisor.c: a file of an earlier name counts from the start or not at all. */
    w->reads_ancestor = ret->is_ancestor && (w->reads_ancestor || !w->has_read);
    w->has_read = true;
    ret->exists = ret->exists && (!ret->is_ancestor || w->reads_ancestor);
}

/* A node reads node.* and tools.exec.*; what it needs of gateway.* it has read when it started. */
static bool concerns_node(const cJSON *issue) {
    const char *path = oc_json_get_str(issue, "path");
    return oc_str_blank(path) || oc_starts_with(path, "node") || oc_starts_with(path, "tools");
}

/* Why a node cannot go by it; NULL: it can. Caller frees. */
static char *find_wrong(const struct oc_config_file *f) {
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, f->issues) {
        if (!f->is_readable || concerns_node(issue)) {
            OC_AUTO_FREE char *text = oc_config_issue_text(issue);
            return oc_strfmt("%s: %s", oc_config_issue_file(f, issue), text);
        }
    }
    return NULL;
}

static void config_watch_tell(struct nd_config_watch *w, const struct oc_config_file *f) {
    OC_AUTO_FREE char *wrong = find_wrong(f);
    if (!f->exists) {
        oc_log(OC_LOG_WARN, TAG, "%s is gone; keeping the settings that run", f->path);
    } else {
        w->on_change(w->user, wrong ? NULL : f->config, &w->files, wrong);
    }
}

static void on_touched(void *user) {
    struct nd_config_watch *w = user;
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(w, &f);
    config_watch_tell(w, &f);
}

struct nd_config_watch *nd_config_watch_create(
        struct oc_loop *loop, const char *path, nd_config_changed *on_change, void *user) {
    struct nd_config_watch *w = oc_new(struct nd_config_watch);
    w->loop = loop;
    w->path = oc_strdup(path);
    w->on_change = on_change;
    w->user = user;
    oc_strv_add(&w->files, path);
    watch_files(w);
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(w, &f);
    return w;
}

void nd_config_watch_destroy(struct nd_config_watch *w) {
    if (!w) {
        return;
    }
    oc_watch_destroy(w->watch);
    oc_strv_finish(&w->files);
    oc_free(w->path);
    oc_free(w);
}

const struct oc_strv *nd_config_watch_files(const struct nd_config_watch *w) {
    return &w->files;
}

void nd_config_watch_compare(struct nd_config_watch *w, const cJSON *config) {
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    read_watched(w, &f);
    if (f.exists && (f.issues->child || !oc_json_same(f.config, config))) {
        config_watch_tell(w, &f);
    }
}
