#include "node/argv/exec_option_names.h"

#include "lib/base/mem.h"
#include "lib/base/str.h"

#include <string.h>

/* Parts of the names of options that run or load something, in one program or another. */
static const char *const anywhere[] = { "askpass", "browser", "callback", "cmd", "command",
    "editor", "exec", "helper", "hook", "interpreter", "invoke", "launcher", "pager", "pinentry",
    "plugin", "preload", "program", "script", "sendmail", "shell", "viewer", "wrapper" };
/* The same, but only between dashes: "--no-reload" loads nothing, "--runtime" runs nothing. */
static const char *const whole[] = { "action", "addon", "addons", "call", "conf", "config",
    "driver", "engine", "eval", "extcmd", "extension", "extensions", "filter", "import", "include",
    "init", "lib", "library", "load", "module", "modules", "pipe", "prog", "provider", "rc",
    "rcfile", "require", "rsh", "run", "specs", "spawn", "ssh", "startup", NULL };

bool nd_exec_option_name(const char *word, char ret[64]) {
    size_t dashes = strspn(word, "-"), len = strcspn(word + dashes, "=:");
    if (dashes == 0 || dashes > 2 || len == 0 || len >= 64) {
        return false;
    }
    memcpy(ret, word + dashes, len);
    ret[len] = '\0';
    oc_ascii_lower(ret);
    return true;
}

bool nd_exec_is_called_like_code(const char *word) {
    char name[64];
    if (!nd_exec_option_name(word, name) || (oc_starts_with(name, "no-") && !strchr(word, '='))) {
        return false;
    }
    for (size_t i = 0; i < OC_COUNT(anywhere); i++) {
        if (strstr(name, anywhere[i])) {
            return true;
        }
    }
    char *rest = NULL;
    for (const char *part = strtok_r(name, "-_.,", &rest); part;
            part = strtok_r(NULL, "-_.,", &rest)) {
        if (part[0] && part[1] && oc_str_in(part, whole)) {
            return true;
        }
    }
    return false;
}
