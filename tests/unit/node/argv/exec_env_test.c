#include "node/argv/exec_env.h"

#include "lib/base/mem.h"

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
        const char *const *base, const char *overrides, const char *config, const char *expected) {
    OC_AUTO_JSON cJSON *over = overrides ? parse(overrides) : NULL;
    OC_AUTO_JSON cJSON *owner = config ? parse(config) : NULL;
    OC_AUTO_STRV struct oc_strv env = { 0 };
    nd_exec_env_build(base, over, owner, &env);
    OC_AUTO_FREE char *text = oc_strv_join(&env, "|");
    assert_string_equal(text, expected);
}

static void inherited(void **state) {
    (void)state;
    const char *const base[] = { "PATH=/bin", "HOME=/root", "EDITOR=vi", "LD_PRELOAD=x",
        "ld_library_path=x", "DYLD_INSERT_LIBRARIES=x", "BASH_FUNC_ls%%=() { :; }", "BASH_ENV=x",
        "ENV=x", "NODE_OPTIONS=x", "SHELL=/bin/sh", "1BAD=x", "BAD-NAME=x", "=x", "novalue",
        "EMPTY=", "A=b=c", NULL };
    check(base, NULL, NULL, "PATH=/bin|HOME=/root|EDITOR=vi|EMPTY=|A=b=c");
}

static void our_secrets_stay_here(void **state) {
    (void)state;
    const char *const base[] = { "OPENCLAW_GATEWAY_TOKEN=t", "OPENCLAW_GATEWAY_PASSWORD=p",
        "openclaw_gateway_token=t", "OPENCLAW_API_KEY=k", "OPENCLAW_PAIR_CODE=c",
        "OPENCLAW_HOOK_SECRET=s", "OPENCLAW_STATE_DIR=/s", "NOTIFY_SOCKET=/run/x", "LISTEN_FDS=1",
        "WATCHDOG_USEC=5", "CREDENTIALS_DIRECTORY=/run/c", "GITHUB_TOKEN=mine", NULL };
    check(base, NULL, NULL, "OPENCLAW_STATE_DIR=/s|GITHUB_TOKEN=mine");
}

static void additions(void **state) {
    (void)state;
    const char *const base[] = { "PATH=/bin", "LANG=C", NULL };
    check(base, "{\"FOO\":\"bar\",\"LANG\":\"de\",\"N\":1,\"O\":null,\"E\":\"\"}", NULL,
            "PATH=/bin|LANG=de|FOO=bar|E=");
    check(base, "{}", NULL, "PATH=/bin|LANG=C");
    check(base, "{\"PATH\":\"/evil\",\"Path\":\"/evil\",\"HOME\":\"/evil\"}", NULL,
            "PATH=/bin|LANG=C");
    check(base, "{\"bad-key\":\"1\",\"\":\"1\",\"A=B\":\"1\",\"1A\":\"1\",\"A B\":\"1\"}", NULL,
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
        "PKG_CONFIG", "QT_PLUGIN_PATH", "TF_CLI_ARGS",
        /* found by attackers, or by searching what Debian's programs ask for */
        "SPA_PLUGIN_DIR", "SDL_DYNAMIC_API", "SDL3_DYNAMIC_API", "ZIPOPT", "UNZIP",
        "PIPEWIRE_MODULE_DIR", "VK_ICD_FILENAMES", "LIBGL_DRIVERS_PATH", "GBM_BACKENDS_PATH",
        "ALSA_PLUGIN_DIR", "PULSE_DLPATH", "MAGIC", "NLSPATH", "TERMINFO", "TERMINFO_DIRS",
        "RES_OPTIONS", "CURL_HOME", "WGETRC", "TAR_OPTIONS", "GZIP", "XZ_OPT", "RSYNC_RSH",
        "RIPGREP_CONFIG_PATH", "CARGO_HOME", "CARGO_BUILD_RUSTC_WRAPPER", "PIP_CONFIG_FILE",
        "KUBECONFIG", "DOCKER_HOST", "AWS_CONFIG_FILE", "https_proxy", "GST_PLUGIN_PATH",
        "XDG_DATA_DIRS", "LOCPATH", "PYTEST_PLUGINS", "XR_RUNTIME_JSON", "ACC_PROFLIB",
        "MTR_PACKET", "MLT_REPOSITORY", "SOAPY_SDR_ROOT", "BAZELISK_BASE_URL", "USE_BAZEL_VERSION",
        "REQUESTS_CA_BUNDLE", "XLOCALELIBDIR", "WLR_XWAYLAND", "XMLLINT", "GREP", "ZIP",
        "HARNESS_PERL_SWITCHES", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "LDLIBS", "LIBS",
        "RM", "LIBTOOLIZE", "AUTOHEADER", "AUTOM4TE_CFG", "BISON_PKGDATADIR", "PKCS11SPY",
        "GVIMINIT", "PMIX_MCA_mca_base_component_path", "SP_COLLECTOR_PARAMS", "CLANG", "CLANGXX",
        "ROOTDIR", "BINDIR", "EMU", "DIFFPROG", "PRYRC", "GVBINDIR", "INTEL_LIBITTNOTIFY64",
        "INTEL_LIBITTNOTIFY32", "GNUPLOT_DRIVER_DIR", "WIRESHARK_EXTCAP_DIR", "WIRESHARK_DATA_DIR",
        "NMAPDIR", "BLENDER_USER_SCRIPTS", "GIMP2_DIRECTORY", "INKSCAPE_PROFILE_DIR",
        "MAXIMA_USERDIR", "LYX_USERDIR_23x", "TASKDATA", "TIMEWARRIORDB", "NNN_PLUG", "PARALLEL",
        "WINEDLLOVERRIDES", "WINEPREFIX", "FLASK_APP", "ICECC_CC", "HWLOC_COMPONENTS", "GAMBCOPT",
        "PROTOC",
        /* by rule: programs that nobody here knows */
        "SOMEFLAGS", "A_SWITCHES", "SOMEINIT", "THATRC", "SOMEPROG", "X_MCA_y", "A_DATADIR",
        "ANY_PRELOAD", "MY_PLUGINS", "SOME_PATH", "SomePath", "APP_OPTS", "TOOL_OPTIONS",
        "FOO_MODULES", "X_COMMAND", "THE_EDITOR", "A_WRAPPER", "SOME_CONFIG", "B_ASKPASS",
        "A_DRIVER_DIR", "A_DATA_DIR", "ANYBINDIR", "A_SCRIPTS", "A_USERDIR", "AUSERDIR_2",
        "A_PROFILE_DIR", "A_EXTCAP_B" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        OC_AUTO_JSON cJSON *over = cJSON_CreateObject();
        oc_json_set_str(over, names[i], "x");
        OC_AUTO_STRV struct oc_strv env = { 0 };
        nd_exec_env_build(empty, over, NULL, &env);
        if (env.count != 0) {
            fail_msg("%s was taken from the caller", names[i]);
        }
    }
}

static void useful_additions(void **state) {
    (void)state;
    check(empty,
            "{\"NODE_ENV\":\"test\",\"PYTHONUNBUFFERED\":\"1\",\"GIT_AUTHOR_NAME\":\"x\",\"CI\":"
            "\"1\",\"TF_VAR_size\":\"2\"}",
            false, "NODE_ENV=test|PYTHONUNBUFFERED=1|GIT_AUTHOR_NAME=x|CI=1|TF_VAR_size=2");
}

static void classes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum nd_env_class wanted;
    } cases[] = {
        { "LANG", ND_ENV_HARMLESS },
        { "lang", ND_ENV_HARMLESS },
        { "LC_TIME", ND_ENV_HARMLESS },
        { "TERM", ND_ENV_HARMLESS },
        { "NO_COLOR", ND_ENV_HARMLESS },
        { "TERM_PROGRAM", ND_ENV_HARMLESS },
        { "TERM_PROGRAM_VERSION", ND_ENV_HARMLESS },
        { "TERM_PROGRAM_PATH", ND_ENV_LOADS },
        { "OTHER_PROGRAM", ND_ENV_LOADS },
        { "LANGUAGES", ND_ENV_OTHER },
        { "TERMS", ND_ENV_OTHER },
        { "FOO", ND_ENV_OTHER },
        { "CI", ND_ENV_OTHER },
        { "TEXT", ND_ENV_OTHER },
        { "GOAL", ND_ENV_OTHER },
        { "MANAGER", ND_ENV_OTHER },
        { "DATABASE_URL", ND_ENV_OTHER },
        { "GIT_AUTHOR_NAME", ND_ENV_OTHER },
        { "SRC", ND_ENV_OTHER },
        { "FLAG", ND_ENV_OTHER },
        { "SCRIPTS", ND_ENV_OTHER },
        { "DATA_DIRECTORY", ND_ENV_OTHER },
        { "BIND_ADDRESS", ND_ENV_OTHER },
        { "LANGUAGE", ND_ENV_LOADS }, /* catalogues of the caller: formats of a listed program */
        { "BORG_PASSCOMMAND", ND_ENV_LOADS },
        { "LIBGUESTFS_HV", ND_ENV_LOADS },
        { "GIT_DIR", ND_ENV_LOADS },
        { "TERMINFO", ND_ENV_LOADS },
        { "PATH", ND_ENV_LOADS },
        { "path", ND_ENV_LOADS },
        { "LD_PRELOAD", ND_ENV_LOADS },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        if (nd_exec_env_class(cases[i].name) != cases[i].wanted) {
            fail_msg("%s is of class %d", cases[i].name, nd_exec_env_class(cases[i].name));
        }
    }
}

/* Who adds a row says where it is from, and a row that another one above hides is no row. */
static void every_row_counts_and_has_a_source(void **state) {
    (void)state;
    static const struct {
        const char *kind, *pattern, *source;
    } rows[] = {
#define ND_ENV_NAME(kind, pattern, source) { #kind, pattern, source },
#include "node/argv/exec_env_names.def"
#undef ND_ENV_NAME
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        assert_true(strlen(rows[i].source) >= 4);
        char name[80];
        size_t n = 0;
        for (const char *c = rows[i].pattern; *c; c++) {
            name[n++] = *c == '*' ? 'Q' : *c;
        }
        name[n] = '\0';
        enum nd_env_class wanted = strcmp(rows[i].kind, "HARMLESS") == 0 ? ND_ENV_HARMLESS
                                   : strcmp(rows[i].kind, "OTHER") == 0  ? ND_ENV_OTHER
                                                                         : ND_ENV_LOADS;
        if (nd_exec_env_class(name) != wanted) {
            fail_msg("the row of %s does not count", rows[i].pattern);
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(rows[k].pattern, rows[i].pattern) == 0) {
                fail_msg("two rows for %s", rows[i].pattern);
            }
        }
    }
}

static void the_owner_names_exceptions(void **state) {
    (void)state;
    static const char owner[] =
            "{\"node\":{\"exec\":{\"env\":{\"allow\":[\"GIT_DIR\",\"FOO\",7]}}}}";
    check(empty, "{\"GIT_DIR\":\"x\",\"GIT_EDITOR\":\"x\",\"git_dir\":\"x\",\"A B\":\"x\"}", owner,
            "GIT_DIR=x");
    /* What is approved was found on the node's own. */
    check(empty, "{\"PATH\":\"/evil\",\"Path\":\"/evil\",\"FOO\":\"x\"}",
            "{\"node\":{\"exec\":{\"env\":{\"allow\":[\"PATH\",\"Path\",\"FOO\"]}}}}", "FOO=x");
    OC_AUTO_JSON cJSON *config = parse(owner);
    OC_AUTO_JSON cJSON *given =
            parse("{\"FOO\":\"1\",\"BAR\":\"1\",\"LANG\":\"C\",\"LD_PRELOAD\":\"x\",\"N\":1}");
    OC_AUTO_STRV struct oc_strv uncovered = { 0 }, dropped = { 0 };
    nd_exec_env_uncovered(given, config, &uncovered);
    OC_AUTO_FREE char *names = oc_strv_join(&uncovered, " ");
    assert_string_equal(names, "BAR");
    nd_exec_env_dropped(given, config, &dropped);
    OC_AUTO_FREE char *left = oc_strv_join(&dropped, " ");
    assert_string_equal(left, "LD_PRELOAD N");
}

/* Nobody compares a name of a megabyte with every row. */
static void endless_names_are_dropped(void **state) {
    (void)state;
    char name[300];
    memset(name, 'X', sizeof(name));
    name[257] = '\0';
    assert_int_equal(nd_exec_env_class(name), ND_ENV_LOADS);
    OC_AUTO_JSON cJSON *given = cJSON_CreateObject();
    oc_json_set_str(given, name, "1");
    OC_AUTO_STRV struct oc_strv env = { 0 }, dropped = { 0 };
    nd_exec_env_build((const char *const[]){ NULL }, given, NULL, &env);
    nd_exec_env_dropped(given, NULL, &dropped);
    assert_int_equal(env.count, 0);
    assert_int_equal(dropped.count, 1);
    name[256] = '\0';
    assert_int_equal(nd_exec_env_class(name), ND_ENV_OTHER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inherited),
        cmocka_unit_test(our_secrets_stay_here),
        cmocka_unit_test(additions),
        cmocka_unit_test(refused_additions),
        cmocka_unit_test(useful_additions),
        cmocka_unit_test(classes),
        cmocka_unit_test(every_row_counts_and_has_a_source),
        cmocka_unit_test(the_owner_names_exceptions),
        cmocka_unit_test(endless_names_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
