#include "lib/protocol/grounds.h"

#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/foreign_errors.h"
#include "lib/text/fix.h"

#include <string.h>

static void grounds_put(cJSON *o, const char *key, const char *text) {
    oc_json_set_str(o, key, text && *text ? text : NULL);
}

void oc_grounds_put(cJSON *details, const struct oc_grounds *g, const char *fix) {
    grounds_put(details, "cause", oc_cause_name(g->cause));
    grounds_put(details, "gate", oc_gate_name(g->gate));
    grounds_put(details, "subject", g->subject);
    grounds_put(details, "remedy", oc_remedy_name(g->remedy));
    if (g->is_at_node) {
        oc_json_set_bool(details, "atNode", true);
    }
    grounds_put(details, "nodeId", g->node_id);
    grounds_put(details, "fix", fix);
    if (!g->remedy && g->told_by == OC_SPEAKER_NODE) {
        grounds_put(details, "nodeFix", g->told);
    }
}

void oc_grounds_put_record(cJSON *record, const struct oc_grounds *g) {
    if (oc_grounds_any(g)) {
        oc_grounds_put(cJSON_AddObjectToObject(record, "grounds"), g, NULL);
    }
}

cJSON *oc_grounds_error(const char *code, const char *text, const struct oc_grounds *g,
        cJSON *take_details, int64_t retry_after_ms) {
    OC_AUTO_FREE char *fix = oc_fix_text(g);
    OC_AUTO_FREE char *message = oc_fix_sentence(text, g, fix);
    cJSON *details = take_details ? take_details : cJSON_CreateObject();
    oc_grounds_put(details, g, fix);
    if (strcmp(message, text) != 0) {
        oc_json_set_str(details, "text", text);
    }
    if (!details->child) {
        cJSON_Delete(oc_take(&details));
    }
    return oc_wire_error(code, message, details, retry_after_ms);
}

static bool may_name(const struct oc_told_error *e, enum oc_remedy remedy) {
    return (!e->is_of_node || oc_remedy_is_of_node(remedy)) &&
           (!e->is_of_handshake || oc_remedy_is_of_handshake(remedy));
}

/* What a peer is not asked about, it does not stand for: a node decides about its own gate. */
static bool may_shut(const struct oc_told_error *e, enum oc_gate gate) {
    return !e->is_of_node || (gate != OC_GATE_PAIRING && gate != OC_GATE_SURFACE &&
                                     gate != OC_GATE_POLICY && gate != OC_GATE_SCOPE);
}

static void drop_presumed(const struct oc_told_error *e, struct oc_grounds *g) {
    if (!may_name(e, g->remedy)) {
        g->remedy = OC_REMEDY_NONE;
    }
    if (!may_shut(e, g->gate)) {
        g->gate = OC_GATE_NONE;
    }
}

/* Where no node has spoken yet, nobody quotes one. */
static void read_told(const struct oc_told_error *e, struct oc_grounds *ret) {
    const char *fix = oc_json_get_str(e->details, "fix"), *quoted = NULL;
    if (!e->is_of_handshake) {
        quoted = e->is_of_node ? NULL : oc_json_get_str(e->details, "nodeFix");
        quoted = quoted ? quoted : oc_foreign_quoted(fix);
    }
    bool is_of_node = e->is_of_node || quoted;
    oc_grounds_set_told(
            ret, is_of_node ? OC_SPEAKER_NODE : OC_SPEAKER_GATEWAY, quoted ? quoted : fix);
}

/* False: it has none of our members. */
static bool read_members(const struct oc_told_error *e, struct oc_grounds *ret) {
    *ret = (struct oc_grounds){
        .cause = oc_cause_named(oc_json_get_str(e->details, "cause")),
        .gate = oc_gate_named(oc_json_get_str(e->details, "gate")),
        .remedy = oc_remedy_named(oc_json_get_str(e->details, "remedy")),
        .is_at_node = oc_json_get_bool(e->details, "atNode", false),
        .is_of_handshake = e->is_of_handshake,
    };
    drop_presumed(e, ret);
    oc_grounds_set_subject(ret, oc_json_get_str(e->details, "subject"));
    oc_grounds_set_node(ret, e->is_of_node ? NULL : oc_json_get_str(e->details, "nodeId"));
    read_told(e, ret);
    if (!e->is_of_node && !ret->node_id[0] && oc_remedy_names_node(ret->remedy)) {
        ret->is_at_node = true; /* a gateway does not speak of the machine of who reads it */
    }
    return oc_grounds_any(ret);
}

/* Without a gate of ours in it the message says more. */
static const char *text_of(const struct oc_told_error *e, const struct oc_grounds *g) {
    const char *text = g->gate || !oc_json_get_str(e->details, "gate")
                               ? oc_json_get_str(e->details, "text")
                               : NULL;
    text = text ? text : e->message;
    return text ? text : "";
}

char *oc_grounds_read(const struct oc_told_error *e, struct oc_grounds *ret) {
    bool is_foreign = !read_members(e, ret);
    if (is_foreign) {
        oc_foreign_grounds(e, ret);
        drop_presumed(e, ret);
    }
    /* Also of who sent grounds: one of them in front of "fix: …" must not make that ours. */
    OC_AUTO_FREE char *text = oc_foreign_text(text_of(e, ret), ret);
    drop_presumed(e, ret); /* nor does a sentence */
    if (is_foreign && ret->told[0]) {
        ret->remedy = OC_REMEDY_NONE; /* which was a guess */
    } else if (ret->remedy) {
        oc_grounds_set_told(ret, OC_SPEAKER_NODE, NULL);
    }
    return oc_take(&text);
}
