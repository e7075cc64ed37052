#include "platform/linux/media/pw_nodes.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/media/pw_formats.h"

#include <errno.h>
#include <pipewire/extensions/metadata.h>
#include <pipewire/pipewire.h>
#include <string.h>

/* Who comes by the portal sees nothing until the session manager has noticed it, and then one
 * camera after the other. */
enum { ANSWER_MS = 3000, SETTLE_MS = 100 };
enum { MAX_NAME = 200 };

struct pw_bound {
    struct pw_proxy *proxy;
    struct spa_hook hook;
    struct lister *lister;
    size_t index; /* in ret->video_sources, which may move */
};

struct lister {
    struct pw_main_loop *loop;
    struct pw_core *core;
    struct pw_registry *registry;
    struct os_pw_nodes *ret;
    struct pw_bound bound[OS_MAX_PW_NODES];
    struct spa_source *timer;
    int pending;
    bool is_shy; /* cameras are shown when the session manager gets to it */
    bool has_seen_globals, has_answered;
    int error;
};

/* An empty dictionary may have no memory at all, which the library's own loop adds to. */
static const char *look_up(const struct spa_dict *props, const char *key) {
    return props && props->n_items > 0 ? spa_dict_lookup(props, key) : NULL;
}

static char *pw_nodes_copy(const struct spa_dict *props, const char *key) {
    return oc_strdup(look_up(props, key));
}

static char *copy_text(const struct spa_dict *props, const char *key) {
    const char *text = look_up(props, key);
    return text ? oc_printable(text, strlen(text), MAX_NAME) : NULL;
}

static int as_int(const char *s) {
    int64_t value;
    return s && oc_parse_int(s, INT32_MIN, INT32_MAX, &value) ? (int)value : 0;
}

static void on_info(void *user, const struct pw_node_info *info) {
    struct pw_bound *b = user;
    struct os_pw_node *n = &b->lister->ret->video_sources[b->index];
    n->is_running = info->state == PW_NODE_STATE_RUNNING;
    if (info->state == PW_NODE_STATE_ERROR && !n->error) {
        const char *error = info->error ? info->error : "an error";
        n->error = oc_printable(error, strlen(error), MAX_NAME);
    }
    if (!n->api) {
        n->api = copy_text(info->props, PW_KEY_DEVICE_API);
    }
    if (!n->location) {
        n->location = pw_nodes_copy(info->props, "api.libcamera.location");
    }
}

static void on_param(void *user, int seq, uint32_t id, uint32_t index, uint32_t next,
        const struct spa_pod *param) {
    struct pw_bound *b = user;
    (void)seq;
    (void)index;
    (void)next;
    if (id == SPA_PARAM_EnumFormat && param) {
        os_pw_formats_add(&b->lister->ret->video_sources[b->index], param);
    }
}

static void set_timer(struct lister *l, int64_t ms) {
    struct timespec in = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    pw_loop_update_timer(pw_main_loop_get_loop(l->loop), l->timer, &in, NULL, false);
}

/* Any program of the session may call itself a camera. A name is the id that a caller gives back,
 * so it is left as it is or the node left out; a serial goes into a gst-launch line. */
static bool is_sane(const char *name, const char *serial) {
    if (oc_str_blank(name) || oc_str_blank(serial) || strlen(name) > MAX_NAME ||
            serial[strspn(serial, "0123456789")] != '\0') {
        return false;
    }
    OC_AUTO_FREE char *shown = oc_printable(name, strlen(name), MAX_NAME);
    return strcmp(shown, name) == 0;
}

static void add_video_source(struct lister *l, uint32_t id, const struct spa_dict *props) {
    static const struct pw_node_events events = { PW_VERSION_NODE_EVENTS, .info = on_info,
        .param = on_param };
    struct os_pw_nodes *ret = l->ret;
    const char *name = look_up(props, PW_KEY_NODE_NAME);
    const char *serial = look_up(props, PW_KEY_OBJECT_SERIAL);
    if (ret->count == OS_MAX_PW_NODES || !is_sane(name, serial)) {
        return;
    }
    ret->video_sources =
            oc_realloc(ret->video_sources, (ret->count + 1) * sizeof(ret->video_sources[0]));
    struct os_pw_node *n = &ret->video_sources[ret->count];
    *n = (struct os_pw_node){ .name = oc_strdup(name),
        .serial = oc_strdup(serial),
        .role = pw_nodes_copy(props, PW_KEY_MEDIA_ROLE),
        .description = copy_text(props, PW_KEY_NODE_DESCRIPTION),
        .priority = as_int(look_up(props, PW_KEY_PRIORITY_SESSION)) };
    struct pw_bound *b = &l->bound[ret->count];
    *b = (struct pw_bound){ .lister = l, .index = ret->count++ };
    b->proxy = pw_registry_bind(l->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (b->proxy) {
        pw_node_add_listener((struct pw_node *)b->proxy, &b->hook, &events, b);
        pw_node_enum_params(
                (struct pw_node *)b->proxy, 0, SPA_PARAM_EnumFormat, 0, UINT32_MAX, NULL);
    }
    if (l->is_shy) {
        set_timer(l, SETTLE_MS);
    }
}

static void on_global(void *user, uint32_t id, uint32_t permissions, const char *type,
        uint32_t version, const struct spa_dict *props) {
    struct lister *l = user;
    (void)permissions;
    (void)version;
    const char *class = look_up(props, PW_KEY_MEDIA_CLASS);
    /* Where session managers keep what is preferred. */
    if (strcmp(type, PW_TYPE_INTERFACE_Metadata) == 0) {
        l->ret->has_manager |= oc_streq(look_up(props, PW_KEY_METADATA_NAME), "default");
    }
    if (!class || strcmp(type, PW_TYPE_INTERFACE_Node) != 0) {
        return;
    }
    if (strcmp(class, "Video/Source") == 0) {
        add_video_source(l, id, props);
    } else if (oc_starts_with(class, "Audio/Source")) {
        l->ret->has_audio_source = true;
    } else if (oc_starts_with(class, "Audio/Sink")) {
        l->ret->has_audio_sink = true;
    }
}

static void on_done(void *user, uint32_t id, int seq) {
    struct lister *l = user;
    if (id != PW_ID_CORE || seq != l->pending) {
        return;
    }
    if (l->is_shy) { /* nothing is wrong, but there may be more: the timer tells when not */
        l->has_answered = true;
        return;
    }
    if (!l->has_seen_globals) {
        l->has_seen_globals =
                true; /* the nodes were bound after this was asked: their answers come now */
        l->pending = pw_core_sync(l->core, PW_ID_CORE, 0);
        return;
    }
    l->has_answered = true;
    pw_main_loop_quit(l->loop);
}

static void on_error(void *user, uint32_t id, int seq, int res, const char *message) {
    struct lister *l = user;
    (void)seq;
    (void)message;
    if (id == PW_ID_CORE) { /* others: a node that went away while we asked */
        l->error = -res;
        pw_main_loop_quit(l->loop);
    }
}

static void on_timeout(void *user, uint64_t expirations) {
    struct lister *l = user;
    (void)expirations;
    if (l->is_shy && l->ret->count > 0) {
        l->is_shy = false;
        l->has_seen_globals = true;
        l->has_answered = false;
        l->pending = pw_core_sync(l->core, PW_ID_CORE, 0);
        set_timer(l, ANSWER_MS);
        return;
    }
    pw_main_loop_quit(l->loop);
}

static enum oc_code pw_nodes_ask(struct lister *l, struct oc_error *err) {
    static const struct pw_core_events core_events = { PW_VERSION_CORE_EVENTS, .done = on_done,
        .error = on_error };
    static const struct pw_registry_events registry_events = { PW_VERSION_REGISTRY_EVENTS,
        .global = on_global };
    struct spa_hook core_hook = { 0 }, registry_hook = { 0 };
    pw_core_add_listener(l->core, &core_hook, &core_events, l);
    l->registry = pw_core_get_registry(l->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(l->registry, &registry_hook, &registry_events, l);
    l->pending = pw_core_sync(l->core, PW_ID_CORE, 0);
    l->timer = pw_loop_add_timer(pw_main_loop_get_loop(l->loop), on_timeout, l);
    set_timer(l, ANSWER_MS);
    pw_main_loop_run(l->loop);
    for (size_t i = 0; i < l->ret->count; i++) {
        if (l->bound[i].proxy) {
            spa_hook_remove(&l->bound[i].hook);
            pw_proxy_destroy(l->bound[i].proxy);
        }
    }
    spa_hook_remove(&registry_hook);
    spa_hook_remove(&core_hook);
    pw_proxy_destroy((struct pw_proxy *)l->registry);
    if (l->error) {
        return oc_fail(err,
                l->error == EACCES || l->error == EPERM ? OC_E_DENIED : OC_E_UNAVAILABLE,
                "PipeWire: %s", strerror(l->error));
    }
    return l->has_answered ? OC_OK : oc_fail(err, OC_E_TIMEOUT, "PipeWire does not answer");
}

enum oc_code os_pw_nodes_list(int take_fd, struct os_pw_nodes *ret, struct oc_error *err) {
    struct os_pw_nodes found = { 0 };
    struct lister l = { .ret = &found, .is_shy = take_fd >= 0 };
    pw_init(NULL, NULL);
    l.loop = pw_main_loop_new(NULL); /* NULL: the library is there, but not its plugins */
    struct pw_context *context =
            l.loop ? pw_context_new(pw_main_loop_get_loop(l.loop), NULL, 0) : NULL;
    enum oc_code rc = OC_OK;
    errno = 0;
    if (context) {
        l.core = take_fd < 0 ? pw_context_connect(context, NULL, 0)
                             : pw_context_connect_fd(context, take_fd, NULL, 0);
    }
    if (!l.core) {
        rc = oc_fail(err, errno == EACCES || errno == EPERM ? OC_E_DENIED : OC_E_UNAVAILABLE,
                "no PipeWire in this session%s",
                errno == EACCES || errno == EPERM
                        ? ": it does not let us in"
                        : "; start it: systemctl --user start pipewire wireplumber");
    } else {
        rc = pw_nodes_ask(&l, err);
        pw_core_disconnect(l.core);
    }
    if (context) {
        pw_context_destroy(context);
    }
    if (l.loop) {
        pw_main_loop_destroy(l.loop);
    }
    if (rc != OC_OK) {
        os_pw_nodes_finish(&found);
        return rc;
    }
    *ret = found;
    return OC_OK;
}

static char *complaint_of(const struct os_pw_node *n) {
    if (n->error) {
        return oc_strfmt(": %s", n->error);
    }
    /* The device's own refusal stays inside PipeWire; all that can be seen is a node that does not
     * run for us. */
    return oc_strdup(n->is_running ? "" : ": it does not start; another program may be using it");
}

char *os_pw_node_complaint(int take_fd, const char *serial) {
    bool is_direct = take_fd < 0;
    struct os_pw_nodes nodes;
    struct oc_error err;
    if (os_pw_nodes_list(take_fd, &nodes, &err) != OC_OK) {
        return oc_strfmt(": %s", err.text);
    }
    char *text = NULL;
    for (size_t i = 0; !text && i < nodes.count; i++) {
        if (strcmp(nodes.video_sources[i].serial, serial) == 0) {
            text = is_direct && !nodes.has_manager ? oc_strdup(": " OS_PW_NO_MANAGER)
                                                   : complaint_of(&nodes.video_sources[i]);
        }
    }
    os_pw_nodes_finish(&nodes);
    return text ? text : oc_strdup(": it was unplugged");
}

void os_pw_nodes_finish(struct os_pw_nodes *nodes) {
    for (size_t i = 0; i < nodes->count; i++) {
        struct os_pw_node *n = &nodes->video_sources[i];
        oc_free(n->name);
        oc_free(n->description);
        oc_free(n->serial);
        oc_free(n->role);
        oc_free(n->location);
        oc_free(n->api);
        oc_free(n->error);
        os_camera_formats_finish(&n->formats);
    }
    oc_free(nodes->video_sources);
    *nodes = (struct os_pw_nodes){ 0 };
}
