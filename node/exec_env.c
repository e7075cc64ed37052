#include "node/exec_env.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A trailing '*' stands for any ending; case does not matter. */

/* Neither inherited nor taken: they make common programs load or run something else, or they are
 * ours alone. */
static const char *const never[] = { "BASH_ENV", "BASH_FUNC_*", "DYLD_*", "ENV", "GCONV_PATH",
    "GIT_EXTERNAL_DIFF", "IFS", "LD_*", "NODE_OPTIONS", "NODE_PATH", "PERL5LIB", "PERL5OPT", "PS4",
    "PYTHONHOME", "PYTHONPATH", "RUBYLIB", "RUBYOPT", "SHELL", "SHELLOPTS", "SSLKEYLOGFILE",
    /* what the service manager told this process, not its children */
    "CREDENTIALS_DIRECTORY", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET",
    "WATCHDOG_PID", "WATCHDOG_USEC", NULL };

/* Inherited when the owner has set them, but never taken from a caller. */
static const char *const not_from_callers[] = { "ANSIBLE_*", "BASHOPTS", "BROWSER", "BUNDLE_*",
    "CARGO_BUILD_*", "CARGO_HOME", "CARGO_TARGET_*", "CDPATH", "CLASSPATH", "COMPOSER_*",
    "CORECLR_*", "COR_*", "CURL_HOME", "CVS_RSH", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST",
    "DOTNET_ADDITIONAL_DEPS", "DOTNET_STARTUP_HOOKS", "EDITOR", "ELECTRON_RUN_AS_NODE",
    "EMACSLOADPATH", "ERL_*", "EXINIT", "FCEDIT", "FPATH", "GEM_HOME", "GEM_PATH", "GETCONF_DIR",
    "GIT_ALLOW_PROTOCOL", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ASKPASS", "GIT_COMMON_DIR",
    "GIT_CONFIG*", "GIT_DIR", "GIT_EDITOR", "GIT_EXEC_PATH", "GIT_INDEX_FILE", "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR", "GIT_SSH*",
    "GIT_TEMPLATE_DIR", "GIT_TRACE*", "GIT_WORK_TREE", "GLIBC_TUNABLES", "GLOBIGNORE",
    "GNUMAKEFLAGS", "GOENV", "GOFLAGS", "GOROOT", "GOTOOLCHAIN", "GRADLE_OPTS", "GRADLE_USER_HOME",
    "GTK_MODULES", "GTK_PATH", "HGRCPATH", "HISTFILE", "HOME", "HOSTALIASES", "INPUTRC",
    "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH",
    "JULIA_PROJECT", "KUBECONFIG", "LESS", "LESSCLOSE", "LESSOPEN", "LOCALDOMAIN", "LOCPATH",
    "LOGNAME", "LUA_*", "MAKEFILES", "MAKEFLAGS", "MALLOC_*", "MANOPT", "MANPAGER", "MAVEN_ARGS",
    "MAVEN_OPTS", "MFLAGS", "MYSQL_HOME", "NLSPATH", "NODE_EXTRA_CA_CERTS", "NODE_REPL_*",
    "NODE_V8_COVERAGE", "NPM_CONFIG_*", "OPENCLAW_*", "OPENSSL_*", "PAGER", "PATH", "PERL5*",
    "PERL_*", "PGPASSFILE", "PGSERVICEFILE", "PGSYSCONFDIR", "PHPRC", "PHP_INI_SCAN_DIR", "PIP_*",
    "PROMPT_COMMAND", "PS1", "PS2", "PS3", "PSQLRC", "PWD", "PYTHONBREAKPOINT", "PYTHONEXECUTABLE",
    "PYTHONINSPECT", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX", "PYTHONSTARTUP", "PYTHONUSERBASE",
    "PYTHONWARNINGS", "QT_PLUGIN_PATH", "RES_OPTIONS", "RSYNC_*", "RUBYSHELL", "RUSTC", "RUSTC_*",
    "R_ENVIRON*", "R_HOME", "R_LIBS*", "R_PROFILE*", "SHLVL", "SSH_ASKPASS*", "SSH_AUTH_SOCK",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "SUDO_*", "SVN_EDITOR", "SVN_SSH", "TERMCAP", "TERMINFO",
    "TERMINFO_DIRS", "TMPDIR", "TZDIR", "USER", "UV_*", "VIM", "VIMINIT", "VIMRUNTIME", "VISUAL",
    "WGETRC", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "YARN_*",
    "ZDOTDIR", "_JAVA_OPTIONS", NULL };

static const char *const plain[] = { "COLORTERM", "FORCE_COLOR", "LANG", "LC_ALL", "LC_CTYPE",
    "LC_MESSAGES", "NO_COLOR", "TERM", NULL };

static bool matches(const char *const *list, const char *name, size_t len) {
    for (; *list; list++) {
        size_t n = strlen(*list);
        bool is_prefix = (*list)[n - 1] == '*';
        n -= is_prefix;
        if ((is_prefix ? len >= n : len == n) && strncasecmp(*list, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_name(const char *s, size_t len) {
    if (len == 0 || isdigit((unsigned char)s[0])) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)s[i]) && s[i] != '_') {
            return false;
        }
    }
    return true;
}

static bool holds(const char *name, size_t len, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= len; i++) {
        if (strncasecmp(name + i, word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The node's own credentials: a command must not be able to speak to the gateway as this machine.
 */
static bool is_our_secret(const char *name, size_t len) {
    static const char *const words[] = { "TOKEN", "PASS", "SECRET", "KEY", "CRED", "CODE" };
    if (len < 9 || strncasecmp(name, "OPENCLAW_", 9) != 0) {
        return false;
    }
    for (size_t i = 0; i < OC_COUNT(words); i++) {
        if (holds(name, len, words[i])) {
            return true;
        }
    }
    return false;
}

static void put(struct oc_strv *env, const char *name, const char *value) {
    OC_AUTO_FREE char *entry = oc_strfmt("%s=%s", name, value);
    size_t len = strlen(name) + 1;
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->items[i], entry, len) == 0) {
            oc_free(env->items[i]);
            env->items[i] = oc_take(&entry);
            return;
        }
    }
    oc_strv_add(env, entry);
}

void oc_exec_env_build(
        const char *const *base, const cJSON *overrides, bool only_plain, struct oc_strv *ret) {
    for (; *base; base++) {
        const char *eq = strchr(*base, '=');
        size_t len = eq ? (size_t)(eq - *base) : 0;
        if (is_name(*base, len) && !matches(never, *base, len) && !is_our_secret(*base, len)) {
            oc_strv_add(ret, *base);
        }
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, overrides) {
        const char *name = item->string, *value = cJSON_GetStringValue(item);
        size_t len = name ? strlen(name) : 0;
        if (!value || !is_name(name ? name : "", len)) {
            continue;
        }
        bool is_taken =
                only_plain ? matches(plain, name, len)
                           : !matches(never, name, len) && !matches(not_from_callers, name, len);
        if (is_taken) {
            put(ret, name, value);
        }
    }
}
