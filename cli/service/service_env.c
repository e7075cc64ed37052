#include "cli/service/service_env.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/utf8.h"
#include "lib/files/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE_BYTES 65536

char *cli_service_env_text(const cJSON *values) {
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_FILE_BYTES);
    const cJSON *v;
    oc_json_for_each_member(v, values) {
        (void)oc_buf_printf(&out, "%s=\"", v->string);
        for (const char *c = v->valuestring; *c; c++) {
            if (oc_is_one_of(*c, "\"\\`$")) {
                (void)oc_buf_putc(&out, '\\');
            }
            (void)oc_buf_putc(&out, *c);
        }
        (void)oc_buf_puts(&out, "\"\n");
    }
    if (out.failed) {
        explicit_bzero(out.data, out.len);
        return NULL;
    }
    return oc_buf_take(&out);
}

/* Of one line: also without quotes, as an owner may have written it. */
static void parse_line(cJSON *values, const char *line, size_t len) {
    const char *eq = memchr(line, '=', len);
    if (!eq || eq == line || line[0] == '#' || line[0] == ';') {
        return;
    }
    const char *at = eq + 1, *end = line + len;
    char quote = '\0';
    if (at < end && (*at == '"' || *at == '\'')) {
        quote = *at;
    }
    OC_AUTO_FREE char *name = oc_strndup(line, (size_t)(eq - line));
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_FILE_BYTES);
    for (at += quote != '\0'; at < end && !(quote && *at == quote); at++) {
        if (quote == '"' && *at == '\\' && at + 1 < end && oc_is_one_of(at[1], "\"\\`$")) {
            at++;
        }
        (void)oc_buf_putc(&text, *at);
    }
    OC_AUTO_SECRET char *value = oc_buf_take(&text);
    oc_json_set_str(values, name, value);
}

cJSON *cli_service_env_parse(const char *text) {
    cJSON *values = cJSON_CreateObject();
    while (*text) {
        size_t len = strcspn(text, "\n");
        parse_line(values, text, len);
        text += len + (text[len] == '\n');
    }
    return values;
}

enum oc_code cli_service_env_read(const char *path, cJSON **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_FILE_BYTES);
    struct oc_error why;
    enum oc_code rc = oc_file_read(path, MAX_FILE_BYTES, &text, &why);
    if (rc != OC_OK && rc != OC_E_NOT_FOUND) {
        *err = why;
        return rc;
    }
    *ret = cli_service_env_parse(rc == OC_OK && text.len > 0 ? text.data : "");
    if (text.len > 0) {
        explicit_bzero(text.data, text.len);
    }
    return OC_OK;
}

static enum oc_code service_env_check(const cJSON *values, struct oc_error *err) {
    const cJSON *v;
    oc_json_for_each_member(v, values) {
        const unsigned char *c = (const unsigned char *)v->valuestring;
        while (*c >= 0x20 && *c != 0x7f) {
            c++;
        }
        if (*c || !oc_utf8_valid(v->valuestring, strlen(v->valuestring))) {
            return oc_fail(err, OC_E_INVALID,
                    "%s: control characters and broken UTF-8 cannot be handed to a service",
                    v->string);
        }
    }
    return OC_OK;
}

enum oc_code cli_service_env_write(
        const char *path, const cJSON *values, bool *ret_changed, struct oc_error *err) {
    OC_AUTO_JSON cJSON *old = NULL;
    enum oc_code rc = service_env_check(values, err);
    if (rc == OC_OK) {
        rc = cli_service_env_read(path, &old, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    OC_AUTO_SECRET char *text = cli_service_env_text(values), *before = cli_service_env_text(old);
    if (!text) { /* nothing is cut off: half a secret is a wrong one */
        return oc_fail(err, OC_E_TOO_LARGE,
                "'%s': the secrets of a service have %d bytes together at most", path,
                MAX_FILE_BYTES);
    }
    bool is_changed = !oc_streq(text, before);
    if (is_changed && !*text) {
        rc = unlink(path) == 0 || errno == ENOENT
                     ? OC_OK
                     : oc_fail(err, OC_E_IO, "remove '%s': %s", path, strerror(errno));
    } else if (*text) {
        /* Also when nothing is new: whoever opened the file to others does not find it so again. */
        rc = oc_file_write_private(path, text, strlen(text), err);
    }
    if (rc == OC_OK) {
        *ret_changed = is_changed;
    }
    return rc;
}
