#include "node/run/run_owner.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

static const char *id_of(const cJSON *caller) {
    const char *id = oc_json_get_str(caller, "id");
    return id ? id : "";
}

/* The name, else what kind of client it is. It is the gateway's word, which a peer chose: made fit
 * to be shown. */
static char *name_of(const cJSON *caller) {
    const char *name = oc_json_get_str(caller, "name");
    name = name ? name : oc_json_get_str(caller, "client");
    return name ? oc_printable(name, strlen(name), 64) : NULL;
}

void nd_run_set_owner(struct nd_run_entry *e, const cJSON *caller) {
    e->owner = oc_strdup(id_of(caller));
    e->owner_name = name_of(caller);
}

bool nd_run_is_owner(const struct nd_run_entry *e, const cJSON *caller) {
    return strcmp(e->owner, id_of(caller)) == 0;
}

bool nd_run_may_touch(const struct nd_run_entry *e, const cJSON *caller) {
    return nd_run_is_owner(e, caller) || oc_json_get_bool(caller, "admin", false);
}

char *nd_run_touch_refusal(const struct nd_run_entry *e, struct oc_grounds *ret) {
    *ret = (struct oc_grounds){ .cause = OC_CAUSE_RUN_OF_ANOTHER,
        .gate = OC_GATE_RUN_OWNER,
        .remedy = OC_REMEDY_OTHER_CLIENT };
    oc_grounds_set_subject(ret, e->handle);
    return oc_strfmt("SYSTEM_RUN_DENIED: this run belongs to another client (%s)",
            e->owner_name ? e->owner_name : "without a name");
}

void nd_run_note_input(struct nd_run_entry *e, const cJSON *caller, size_t bytes) {
    const char *id = id_of(caller);
    struct nd_run_writer *w = NULL;
    for (size_t i = 0; i < e->writer_count && !w; i++) {
        w = strcmp(e->writers[i].id, id) == 0 ? &e->writers[i] : NULL;
    }
    if (bytes == 0) {
        return;
    }
    e->input_bytes += bytes;
    if (!w && e->writer_count < OC_MAX_RUN_WRITERS) {
        w = &e->writers[e->writer_count++];
        w->id = oc_strdup(id);
        w->name = name_of(caller);
    } else if (!w) {
        w = &e->writers[OC_MAX_RUN_WRITERS];
        e->writer_count = OC_MAX_RUN_WRITERS + 1;
        w->id = w->id ? w->id : oc_strdup("others");
    }
    w->bytes += bytes;
}

void nd_run_note_killer(struct nd_run_entry *e, const cJSON *caller) {
    if (!e->killed_by) {
        OC_AUTO_FREE char *name = name_of(caller),
                          *id = oc_printable(id_of(caller), strlen(id_of(caller)), 64);
        e->killed_by = oc_strfmt(
                "%s%s%s%s", name ? name : "", name && *id ? " (" : "", id, name && *id ? ")" : "");
    }
}

cJSON *nd_run_input_of(const struct nd_run_entry *e, uint64_t *ret_total) {
    *ret_total = 0;
    cJSON *list = e->writer_count > 0 ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; i < e->writer_count; i++) {
        const struct nd_run_writer *w = &e->writers[i];
        cJSON *o = cJSON_CreateObject();
        oc_json_set_str(o, "by", w->id);
        oc_json_set_str(o, "name", w->name);
        oc_json_set_int(o, "bytes", (int64_t)w->bytes);
        cJSON_AddItemToArray(list, o);
        *ret_total += w->bytes;
    }
    return list;
}

void nd_run_owner_finish(struct nd_run_entry *e) {
    oc_free(e->owner);
    oc_free(e->owner_name);
    oc_free(e->killed_by);
    for (size_t i = 0; i < e->writer_count; i++) {
        oc_free(e->writers[i].id);
        oc_free(e->writers[i].name);
    }
}
