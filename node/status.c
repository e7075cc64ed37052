#include "node/status.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/text/paste.h"

#include <string.h>

static char *status_shown(const char *text) {
    return text ? oc_printable(text, strlen(text), 300) : oc_strdup("");
}

static char *waiting_line(const char *what, const char *group, const char *request_id) {
    bool is_device = strcmp(group, "devices") == 0;
    OC_AUTO_FREE char *command = oc_paste(
            is_device ? "openclaw devices approve" : "openclaw nodes approve",
            is_device ? "openclaw devices approve %s" : "openclaw nodes approve %s", request_id);
    return oc_strfmt("waiting for approval of %s; on the gateway run: %s", what, command);
}

static char *retry_line(const struct nd_status *s, const char *gateway, const char *reason) {
    OC_AUTO_FREE char *fix = status_shown(s->fix);
    return oc_strfmt("not connected to %s: %s; retrying in %lld.%lld s and then less often%s%s",
            gateway, *reason ? reason : "unknown reason", (long long)s->retry_ms / 1000,
            (long long)s->retry_ms % 1000 / 100, *fix ? "\n  fix: " : "", fix);
}

char *nd_status_line(const struct nd_status *s) {
    OC_AUTO_FREE char *gateway = status_shown(s->gateway);
    OC_AUTO_FREE char *reason = status_shown(s->reason);
    OC_AUTO_FREE char *name = status_shown(s->name);
    OC_AUTO_FREE char *fix = status_shown(s->fix);
    switch (s->state) {
    case ND_CONNECTING:
        return oc_strfmt("connecting to %s as \"%s\"", gateway, name);
    case ND_WAITING_DEVICE:
        return waiting_line("this device", s->is_foreign ? "devices" : "nodes", s->request_id);
    case ND_WAITING_SURFACE: {
        OC_AUTO_FREE char *line = waiting_line("this node's commands", "nodes", s->request_id);
        return oc_strfmt("connected to %s; %s%s%s", gateway, line, *reason ? "; " : "", reason);
    }
    case ND_CONNECTED:
        return oc_strfmt("connected to %s", gateway);
    case ND_RETRYING:
        return retry_line(s, gateway, reason);
    case ND_FAILED:
        return oc_strfmt(
                "cannot connect to %s: %s%s%s", gateway, reason, *fix ? "\n  fix: " : "", fix);
    case ND_STOPPED:
        return oc_strdup("stopped");
    }
    return oc_strdup("");
}

bool nd_status_is_news(struct nd_status_log *log, const struct nd_status *s) {
    /* Between two attempts nothing has happened yet. */
    if (log->has_said && s->state == ND_CONNECTING) {
        return false;
    }
    OC_AUTO_FREE char *key =
            oc_strfmt("%s\n%s", s->reason ? s->reason : "", s->request_id ? s->request_id : "");
    if (log->has_said && log->state == s->state && strcmp(log->said, key) == 0) {
        return false;
    }
    oc_free(log->said);
    *log = (struct nd_status_log){ .has_said = true, .state = s->state, .said = oc_take(&key) };
    return true;
}

void nd_status_log_finish(struct nd_status_log *log) {
    oc_free(log->said);
    *log = (struct nd_status_log){ 0 };
}

void nd_print_status(struct nd_status_log *log, FILE *to, const struct nd_status *s) {
    if (nd_status_is_news(log, s)) {
        OC_AUTO_FREE char *line = nd_status_line(s);
        (void)fprintf(to, "%s\n", line);
        (void)fflush(to);
    }
}
