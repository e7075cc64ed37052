#include "cli/service/service.h"

#include "cli/service/systemctl.h"
#include "cli/service/unit_text.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/identity/identity.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#define MAX_UNIT_BYTES 65536
#define MAX_PROFILE_CHARS 64

char *cli_service_suffix(const char *home, const char *state_dir) {
    OC_AUTO_FREE char *usual = oc_path_join(home, ".openclaw");
    char hex[65];
    oc_sha256_hex(state_dir, strlen(state_dir), hex);
    const char *rest = oc_starts_with(state_dir, usual) ? state_dir + strlen(usual) : NULL;
    if (rest && strspn(rest, "/") == strlen(rest)) {
        return oc_strdup("");
    }
    rest = rest ? rest : "";
    size_t len = strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (rest[0] == '-' && rest[len] == '\0' && len >= 2 && len <= MAX_PROFILE_CHARS) {
        return oc_strdup(rest);
    }
    return oc_strfmt("-%.8s", hex);
}

/* The manager knows nothing of OPENCLAW_HOME. */
static char *user_home(void) {
    const char *home = getenv("HOME");
    const struct passwd *pw = home && home[0] == '/' ? NULL : getpwuid(geteuid());
    return oc_strdup(pw ? pw->pw_dir : home); /* NULL for a user whom nobody knows */
}

static char *units_dir(const char *home) {
    const char *config = getenv("XDG_CONFIG_HOME");
    return config && config[0] == '/' ? oc_path_join(config, "systemd/user")
                                      : oc_path_join(home, ".config/systemd/user");
}

void cli_service_init(struct cli_service *s, const char *group) {
    OC_AUTO_FREE char *home = user_home(), *dir = units_dir(home ? home : "/");
    OC_AUTO_FREE char *env_name = oc_strfmt("service-%s.env", group);
    *s = (struct cli_service){ .group = group, .state_dir = oc_dir_state() };
    OC_AUTO_FREE char *suffix = cli_service_suffix(home ? home : "/", s->state_dir);
    s->unit = oc_strfmt("openclaw-%s%s.service", group, suffix);
    s->unit_path = oc_path_join(dir, s->unit);
    s->link_path = oc_strfmt("%s/default.target.wants/%s", dir, s->unit);
    s->env_path = oc_path_join(s->state_dir, env_name);
}

void cli_service_finish(struct cli_service *s) {
    oc_free(s->unit);
    oc_free(s->unit_path);
    oc_free(s->link_path);
    oc_free(s->env_path);
    oc_free(s->state_dir);
}

char *cli_service_read(const struct cli_service *s) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(MAX_UNIT_BYTES);
    struct stat st;
    if (lstat(s->unit_path, &st) != 0) {
        return NULL;
    }
    if (!S_ISREG(st.st_mode) || oc_file_read(s->unit_path, MAX_UNIT_BYTES, &text, NULL) != OC_OK) {
        return oc_strdup("");
    }
    return oc_buf_take(&text);
}

char *cli_service_program(void) {
    char path[PATH_MAX];
#ifdef __APPLE__
    uint32_t size = sizeof(path);
    return _NSGetExecutablePath(path, &size) == 0 ? realpath(path, NULL) : NULL;
#else
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n <= 0) {
        return NULL;
    }
    path[n] = '\0';
    return access(path, X_OK) == 0 ? oc_strdup(path) : NULL; /* "… (deleted)" after an upgrade */
#endif
}

bool cli_service_lingers(void) {
    const struct passwd *pw = getpwuid(geteuid());
    OC_AUTO_FREE char *path = pw ? oc_path_join("/var/lib/systemd/linger", pw->pw_name) : NULL;
    return path && oc_file_exists(path);
}

static cJSON *service_command(const struct cli_service *s, const char *text) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    cli_unit_command(text, &argv);
    if (argv.count == 0) {
        return cJSON_CreateNull();
    }
    cJSON *o = cJSON_CreateObject();
    oc_json_set_strv(o, "programArguments", &argv);
    oc_json_set_str(o, "sourcePath", s->unit_path);
    return o;
}

static int64_t service_number(const cJSON *shown, const char *name) {
    int64_t n = 0;
    const char *text = oc_json_get_str(shown, name);
    return text && oc_parse_int(text, 0, INT64_MAX, &n) ? n : 0;
}

/* Into words that do not depend on systemd's. */
static const char *status_of(const char *active) {
    static const char *const running[] = { "active", "activating", "reloading", "deactivating" };
    for (size_t i = 0; i < OC_COUNT(running); i++) {
        if (oc_streq(active, running[i])) {
            return "running";
        }
    }
    return "stopped";
}

static void add_shown(cJSON *state, cJSON *runtime, const cJSON *shown) {
    const char *active = oc_json_get_str(shown, "ActiveState");
    const char *sub = oc_json_get_str(shown, "SubState");
    const char *text = oc_json_get_str(shown, "StatusText");
    int64_t pid = service_number(shown, "MainPID");
    bool waits = oc_streq(sub, "auto-restart");
    oc_json_set_bool(state, "loaded", oc_streq(oc_json_get_str(shown, "UnitFileState"), "enabled"));
    oc_json_set_str(state, "result", oc_json_get_str(shown, "Result"));
    oc_json_set_int(state, "restarts", service_number(shown, "NRestarts"));
    if (text && *text) {
        oc_json_set_str(state, "statusText", text);
    }
    oc_json_set_str(runtime, "status", waits ? "stopped" : status_of(active));
    oc_json_set_str(runtime, "state", active);
    oc_json_set_str(runtime, "subState", sub);
    if (pid > 0) {
        oc_json_set_int(runtime, "pid", pid);
    } else {
        oc_json_set_int(runtime, "lastExitStatus", service_number(shown, "ExecMainStatus"));
    }
    if (oc_streq(oc_json_get_str(shown, "LoadState"), "not-found")) {
        oc_json_set_str(runtime, "detail",
                "systemd does not know this unit: run systemctl --user daemon-reload, or its "
                "XDG_CONFIG_HOME is another one");
    }
}

cJSON *cli_service_state(const struct cli_service *s) {
    OC_AUTO_FREE char *text = cli_service_read(s);
    OC_AUTO_FREE char *logs = oc_strfmt("journalctl --user -u %s", s->unit);
    OC_AUTO_JSON cJSON *shown = NULL;
    cJSON *state = cJSON_CreateObject(), *runtime = cJSON_CreateObject();
    struct oc_error err;
    oc_json_set_str(state, "unit", s->unit);
    oc_json_set_str(state, "unitPath", s->unit_path);
    oc_json_set_bool(state, "installed", text != NULL);
    oc_json_set_bool(state, "ours", text && cli_unit_is_ours(text));
    oc_json_set_str(state, "label", "systemd");
    oc_json_set_str(state, "loadedText", "enabled");
    oc_json_set_str(state, "notLoadedText", "disabled");
    oc_json_set(state, "command", text ? service_command(s, text) : cJSON_CreateNull());
    if (!text) {
        oc_json_set_bool(state, "loaded", false);
        oc_json_set_str(runtime, "status", "stopped");
        oc_json_set_str(runtime, "detail", "not installed");
    } else if (cli_systemctl_show(s->unit,
                       "LoadState,UnitFileState,ActiveState,SubState,MainPID,Result,ExecMainStatus,"
                       "NRestarts,StatusText",
                       &shown, &err) == OC_OK) {
        add_shown(state, runtime, shown);
    } else {
        oc_json_set_bool(state, "loaded", oc_file_exists(s->link_path));
        oc_json_set_str(runtime, "status", "unknown");
        oc_json_set_str(runtime, "detail", err.text);
    }
    oc_json_set(state, "runtime", runtime);
    oc_json_set_bool(state, "lingers", cli_service_lingers());
    oc_json_set_str(state, "logs", logs);
    return state;
}

char *cli_service_summary(const cJSON *state) {
    const cJSON *runtime = oc_json_get(state, "runtime");
    const char *sub = oc_json_get_str(runtime, "subState");
    const char *active = oc_json_get_str(runtime, "state");
    const char *enabled = oc_json_get_bool(state, "loaded", false) ? "enabled" : "disabled";
    if (!oc_json_get_bool(state, "installed", false)) {
        return oc_strdup("not installed");
    }
    if (oc_streq(oc_json_get_str(runtime, "status"), "unknown")) {
        return oc_strfmt("installed, %s; %s", enabled, oc_json_get_str(runtime, "detail"));
    }
    long long code = (long long)oc_json_get_int(runtime, "lastExitStatus", 0, INT32_MAX, 0);
    if (oc_streq(active, "failed")) {
        return oc_strfmt("failed (%s, exit status %lld), %s", oc_json_get_str(state, "result"),
                code, enabled);
    }
    if (oc_streq(sub, "auto-restart")) {
        return oc_strfmt("ended (%s, exit status %lld), is about to be started again, %s",
                oc_json_get_str(state, "result"), code, enabled);
    }
    int64_t pid = oc_json_get_int(runtime, "pid", 1, INT32_MAX, 0);
    if (oc_streq(active, "active") && pid > 0) {
        return oc_strfmt("running, pid %lld, %s", (long long)pid, enabled);
    }
    return oc_strfmt("%s, %s", oc_streq(active, "inactive") ? "stopped" : active, enabled);
}
