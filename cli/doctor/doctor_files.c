/* The files of gateway, node and command line: there, readable, private, and making sense. Nothing
 * is written. */
#include "cli/doctor/doctor.h"

#include "gateway/gateway.h"
#include "gateway/pairing/store_import.h"
#include "gateway/settings/config_check.h"
#include "gateway/store/store.h"
#include "lib/base/mem.h"
#include "lib/config/config_file.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"
#include "lib/protocol/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False when the file does not exist. */
static bool check_private(struct cli_doctor *d, const char *check, const char *path) {
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno != ENOENT) {
            cli_doctor_add(d, CLI_FINDING_FAIL, check, oc_strfmt("ls -ld '%s'", path),
                    "%s cannot be looked at: %s", path, strerror(errno));
        }
        return false;
    }
    bool is_dir = S_ISDIR(st.st_mode);
    if (st.st_uid != geteuid() && geteuid() != 0) {
        cli_doctor_add(d, CLI_FINDING_FAIL, check, oc_strfmt("sudo chown -R \"$USER\" '%s'", path),
                "%s belongs to another user", path);
    } else if (st.st_mode & (is_dir ? 022 : 077)) {
        cli_doctor_add(d, CLI_FINDING_FAIL, check,
                oc_strfmt("chmod %s '%s'", is_dir ? "700" : "600", path),
                is_dir ? "others can change what is in %s"
                       : "others can read %s, which holds secrets",
                path);
    }
    return true;
}

cJSON *cli_doctor_read(struct cli_doctor *d, const char *check, const char *path) {
    OC_AUTO_BUF struct oc_buf text = { 0 };
    struct oc_error err = { 0 };
    enum oc_code rc = oc_file_read(path, OC_MAX_STATE_FILE_BYTES, &text, &err);
    if (rc == OC_E_NOT_FOUND) {
        return NULL;
    }
    OC_AUTO_JSON cJSON *doc = NULL;
    if (rc == OC_OK) {
        rc = oc_json_parse(text.data ? text.data : "", text.len, &doc, &err);
    }
    if (rc != OC_OK || !cJSON_IsObject(doc)) {
        cli_doctor_add(d, CLI_FINDING_FAIL, check,
                oc_strfmt("restore %s from a backup, or move it away to start without it", path),
                "%s is damaged: %s", path, rc == OC_OK ? "not an object" : err.text);
        return NULL;
    }
    return oc_take(&doc);
}

/* The file itself need not hold it (${ENV}, $include), so this is no failure. */
static void check_config_mode(struct cli_doctor *d) {
    static const char *const paths[] = { "gateway.auth.token", "gateway.auth.password",
        "gateway.remote.token", "gateway.remote.password" };
    struct stat st;
    bool has_secret = false;
    for (size_t i = 0; i < OC_COUNT(paths); i++) {
        has_secret = has_secret || cJSON_IsString(oc_json_path(d->config, paths[i]));
    }
    if (has_secret && stat(d->config_path, &st) == 0 && (st.st_mode & 077)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "config", oc_strfmt("chmod 600 '%s'", d->config_path),
                "others can read %s, which holds a secret", d->config_path);
    }
}

static void add_config_issues(struct cli_doctor *d, const struct oc_config_file *f,
        const cJSON *issues, enum cli_finding_level level) {
    const cJSON *issue = NULL;
    cJSON_ArrayForEach(issue, issues) {
        const char *file = oc_config_issue_file(f, issue);
        OC_AUTO_FREE char *text = oc_config_issue_text(issue);
        cli_doctor_add(d, level, "config",
                oc_strfmt("correct %s, then: openclaw config validate", file), "%s: %s", file,
                text);
    }
}

/* Also what only shows when a gateway starts: one that runs may have kept older settings, and would
 * not come back after a reboot. */
static void check_config(struct cli_doctor *d) {
    OC_AUTO_CONFIG_FILE struct oc_config_file f;
    oc_config_file_read(d->config_path, &f);
    if (!f.exists) {
        cli_doctor_add(d, CLI_FINDING_OK, "config", NULL, "no config file at %s; defaults are used",
                d->config_path);
        return;
    }
    bool runs_here = !oc_streq(oc_json_get_str(oc_json_get(f.config, "gateway"), "mode"), "remote");
    gw_check_file(&f, d->state_dir);
    add_config_issues(d, &f, f.issues, CLI_FINDING_FAIL);
    add_config_issues(d, &f, f.warnings, CLI_FINDING_WARN);
    if (f.is_readable) {
        d->config = oc_take(&f.config);
        check_config_mode(d);
    }
    if (!f.issues->child) {
        cli_doctor_add(d, CLI_FINDING_OK, "config", NULL, "%s can be read%s", d->config_path,
                runs_here && !f.warnings->child ? ", and a gateway starts with it" : "");
    }
}

/* What a gateway will do with the files of 2026.2.26 when it starts. */
static void check_import(struct cli_doctor *d, const char *db) {
    struct oc_error err;
    size_t devices = 0;
    if (gw_store_import_try(db, d->state_dir, &devices, &err) != OC_OK) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "import",
                oc_strdup("correct the file, or move it away to start without it"),
                "a gateway does not start: %s", err.text);
    } else if (devices > 0) {
        size_t waiting = gw_store_import_waiting(d->state_dir);
        OC_AUTO_FREE char *rest = waiting == 0 ? oc_strdup("")
                                               : oc_strfmt("; %zu requests that wait are not, "
                                                           "those devices ask again",
                                                         waiting);
        cli_doctor_add(d, CLI_FINDING_OK, "import", NULL,
                "%zu devices paired with 2026.2.26 are taken over when the gateway starts%s",
                devices, rest);
    }
    OC_AUTO_FREE char *words = oc_path_join(d->state_dir, "settings/voicewake.json");
    cJSON_Delete(cli_doctor_read(d, "import", words));
}

static void check_state(struct cli_doctor *d) {
    if (!check_private(d, "state", d->state_dir)) {
        cli_doctor_add(d, CLI_FINDING_OK, "state", NULL,
                "no state directory at %s yet; the first command makes it", d->state_dir);
        return;
    }
    OC_AUTO_FREE char *ours = oc_path_join(d->state_dir, GW_DB_NAME);
    OC_AUTO_FREE char *foreign = oc_path_join(d->state_dir, "state/openclaw.sqlite");
    bool has_ours = check_private(d, "state", ours);
    cli_doctor_add(d, CLI_FINDING_OK, "state", NULL, "%s%s", d->state_dir,
            has_ours ? " holds the pairings of a gateway" : "");
    check_import(d, ours);
    OC_AUTO_FREE char *missed = has_ours ? gw_store_import_missed_at(ours, d->state_dir) : NULL;
    if (missed) {
        cli_doctor_add(d, CLI_FINDING_WARN, "import", oc_strdup("openclaw devices join-code"),
                "pairings of 2026.2.26 were taken over once, %s has changed since and is not read "
                "again: what was paired there later has to be paired here",
                missed);
    }
    if (oc_file_exists(foreign)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "import", oc_strdup("openclaw devices join-code"),
                "%s is the state of OpenClaw 2026.9.6: it is never read or changed, and devices "
                "paired there have to be paired here again",
                foreign);
    }
}

static void check_identity(struct cli_doctor *d) {
    OC_AUTO_FREE char *path = oc_path_join(d->state_dir, "identity/device.json");
    OC_AUTO_FREE char *tokens_path = oc_path_join(d->state_dir, "identity/device-auth.json");
    OC_AUTO_JSON cJSON *doc = NULL;
    if (check_private(d, "identity", path)) {
        doc = cli_doctor_read(d, "identity", path);
    } else {
        cli_doctor_add(d, CLI_FINDING_OK, "identity", NULL,
                "no device identity yet; the first connection makes one");
    }
    char key[OC_PUBLIC_KEY_LEN + 1], id[OC_DEVICE_ID_LEN + 1];
    const char *pem = oc_json_get_str(doc, "publicKeyPem");
    if (doc && (!pem || !oc_public_key_normalize(pem, key, id) ||
                       !oc_json_get_str(doc, "privateKeyPem"))) {
        cli_doctor_add(d, CLI_FINDING_FAIL, "identity",
                oc_strfmt("restore %s from a backup, or move it away and pair again", path),
                "%s holds no usable key", path);
    } else if (doc) {
        cli_doctor_add(d, CLI_FINDING_OK, "identity", NULL, "this machine is device %.12s…", id);
    }
    if (check_private(d, "identity", tokens_path)) {
        cJSON_Delete(cli_doctor_read(d, "identity", tokens_path));
    }
}

void cli_doctor_files(struct cli_doctor *d) {
    check_config(d);
    check_state(d);
    check_identity(d);
    cli_doctor_node(d);
}
