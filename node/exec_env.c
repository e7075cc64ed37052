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
static const char *const not_from_callers[] = { "ALL_PROXY", "ANSIBLE_*", "AWKLIBPATH", "AWKPATH",
    "BASHOPTS", "BASH_*", "BROWSER", "BUNDLE_*", "BUN_*", "BZR_*", "CAML*", "CARGO_BUILD_*",
    "CARGO_HOME", "CARGO_TARGET_*", "CDPATH", "CLASSPATH", "COMPOSER_*", "CORECLR_*", "COR_*",
    "CURL_HOME", "CVS*", "DBUS_*", "DENO_*", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST",
    "DOTNET_*", "EDITOR", "ELECTRON_RUN_AS_NODE", "ELIXIR_*", "EMACS*", "ERL_*", "EXINIT", "FCEDIT",
    "FIGNORE", "FPATH", "FTP_PROXY", "GAWK*", "GEM_HOME", "GEM_PATH", "GETCONF_DIR", "GHC*",
    "GIO_*", "GIT_*", "GLIBC_TUNABLES", "GLOBIGNORE", "GNUMAKEFLAGS", "GNUPGHOME", "GOENV",
    "GOFLAGS", "GOROOT", "GOTOOLCHAIN", "GPG_*", "GRADLE_OPTS", "GRADLE_USER_HOME", "GREP_OPTIONS",
    "GSETTINGS_*", "GST_*", "GTK_MODULES", "GTK_PATH", "GZIP", "HGEDITOR", "HGMERGE", "HGRCPATH",
    "HISTFILE", "HOME", "HOSTALIASES", "HTTPS_PROXY", "HTTP_PROXY", "INFOPATH", "INPUTRC",
    "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH",
    "JULIA_PROJECT", "KOTLIN_*", "KRB5*", "KSH*", "KUBECONFIG", "LDAP*", "LESS", "LESSCLOSE",
    "LESSOPEN", "LIBGL_*", "LOCALDOMAIN", "LOCPATH", "LOGNAME", "LUA_*", "MAKEFILES", "MAKEFLAGS",
    "MALLOC_*", "MANOPT", "MANPAGER", "MANPATH", "MAVEN_ARGS", "MAVEN_OPTS", "MFLAGS", "MIX_*",
    "MYSQL_HOME", "MYVIMRC", "NLSPATH", "NODE_*", "NO_PROXY", "NPM_CONFIG_*", "NVIM_*", "OCAML*",
    "ODBC*", "OPENCLAW_*", "OPENSSL_*", "P4*", "PAGER", "PATH", "PERL*", "PG*", "PHPRC",
    "PHP_INI_SCAN_DIR", "PIP_*", "POSIXLY_CORRECT", "PROMPT_COMMAND", "PS1", "PS2", "PS3", "PSQLRC",
    "PWD", "PYTHON*", "QT_PLUGIN_PATH", "RES_OPTIONS", "RSYNC_*", "RUBY*", "RUSTC", "RUSTC_*",
    "R_ENVIRON*", "R_HOME", "R_LIBS*", "R_PROFILE*", "SCALA_*", "SHLVL", "SOCKS_PROXY", "SSH_*",
    "SSL_CERT_DIR", "SSL_CERT_FILE", "SUDO_*", "SVN_*", "SYSTEMD_*", "TAR_OPTIONS", "TCLLIBPATH",
    "TEMP", "TERMCAP", "TERMINFO", "TERMINFO_DIRS", "TMP", "TMPDIR", "TMPPREFIX", "TZDIR", "USER",
    "UV_*", "VIM*", "VISUAL", "VK_*", "WGETRC", "XAUTHORITY", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS", "XDG_DATA_HOME", "XZ_OPT", "YARN_*", "ZDOTDIR", "ZSH*", "_JAVA_OPTIONS",
    NULL };

/* Taken all the same: they change what a program says or writes, not which code runs. */
static const char *const harmless[] = { "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_TERMINAL_PROMPT",
    "NODE_ENV", "NODE_NO_WARNINGS", "PGDATABASE", "PGHOST", "PGPORT", "PGUSER",
    "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUNBUFFERED",
    "PYTHONUTF8", NULL };

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

static bool is_taken(const cJSON *item, bool only_plain) {
    const char *name = item->string ? item->string : "";
    size_t len = strlen(name);
    if (!cJSON_IsString(item) || !is_name(name, len)) {
        return false;
    }
    bool is_refused = matches(never, name, len) ||
                      (matches(not_from_callers, name, len) && !matches(harmless, name, len));
    return only_plain ? matches(plain, name, len) : !is_refused;
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
        if (is_taken(item, only_plain)) {
            put(ret, item->string, item->valuestring);
        }
    }
}

void oc_exec_env_dropped(const cJSON *overrides, bool only_plain, struct oc_strv *ret) {
    const cJSON *item;
    cJSON_ArrayForEach(item, overrides) {
        if (!is_taken(item, only_plain) && item->string && ret->count < OC_MAX_ENV_DROPPED) {
            OC_AUTO_FREE char *shown = oc_printable(item->string, strlen(item->string), 60);
            oc_strv_add(ret, shown);
        }
    }
}
