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
static const char *const not_from_callers[] = { "ALL_PROXY", "ANSIBLE_*", "ANT_*", "APT_CONFIG",
    "AR", "AS", "ASAN_*", "ASDF_*", "AWKLIBPATH", "AWKPATH", "BASHOPTS", "BASHRCSOURCED", "BASH_*",
    "BIBINPUTS", "BROWSER", "BUILDAH_*", "BUNDLE_*", "BUN_*", "BZR_*", "CAML*", "CARGO_BUILD_*",
    "CARGO_ENCODED_RUSTFLAGS", "CARGO_HOME", "CARGO_TARGET_*", "CATALINA_*", "CC", "CCACHE_*",
    "CDPATH", "CGO_*", "CLASSPATH", "CMAKE_*", "COLLECT_GCC", "COMPILER_PATH", "COMPOSER_*",
    "CONDA_*", "CONTAINERS_*", "CORECLR_*", "COR_*", "CPATH", "CPLUS_INCLUDE_PATH", "CPP",
    "CURL_HOME", "CVS*", "CXX", "C_INCLUDE_PATH", "DBUS_*", "DEBCONF_*", "DEBUGINFOD_*", "DENO_*",
    "DIRENV_*", "DISTCC_*", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_HOST", "DOTNET_*", "DPKG_*",
    "EDITOR", "EGL_*", "ELECTRON_RUN_AS_NODE", "ELIXIR_*", "EMACS*", "ERL_*", "EXINIT", "EXRC",
    "FCEDIT", "FIGNORE", "FNM_*", "FONTCONFIG_*", "FPATH", "FTP_PROXY", "GAWK*", "GCC_EXEC_PREFIX",
    "GDK_PIXBUF_*", "GEM_HOME", "GEM_PATH", "GETCONF_DIR", "GHC*", "GIO_*", "GIT_*",
    "GI_TYPELIB_PATH", "GLIBC_TUNABLES", "GLOBIGNORE", "GNUMAKEFLAGS", "GNUPGHOME", "GOBIN",
    "GOENV", "GOFLAGS", "GONOSUMDB", "GOPATH", "GOPROXY", "GOROOT", "GOSUMDB", "GOTOOLCHAIN",
    "GPG_*", "GRADLE_OPTS", "GRADLE_USER_HOME", "GREP_OPTIONS", "GROFF_*", "GSETTINGS_*", "GST_*",
    "GS_LIB", "GS_OPTIONS", "GTK_EXE_PREFIX", "GTK_IM_MODULE*", "GTK_MODULES", "GTK_PATH",
    "GUILE_*", "GZIP", "HELM_PLUGINS", "HGEDITOR", "HGMERGE", "HGRCPATH", "HISTFILE", "HOME",
    "HOSTALIASES", "HTTPS_PROXY", "HTTP_PROXY", "INFOPATH", "INPUTRC", "IPYTHONDIR", "JAVA_HOME",
    "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_HOME", "JDK_JAVA_OPTIONS", "JRE_HOME",
    "JULIA_DEPOT_PATH", "JULIA_LOAD_PATH", "JULIA_PROJECT", "JUPYTER_*", "KOTLIN_*", "KRB5*",
    "KSH*", "KUBECONFIG", "LADSPA_PATH", "LD", "LDAP*", "LEIN_*", "LESS", "LESSCLOSE", "LESSKEY*",
    "LESSOPEN", "LIBGL_*", "LIBRARY_PATH", "LIBVA_*", "LOCALDOMAIN", "LOCPATH", "LOGNAME", "LSAN_*",
    "LUA_*", "LV2_PATH", "M2_HOME", "MAGICK_*", "MAILCAPS", "MAILRC", "MAKEFILES", "MAKEFLAGS",
    "MALLOC_*", "MAMBA_*", "MANOPT", "MANPAGER", "MANPATH", "MAVEN_ARGS", "MAVEN_HOME",
    "MAVEN_OPTS", "MESA_*", "MESON*", "MFLAGS", "MISE_*", "MIX_*", "MONO_*", "MPLCONFIGDIR",
    "MSAN_*", "MYSQL_HOME", "MYVIMRC", "NIX_*", "NLSPATH", "NODE_*", "NO_PROXY", "NPM_CONFIG_*",
    "NVIM_*", "NVM_*", "OCAML*", "OCL_ICD_*", "OCTAVE_*", "ODBC*", "OPENCLAW_*", "OPENCL_*",
    "OPENSSL_*", "P4*", "PAGER", "PANGO_*", "PATH", "PDM_*", "PERL*", "PG*", "PHPRC",
    "PHP_INI_SCAN_DIR", "PIP_*", "PKG_CONFIG*", "PLT*", "PODMAN_*", "POETRY_*", "POSIXLY_CORRECT",
    "POWERSHELL*", "PROMPT_COMMAND", "PS1", "PS2", "PS3", "PSMODULEPATH", "PSQLRC", "PULUMI_HOME",
    "PWD", "PYENV_*", "PYTHON*", "QT_*", "RBENV_*", "RES_OPTIONS", "RPM_*", "RSYNC_*", "RUBY*",
    "RUSTC", "RUSTC_*", "RUSTDOCFLAGS", "RUSTFLAGS", "RUSTUP_*", "R_ENVIRON*", "R_HOME", "R_LIBS*",
    "R_PROFILE*", "SBCL_*", "SBT_*", "SCALA_*", "SCREENRC", "SELECTED_EDITOR", "SHLVL",
    "SOCKS_PROXY", "SSH_*", "SSL_CERT_DIR", "SSL_CERT_FILE", "SUDO_*", "SVN_*", "SWI_*",
    "SYSTEMD_*", "TAR_OPTIONS", "TCLLIBPATH", "TEMP", "TERMCAP", "TERMINFO", "TERMINFO_DIRS",
    "TEXINPUTS", "TEXMF*", "TF_CLI_*", "TF_PLUGIN_*", "TMP", "TMPDIR", "TMPPREFIX", "TOX_*",
    "TSAN_*", "TZDIR", "UBSAN_*", "USER", "UV_*", "VAGRANT_*", "VIM*", "VISUAL", "VK_*", "VOLTA_*",
    "WGETRC", "XAUTHORITY", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME",
    "XZ_OPT", "YARN_*", "ZDOTDIR", "ZSH*", "_JAVA_OPTIONS", "__EGL_*", "__GLX_*", NULL };

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
