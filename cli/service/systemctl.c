#include "cli/service/systemctl.h"

#include "cli/child.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_OUTPUT 65536
#define ASK_MS 10000
/* Longer than TimeoutStartSec= and TimeoutStopSec= of our units together, which end the wait with a
 * reason. */
#define DO_MS 150000

/* After su or in a cron job nobody has said where the session is. */
static void find_session(void) {
    const char *told = getenv("XDG_RUNTIME_DIR");
    if (told && *told) {
        return;
    }
    OC_AUTO_FREE char *usual = oc_strfmt("/run/user/%u", (unsigned)geteuid());
    struct stat st;
    if (stat(usual, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid()) {
        (void)setenv("XDG_RUNTIME_DIR", usual, 1);
    }
}

static void add_all(struct oc_strv *argv, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (words[i]) {
            oc_strv_add(argv, words[i]);
        }
    }
}

static enum oc_code systemctl_run(const char *const *words, size_t count, int64_t timeout_ms,
        struct oc_buf *out, int *ret_status, struct oc_error *err) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    static const char *const head[] = { "systemctl", "--user", "--no-pager", "--no-ask-password",
        "--plain" };
    add_all(&argv, head, OC_COUNT(head));
    add_all(&argv, words, count);
    find_session();
    return cli_child_collect_all(&argv, timeout_ms, out, ret_status, err);
}

/* Its first line; systemctl says the cause first and advice after it. */
static char *first_words(const struct oc_buf *out) {
    const char *text = out->len > 0 ? out->data : "";
    return oc_printable(text, strcspn(text, "\n"), 160);
}

enum oc_code cli_systemctl_reach(int *ret_version, struct oc_error *err) {
#ifdef __APPLE__
    (void)ret_version;
    return oc_fail(err, OC_E_UNAVAILABLE,
            "services are for systemd; launchd is not built into this version");
#else
    static const char *const words[] = { "show", "--property=Version", "--value" };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_OUTPUT);
    struct oc_error why;
    int status = 0;
    if (systemctl_run(words, OC_COUNT(words), ASK_MS, &out, &status, &why) != OC_OK) {
        return oc_fail(err, OC_E_UNAVAILABLE,
                "this machine has no systemd (%s), which services need", why.text);
    }
    OC_AUTO_FREE char *said = first_words(&out);
    if (status != 0 || !*said) {
        return oc_fail(err, OC_E_UNAVAILABLE, "the systemd of user %u cannot be asked: %s",
                (unsigned)geteuid(), *said ? said : "no answer");
    }
    *ret_version = (int)strtol(said, NULL, 10); /* "252.39-1~deb12u1" */
    return OC_OK;
#endif
}

enum oc_code cli_systemctl(const char *verb, const char *unit, struct oc_error *err) {
    const char *const words[] = { verb, unit };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_OUTPUT);
    int status = 0;
    enum oc_code rc = systemctl_run(words, OC_COUNT(words), DO_MS, &out, &status, err);
    if (rc == OC_OK && status != 0) {
        OC_AUTO_FREE char *said = first_words(&out);
        rc = oc_fail(err, OC_E_IO, "systemctl --user %s%s%s: %s", verb, unit ? " " : "",
                unit ? unit : "", *said ? said : "it did not end");
    }
    return rc;
}

cJSON *cli_systemctl_parse(const char *text) {
    cJSON *all = cJSON_CreateObject();
    while (*text) {
        size_t len = strcspn(text, "\n");
        const char *eq = memchr(text, '=', len);
        if (eq && eq > text) {
            OC_AUTO_FREE char *name = oc_strndup(text, (size_t)(eq - text));
            OC_AUTO_FREE char *value = oc_strndup(eq + 1, len - (size_t)(eq - text) - 1);
            oc_json_set_str(all, name, value);
        }
        text += len + (text[len] == '\n');
    }
    return all;
}

enum oc_code cli_systemctl_show(
        const char *unit, const char *properties, cJSON **ret, struct oc_error *err) {
    OC_AUTO_FREE char *wanted = oc_strfmt("--property=%s", properties);
    const char *const words[] = { "show", wanted, unit };
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(MAX_OUTPUT);
    int status = 0;
    enum oc_code rc = systemctl_run(words, OC_COUNT(words), ASK_MS, &out, &status, err);
    if (rc == OC_OK && status != 0) {
        OC_AUTO_FREE char *said = first_words(&out);
        rc = oc_fail(err, OC_E_UNAVAILABLE, "the systemd of user %u cannot be asked: %s",
                (unsigned)geteuid(), *said ? said : "no answer");
    }
    if (rc == OC_OK) {
        *ret = cli_systemctl_parse(out.len > 0 ? out.data : "");
    }
    return rc;
}
