/* The owner's settings, and what they come to for one command. Kernels are given as a struct. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/json/json.h"
#include "node/sandbox/sandbox.h"

#include <errno.h>

static const struct os_sandbox_features complete = {
    .landlock_abi = 7, .seccomp = true, .namespaces = true, .own_proc = true
};

struct machine {
    char *dir, *state, *approvals, *work;
};

static char *make_dir(const char *parent, const char *name) {
    char *path = oc_path_join(parent, name);
    assert_int_equal(mkdir(path, 0700), 0);
    return path;
}

static int setup(void **state) {
    struct machine *m = oc_new(struct machine);
    void *dir = NULL;
    if (oc_temp_setup(&dir) != 0) {
        return -1;
    }
    m->dir = realpath(dir, NULL);
    oc_free(dir);
    m->state = make_dir(m->dir, "state");
    m->work = make_dir(m->dir, "work");
    OC_AUTO_FREE char *rules = make_dir(m->dir, ".openclaw");
    m->approvals = oc_path_join(rules, "exec-approvals.json");
    *state = m;
    return 0;
}

static int teardown(void **state) {
    struct machine *m = *state;
    oc_free(m->state);
    oc_free(m->work);
    oc_free(m->approvals);
    int rc = oc_temp_teardown((void **)&m->dir);
    oc_free(m);
    return rc;
}

/* settings: node.exec as JSON; %W stands for the workspace, %D for the machine's directory. */
static enum oc_code create(struct machine *m, const char *settings,
        const struct os_sandbox_features *features, struct nd_sandbox **ret, struct oc_error *err) {
    OC_AUTO_BUF struct oc_buf text = OC_BUF_INIT(10000);
    oc_buf_puts(&text, "{\"node\":{\"exec\":");
    for (const char *p = settings; *p; p++) {
        if (*p == '%') {
            oc_buf_puts(&text, *++p == 'W' ? m->work : m->dir);
        } else {
            oc_buf_putc(&text, *p);
        }
    }
    oc_buf_puts(&text, "}}");
    OC_AUTO_JSON cJSON *config = NULL;
    struct oc_error parse_err;
    assert_int_equal(oc_json_parse(text.data, text.len, &config, &parse_err), OC_OK);
    return nd_sandbox_create(&(struct nd_sandbox_opts){ .platform = &os_native,
                                     .config = config,
                                     .state_dir = m->state,
                                     .approvals_path = m->approvals,
                                     .features = features },
            ret, err);
}

static struct nd_sandbox *need(
        struct machine *m, const char *settings, const struct os_sandbox_features *features) {
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    if (create(m, settings, features, &s, &err) != OC_OK) {
        fail_msg("%s: %s", settings, err.text);
    }
    return s;
}

/* Also one that was judged before the mistake was made and begins after it. */
static void nothing_starts_while_newer_settings_are_wrong(void **state) {
    struct machine *m = *state;
    static const char *const settings[] = { "{}", "{\"limits\":{\"cpuSeconds\":9}}",
        "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"]}" };
    for (size_t i = 0; i < OC_COUNT(settings); i++) {
        struct nd_sandbox *s = need(m, settings[i], &complete);
        s->wrong = oc_strdup("node.exec.network must be one of on|off");
        char *cwd = NULL;
        OC_AUTO_FREE char *misplaced = nd_sandbox_place(s, &cwd, NULL);
        assert_null(cwd);
        assert_non_null(strstr(misplaced, "node.exec.network must be one of on|off"));
        OC_AUTO_STRV struct oc_strv env = { 0 };
        struct nd_sandboxed box;
        OC_AUTO_FREE char *refusal = nd_sandbox_open(s, "/bin/true", m->work, &env, &box, NULL);
        assert_string_equal(refusal, misplaced);
        assert_null(box.sandbox);
        nd_sandbox_close(&box);
        nd_sandbox_destroy(s);
    }
}

static void mistakes_are_named(void **state) {
    struct machine *m = *state;
    oc_free(make_dir(m->state, "identity"));
    oc_free(make_dir(m->work, "sub"));
    static const struct {
        const char *settings, *text;
    } rows[] = {
        { "{\"sandbox\":\"stict\"}", "node.exec.sandbox" },
        { "{\"sandbox\":1}", "node.exec.sandbox" },
        { "{\"Sandbox\":\"strict\"}", "node.exec.Sandbox" },
        { "{\"sandbox\":\"strict\",\"network\":\"of\"}", "node.exec.network" },
        { "{\"sandbox\":\"strict\",\"workspace\":\"%W\"}", "node.exec.workspace" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"/\"]}", "holds the keys" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%D\"]}", "holds the keys" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%D/state\"]}", "holds the keys" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%D/state/identity\"]}", "holds the keys" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%D/state/../state\"]}", "holds the keys" },
        { "{\"sandbox\":\"strict\",\"readable\":[\"%D/.openclaw\"]}", "node.exec.readable" },
        { "{\"sandbox\":\"strict\",\"writable\":[\"%D\"]}", "node.exec.writable" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%W/sub\"],\"writable\":[\"%W\"]}",
                "make it the workspace instead" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%D/none\"]}", "No such file" },
        { "{\"sandbox\":\"strict\",\"workspace\":[\"%W\",\"%W/sub\"]}", "keep one of them" },
        { "{\"limits\":{\"memory\":\"1X\"}}", "node.exec.limits.memory" },
        { "{\"limits\":{\"memory\":\"100MB\"}}", "node.exec.limits.memory" },
        { "{\"limits\":{\"fileSize\":\"0\"}}", "node.exec.limits.fileSize" },
        { "{\"limits\":{\"memory\":\"99999999999T\"}}", "node.exec.limits.memory" },
        { "{\"limits\":{\"cpu\":1}}", "node.exec.limits.cpu" },
        { "{\"limits\":{\"processes\":5}}", "node.exec.limits.processes" },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        struct nd_sandbox *s = NULL;
        struct oc_error err = { 0 };
        if (create(m, rows[i].settings, &complete, &s, &err) != OC_E_INVALID ||
                !strstr(err.text, rows[i].text)) {
            fail_msg("%s: '%s'", rows[i].settings, err.text);
        }
    }
}

static void settings_are_read(void **state) {
    struct machine *m = *state;
    struct nd_sandbox *s = need(m, "{}", NULL);
    assert_int_equal(s->mode, ND_SANDBOX_OFF);
    assert_null(s->label);
    nd_sandbox_destroy(s);
    s = need(m, "{\"sandbox\":\"strict\",\"unixSockets\":true,\"sandboxFallback\":\"allow\"}",
            &complete);
    assert_true(s->no_network);
    assert_false(s->unix_sockets); /* never in strict */
    assert_false(s->may_fall_back);
    assert_string_equal(s->label, "strict");
    OC_AUTO_FREE char *usual = oc_path_join(m->state, "workspace");
    assert_string_equal(s->workspaces.items[0], usual);
    assert_true(oc_file_exists(usual));
    nd_sandbox_destroy(s);
    s = need(m,
            "{\"sandbox\":\"workspace\",\"workspace\":[\"%W\"],\"unixSockets\":true,"
            "\"sandboxFallback\":\"allow\",\"limits\":{\"memory\":\"3M\",\"fileSize\":\"2G\","
            "\"cpuSeconds\":4,\"openFiles\":50},\"readable\":[\"%W\",\"/usr\"]}",
            &complete);
    assert_true(s->no_network); /* this machine's own services are on it */
    assert_true(s->unix_sockets);
    assert_true(s->may_fall_back);
    assert_int_equal(s->limits.memory_bytes, 3 << 20);
    assert_int_equal(s->limits.file_bytes, INT64_C(2) << 30);
    assert_int_equal(s->limits.cpu_seconds, 4);
    assert_int_equal(s->limits.open_files, 50);
    assert_int_equal(s->readable.count, 1); /* what lies in the workspace needs no rule */
    nd_sandbox_destroy(s);
    s = need(m, "{\"sandbox\":\"workspace\",\"network\":\"on\"}", &complete);
    assert_false(s->no_network);
    OC_AUTO_FREE char *summary = nd_sandbox_summary(s);
    assert_non_null(strstr(summary, "this machine's own services included"));
    nd_sandbox_destroy(s);
    s = need(m, "{\"sandbox\":\"strict\",\"network\":\"on\"}", &complete);
    assert_true(s->no_network);
    nd_sandbox_destroy(s);
}

/* With its settings in reach a command could take its sandbox down. */
static void files_of_the_node_are_in_no_open_directory(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *own = make_dir(m->dir, "own"), *deep = make_dir(m->work, "deep");
    OC_AUTO_FREE char *inside = oc_path_join(deep, "file"), *outside = oc_path_join(own, "file"),
                      *link = oc_path_join(own, "link"), *way_out = oc_path_join(deep, "way-out");
    assert_int_equal(symlink(inside, link), 0);
    assert_int_equal(symlink(outside, way_out), 0);
    oc_write_text(outside, "{}");
    const struct {
        const char *file;
        bool exists, is_fine; /* `inside` does */
    } rows[] = {
        { outside, true, true }, { inside, true, false },
        { inside, false, false },                        /* it could be made */
        { link, true, false }, { way_out, true, false }, /* it could be led elsewhere */
        { "-", true, true },                             /* standard input */
    };
    OC_AUTO_JSON cJSON *config = cJSON_CreateObject();
    cJSON *exec = cJSON_AddObjectToObject(cJSON_AddObjectToObject(config, "node"), "exec");
    oc_json_set_str(exec, "sandbox", "strict");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(exec, "workspace"), cJSON_CreateString(m->work));
    for (size_t i = 0; i < OC_COUNT(rows) * 3; i++) {
        size_t row = i / 3;
        unlink(inside);
        if (rows[row].exists) {
            oc_write_text(inside, "{}");
        }
        OC_AUTO_STRV struct oc_strv files = { 0 };
        oc_strv_add(&files, outside);
        oc_strv_add(&files, rows[row].file);
        struct nd_sandbox_opts opts = { .platform = &os_native,
            .config = config,
            .state_dir = m->state,
            .approvals_path = i % 3 == 2 ? rows[row].file : m->approvals,
            .config_files = i % 3 == 0 ? &files : NULL,
            .token_file = i % 3 == 1 ? rows[row].file : NULL,
            .features = &complete };
        struct nd_sandbox *s = NULL;
        struct oc_error err = { 0 };
        enum oc_code rc = nd_sandbox_create(&opts, &s, &err);
        if (rc != (rows[row].is_fine ? OC_OK : OC_E_INVALID)) {
            fail_msg("%s as %zu: %s", rows[row].file, i % 3, err.text);
        }
        nd_sandbox_destroy(s);
    }
}

static void nothing_of_the_node_lies_in_the_system(void **state) {
    struct machine *m = *state;
    OC_AUTO_STRV struct oc_strv files = { 0 };
    oc_strv_add(&files, "/usr/no-such.json");
    OC_AUTO_JSON cJSON *config = cJSON_CreateObject();
    struct nd_sandbox_opts opts = { .platform = &os_native,
        .config = config,
        .mode = "strict",
        .state_dir = m->state,
        .approvals_path = m->approvals,
        .config_files = &files,
        .features = &complete };
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    assert_int_equal(nd_sandbox_create(&opts, &s, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "lie in '/usr'"));
    opts.config_files = NULL;
    opts.state_dir = "/usr/lib";
    assert_int_equal(nd_sandbox_create(&opts, &s, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "every command reads"));
}

/* For root every file that a rule opens is readable. */
static void only_the_public_part_of_etc_is_open(void **state) {
    (void)state;
    OC_AUTO_STRV struct oc_strv opened = { 0 };
    nd_sandbox_system(&opened);
    assert_true(oc_strv_has(&opened, "/usr"));
    assert_true(oc_strv_has(&opened, "/etc/passwd"));
    static const char *const closed[] = { "/etc", "/etc/shadow", "/etc/shadow-", "/etc/gshadow",
        "/etc/ssh", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssl", "/etc/ssl/private", "/etc/sudoers",
        "/etc/sudoers.d", "/etc/NetworkManager", "/etc/wireguard", "/etc/apt", "/etc/krb5.keytab",
        "/etc/pki", "/etc/environment", "/etc/passwd-", "/etc/machine-id", "/opt", "/root", "/var",
        "/home", "/proc", "/run" };
    for (size_t i = 0; i < opened.count; i++) {
        for (size_t k = 0; k < OC_COUNT(closed); k++) {
            if (strcmp(opened.items[i], closed[k]) == 0) {
                fail_msg("%s is open to every command", closed[k]);
            }
        }
        struct stat st;
        if (oc_starts_with(opened.items[i], "/etc/")) {
            assert_int_equal(stat(opened.items[i], &st), 0);
            assert_true(st.st_mode & S_IROTH);
        }
    }
}

/* A command that waited for a person while the settings changed. */
static void a_place_of_former_settings_is_refused(void **state) {
    struct machine *m = *state;
    oc_free(make_dir(m->dir, "other"));
    struct nd_sandbox *s =
            need(m, "{\"sandbox\":\"strict\",\"workspace\":[\"%D/other\"]}", &complete);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    struct nd_sandboxed box;
    OC_AUTO_FREE char *refusal = nd_sandbox_open(s, "/bin/true", m->work, &env, &box, NULL);
    assert_non_null(strstr(refusal, "is no directory of the workspace"));
    nd_sandbox_close(&box);
    nd_sandbox_destroy(s);
}

/* Another spelling of a good place, or a link that leads to one by now: what runs is what was
 * placed, and nothing runs without a sandbox. */
static void a_directory_that_was_not_placed_is_refused(void **state) {
    struct machine *m = *state;
    struct nd_sandbox *s = need(m, "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"]}", &complete);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    OC_AUTO_FREE char *spelt = oc_strfmt("/.%s", m->work);
    OC_AUTO_FREE char *link = oc_path_join(m->dir, "link");
    assert_int_equal(symlink(m->work, link), 0);
    const char *const given[] = { spelt, link };
    for (size_t i = 0; i < OC_COUNT(given); i++) {
        struct nd_sandboxed box;
        OC_AUTO_FREE char *refusal = nd_sandbox_open(s, "/bin/true", given[i], &env, &box, NULL);
        assert_non_null(refusal);
        assert_non_null(strstr(refusal, "sandbox not available"));
        nd_sandbox_close(&box);
    }
    nd_sandbox_destroy(s);
}

/* A command could replace a part of what it may change by a link to elsewhere. */
static void parts_of_open_directories_get_no_rule(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *data = make_dir(m->dir, "data"), *more = make_dir(m->dir, "data2");
    oc_free(make_dir(data, "part"));
    struct nd_sandbox *s = need(m,
            "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"],\"writable\":[\"%D/data/part\","
            "\"%D/data\",\"%D/data2\"],\"readable\":[\"%D/data/part\",\"/usr\"]}",
            &complete);
    assert_int_equal(s->writable.count, 2);
    assert_string_equal(s->writable.items[0], data);
    assert_string_equal(s->writable.items[1], more);
    assert_int_equal(s->readable.count, 1);
    assert_string_equal(s->readable.items[0], "/usr");
    nd_sandbox_destroy(s);
}

static void what_a_kernel_lacks_is_said(void **state) {
    struct machine *m = *state;
    static const struct {
        struct os_sandbox_features features;
        const char *text;
    } rows[] = {
        { { .landlock_errno = ENOSYS, .seccomp = true, .namespaces = true }, "needs Linux 5.13" },
        { { .landlock_errno = EOPNOTSUPP, .seccomp = true, .namespaces = true }, "lsm= list" },
        { { .landlock_abi = 1, .namespaces = true }, "CONFIG_SECCOMP_FILTER" },
        { { .landlock_abi = 1, .seccomp = true, .namespaces_errno = EPERM },
                "no user namespaces (Operation not permitted)" },
    };
    OC_AUTO_STRV struct oc_strv env = { 0 };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        static const char *const modes[] = { "strict", "workspace" };
        for (size_t k = 0; k < OC_COUNT(modes); k++) {
            OC_AUTO_FREE char *settings = oc_strfmt("{\"sandbox\":\"%s\"}", modes[k]);
            struct nd_sandbox *s = need(m, settings, &rows[i].features);
            assert_int_equal(s->missing.count, 1);
            struct nd_sandboxed box;
            OC_AUTO_FREE char *refusal = nd_sandbox_open(s, "/bin/true", NULL, &env, &box, NULL);
            assert_non_null(strstr(refusal, "SYSTEM_RUN_DENIED: sandbox not available ("));
            assert_non_null(strstr(refusal, rows[i].text));
            assert_null(box.sandbox);
            nd_sandbox_close(&box);
            OC_AUTO_FREE char *summary = nd_sandbox_summary(s);
            assert_non_null(strstr(summary, rows[i].text));
            assert_non_null(strstr(summary, "no command runs"));
            nd_sandbox_destroy(s);
        }
        struct nd_sandbox *s = need(
                m, "{\"sandbox\":\"workspace\",\"sandboxFallback\":\"allow\"}", &rows[i].features);
        assert_non_null(strstr(s->label, rows[i].text));
        nd_sandbox_destroy(s);
    }
}

static void elsewhere_there_is_no_sandbox(void **state) {
    struct machine *m = *state;
    struct os_platform other = os_native;
    other.sandbox = NULL;
    OC_AUTO_JSON cJSON *config = cJSON_CreateObject();
    cJSON *exec = cJSON_AddObjectToObject(cJSON_AddObjectToObject(config, "node"), "exec");
    oc_json_set_str(exec, "sandbox", "workspace");
    oc_json_set_str(exec, "sandboxFallback", "allow");
    struct nd_sandbox_opts opts = {
        .platform = &other, .config = config, .state_dir = m->state, .approvals_path = m->approvals
    };
    struct nd_sandbox *s = NULL;
    struct oc_error err;
    assert_int_equal(nd_sandbox_create(&opts, &s, &err), OC_OK);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    struct nd_sandboxed box;
    OC_AUTO_FREE char *refusal = nd_sandbox_open(s, "/bin/true", NULL, &env, &box, NULL);
    assert_non_null(strstr(refusal, "only on Linux"));
    nd_sandbox_close(&box);
    nd_sandbox_destroy(s);
    cJSON *limits = cJSON_AddObjectToObject(exec, "limits");
    oc_json_set_int(limits, "cpuSeconds", 1);
    assert_int_equal(nd_sandbox_create(&opts, &s, &err), OC_E_INVALID);
}

static char *placed(const struct nd_sandbox *s, const char *cwd, bool *ret_is_refused) {
    char *at = oc_strdup(cwd);
    struct oc_grounds why = { 0 };
    OC_AUTO_FREE char *refusal = nd_sandbox_place(s, &at, &why);
    *ret_is_refused = refusal != NULL;
    assert_int_equal(why.gate, refusal ? OC_GATE_SANDBOX : OC_GATE_NONE);
    assert_int_equal(why.remedy, refusal ? OC_REMEDY_ADD_WORKSPACE : OC_REMEDY_NONE);
    return at;
}

static void commands_run_in_a_workspace_only(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *sub = make_dir(m->work, "sub");
    OC_AUTO_FREE char *beside = make_dir(m->dir, "work2");
    OC_AUTO_FREE char *link = oc_path_join(m->work, "link"), *dots = oc_path_join(sub, "../..");
    assert_int_equal(symlink(m->dir, link), 0);
    struct nd_sandbox *s = need(m, "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"]}", &complete);
    const struct {
        const char *cwd, *at; /* at NULL: refused */
    } rows[] = {
        { NULL, m->work },
        { m->work, m->work },
        { sub, sub },
        { "sub", sub },
        { ".", m->work },
        { "..", NULL },
        { "/", NULL },
        { m->dir, NULL },
        { beside, NULL }, /* the same beginning is not enough */
        { link, NULL },
        { dots, NULL },
        { "none", NULL },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        bool is_refused;
        OC_AUTO_FREE char *at = placed(s, rows[i].cwd, &is_refused);
        if (is_refused != !rows[i].at || (rows[i].at && strcmp(at, rows[i].at) != 0)) {
            fail_msg("%s: %s", rows[i].cwd, at);
        }
    }
    nd_sandbox_destroy(s);
    char *untouched = NULL;
    assert_null(nd_sandbox_place(NULL, &untouched, NULL));
    assert_null(untouched);
}

static bool has(const struct oc_strv *env, const char *start) {
    for (size_t i = 0; i < env->count; i++) {
        if (strncmp(env->items[i], start, strlen(start)) == 0) {
            return true;
        }
    }
    return false;
}

static void variables_of_the_node_stay_with_it(void **state) {
    struct machine *m = *state;
    setenv("OC_TEST_TOKEN", "secret", 1);
    setenv("OC_TEST_LISTED", "shown", 1);
    setenv("LC_OC_TEST", "C", 1);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    oc_strv_add(&env, "OC_TEST_TOKEN=secret");
    oc_strv_add(&env, "OC_TEST_LISTED=shown");
    oc_strv_add(&env, "LC_OC_TEST=C");
    oc_strv_add(&env, "OC_TEST_CALLER=theirs");
    oc_strv_add(&env, "HOME=/home/owner");
    oc_strv_add(&env, "TMPDIR=/tmp");
    oc_strv_add(&env, "HOMEPAGE=x");
    struct nd_sandbox *s = need(m,
            "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"],\"env\":{\"inherit\":[\"OC_TEST_"
            "LISTED\"]}}",
            &complete);
    struct nd_sandboxed box;
    assert_null(nd_sandbox_open(s, "/bin/true", m->work, &env, &box, NULL));
    assert_true(box.has_env);
    assert_false(has(&box.env, "OC_TEST_TOKEN="));
    assert_true(has(&box.env, "OC_TEST_LISTED=shown"));
    assert_true(has(&box.env, "LC_OC_TEST=C"));
    assert_true(has(&box.env, "OC_TEST_CALLER=theirs"));
    assert_true(has(&box.env, "HOMEPAGE=x"));
    OC_AUTO_FREE char *home = oc_strfmt("HOME=%s/home", box.run_dir);
    assert_true(has(&box.env, home));
    assert_false(has(&box.env, "HOME=/home/owner"));
    assert_false(oc_strv_has(&box.env, "TMPDIR=/tmp"));
    assert_true(oc_starts_with(box.run_dir, m->state));
    OC_AUTO_FREE char *run_dir = oc_strdup(box.run_dir);
    assert_true(oc_file_exists(run_dir));
    nd_sandbox_close(&box);
    assert_false(oc_file_exists(run_dir));
    nd_sandbox_close(&box);
    nd_sandbox_destroy(s);
}

static void programs_outside_are_named(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *outside = oc_path_join(m->dir, "tool"),
                      *link = oc_path_join(m->work, "link");
    oc_write_text(outside, "#!/bin/sh\n");
    assert_int_equal(symlink(outside, link), 0);
    struct nd_sandbox *s = need(m, "{\"sandbox\":\"strict\",\"workspace\":[\"%W\"]}", &complete);
    OC_AUTO_STRV struct oc_strv env = { 0 };
    const char *const paths[] = { outside, link };
    for (size_t i = 0; i < OC_COUNT(paths); i++) {
        struct nd_sandboxed box;
        struct oc_grounds why;
        OC_AUTO_FREE char *refusal = nd_sandbox_open(s, paths[i], m->work, &env, &box, &why);
        assert_non_null(strstr(refusal, outside));
        assert_int_equal(why.remedy, OC_REMEDY_ADD_READABLE);
        assert_string_equal(why.subject, outside);
        nd_sandbox_close(&box);
    }
    nd_sandbox_destroy(s);
}

static void ceilings_in_words(void **state) {
    (void)state;
    assert_null(nd_limits_summary(&(struct os_limits){ 0 }));
    OC_AUTO_FREE char *all = nd_limits_summary(&(struct os_limits){ .memory_bytes = 512 << 20,
            .cpu_seconds = 60,
            .file_bytes = 3000,
            .open_files = 64,
            .processes = 9 });
    assert_non_null(strstr(
            all, "512M of memory and 60 s of processor time for a command with all it starts"));
    assert_non_null(strstr(all, "files up to 3000 and 64 open files for each process"));
    assert_non_null(strstr(all, "9 processes for a command"));
    OC_AUTO_FREE char *one = nd_limits_summary(&(struct os_limits){ .open_files = 64 });
    assert_string_equal(one, "64 open files for each process");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_in_words),
        TEST(mistakes_are_named),
        TEST(nothing_starts_while_newer_settings_are_wrong),
        TEST(settings_are_read),
        TEST(files_of_the_node_are_in_no_open_directory),
        TEST(nothing_of_the_node_lies_in_the_system),
        TEST(only_the_public_part_of_etc_is_open),
        TEST(a_place_of_former_settings_is_refused),
        TEST(a_directory_that_was_not_placed_is_refused),
        TEST(parts_of_open_directories_get_no_rule),
        TEST(what_a_kernel_lacks_is_said),
        TEST(elsewhere_there_is_no_sandbox),
        TEST(commands_run_in_a_workspace_only),
        TEST(variables_of_the_node_stay_with_it),
        TEST(programs_outside_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
