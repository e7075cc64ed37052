#include "node/exec_env.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const empty[] = { NULL };

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    struct oc_error err;
    assert_int_equal(oc_json_parse(text, strlen(text), &v, &err), OC_OK);
    return v;
}

static void check(
        const char *const *base, const char *overrides, bool only_plain, const char *expected) {
    OC_AUTO_JSON cJSON *over = overrides ? parse(overrides) : NULL;
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_exec_env_build(base, over, only_plain, &env);
    OC_AUTO_FREE char *text = oc_strv_join(&env, "|");
    assert_string_equal(text, expected);
}

static void inherited(void **state) {
    (void)state;
    const char *const base[] = { "PATH=/bin", "HOME=/root", "EDITOR=vi", "LD_PRELOAD=x",
        "ld_library_path=x", "DYLD_INSERT_LIBRARIES=x", "BASH_FUNC_ls%%=() { :; }", "BASH_ENV=x",
        "ENV=x", "NODE_OPTIONS=x", "SHELL=/bin/sh", "1BAD=x", "BAD-NAME=x", "=x", "novalue",
        "EMPTY=", "A=b=c", NULL };
    check(base, NULL, false, "PATH=/bin|HOME=/root|EDITOR=vi|EMPTY=|A=b=c");
}

static void our_secrets_stay_here(void **state) {
    (void)state;
    const char *const base[] = { "OPENCLAW_GATEWAY_TOKEN=t", "OPENCLAW_GATEWAY_PASSWORD=p",
        "openclaw_gateway_token=t", "OPENCLAW_API_KEY=k", "OPENCLAW_PAIR_CODE=c",
        "OPENCLAW_HOOK_SECRET=s", "OPENCLAW_STATE_DIR=/s", "NOTIFY_SOCKET=/run/x", "LISTEN_FDS=1",
        "WATCHDOG_USEC=5", "CREDENTIALS_DIRECTORY=/run/c", "GITHUB_TOKEN=mine", NULL };
    check(base, NULL, false, "OPENCLAW_STATE_DIR=/s|GITHUB_TOKEN=mine");
}

static void additions(void **state) {
    (void)state;
    const char *const base[] = { "PATH=/bin", "LANG=C", NULL };
    check(base, "{\"FOO\":\"bar\",\"LANG\":\"de\",\"N\":1,\"O\":null,\"E\":\"\"}", false,
            "PATH=/bin|LANG=de|FOO=bar|E=");
    check(base, "{}", false, "PATH=/bin|LANG=C");
    check(base, "{\"PATH\":\"/evil\",\"Path\":\"/evil\",\"HOME\":\"/evil\"}", false,
            "PATH=/bin|LANG=C");
    check(base, "{\"bad-key\":\"1\",\"\":\"1\",\"A=B\":\"1\",\"1A\":\"1\",\"A B\":\"1\"}", false,
            "PATH=/bin|LANG=C");
}

/* One by one: each of these has run someone's code somewhere. */
static void refused_additions(void **state) {
    (void)state;
    static const char *const names[] = { "PATH", "HOME", "ZDOTDIR", "LD_PRELOAD", "LD_AUDIT",
        "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "SHELLOPTS", "PS4", "IFS", "SHELL",
        "NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PERL5LIB",
        "PERL5OPT", "PERL5DB", "RUBYLIB", "RUBYOPT", "GCONV_PATH", "SSLKEYLOGFILE",
        "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "GIT_EDITOR",
        "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_EXEC_PATH", "GIT_PROXY_COMMAND", "SSH_ASKPASS",
        "VIMINIT", "EXINIT", "LUA_INIT", "LUA_INIT_5_4", "LUA_PATH", "HOSTALIASES", "LESSOPEN",
        "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS", "DOTNET_STARTUP_HOOKS", "MAKEFLAGS", "OPENSSL_CONF", "GLIBC_TUNABLES",
        "PROMPT_COMMAND", "npm_config_prefix", "RUSTC_WRAPPER", "OPENCLAW_STATE_DIR",
        "OPENCLAW_GATEWAY_TOKEN", "XDG_CONFIG_HOME", "NOTIFY_SOCKET", "LESSKEY_CONTENT",
        "LESSKEYIN", "LESSKEY", "JAVA_HOME", "CC", "CXX", "LD", "GCC_EXEC_PREFIX", "COMPILER_PATH",
        "RUSTFLAGS", "RUSTUP_TOOLCHAIN", "MAGICK_CONFIGURE_PATH", "GS_LIB", "NIX_PATH",
        "NIX_CONFIG", "GDK_PIXBUF_MODULE_FILE", "CMAKE_TOOLCHAIN_FILE", "CMAKE_C_COMPILER_LAUNCHER",
        "PKG_CONFIG", "QT_PLUGIN_PATH", "TF_CLI_ARGS" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        OC_AUTO_JSON cJSON *over = cJSON_CreateObject();
        oc_json_set_str(over, names[i], "x");
        OC_AUTO_STRV struct oc_strv env = { 0 };
        oc_exec_env_build(empty, over, false, &env);
        if (env.count != 0) {
            fail_msg("%s was taken from the caller", names[i]);
        }
    }
}

static void useful_additions(void **state) {
    (void)state;
    check(empty,
            "{\"NODE_ENV\":\"test\",\"PYTHONUNBUFFERED\":\"1\",\"GIT_AUTHOR_NAME\":\"x\",\"CI\":"
            "\"1\",\"CFLAGS\":\"-O2\",\"TF_VAR_size\":\"2\"}",
            false,
            "NODE_ENV=test|PYTHONUNBUFFERED=1|GIT_AUTHOR_NAME=x|CI=1|CFLAGS=-O2|TF_VAR_size=2");
}

static void only_plain_names(void **state) {
    (void)state;
    check(empty,
            "{\"FOO\":\"bar\",\"LANG\":\"C\",\"TERM\":\"xterm\",\"LC_ALL\":\"C\",\"NO_COLOR\":"
            "\"1\",\"lang\":\"x\"}",
            true, "LANG=C|TERM=xterm|LC_ALL=C|NO_COLOR=1|lang=x");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inherited),
        cmocka_unit_test(our_secrets_stay_here),
        cmocka_unit_test(additions),
        cmocka_unit_test(refused_additions),
        cmocka_unit_test(useful_additions),
        cmocka_unit_test(only_plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
