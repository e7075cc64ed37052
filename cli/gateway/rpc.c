#include "cli/gateway/rpc.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"
#include "lib/client/session.h"
#include "lib/identity/identity.h"
#include "lib/net/loop/loop.h"
#include "lib/net/peer.h"
#include "lib/protocol/limits.h"
#include "lib/protocol/scopes.h"
#include "lib/state/device_auth.h"
#include "lib/state/identity_file.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OWN_NAME 64

#ifdef __APPLE__
#define PLATFORM "darwin"
#else
#define PLATFORM "linux"
#endif

struct cli_rpc {
    struct cli_target target;
    char *gateway_name; /* lib/net/peer.h */
    struct oc_loop *loop;
    struct oc_identity *identity;
    struct oc_session *session;
    cJSON *hello;
    void (*on_event)(void *user, const struct oc_frame *frame);
    void *event_user;
    char call_id[OC_UUID_LEN + 1]; /* of the request that cli_rpc_call waits for */
    bool is_ended;
    bool wants_device; /* the gateway refused us only because we sent no device */
    int64_t connect_ms;
    struct cli_explained end; /* set when is_ended */
    enum oc_code end_code;
};

struct pending {
    bool is_done;
    enum oc_code code;
    const char *method;
    struct cli_rpc_reply reply;
    struct cli_explained why;
};

void cli_rpc_reply_finish(struct cli_rpc_reply *r) {
    oc_blob_unref(r->blob);
    *r = (struct cli_rpc_reply){ 0 };
}

/* What another gateway gave us is not for this one. */
static struct oc_device_auth token_key(const struct cli_rpc *r) {
    return (struct oc_device_auth){
        .state_dir = r->target.state_dir,
        .device_id = oc_identity_device_id(r->identity),
        .role = OC_ROLE_OPERATOR,
        .gateway = r->gateway_name,
    };
}

static void remember_token(struct cli_rpc *r, const struct oc_hello *hello) {
    if (hello->has_odd_token) {
        fprintf(stderr, "warning: the gateway's device token is too long or not plain text; it is "
                        "not stored\n");
    }
    if (!hello->device_token || !r->identity) {
        return;
    }
    struct oc_device_auth key = token_key(r);
    OC_AUTO_SECRET char *known = oc_device_auth_load(&key);
    if (known && oc_secret_equal(known, hello->device_token)) {
        return; /* the usual case; writing the file costs a disk sync */
    }
    struct oc_error err;
    if (oc_device_auth_store(&key, hello->device_token, (const char *const *)hello->scopes.items,
                hello->scopes.count, &oc_clock_system, &err) != OC_OK) {
        /* The connection works without it, so this is no reason to fail. */
        fprintf(stderr, "warning: device token not stored: %s\n", err.text);
    }
}

static void on_hello(void *user, const struct oc_hello *hello, const cJSON *payload) {
    struct cli_rpc *r = user;
    r->hello = cJSON_Duplicate(payload, true);
    remember_token(r, hello);
}

static void on_event(void *user, const struct oc_frame *frame, struct oc_blob *blob) {
    (void)blob;
    struct cli_rpc *r = user;
    if (r->on_event) {
        r->on_event(r->event_user, frame);
    }
}

static void on_end(void *user, const struct oc_session_end *end) {
    struct cli_rpc *r = user;
    enum oc_cause cause = end->grounds.cause;
    r->wants_device = cause == OC_CAUSE_DEVICE_REQUIRED && !r->identity;
    if (cause == OC_CAUSE_DEVICE_TOKEN_MISMATCH && !r->target.token && r->identity) {
        struct oc_error ignored;
        struct oc_device_auth key = token_key(r);
        if (oc_device_auth_forget(&key, &ignored) != OC_OK) {
            fprintf(stderr, "warning: %s\n", ignored.text);
        }
    }
    r->is_ended = true;
    r->end_code = end->code == OC_OK ? OC_E_CLOSED : end->code;
    cli_explain_end(&r->target, end, &r->end);
}

/* An explicit token is the only thing sent; without one the device token this gateway gave us
 * earlier. */
static void add_auth(const struct cli_rpc *r, const char *stored, struct oc_connect *c) {
    c->password = r->target.password;
    if (r->target.token) {
        c->token = r->target.token;
    } else if (!r->target.password) {
        c->token = stored;
        c->device_token = stored;
    }
}

/* Services and sudo often come without USER. Caller frees. */
static char *account_name(void) {
    struct passwd entry, *found = NULL;
    char text[4096];
    const char *user = getenv("USER");
    user = oc_str_blank(user) ? getenv("LOGNAME") : user;
    if (!oc_str_blank(user)) {
        return oc_strdup(user);
    }
    if (getpwuid_r(getuid(), &entry, text, sizeof(text), &found) == 0 && found) {
        return oc_strdup(found->pw_name);
    }
    return oc_strfmt("uid %u", (unsigned)getuid());
}

/* "user@machine", for whoever sees what we did. It proves nothing, but "cli" says nothing. Caller
 * frees. */
static char *own_name(void) {
    char host[256] = "";
    if (gethostname(host, sizeof(host) - 1) != 0 || !host[0]) {
        snprintf(host, sizeof(host), "?");
    }
    OC_AUTO_FREE char *user = account_name();
    OC_AUTO_FREE char *name = oc_strfmt("%s@%s", user, host);
    return oc_printable(name, strlen(name), MAX_OWN_NAME);
}

/* A token that nobody has named may be of any gateway, so only our own gets it. */
static char *load_token(const struct cli_rpc *r) {
    struct oc_device_auth key = token_key(r);
    struct oc_error err;
    if (r->target.from == CLI_TARGET_LOCAL && oc_device_auth_adopt(&key, &err) != OC_OK) {
        fprintf(stderr, "warning: %s\n", err.text);
    }
    return oc_device_auth_load(&key);
}

static void start_session(struct cli_rpc *r, int64_t timeout_ms) {
    static const struct oc_session_events events = {
        .on_hello = on_hello,
        .on_event = on_event,
        .on_end = on_end,
    };
    char instance[OC_UUID_LEN + 1];
    oc_uuid4(instance);
    OC_AUTO_SECRET char *stored = NULL;
    if (r->identity) {
        stored = load_token(r);
    }
    OC_AUTO_FREE char *name = own_name();
    struct oc_connect connect = {
        .min_protocol = OC_PROTOCOL_MIN,
        .max_protocol = OC_PROTOCOL_MAX,
        .client_id = "cli",
        .display_name = name,
        .version = OC_VERSION,
        .platform = PLATFORM,
        .mode = "cli",
        .instance_id = instance,
        .role = OC_ROLE_OPERATOR,
    };
    static const char *const scopes[] = { OC_SCOPE_ADMIN, OC_SCOPE_READ, OC_SCOPE_WRITE,
        OC_SCOPE_APPROVALS, OC_SCOPE_PAIRING };
    for (size_t i = 0; i < OC_COUNT(scopes); i++) {
        oc_strv_add(&connect.scopes, scopes[i]);
    }
    add_auth(r, stored, &connect);
    int wait_ms = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    int challenge_ms = wait_ms < OC_CHALLENGE_TIMEOUT_MS ? wait_ms : OC_CHALLENGE_TIMEOUT_MS;
    struct oc_session_opts opts = {
        .dial = {
            .host = r->target.host,
            .port = r->target.port,
            .path = r->target.path,
            .tls = r->target.tls,
            .tls_fingerprint = r->target.tls_fingerprint,
            .gateway_user = r->target.gateway_user,
            .timeout_ms = wait_ms,
            .ws = { .is_client = true,
                    .max_message_bytes = (size_t)OC_MAX_MESSAGE_BYTES,
                    .max_queued_bytes = (size_t)OC_MAX_QUEUED_BYTES },
        },
        .connect = &connect,
        .identity = r->identity,
        .challenge_timeout_ms = challenge_ms,
        .hello_timeout_ms = wait_ms,
    };
    r->session = oc_session_start(r->loop, &opts, &events, r);
    oc_strv_finish(&connect.scopes);
}

static enum oc_code fail_early(
        struct cli_rpc *r, const struct oc_error *err, struct cli_explained *ret_why) {
    *ret_why = (struct cli_explained){ .text = oc_strdup(err->text) };
    cli_rpc_close(r);
    return err->code;
}

/* The owner's secret on the owner's machine says enough. Node and command line of one machine share
 * a key, and a key that is paired in one role would have to be approved again for the other. */
static bool is_owner_at_home(const struct cli_target *t) {
    return (t->token || t->password) && oc_host_is_loopback(t->host);
}

static enum oc_code load_identity(struct cli_rpc *r, struct oc_error *err) {
    return oc_identity_load_or_create(r->target.state_dir, &oc_clock_system, &r->identity, err);
}

static void start_over(struct cli_rpc *r) {
    oc_session_destroy(r->session);
    r->session = NULL;
    r->is_ended = r->wants_device = false;
    cli_explained_finish(&r->end);
}

static void connect_within(struct cli_rpc *r, int64_t timeout_ms) {
    int64_t began = oc_mono_ms(&oc_clock_system);
    start_session(r, timeout_ms);
    int64_t left = timeout_ms;
    while (!r->hello && !r->is_ended && left > 0) {
        oc_loop_step(r->loop, left < 1000 ? (int)left : 1000);
        r->connect_ms = oc_mono_ms(&oc_clock_system) - began;
        left = timeout_ms - r->connect_ms;
    }
    if (!r->hello && !r->is_ended) {
        /* The session's own limits are per step, this one is for all of them. */
        struct oc_session_end end = { .code = OC_E_TIMEOUT, .message = "no answer in time" };
        on_end(r, &end);
    }
}

enum oc_code cli_rpc_open(struct cli_target *take_target, int64_t timeout_ms, struct cli_rpc **ret,
        struct cli_explained *ret_why) {
    struct cli_rpc *r = oc_new(struct cli_rpc);
    struct oc_error err;
    r->target = *take_target;
    *take_target = (struct cli_target){ 0 };
    r->gateway_name = oc_gateway_name(r->target.host, r->target.port, r->target.path, r->target.tls,
            r->target.tls_fingerprint);
    enum oc_code rc = oc_loop_create(&oc_clock_system, &r->loop, &err);
    if (rc != OC_OK) {
        return fail_early(r, &err, ret_why);
    }
    rc = is_owner_at_home(&r->target) ? OC_OK : load_identity(r, &err);
    if (rc != OC_OK) {
        return fail_early(r, &err, ret_why);
    }
    connect_within(r, timeout_ms);
    if (r->wants_device) {
        rc = load_identity(r, &err);
        if (rc != OC_OK) {
            return fail_early(r, &err, ret_why);
        }
        start_over(r);
        connect_within(r, timeout_ms);
    }
    if (r->is_ended) {
        rc = r->end_code;
        *ret_why = r->end;
        r->end = (struct cli_explained){ 0 };
        cli_rpc_close(r);
        return rc;
    }
    *ret = r;
    return OC_OK;
}

void cli_rpc_close(struct cli_rpc *r) {
    if (!r) {
        return;
    }
    if (r->session) {
        if (!r->is_ended) {
            /* One round writes the frame; the peer's answer does not matter to us any more. */
            oc_session_close(r->session, 1000, "");
            oc_loop_step(r->loop, 0);
        }
        oc_session_destroy(r->session);
    }
    oc_identity_destroy(r->identity);
    oc_loop_destroy(r->loop);
    cJSON_Delete(r->hello);
    cli_explained_finish(&r->end);
    cli_target_finish(&r->target);
    oc_free(r->gateway_name);
    oc_free(r);
}

static void on_reply(void *user, const struct oc_reply *reply) {
    struct pending *p = user;
    p->is_done = true;
    if (reply->ok) {
        p->reply.payload = reply->payload;
        p->reply.blob = reply->blob ? oc_blob_ref(reply->blob) : NULL;
        return;
    }
    p->code = reply->code == OC_OK ? OC_E_UNAVAILABLE : reply->code;
    cli_explain_reply(reply, p->method, &p->why);
}

enum oc_code cli_rpc_call(struct cli_rpc *r, const char *method, cJSON *take_params,
        int64_t timeout_ms, struct cli_rpc_reply *ret, struct cli_explained *ret_why) {
    struct pending p = { .method = method };
    if (!r->is_ended) {
        int wait_ms = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
        const char *id = oc_session_request(r->session, method, take_params, wait_ms, on_reply, &p);
        snprintf(r->call_id, sizeof(r->call_id), "%s", id);
        while (!p.is_done) {
            oc_loop_step(r->loop, 1000);
        }
        r->call_id[0] = '\0';
    } else {
        cJSON_Delete(take_params);
        p.code = r->end_code;
    }
    if (p.code == OC_OK) {
        *ret = p.reply;
        return OC_OK;
    }
    if (p.code == OC_E_CLOSED && !r->is_ended) {
        oc_loop_step(r->loop, 0); /* on_end may come right behind the lost answer */
    }
    if (r->is_ended && r->end.text) { /* why the connection went says more than that it did */
        cli_explained_finish(&p.why);
        p.why = r->end;
        r->end = (struct cli_explained){ 0 };
    }
    if (!p.why.text) {
        p.why.text = oc_strdup("the connection to the gateway is gone");
    }
    *ret_why = p.why;
    return p.code;
}

void cli_rpc_post(struct cli_rpc *r, const char *method, cJSON *take_params, int timeout_ms,
        oc_reply_done *done, void *user) {
    if (r->is_ended) {
        cJSON_Delete(take_params);
        return;
    }
    oc_session_request(r->session, method, take_params, timeout_ms, done, user);
}

void cli_rpc_on_event(
        struct cli_rpc *r, void (*fn)(void *user, const struct oc_frame *frame), void *user) {
    r->on_event = fn;
    r->event_user = user;
}

const char *cli_rpc_call_id(const struct cli_rpc *r) {
    return r->call_id;
}

struct oc_loop *cli_rpc_loop(struct cli_rpc *r) {
    return r->loop;
}

void cli_rpc_sleep(struct cli_rpc *r, int64_t ms) {
    int64_t until = oc_loop_now_ms(r->loop) + ms;
    for (int64_t now = oc_loop_now_ms(r->loop); now < until && !r->is_ended;
            now = oc_loop_now_ms(r->loop)) {
        oc_loop_step(r->loop, (int)(until - now));
    }
}

const struct cli_target *cli_rpc_target(const struct cli_rpc *r) {
    return &r->target;
}

const cJSON *cli_rpc_hello(const struct cli_rpc *r) {
    return r->hello;
}

int64_t cli_rpc_connect_ms(const struct cli_rpc *r) {
    return r->connect_ms;
}

bool cli_rpc_is_ended(const struct cli_rpc *r) {
    return r->is_ended;
}
