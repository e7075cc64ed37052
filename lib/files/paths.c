/* Where the state and the config live. */
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names the product had before, as the reference looks for them. */
static const char *const old_dirs[] = { ".clawdbot", ".moldbot", ".moltbot" };
static const char *const configs[] = { "openclaw.json", "clawdbot.json", "moldbot.json",
    "moltbot.json" };

/* An environment variable, or NULL when it is unset or blank. */
static const char *paths_env(const char *name) {
    const char *v = getenv(name);
    return oc_str_blank(v) ? NULL : v;
}

/* Absolute, so that a later chdir does not move the state. */
static char *paths_absolute(char *take_path) {
    if (take_path[0] == '/') {
        return take_path;
    }
    char *cwd = getcwd(NULL, 0);
    char *path = oc_path_join(cwd ? cwd : ".", take_path);
    oc_free(cwd);
    oc_free(take_path);
    return path;
}

/* "~" and "~/x" the way a shell reads them. */
static char *paths_expand(const char *path, const char *home) {
    if (path[0] == '~' && (path[1] == '/' || !path[1])) {
        return oc_path_join(home, path[1] ? path + 2 : "");
    }
    return oc_strdup(path);
}

static char *system_home(void) {
    const char *home = paths_env("HOME");
    if (!home) {
        const struct passwd *pw = getpwuid(getuid());
        home = pw && pw->pw_dir && *pw->pw_dir ? pw->pw_dir : "/";
    }
    return oc_strdup(home);
}

char *oc_dir_home(void) {
    OC_AUTO_FREE char *home = system_home();
    const char *chosen = paths_env("OPENCLAW_HOME");
    return paths_absolute(chosen ? paths_expand(chosen, home) : oc_take(&home));
}

char *oc_dir_state(void) {
    OC_AUTO_FREE char *home = oc_dir_home();
    const char *chosen = paths_env("OPENCLAW_STATE_DIR");
    if (chosen) {
        return paths_absolute(paths_expand(chosen, home));
    }
    OC_AUTO_FREE char *state = oc_path_join(home, ".openclaw");
    if (!oc_file_exists(state)) {
        /* Who never renamed the directory keeps using it. */
        for (size_t i = 0; i < OC_COUNT(old_dirs); i++) {
            OC_AUTO_FREE char *old = oc_path_join(home, old_dirs[i]);
            if (oc_file_exists(old)) {
                return oc_take(&old);
            }
        }
    }
    return oc_take(&state);
}

char *oc_path_config(void) {
    const char *chosen = paths_env("OPENCLAW_CONFIG_PATH");
    if (chosen) {
        OC_AUTO_FREE char *home = oc_dir_home();
        return paths_absolute(paths_expand(chosen, home));
    }
    OC_AUTO_FREE char *state = oc_dir_state();
    return oc_path_join(state, configs[0]);
}

static char *config_in(const char *dir) {
    for (size_t i = 0; i < OC_COUNT(configs); i++) {
        OC_AUTO_FREE char *path = oc_path_join(dir, configs[i]);
        if (oc_file_exists(path)) {
            return oc_take(&path);
        }
    }
    return NULL;
}

char *oc_path_ancestor_config(const char *config_path) {
    OC_AUTO_FREE char *own = oc_path_config(), *state = oc_dir_state(), *home = oc_dir_home();
    if (paths_env("OPENCLAW_CONFIG_PATH") || strcmp(own, config_path) != 0 || oc_file_exists(own)) {
        return NULL; /* it is said which file counts, or there is one */
    }
    char *found = config_in(state);
    for (size_t i = 0; i < OC_COUNT(old_dirs) && !found && !paths_env("OPENCLAW_STATE_DIR"); i++) {
        OC_AUTO_FREE char *dir = oc_path_join(home, old_dirs[i]);
        found = config_in(dir);
    }
    return found;
}

char *oc_path_user(const char *path) {
    OC_AUTO_FREE char *home = oc_dir_home();
    return paths_absolute(paths_expand(path, home));
}
