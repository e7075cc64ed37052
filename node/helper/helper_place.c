/* Where helper programs are, and the environment that they get. */
#include "node/helper/helper.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static char *own_folder(void) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (n <= 0) {
        return NULL;
    }
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    *slash = '\0';
    return oc_strdup(path);
}

/* Never by PATH or the environment: a helper is as trusted as we are. */
char *nd_helper_find(const char *program) {
    static const char *const places[] = { ".", "../libexec/openclaw" };
    OC_AUTO_FREE char *folder = own_folder();
    for (size_t i = 0; folder && i < OC_COUNT(places); i++) {
        char *path = oc_strfmt("%s/%s/%s", folder, places[i], program);
        struct stat st;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0) {
            return path;
        }
        oc_free(path);
    }
    return NULL;
}

bool nd_helper_is_installed(const char *program) {
    OC_AUTO_FREE char *path = nd_helper_find(program);
    return path != NULL;
}

/* Names that helpers' libraries look at. Nothing of ours (tokens), nothing that loads code. */
static bool is_told(const char *entry) {
    static const char *const names[] = { "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS",
        "DISPLAY", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "GSETTINGS_BACKEND", "GTK_A11Y", "G_DEBUG",
        "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "PIPEWIRE_REMOTE", "PIPEWIRE_RUNTIME_DIR",
        "TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_STATE_HOME" };
    size_t len = strcspn(entry, "=");
    if (strncmp(entry, "LC_", 3) == 0) {
        return true;
    }
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        if (strlen(names[i]) == len && strncmp(entry, names[i], len) == 0) {
            return true;
        }
    }
    return false;
}

static void helper_place_set(struct oc_strv *env, const char *name, const char *value) {
    OC_AUTO_FREE char *entry = oc_strfmt("%s=%s", name, value);
    oc_strv_add(env, entry);
}

static bool is_own_socket(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid();
}

/* The first compositor's socket of the session. */
static void add_wayland(struct oc_strv *env, const char *runtime) {
    DIR *dir = opendir(runtime);
    struct dirent *e;
    char best[64] = "";
    while (dir && (e = readdir(dir))) {
        OC_AUTO_FREE char *path = oc_path_join(runtime, e->d_name);
        if (strncmp(e->d_name, "wayland-", 8) == 0 && strlen(e->d_name) < sizeof(best) &&
                is_own_socket(path) && (!best[0] || strcmp(e->d_name, best) < 0)) {
            memcpy(best, e->d_name, strlen(e->d_name) + 1);
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (best[0]) {
        helper_place_set(env, "WAYLAND_DISPLAY", best);
    }
}

/* A service of the system is not told where its user's session is. */
static void add_session(struct oc_strv *env) {
    OC_AUTO_FREE char *runtime = oc_strdup(getenv("XDG_RUNTIME_DIR"));
    if (!runtime) {
        runtime = oc_strfmt("/run/user/%u", (unsigned)geteuid());
        struct stat st;
        if (stat(runtime, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) {
            return;
        }
        helper_place_set(env, "XDG_RUNTIME_DIR", runtime);
    }
    OC_AUTO_FREE char *bus = oc_path_join(runtime, "bus");
    if (!getenv("DBUS_SESSION_BUS_ADDRESS") && is_own_socket(bus)) {
        OC_AUTO_FREE char *address = oc_strfmt("unix:path=%s", bus);
        helper_place_set(env, "DBUS_SESSION_BUS_ADDRESS", address);
    }
    if (!getenv("WAYLAND_DISPLAY") && !getenv("DISPLAY")) {
        add_wayland(env, runtime);
    }
}

void nd_helper_env(struct oc_strv *ret) {
    for (char **e = environ; *e; e++) {
        if (is_told(*e)) {
            oc_strv_add(ret, *e);
        }
    }
    add_session(ret);
}
