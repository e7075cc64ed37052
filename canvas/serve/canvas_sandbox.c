#include "canvas/serve/canvas_sandbox.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "platform/linux/helper/helper_sandbox.h"

#include <fontconfig/fontconfig.h>
#include <stdlib.h>
#include <string.h>

#define CACHE "openclaw-canvas"
#define MAX_MEMORY ((int64_t)2 << 30)

/* Whether what is at below is in the folder, or is the folder. */
static bool canvas_sandbox_contains(const char *folder, const char *below) {
    OC_AUTO_FREE char *f = realpath(folder, NULL), *b = below ? realpath(below, NULL) : NULL;
    size_t n = f ? strlen(f) : 0;
    return n > 0 && b && strncmp(f, b, n) == 0 && (n == 1 || b[n] == '/' || b[n] == '\0');
}

/* A home that is searched for fonts as a whole stays closed all the same. */
static void add_fonts(struct oc_strv *ret, const char *state) {
    FcStrList *lists[] = { FcConfigGetFontDirs(NULL), FcConfigGetCacheDirs(NULL) };
    for (size_t i = 0; i < OC_COUNT(lists); i++) {
        const char *folder;
        while (lists[i] && (folder = (const char *)FcStrListNext(lists[i]))) {
            if (!oc_starts_with(folder, "/usr/") &&
                    !canvas_sandbox_contains(folder, getenv("HOME")) &&
                    !canvas_sandbox_contains(folder, state)) {
                oc_strv_add(ret, folder);
            }
        }
        if (lists[i]) {
            FcStrListDone(lists[i]);
        }
    }
}

/* A place in the home, which the environment may have put elsewhere. */
static void add_own(
        struct oc_strv *ret, const char *variable, const char *missing, const char *name) {
    const char *there = variable ? getenv(variable) : NULL, *home = getenv("HOME");
    OC_AUTO_FREE char *path = there && there[0] == '/' ? oc_strfmt("%s/%s", there, name)
                              : home && home[0] == '/' ? oc_strfmt("%s/%s%s", home, missing, name)
                                                       : NULL;
    if (path) {
        oc_strv_add(ret, path);
    }
}

/* How the desktop looks and how its keyboard writes. */
static void add_desktop(struct oc_strv *ret) {
    static const char *const settings[] = { "dconf", "gtk-3.0", "gtk-4.0", "ibus", "xsettingsd" };
    static const char *const looks[] = { "icons", "themes", "mime", "glib-2.0", "X11" };
    static const char *const others[] = { ".icons", ".themes", ".XCompose" };
    for (size_t i = 0; i < OC_COUNT(settings); i++) {
        add_own(ret, "XDG_CONFIG_HOME", ".config/", settings[i]);
    }
    for (size_t i = 0; i < OC_COUNT(looks); i++) {
        add_own(ret, "XDG_DATA_HOME", ".local/share/", looks[i]);
    }
    for (size_t i = 0; i < OC_COUNT(others); i++) {
        add_own(ret, NULL, "", others[i]);
    }
}

static const char **canvas_sandbox_list(const struct oc_strv *paths) {
    const char **ret = oc_new_array(const char *, paths->count + 1);
    for (size_t i = 0; i < paths->count; i++) {
        ret[i] = paths->items[i];
    }
    return ret;
}

static char *canvas_sandbox_parent(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash > path ? oc_strndup(path, (size_t)(slash - path)) : NULL;
}

/* Fontconfig reads its settings here, while it can still reach them; what it has read lasts for the
 * life of the process. */
void cv_wall_in(bool has_screen, const char *root) {
    OC_AUTO_STRV struct oc_strv readable = { 0 }, changeable = { 0 };
    OC_AUTO_FREE char *state = canvas_sandbox_parent(root);
    add_fonts(&readable, state);
    if (has_screen) {
        add_desktop(&readable);
        if (getenv("XDG_RUNTIME_DIR")) {
            add_own(&changeable, "XDG_RUNTIME_DIR", "", "dconf"); /* where its changes are told */
        }
    }
    OC_AUTO_FREE const char **read = canvas_sandbox_list(&readable),
                            **change = canvas_sandbox_list(&changeable);
    OC_AUTO_FREE char *cache = os_helper_enter_sandbox(
            &(struct os_helper_sandbox_opts){ .cache = has_screen ? CACHE : NULL,
                    .memory_bytes = MAX_MEMORY,
                    .has_devices = has_screen,
                    .is_alone = !has_screen,
                    .starts_programs = true, /* which draw SVG */
                    .readable = read,
                    .changeable = change });
    if (cache) {
        setenv("MESA_SHADER_CACHE_DIR", cache, 1);
    }
}
