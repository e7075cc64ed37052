/* The screens that a person shares through the desktop's portal
 * (org.freedesktop.portal.ScreenCast):
 *
 *   CreateSession ─▶ SelectSources ─▶ Start
 *     ─▶ the dialog, unless a token from last time spares it ─▶ streams
 *     └─ OpenPipeWireRemote ─▶ where the streams are
 *
 * The session ends with our connection to the bus, that is with this program. */
#include "platform/linux/media/portal.h"
#include "platform/linux/media/screen/screen.h"

#include "lib/base/mem.h"
#include "lib/json/json.h"

#include <stdlib.h>
#include <string.h>

#define SCREEN_CAST "org.freedesktop.portal.ScreenCast"
enum {
    MAX_STREAMS = 16,
    STEP_MS = 10000,
    SOURCE_MONITOR = 1,
    CURSOR_EMBEDDED = 2,
    KEEP_UNTIL_REVOKED = 2
};

struct stream {
    uint32_t node;
    int x, y;
};

static GVariantBuilder *new_options(void) {
    return g_variant_builder_new(G_VARIANT_TYPE_VARDICT);
}

static void add_uint(GVariantBuilder *options, const char *name, uint32_t value) {
    g_variant_builder_add(options, "{sv}", name, g_variant_new_uint32(value));
}

static enum oc_code screen_portal_judge(
        const char *method, enum os_portal_outcome outcome, struct oc_error *err) {
    switch (outcome) {
    case OS_PORTAL_DONE:
        return OC_OK;
    case OS_PORTAL_REFUSED:
        return oc_fail_wire(err, OC_E_DENIED, "SCREEN_PERMISSION_REQUIRED",
                "the person at the machine did not share the screen; "
                "try again and choose the screens in the dialog");
    case OS_PORTAL_SILENT:
        return oc_fail_wire(err, OC_E_TIMEOUT, "SCREEN_PERMISSION_REQUIRED",
                "nobody answered the desktop's question; approve "
                "once at the machine: run this again, choose the screens in the dialog, and let "
                "it remember the choice");
    default:
        return oc_fail(err, OC_E_CLOSED, "the desktop portal: %s failed", method);
    }
}

static enum oc_code screen_portal_ask(GDBusConnection *bus, const struct os_portal_call *call,
        GVariant **ret_results, struct oc_error *err) {
    enum os_portal_outcome outcome;
    enum oc_code rc = os_portal_ask(bus, call, &outcome, ret_results, err);
    return rc == OC_OK ? screen_portal_judge(call->method, outcome, err) : rc;
}

static enum oc_code create_session(GDBusConnection *bus, char **ret, struct oc_error *err) {
    GVariantBuilder *options = new_options();
    g_variant_builder_add(
            options, "{sv}", "session_handle_token", g_variant_new_string("openclaw"));
    GVariant *results = NULL;
    const char *handle = NULL;
    enum oc_code rc = screen_portal_ask(bus,
            &(struct os_portal_call){ .interface = SCREEN_CAST,
                    .method = "CreateSession",
                    .options = options,
                    .timeout_ms = STEP_MS },
            &results, err);
    g_variant_builder_unref(options);
    if (rc != OC_OK) {
        return rc;
    }
    if (g_variant_lookup(results, "session_handle", "&s", &handle) &&
            g_variant_is_object_path(handle)) {
        *ret = oc_strdup(handle);
    } else {
        rc = oc_fail(err, OC_E_CLOSED, "the desktop portal gave no session");
    }
    g_variant_unref(results);
    return rc;
}

static enum oc_code select_sources(GDBusConnection *bus, const char *session,
        const struct os_screen_opts *opts, struct oc_error *err) {
    uint32_t cursors;
    enum oc_code rc = os_portal_get_uint(bus, SCREEN_CAST, "AvailableCursorModes", &cursors, err);
    if (rc != OC_OK) {
        return rc;
    }
    GVariantBuilder *options = new_options();
    add_uint(options, "types", SOURCE_MONITOR);
    g_variant_builder_add(options, "{sv}", "multiple", g_variant_new_boolean(TRUE));
    add_uint(options, "persist_mode", KEEP_UNTIL_REVOKED);
    if (cursors & CURSOR_EMBEDDED) {
        add_uint(options, "cursor_mode", CURSOR_EMBEDDED);
    }
    if (opts->restore_token && g_uuid_string_is_valid(opts->restore_token)) {
        g_variant_builder_add(
                options, "{sv}", "restore_token", g_variant_new_string(opts->restore_token));
    }
    GVariant *results = NULL;
    rc = screen_portal_ask(bus,
            &(struct os_portal_call){ .interface = SCREEN_CAST,
                    .method = "SelectSources",
                    .session = session,
                    .options = options,
                    .timeout_ms = STEP_MS },
            &results, err);
    g_variant_builder_unref(options);
    if (rc == OC_OK) {
        g_variant_unref(results);
    }
    return rc;
}

/* At once, not with the answer: a token is good for one time only, and the recording may yet
 * fail. */
static void tell_token(GVariant *results) {
    const char *token = NULL;
    if (g_variant_lookup(results, "restore_token", "&s", &token)) {
        cJSON *progress = cJSON_CreateObject();
        oc_json_set_str(progress, "restoreToken", token);
        os_serve_progress(progress);
    }
}

static int by_position(const void *a, const void *b) {
    const struct stream *s = a, *t = b;
    return s->x != t->x ? (s->x > t->x) - (s->x < t->x) : (s->y > t->y) - (s->y < t->y);
}

/* Left to right: the portal knows no numbers of screens. */
static size_t read_streams(GVariant *results, struct stream *ret) {
    GVariantIter *streams = NULL;
    GVariant *properties;
    size_t count = 0;
    if (!g_variant_lookup(results, "streams", "a(ua{sv})", &streams)) {
        return 0;
    }
    while (count < MAX_STREAMS &&
            g_variant_iter_next(streams, "(u@a{sv})", &ret[count].node, &properties)) {
        ret[count].x = ret[count].y = 0;
        g_variant_lookup(properties, "position", "(ii)", &ret[count].x, &ret[count].y);
        g_variant_unref(properties);
        count++;
    }
    g_variant_iter_free(streams);
    qsort(ret, count, sizeof(*ret), by_position);
    return count;
}

static enum oc_code screen_portal_start(GDBusConnection *bus, const char *session,
        const struct os_screen_opts *opts, uint32_t *ret_node, struct oc_error *err) {
    GVariantBuilder *options = new_options();
    GVariant *results = NULL;
    enum oc_code rc = screen_portal_ask(bus,
            &(struct os_portal_call){ .interface = SCREEN_CAST,
                    .method = "Start",
                    .session = session,
                    .has_parent_window = true,
                    .options = options,
                    .timeout_ms = opts->consent_ms },
            &results, err);
    g_variant_builder_unref(options);
    if (rc != OC_OK) {
        return rc;
    }
    struct stream streams[MAX_STREAMS];
    size_t count = read_streams(results, streams);
    tell_token(results);
    g_variant_unref(results);
    if (count == 0) {
        return oc_fail(err, OC_E_CLOSED, "the desktop portal shares no screen");
    }
    rc = os_screen_check_index(opts->index, count, err);
    if (rc == OC_OK) {
        *ret_node = streams[opts->index].node;
    }
    return rc;
}

/* A compositor sends a frame when something changes; in between PipeWire repeats the last one. */
enum oc_code os_screen_open_portal(
        const struct os_screen_opts *opts, struct os_screen *ret, struct oc_error *err) {
    GDBusConnection *bus = NULL;
    OC_AUTO_FREE char *session = NULL;
    uint32_t version = 0, node = 0;
    int fd = -1;
    enum oc_code rc = os_portal_connect(&bus, err);
    rc = rc == OC_OK ? os_portal_get_uint(bus, SCREEN_CAST, "version", &version, err) : rc;
    rc = rc == OC_OK ? create_session(bus, &session, err) : rc;
    rc = rc == OC_OK ? select_sources(bus, session, opts, err) : rc;
    ret->was_asked = rc == OC_OK;
    rc = rc == OC_OK ? screen_portal_start(bus, session, opts, &node, err) : rc;
    rc = rc == OC_OK ? os_portal_open_remote(bus, SCREEN_CAST, session, &fd, err) : rc;
    if (rc != OC_OK) {
        return rc;
    }
    *ret = (struct os_screen){
        .source = oc_strfmt(
                "pipewiresrc fd=%d path=%u do-timestamp=true keepalive-time=%d always-copy=true",
                fd, node, 1000 / opts->fps)
    };
    return OC_OK;
}
