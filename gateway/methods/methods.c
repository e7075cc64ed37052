#include "gateway/methods/methods.h"

#include "gateway/conn/conn.h"
#include "lib/base/mem.h"
#include "lib/protocol/errors.h"
#include "lib/protocol/grounds.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/protocol/shape.h"

#include <stdlib.h>
#include <string.h>

enum caller { ANYBODY, OPERATOR, NODE };
enum params_form { TREE, RAW };
#define OPEN NULL

static const struct method {
    const char *name, *scope;
    const char *params; /* names with spaces between them; OPEN: any */
    gw_method_fn *handler;
    enum caller caller;
    enum params_form form;
} table[] = {
#define GW_METHOD(name, role, scope, form, params, handler) \
    { name, scope, params, handler, role, form },
#include "gateway/methods/methods.def"
#undef GW_METHOD
};

static int by_name(const void *key, const void *row) {
    return strcmp(key, ((const struct method *)row)->name);
}

cJSON *gw_method_names(void) {
    cJSON *names = cJSON_CreateArray();
    for (size_t i = 0; i < OC_COUNT(table); i++) {
        cJSON_AddItemToArray(names, cJSON_CreateStringReference(table[i].name));
    }
    return names;
}

static const struct method *methods_find(const char *name) {
    return bsearch(name, table, OC_COUNT(table), sizeof(table[0]), by_name);
}

/* A client that keeps calling what is not for its role is broken or probing. */
static void refuse_role(const struct gw_call *call) {
    struct gw_conn *c = call->conn;
    unsigned in_a_row = c->unauthorized + 1;
    OC_AUTO_FREE char *message = oc_strfmt("unauthorized role: %s", c->role);
    gw_call_fail_with(call, OC_WIRE_INVALID, message, NULL, -1);
    c->unauthorized = in_a_row;
    if (in_a_row > OC_UNAUTHORIZED_LIMIT) {
        gw_conn_close(c, 1008, "repeated unauthorized calls");
    }
}

static void refuse_unknown(const struct gw_call *call, const char *name) {
    OC_AUTO_FREE char *shown = oc_strndup(name, OC_MAX_ID_BYTES);
    OC_AUTO_FREE char *message = oc_strfmt("unknown method: %s", shown);
    cJSON *d = cJSON_CreateObject();
    oc_grounds_put(d, &(struct oc_grounds){ .cause = OC_CAUSE_UNKNOWN_METHOD }, NULL);
    gw_call_fail_with(call, OC_WIRE_INVALID, message, d, -1);
}

/* Methods that exist in OpenClaw but belong to what this gateway does not have. They are not
 * offered in features.methods; who calls one all the same hears why it fails instead of "unknown
 * method". */
static const struct absent {
    const char *name, *scope;
} absent[] = {
#define GW_AGENT_METHOD(name, scope) { name, scope },
#include "gateway/methods/agent_methods.def"
#undef GW_AGENT_METHOD
};

static int by_absent_name(const void *key, const void *row) {
    return strcmp(key, ((const struct absent *)row)->name);
}

static const struct absent *find_absent(const char *name) {
    return bsearch(name, absent, OC_COUNT(absent), sizeof(absent[0]), by_absent_name);
}

const char *gw_method_name(const char *name) {
    const struct method *m = methods_find(name);
    const struct absent *gone = m ? NULL : find_absent(name);
    return m ? m->name : gone ? gone->name : NULL;
}

cJSON *gw_method_absent_names(void) {
    cJSON *names = cJSON_CreateArray();
    for (size_t i = 0; i < OC_COUNT(absent); i++) {
        cJSON_AddItemToArray(names, cJSON_CreateStringReference(absent[i].name));
    }
    return names;
}

static void refuse_absent(const struct gw_call *call, const struct absent *m) {
    if (!oc_scope_held(&call->conn->scopes, m->scope)) {
        gw_call_fail_scope(call, m->scope);
        return;
    }
    OC_AUTO_FREE char *message =
            oc_strfmt("%s is not available on this gateway (no agents)", m->name);
    cJSON *d = cJSON_CreateObject();
    oc_json_set_str(d, "code", "NOT_AVAILABLE");
    oc_json_set_str(d, "method", m->name);
    gw_call_fail_with(call, OC_WIRE_UNAVAILABLE, message, d, -1);
}

static bool is_caller(const struct gw_conn *c, enum caller wanted) {
    bool is_node = oc_streq(c->role, OC_ROLE_NODE);
    return wanted == ANYBODY || (wanted == NODE) == is_node;
}

/* What is no object at all is left to those who read it. */
static bool check_names(
        const struct method *m, const struct oc_frame *frame, struct oc_error *err) {
    struct oc_shape s = OC_SHAPE_INIT;
    struct oc_json_value root = { .kind = OC_JK_NULL };
    if (m->params && frame->body.len > 0) {
        root = oc_json_root(frame->body);
    }
    if (root.kind == OC_JK_OBJECT) {
        oc_shape_names(&s, root.raw, m->params);
    }
    return oc_shape_finish(&s, err) == OC_OK;
}

static void methods_run(
        const struct method *m, struct gw_call *call, const struct oc_frame *frame) {
    struct oc_error err;
    if (!check_names(m, frame, &err)) {
        gw_call_fail_params(call, &err);
        call->body = frame->body;
        if (m->handler == gw_method_node_invoke_result) {
            gw_node_invoke_result_refused(call);
        }
        return;
    }
    if (m->form == RAW) {
        call->body = frame->body;
        m->handler(call);
        return;
    }
    OC_AUTO_JSON cJSON *params = NULL;
    if (frame->body.len <= OC_MAX_REQUEST_BYTES &&
            oc_json_count_values(frame->body.ptr, frame->body.len) > OC_MAX_REQUEST_VALUES) {
        oc_fail(&err, OC_E_TOO_LARGE, "more than %d values", OC_MAX_REQUEST_VALUES);
        gw_call_fail_params(call, &err);
        return;
    }
    if (oc_frame_parse_body(frame, OC_MAX_REQUEST_BYTES, &params, &err) != OC_OK) {
        gw_call_fail_params(call, &err);
        return;
    }
    if (cJSON_IsNull(params)) {
        cJSON_Delete(params);
        params = cJSON_CreateObject();
    }
    if (!cJSON_IsObject(params)) {
        oc_fail(&err, OC_E_INVALID, "must be object");
        gw_call_fail_params(call, &err);
        return;
    }
    call->params = params;
    m->handler(call);
}

void gw_method_call(struct gw_conn *c, const struct oc_frame *frame, struct oc_blob *blob) {
    struct gw_call call = { .gw = c->all->gw,
        .conn = c,
        .party = c->party,
        .id = frame->id,
        .method = gw_method_name(frame->name),
        .blob = blob };
    if (oc_streq(frame->name, "connect")) {
        gw_call_fail_with(
                &call, OC_WIRE_INVALID, "connect is only valid as the first request", NULL, -1);
        return;
    }
    const struct method *m = methods_find(frame->name);
    const struct absent *gone = find_absent(frame->name);
    if (!m && gone && is_caller(c, OPERATOR)) {
        refuse_absent(&call, gone);
        return;
    }
    if (!m) {
        /* Protocol 3 nodes expect to hear about their role; newer ones try again forever unless
         * the method is unknown.
         */
        if (oc_streq(c->role, OC_ROLE_NODE) && c->protocol < 4) {
            refuse_role(&call);
        } else {
            refuse_unknown(&call, frame->name);
        }
        return;
    }
    if (!is_caller(c, m->caller)) {
        refuse_role(&call);
        return;
    }
    if (m->scope && !oc_scope_held(&c->scopes, m->scope)) {
        gw_call_fail_scope(&call, m->scope);
        return;
    }
    methods_run(m, &call, frame);
}
