#include "node/owner/desktop_prompt.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/log/log.h"
#include "node/owner/notices.h"

#include <string.h>

#define TAG "node.desktop_prompt"
#define MAX_BODY ((size_t)16 * 1024)

/* A yes that comes sooner was meant for something else: for whatever was under the pointer
 * before. */
enum { LEAST_MS = 1000 };

struct nd_desktop_prompt {
    struct nd_desktop *desktop;
    struct nd_helper *helper;
    struct oc_timer deadline; /* the helper keeps the time; this is for one that does not */
    int64_t shown_at_ms;
    cJSON *place; /* where it is on the screen; NULL: not there yet */
    const struct nd_desktop_prompt_how *how;
    nd_prompter_done *done;
    void *user;
};

static size_t open_prompts;

static void desktop_prompt_destroy(struct nd_desktop_prompt *p) {
    oc_timer_cancel(&p->deadline);
    nd_helper_stop(p->helper);
    cJSON_Delete(p->place);
    oc_free(p);
    open_prompts--;
}

static void desktop_prompt_finish(struct nd_desktop_prompt *p, enum oc_decision decision) {
    nd_prompter_done *done = p->done;
    void *user = p->user;
    desktop_prompt_destroy(p);
    done(user, decision);
}

static void on_deadline(struct oc_timer *t) {
    oc_log(OC_LOG_WARN, TAG, "the desktop helper did not tell what became of a prompt");
    desktop_prompt_finish(t->user, OC_DECISION_NONE);
}

static void on_answer(void *user, struct nd_helper_answer *answer) {
    struct nd_desktop_prompt *p = user;
    if (answer->ok && answer->stays) {
        p->place = oc_take(&answer->result);
        p->shown_at_ms = oc_mono_ms(oc_loop_clock(p->desktop->machine->loop));
        if (p->how->on_shown) {
            p->how->on_shown(p->user);
        }
        return;
    }
    OC_AUTO_FREE char *why = answer->ok ? NULL : nd_helper_answer_text(answer);
    oc_log(OC_LOG_INFO, TAG, "nobody was asked on the desktop: %s",
            why ? why : "it has no buttons");
    p->helper = NULL;
    if (p->done) {
        desktop_prompt_finish(p, OC_DECISION_NONE);
    }
}

static void on_event(void *user, const cJSON *event) {
    struct nd_desktop_prompt *p = user;
    const char *action = oc_json_get_str(event, "action");
    const char *closed = oc_json_get_str(event, "closed");
    bool is_yes = oc_decision_named(action) == OC_DECISION_ALLOW_ONCE;
    if (!event) { /* killed, or crashed: it is gone */
        p->helper = NULL;
        desktop_prompt_finish(p, OC_DECISION_NONE);
    } else if (is_yes &&
               oc_mono_ms(oc_loop_clock(p->desktop->machine->loop)) - p->shown_at_ms < LEAST_MS) {
        oc_log(OC_LOG_WARN, TAG, "a yes in the first second of a question does not count");
        desktop_prompt_finish(p, OC_DECISION_NONE);
    } else if (is_yes) {
        desktop_prompt_finish(p, OC_DECISION_ALLOW_ONCE);
    } else if (action || (oc_streq(closed, "dismissed") && !p->how->others_are_asked)) {
        desktop_prompt_finish(p, OC_DECISION_DENY);
    } else {
        desktop_prompt_finish(p, OC_DECISION_NONE);
    }
}

/* "disabled:" is how a session without a bus is told to everything that would look for one. */
static bool has_session(void) {
    static const char name[] = "DBUS_SESSION_BUS_ADDRESS=";
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_helper_env(&env);
    for (size_t i = 0; i < env.count; i++) {
        if (oc_starts_with(env.items[i], name)) {
            return !oc_starts_with(env.items[i] + strlen(name), "disabled:");
        }
    }
    return false;
}

static void add_action(cJSON *actions, const char *key, const char *label) {
    cJSON *a = cJSON_CreateObject();
    oc_json_set_str(a, "key", key);
    oc_json_set_str(a, "label", label);
    cJSON_AddItemToArray(actions, a);
}

/* Words of the caller, on one line. */
static void add_line(struct oc_buf *body, const char *what, const char *text) {
    OC_AUTO_FREE char *shown = oc_printable(text, strlen(text), ND_MAX_PROMPT_CHARS);
    (void)oc_buf_printf(body, "\n%s %s", what, shown);
}

/* Who asks, by the gateway's word; a name is what they call themselves. */
static void add_asker(struct oc_buf *body, const cJSON *request) {
    const cJSON *asker = oc_json_get(request, "asker");
    const char *id = oc_json_get_str(asker, "id"), *name = oc_json_get_str(asker, "name");
    OC_AUTO_FREE char *device = id ? oc_strfmt("device %.12s", id) : NULL;
    OC_AUTO_FREE char *both = device && name ? oc_strfmt("%s (%s)", name, device) : NULL;
    const char *who = both ? both : device ? device : name;
    if (who) {
        add_line(body, "asked by", who);
    }
}

/* An approval covers that, too, so whoever gives it has to know. */
static void add_manner(struct oc_buf *body, const cJSON *run) {
    if (oc_json_get_bool(run, "background", false)) {
        (void)oc_buf_puts(body, "\ngoes on in the background");
    }
    if (oc_json_get_bool(run, "tty", false)) {
        (void)oc_buf_puts(body, "\nwith a terminal");
    }
    if (oc_json_get_bool(run, "stdin", false)) {
        (void)oc_buf_puts(body, "\nreads what the caller sends it");
    }
}

/* "\nsets A=b\nsets C=d", a line each, or "". Caller frees. */
static char *variables_of(const cJSON *request) {
    OC_AUTO_STRV struct oc_strv lines = { 0 };
    const cJSON *v;
    oc_json_for_each_member(v, oc_json_get(request, "env")) {
        OC_AUTO_FREE char *pair =
                oc_strfmt("%s=%s", v->string, cJSON_IsString(v) ? v->valuestring : "");
        OC_AUTO_FREE char *shown = oc_printable(pair, strlen(pair), SIZE_MAX);
        OC_AUTO_FREE char *line = oc_strfmt("\nsets %s", shown);
        oc_strv_add(&lines, line);
    }
    return oc_strv_join(&lines, "");
}

static cJSON *params_for(struct nd_desktop *desktop, const cJSON *request) {
    const char *cwd = oc_json_get_str(request, "cwd"), *agent = oc_json_get_str(request, "agentId");
    OC_AUTO_FREE char *variables = variables_of(request);
    OC_AUTO_BUF struct oc_buf body = OC_BUF_INIT(MAX_BODY);
    (void)oc_buf_printf(&body, "%s", oc_json_get_str(request, "command"));
    add_line(&body, "in", cwd ? cwd : "the node's directory");
    if (agent) {
        add_line(&body, "for agent", agent);
    }
    add_asker(&body, request);
    add_line(&body, "of the gateway", desktop->uplink->gateway ? desktop->uplink->gateway : "?");
    add_manner(&body, oc_json_get(request, "run"));
    (void)oc_buf_puts(&body, variables);
    if (!oc_json_get_bool(request, "contentBound", true)) {
        OC_AUTO_STRV struct oc_strv reasons = { 0 };
        oc_json_get_strv(request, "unbound", &reasons);
        OC_AUTO_FREE char *joined = oc_strv_join(&reasons, "; ");
        add_line(&body, "content not bound:", joined);
    }
    struct nd_notice notice = {
        .title = "Run this command?", .body = body.data, .priority = "timeSensitive"
    };
    cJSON *o = nd_notice_params(desktop, &notice);
    cJSON *actions = cJSON_AddArrayToObject(o, "actions");
    add_action(actions, oc_decision_name(OC_DECISION_ALLOW_ONCE), "Allow once");
    add_action(actions, oc_decision_name(OC_DECISION_DENY), "Deny");
    oc_json_set_int(o, "expiresMs", nd_prompter_ms(request));
    return o;
}

/* What is cut could be what matters. */
static bool is_shown_whole(const cJSON *request) {
    static const char *const texts[] = { "command", "cwd", "agentId" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        const char *text = oc_json_get_str(request, texts[i]);
        if (text && strlen(text) > ND_MAX_PROMPT_CHARS) {
            return false;
        }
    }
    OC_AUTO_FREE char *variables = variables_of(request);
    return strlen(variables) <= ND_MAX_PROMPT_CHARS;
}

struct nd_desktop_prompt *nd_desktop_prompt_ask(struct nd_desktop *desktop, const cJSON *request,
        const struct nd_desktop_prompt_how *how, nd_prompter_done *done, void *user) {
    static const struct nd_desktop_prompt_how plain = { 0 };
    static const struct nd_helper_events events = { .on_answer = on_answer, .on_event = on_event };
    const char *command = oc_json_get_str(request, "command");
    if (!command || !is_shown_whole(request) || open_prompts >= ND_MAX_DESKTOP_PROMPTS ||
            !nd_helper_is_installed(ND_HELPER_DESKTOP) || !has_session()) {
        return NULL;
    }
    struct nd_desktop_prompt *p = oc_new(struct nd_desktop_prompt);
    open_prompts++;
    p->desktop = desktop;
    p->how = how ? how : &plain;
    p->user = user;
    p->deadline = (struct oc_timer){ .on_expire = on_deadline, .user = p };
    p->helper = nd_helper_start(desktop->helpers,
            &(struct nd_helper_opts){ .program = ND_HELPER_DESKTOP,
                    .what = "notify",
                    .take_params = params_for(desktop, request),
                    .timeout_ms = ND_NOTICE_MS,
                    .may_stay = true },
            &events, p);
    if (!p->helper) { /* it could not even be started */
        desktop_prompt_destroy(p);
        return NULL;
    }
    p->done = done;
    oc_timer_set(desktop->machine->loop, &p->deadline, nd_prompter_ms(request) + ND_NOTICE_MS);
    return p;
}

void nd_desktop_prompt_cancel(struct nd_desktop_prompt *p) {
    if (!p) {
        return;
    }
    struct nd_desktop *desktop = p->desktop;
    cJSON *place = oc_take(&p->place);
    desktop_prompt_destroy(p);
    if (place) {
        nd_notice_close(desktop, place);
    }
}
