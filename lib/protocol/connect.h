/* The connect request and the hello-ok answer, for protocol versions 3 and 4. */
#ifndef LIB_PROTOCOL_CONNECT_H
#define LIB_PROTOCOL_CONNECT_H

#include "lib/base/str.h"
#include "lib/json/json.h"

struct oc_connect {
    int64_t min_protocol, max_protocol;
    /* client */
    const char *client_id, *display_name, *version, *platform, *device_family, *model_identifier,
            *mode, *instance_id;
    struct oc_strv caps, commands, scopes;
    const cJSON *permissions; /* object of booleans or NULL */
    const char *path_env;
    const char *role; /* "operator" unless sent */
    /* device; device_id NULL when the client sent none */
    const char *device_id, *public_key, *signature, *nonce;
    int64_t signed_at_ms;
    /* auth */
    const char *token, *device_token, *password, *bootstrap_token;
    const char *locale, *user_agent;
};

/* Strings borrow from params. Checks shape, enums (client.id, client.mode) and ceilings, not the
 * role's value. Errors read like the reference's ("at /client/id: must be equal to constant; …");
 * the caller puts "invalid connect params: " in front. ret needs oc_connect_finish in every case.
 */
enum oc_code oc_connect_decode(
        const cJSON *params, struct oc_connect *ret, struct oc_error *err) OC_MUST_USE;
void oc_connect_finish(struct oc_connect *c);
/* Whether this can be the permissions of a node. */
enum oc_code oc_connect_check_permissions(
        const cJSON *permissions, struct oc_error *err) OC_MUST_USE;
/* node.event of a node whose owner changed them since connect: {"permissions":{…}}. Ours; others do
 * not know it. */
#define OC_EVENT_NAME_PERMISSIONS "node.permissions.changed"
/* Ours: "system.run.sandbox.strict.denied": false says which sandbox a node's commands have
 * (node/sandbox/sandbox.h). As a permission, since those reach every gateway; as a denial that is
 * not one, since no gateway counts that as more surface. */
#define OC_PERMISSION_SANDBOX "system.run.sandbox."
/* Ours: what became of a run, from a node that was away when it ended (gateway/audit/run_end.h has
 * the payload). */
#define OC_EVENT_NAME_RUN_ENDED "node.exec.ended"
/* Ours: what the person at the node decided about an approval (gateway/exec/approval_at_node.h),
 * and to the node: nobody needs to be asked about it any more. */
#define OC_EVENT_NAME_PROMPTED "node.exec.prompted"
#define OC_EVENT_NAME_SETTLED "node.exec.settled"
/* Ours: the node understands gateway.moved on this connection. connect cannot say so: the
 * reference's is a closed object. */
#define OC_EVENT_NAME_FOLLOWS "node.gateway.follows"
/* The params object a client sends; only the members 2026.2.26 knows. */
cJSON *oc_connect_encode(const struct oc_connect *c);

/* Version both sides speak, or 0. */
int oc_protocol_choose(int64_t client_min, int64_t client_max);

/* Of a device token: at most OC_MAX_SECRET_BYTES of letters, digits and signs. Only such a token is
 * kept, sent or believed to be one. */
bool oc_device_token_ok(const char *token);

/* What a client keeps of hello-ok. Strings borrow from the payload. */
struct oc_hello {
    bool has_odd_token; /* the gateway gave one that no gateway would take back: it is left out */
    int64_t protocol;
    const char *server_version, *conn_id;
    const char *device_token, *role;
    const char *canvas_host_url, *canvas_surface_url; /* of a node; NULL: none */
    struct oc_strv scopes;
    int64_t tick_interval_ms, max_payload;
    bool is_native; /* a gateway of this program: it takes what the reference refuses */
};
/* Tolerant: everything but type is optional. */
enum oc_code oc_hello_decode(
        const cJSON *payload, struct oc_hello *ret, struct oc_error *err) OC_MUST_USE;
void oc_hello_finish(struct oc_hello *h);

#endif
