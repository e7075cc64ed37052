#include "cli/run/capture.h"

#include "cli/gateway/call.h"
#include "cli/nodes/nodes_util.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run/media_file.h"
#include "cli/text.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/json/json_scan.h"
#include "lib/protocol/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_FIELD ((size_t)1024 * 1024) /* of everything but the capture itself */

#define TO_STDOUT "-"
#define MAX_SIDE 1000000 /* of a picture, in pixels */

enum oc_code cli_capture_check_out(const struct cli_cli *cli, struct oc_error *err) {
    const char *out = cli_args_text(&cli->args, "out");
    if (!out) {
        return OC_OK;
    }
    if (strcmp(out, TO_STDOUT) != 0) {
        OC_AUTO_FREE char *path = oc_path_user(out);
        return cli_media_check(path, err);
    }
    return isatty(STDOUT_FILENO) ? oc_fail(err, OC_E_INVALID,
                                           "--out -: a terminal shows no pictures; send it to a "
                                           "file or a program")
                                 : OC_OK;
}

static const char *extension_of(const char *out) {
    const char *slash = out ? strrchr(out, '/') : NULL;
    const char *dot = out ? strrchr(slash ? slash : out, '.') : NULL;
    return dot ? dot + 1 : "";
}

const char *cli_capture_out_format(const struct cli_cli *cli, const char *const *formats) {
    const char *ext = extension_of(cli_args_text(&cli->args, "out"));
    for (size_t i = 0; formats[i]; i++) {
        if (strcasecmp(formats[i], ext) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

/* ".jpg or .png"; the caller frees it. */
static char *list_formats(const char *const *formats) {
    OC_AUTO_STRV struct oc_strv names = { 0 };
    for (size_t i = 0; formats[i]; i++) {
        OC_AUTO_FREE char *name = oc_strfmt(".%s", formats[i]);
        if (strcmp(formats[i], "jpeg") != 0) {
            oc_strv_add(&names, name);
        }
    }
    return oc_strv_join(&names, " or ");
}

int cli_capture_check_args(const struct cli_cli *cli, const char *const *formats,
        int64_t duration_ms, int64_t invoke_ms) {
    static const char *const media[] = { "jpg", "jpeg", "png", "gif", "webp", "bmp", "mp4", "mov",
        "mkv", "webm", "avi", NULL };
    const char *out = cli_args_text(&cli->args, "out");
    const char *ext = cli_capture_out_format(cli, media);
    if (out && oc_str_blank(out)) {
        return cli_usage(cli, "--out takes the name of a file");
    }
    if (out && strcmp(out, TO_STDOUT) == 0 && cli->is_json) {
        return cli_usage(cli, "--out - and --json would both write to stdout");
    }
    if (ext && !cli_capture_out_format(cli, formats)) {
        OC_AUTO_FREE char *made = list_formats(formats);
        return cli_usage(cli, "--out %s: this makes %s, not .%s", out, made, ext);
    }
    if (duration_ms > 0 && invoke_ms < duration_ms) {
        return cli_usage(cli,
                "--invoke-timeout %lld would end before the recording of %lld ms does: leave it "
                "out, or give at least %lld",
                (long long)invoke_ms, (long long)duration_ms, (long long)duration_ms + 15000);
    }
    return CLI_EXIT_OK;
}

enum oc_code cli_capture_begin(
        struct cli_capture *c, struct cli_cli *cli, int64_t invoke_ms, struct oc_error *err) {
    *c = (struct cli_capture){ .cli = cli };
    c->invoke_ms = cli_args_int(&cli->args, "invoke-timeout", invoke_ms);
    enum oc_code rc = cli_find_node(cli, &c->list, &c->node, err);
    if (rc == OC_OK) {
        c->live =
                (struct cli_live_run){ .cli = cli, .node_id = oc_json_get_str(c->node, "nodeId") };
        cli_live_run_begin(&c->live);
    }
    return rc;
}

void cli_capture_end(struct cli_capture *c) {
    if (c->node) {
        cli_live_run_end(&c->live);
    }
    cJSON_Delete(c->list);
}

void cli_captured_finish(struct cli_captured *r) {
    cJSON_Delete(r->fields);
    oc_buf_finish(&r->text);
    cli_rpc_reply_finish(&r->reply);
}

/* The members but base64 as a tree; base64 stays where it is. */
static enum oc_code take_apart(
        struct oc_slice object, struct cli_captured *ret, struct oc_error *err) {
    ret->fields = cJSON_CreateObject();
    struct oc_json_cursor at = { 0 };
    struct oc_json_member m;
    size_t total = 0;
    while (oc_json_next(object, &at, &m)) {
        OC_AUTO_FREE char *key = oc_json_unescape(m.key, 256);
        if (oc_streq(key, "base64") && m.value.kind == OC_JK_STRING) {
            ret->base64 = oc_json_body(m.value);
            continue;
        }
        total += m.value.raw.len;
        cJSON *value = NULL;
        if (!key || total > MAX_FIELD ||
                oc_json_parse(m.value.raw.ptr, m.value.raw.len, &value, err) != OC_OK) {
            return oc_fail(err, OC_E_INVALID, "the node's answer makes no sense");
        }
        oc_json_set(ret->fields, key, value);
    }
    return OC_OK;
}

/* A node that could not do as it was asked says what it did instead. */
static void tell_changes(const cJSON *clamped) {
    const cJSON *c;
    cJSON_ArrayForEach(c, clamped) {
        OC_AUTO_FREE char *name = cli_shown(oc_json_get_str(c, "name"));
        double n[4];
        bool is_whole = true;
        for (size_t i = 0; i < OC_COUNT(n); i++) {
            static const char *const keys[] = { "used", "asked", "min", "max" };
            is_whole =
                    is_whole && oc_json_as_num(oc_json_get(c, keys[i]), -INFINITY, INFINITY, &n[i]);
        }
        if (is_whole) {
            cli_note("note: the node used %s %.10g instead of %.10g; it takes %.10g to %.10g", name,
                    n[0], n[1], n[2], n[3]);
        }
    }
}

/* {"ok","nodeId","command","payload":{…},"payloadJSON":"…"|null}: one of the last two is enough. */
static enum oc_code read_reply(struct cli_captured *ret, struct oc_error *err) {
    struct oc_json_value payload = { .kind = OC_JK_NULL }, text = { .kind = OC_JK_NULL };
    if (ret->reply.payload.len == 0 || oc_json_root(ret->reply.payload).kind != OC_JK_OBJECT) {
        return oc_fail(err, OC_E_INVALID, "the gateway's answer is not an object");
    }
    (void)oc_json_find(ret->reply.payload, "payload", &payload);
    (void)oc_json_find(ret->reply.payload, "payloadJSON", &text);
    if (payload.kind != OC_JK_OBJECT && text.kind == OC_JK_STRING) {
        ret->text = OC_BUF_INIT(OC_MAX_MESSAGE_BYTES);
        enum oc_code rc = oc_json_unescape_append(&ret->text, oc_json_body(text));
        if (rc != OC_OK || !oc_json_valid(ret->text.data, ret->text.len, 64)) {
            return oc_fail(err, OC_E_INVALID, "the node's answer is not JSON");
        }
        payload = oc_json_root((struct oc_slice){ ret->text.data, ret->text.len });
    }
    if (payload.kind != OC_JK_OBJECT) { /* system.notify has none */
        ret->fields = cJSON_CreateObject();
        return OC_OK;
    }
    return take_apart(payload.raw, ret, err);
}

static cJSON *invoke_params(struct cli_capture *c, const char *command, cJSON *take_params) {
    oc_uuid4(c->live.key); /* one call, one key: Ctrl-C cancels by it */
    cJSON *invoke = cJSON_CreateObject();
    oc_json_set_str(invoke, "nodeId", c->live.node_id);
    oc_json_set_str(invoke, "command", command);
    oc_json_set(invoke, "params", take_params);
    oc_json_set_int(invoke, "timeoutMs", c->invoke_ms);
    oc_json_set_str(invoke, "idempotencyKey", c->live.key);
    return invoke;
}

enum oc_code cli_capture_ask(struct cli_capture *c, const char *command, cJSON *take_params,
        const char *label, int64_t shown_ms, struct cli_captured *ret, struct oc_error *err) {
    struct cli_progress bar;
    struct cli_captured r = { 0 };
    cJSON *params = invoke_params(c, command, take_params);
    cli_progress_begin(&bar, cli_rpc_loop(c->cli->rpc), label, shown_ms, c->cli->is_json);
    enum oc_code rc = cli_call(
            c->cli, "node.invoke", params, cli_answer_ms(c->cli, c->invoke_ms), &r.reply, err);
    cli_progress_end(&bar);
    if (rc != OC_OK) {
        return rc;
    }
    rc = read_reply(&r, err);
    if (rc != OC_OK) {
        cli_captured_finish(&r);
        return rc;
    }
    tell_changes(oc_json_get(r.fields, "clamped"));
    if (oc_json_get_str(r.fields, "note")) {
        OC_AUTO_FREE char *note = cli_shown(oc_json_get_str(r.fields, "note"));
        cli_note("note: %s", note);
    }
    *ret = r;
    return OC_OK;
}

int cli_capture_fail(struct cli_capture *c, const struct oc_error *err) {
    int code = cli_fail(c->cli, err);
    return c->live.signo ? 128 + c->live.signo : code;
}

static const char *known_format(const char *format, const char *const *formats) {
    for (size_t i = 0; format && formats[i]; i++) {
        if (strcmp(formats[i], format) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

static bool is_same_format(const char *a, const char *b) {
    return strcmp(a, b) == 0 || (a[0] == 'j' && b[0] == 'j'); /* jpg and jpeg */
}

/* A node of others may not know the format that it is asked for. */
static void tell_other_format(
        const struct cli_cli *cli, const char *format, const char *const *formats) {
    const char *wanted = cli_capture_out_format(cli, formats);
    if (wanted && !is_same_format(wanted, format)) {
        cli_note("note: the node sent a %s, not a %s; the file has its bytes as they came", format,
                wanted);
    }
}

enum oc_code cli_capture_save(const struct cli_cli *cli, const char *command,
        const struct cli_captured *r, const char *stem, const char *const *formats,
        struct cli_saved *ret, struct oc_error *err) {
    const char *format = known_format(oc_json_get_str(r->fields, "format"), formats);
    const char *out = cli_args_text(&cli->args, "out");
    uint64_t bytes = 0;
    if (oc_json_get_str(r->fields, "url") && r->base64.len == 0) {
        OC_AUTO_FREE char *url = oc_printable(
                oc_json_get_str(r->fields, "url"), strlen(oc_json_get_str(r->fields, "url")), 200);
        return oc_fail(err, OC_E_UNSUPPORTED,
                "the node left it at %s, which this command does not fetch", url);
    }
    if (!format || r->base64.len == 0) {
        return oc_fail(err, OC_E_INVALID, "invalid %s payload", command);
    }
    tell_other_format(cli, format, formats);
    if (oc_streq(out, TO_STDOUT)) {
        *ret = (struct cli_saved){ .path = oc_strdup(out) };
        return cli_media_write(STDOUT_FILENO, r->base64, &ret->bytes, err);
    }
    OC_AUTO_FREE char *path = out ? oc_path_user(out) : NULL;
    const char *ext = strcmp(format, "jpeg") == 0 ? "jpg" : format;
    enum oc_code rc = path ? OC_OK : cli_media_temp_path(stem, ext, &path, err);
    rc = rc == OC_OK ? cli_media_save(path, r->base64, &bytes, err) : rc;
    if (rc == OC_OK) {
        *ret = (struct cli_saved){ oc_take(&path), bytes };
    }
    return rc;
}

void cli_capture_print(const struct cli_saved *saved, const cJSON *fields) {
    if (strcmp(saved->path, TO_STDOUT) == 0) {
        return;
    }
    OC_AUTO_FREE char *path = cli_media_shown_path(saved->path);
    if (!isatty(STDOUT_FILENO)) {
        cli_out_line("MEDIA:%s", path);
        return;
    }
    int64_t width = oc_json_get_int(fields, "width", 1, MAX_SIDE, 0);
    int64_t height = oc_json_get_int(fields, "height", 1, MAX_SIDE, 0);
    int64_t duration_ms = oc_json_get_ms(fields, "durationMs", 0);
    OC_AUTO_FREE char *shown = oc_printable(path, strlen(path), SIZE_MAX);
    OC_AUTO_FREE char *what =
            width > 0 && height > 0 ? oc_strfmt(", %lldx%lld", (long long)width, (long long)height)
            : duration_ms > 0       ? oc_strfmt(", %.1f s", (double)duration_ms / 1000)
                                    : oc_strdup("");
    char size[24];
    cli_size(saved->bytes, size);
    cli_out_line("Saved %s (%s%s)", shown, size, what);
}

bool cli_capture_number(const struct cli_cli *cli, const char *option, double min, double max,
        cJSON *params, const char *key) {
    const char *text = cli_args_text(&cli->args, option);
    if (!text) {
        return true;
    }
    char *end = NULL;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !isfinite(value) || value < min || value > max) {
        (void)cli_usage(cli, "--%s takes a number from %g to %g", option, min, max);
        return false;
    }
    cJSON_AddNumberToObject(params, key, value);
    return true;
}
