#include "node/run/run_result.h"

#include "lib/base/mem.h"
#include "lib/base/utf8.h"
#include "lib/json/json.h"

#include <string.h>

#define TRUNCATED "\n... (truncated)"

enum {
    /* A broken byte becomes three, a control character becomes six. */
    MAX_TEXT = 3 * ND_MAX_OUTPUT_BYTES + 64,
    MAX_JSON = 2 * 6 * ND_MAX_OUTPUT_BYTES + 4 * 1024 * 1024,
};

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_blank(const struct oc_buf *b) {
    for (size_t i = 0; i < b->len; i++) {
        if (!is_space(b->data[i])) {
            return false;
        }
    }
    return true;
}

static void put_repaired(struct oc_buf *to, const struct oc_buf *from, bool is_cut) {
    if (from->len > 0) {
        /* Where we cut, half a character is not an error of the program. */
        size_t tail = is_cut ? oc_utf8_incomplete_tail(from->data, from->len) : 0;
        oc_utf8_append_repaired(to, from->data, from->len - tail);
    }
}

void nd_run_result_init(struct nd_run_result *o, const struct nd_process_result *p) {
    *o = (struct nd_run_result){ .out = OC_BUF_INIT(MAX_TEXT), .err = OC_BUF_INIT(MAX_TEXT) };
    if (!p) {
        return;
    }
    put_repaired(&o->out, &p->out, p->is_truncated);
    put_repaired(&o->err, &p->err, p->is_truncated);
    if (p->is_truncated) {
        oc_buf_puts(is_blank(&o->err) ? &o->out : &o->err, TRUNCATED);
    }
}

void nd_run_result_finish(struct nd_run_result *o) {
    oc_buf_finish(&o->out);
    oc_buf_finish(&o->err);
}

static void put_string(struct oc_buf *b, const struct oc_buf *text) {
    oc_json_append_string(b, text->len ? text->data : "", text->len);
}

static const char *yes_no(bool v) {
    return v ? "true" : "false";
}

/* Why the program could not be started; NULL: it was. */
static const char *error_of(const struct nd_run_end *end) {
    return end->outcome == OC_OUTCOME_NOT_STARTED ? end->reason : NULL;
}

static void put_exit_code(struct oc_buf *b, const struct nd_run_exit *exit) {
    if (exit->has_code) {
        oc_buf_printf(b, "\"exitCode\":%d,", exit->code);
    }
}

static void put_success(struct oc_buf *b, const struct nd_run_exit *exit) {
    oc_buf_printf(b, "\"timedOut\":%s,\"success\":%s,", yes_no(exit->timed_out),
            yes_no(exit->has_code && exit->code == 0));
}

struct oc_blob *nd_run_result_json(const struct nd_run_end *end, const struct nd_run_result *o) {
    const struct nd_run_exit *exit = &end->exit;
    const char *error = error_of(end);
    /* By hand, because cJSON's strings end at a NUL and a command's output does not. */
    struct oc_buf b = OC_BUF_INIT(MAX_JSON);
    oc_buf_putc(&b, '{');
    put_exit_code(&b, exit);
    if (exit->signal) {
        oc_buf_printf(&b, "\"signal\":%d,", exit->signal);
    }
    if (o->was_live) {
        oc_buf_puts(&b, "\"live\":true,");
    }
    put_success(&b, exit);
    oc_buf_puts(&b, "\"stdout\":");
    put_string(&b, &o->out);
    oc_buf_puts(&b, ",\"stderr\":");
    put_string(&b, &o->err);
    oc_buf_puts(&b, ",\"error\":");
    if (error) {
        oc_json_append_string(&b, error, strlen(error));
    } else {
        oc_buf_puts(&b, "null");
    }
    if (o->sandbox) {
        oc_buf_puts(&b, ",\"sandbox\":");
        oc_json_append_string(&b, o->sandbox, strlen(o->sandbox));
    }
    for (size_t i = 0; o->env_dropped && i < o->env_dropped->count; i++) {
        const char *name = o->env_dropped->items[i];
        oc_buf_puts(&b, i == 0 ? ",\"envDropped\":[" : ",");
        oc_json_append_string(&b, name, strlen(name));
        oc_buf_puts(&b, i + 1 == o->env_dropped->count ? "]" : "");
    }
    if (exit->limit) {
        oc_buf_printf(&b, ",\"limit\":\"%s\"", exit->limit);
    }
    if (o->left_behind) {
        oc_buf_printf(&b, ",\"leftBehind\":\"%s\"", o->left_behind);
    }
    if (o->handle) {
        oc_buf_puts(&b, ",\"handle\":");
        oc_json_append_string(&b, o->handle, strlen(o->handle));
    }
    if (o->remembered) {
        oc_buf_puts(&b, ",\"remembered\":");
        oc_json_append(&b, o->remembered, false);
    }
    oc_buf_putc(&b, '}');
    return oc_blob_from_buf(&b);
}

static void run_result_join(struct oc_buf *to, const char *text, size_t len) {
    if (len > 0) {
        if (to->len > 0) {
            oc_buf_putc(to, '\n');
        }
        oc_buf_append(to, text, len);
    }
}

/* stdout, stderr and the error as one text, trimmed, and only the end of a long one. */
static void put_event_output(struct oc_buf *b, const struct nd_run_result *o, const char *error) {
    OC_AUTO_BUF struct oc_buf all = OC_BUF_INIT(2 * MAX_TEXT + 4096);
    run_result_join(&all, o->out.data, o->out.len);
    run_result_join(&all, o->err.data, o->err.len);
    run_result_join(&all, error, error ? strlen(error) : 0);
    size_t start = 0, end = all.len;
    while (start < end && is_space(all.data[start])) {
        start++;
    }
    while (end > start && is_space(all.data[end - 1])) {
        end--;
    }
    if (end - start <= ND_MAX_EVENT_OUTPUT) {
        oc_json_append_string(b, end > start ? all.data + start : "", end - start);
        return;
    }
    start = end - ND_MAX_EVENT_OUTPUT;
    while (start < end && ((unsigned char)all.data[start] & 0xc0) == 0x80) {
        start++; /* not in the middle of a character */
    }
    OC_AUTO_BUF struct oc_buf cut = OC_BUF_INIT(ND_MAX_EVENT_OUTPUT + 64);
    oc_buf_puts(&cut, "... (truncated) ");
    oc_buf_append(&cut, all.data + start, end - start);
    put_string(b, &cut);
}

static void put_member(struct oc_buf *b, const char *key, const char *value) {
    oc_buf_printf(b, "\"%s\":", key);
    oc_json_append_string(b, value, strlen(value));
    oc_buf_putc(b, ',');
}

static void put_label(struct oc_buf *b, const struct nd_run_label *label) {
    oc_buf_putc(b, '{');
    put_member(b, "sessionKey", label->session_key);
    put_member(b, "runId", label->run_id);
    put_member(b, "host", "node");
    put_member(b, "command", label->command);
}

static void put_audit(struct oc_buf *b, const cJSON *report) {
    if (report) {
        oc_buf_puts(b, ",\"audit\":");
        oc_json_append(b, report, false);
    }
}

struct oc_blob *nd_run_finished_json(
        const struct nd_run_end *end, const struct nd_run_result *o, const cJSON *report) {
    struct oc_buf b = OC_BUF_INIT(MAX_JSON);
    put_label(&b, &end->label);
    put_exit_code(&b, &end->exit);
    put_success(&b, &end->exit);
    oc_buf_puts(&b, "\"output\":");
    put_event_output(&b, o, error_of(end));
    put_audit(&b, report);
    oc_buf_putc(&b, '}');
    return oc_blob_from_buf(&b);
}

static void send_event(struct nd_uplink *up, const char *event, struct oc_blob *take_payload) {
    OC_AUTO_BUF struct oc_buf head = nd_uplink_open_request(up, "node.event");
    oc_buf_printf(&head, "{\"event\":\"%s\",\"payloadJSON\":\"", event);
    struct oc_msg *m = oc_msg_create();
    oc_msg_add_text(m, head.data, head.len);
    struct oc_slice all = { .ptr = take_payload->data, .len = take_payload->len };
    oc_msg_add_slice(m, take_payload, all, OC_PART_ESCAPE);
    oc_msg_add_text(m, "\"}}", 3);
    oc_blob_unref(take_payload);
    up->send(up, m);
}

void nd_run_send_finished(struct nd_uplink *up, const struct nd_run_end *end,
        const struct nd_run_result *o, const cJSON *report) {
    send_event(up, "exec.finished", nd_run_finished_json(end, o, report));
}

void nd_run_send_started(struct nd_uplink *up, const struct nd_run_label *label) {
    struct oc_buf b = OC_BUF_INIT(MAX_JSON);
    put_label(&b, label);
    b.data[b.len - 1] = '}'; /* in the place of the last comma */
    send_event(up, "exec.started", oc_blob_from_buf(&b));
}

void nd_run_send_denied(struct nd_uplink *up, const struct nd_run_end *end, const cJSON *report) {
    const char *gate = end->about.gate;
    struct oc_buf b = OC_BUF_INIT(MAX_JSON);
    put_label(&b, &end->label);
    oc_buf_puts(&b, "\"reason\":");
    oc_json_append_string(&b, gate, strlen(gate));
    put_audit(&b, report);
    oc_buf_putc(&b, '}');
    send_event(up, "exec.denied", oc_blob_from_buf(&b));
}
