/* Gate 4 against real files: every doubt must end in a refusal. */
#include "tests/unit/unit.h"

#include "lib/files/file.h"
#include "lib/json/json.h"
#include "lib/text/fix.h"
#include "node/argv/paths/exec_path.h"
#include "node/looks/exec_harden.h"
#include "node/looks/run_cwd.h"
#include "node/policy/exec_policy.h"

#include <errno.h>

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct machine {
    char *dir, *bin, *approvals;
};

static int setup(void **state) {
    struct machine *m = oc_new(struct machine);
    if (oc_temp_setup((void **)&m->dir) != 0) {
        return -1;
    }
    m->bin = oc_path_join(m->dir, "bin");
    m->approvals = oc_path_join(m->dir, "exec-approvals.json");
    *state = m;
    return mkdir(m->bin, 0700);
}

static int teardown(void **state) {
    struct machine *m = *state;
    oc_free(m->bin);
    oc_free(m->approvals);
    int rc = oc_temp_teardown((void **)&m->dir);
    oc_free(m);
    return rc;
}

/* A program in the machine's bin; caller frees the path. */
static char *program(struct machine *m, const char *name) {
    char *path = oc_path_join(m->bin, name);
    oc_write_text(path, "#!/bin/sh\n");
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static char *link_to(struct machine *m, const char *name, const char *target) {
    char *path = oc_path_join(m->bin, name);
    unlink(path);
    assert_int_equal(symlink(target, path), 0);
    return path;
}

static void allow(struct machine *m, const char *const *patterns) {
    OC_AUTO_JSON cJSON *file = cJSON_CreateObject();
    oc_json_set_int(file, "version", 1);
    cJSON *defaults = cJSON_AddObjectToObject(file, "defaults");
    oc_json_set_str(defaults, "security", "allowlist");
    oc_json_set_str(defaults, "ask", "off");
    cJSON *any = cJSON_AddObjectToObject(cJSON_AddObjectToObject(file, "agents"), "*");
    cJSON *list = cJSON_AddArrayToObject(any, "allowlist");
    for (; *patterns; patterns++) {
        cJSON *item = cJSON_CreateObject();
        oc_json_set_str(item, "pattern", *patterns);
        cJSON_AddItemToArray(list, item);
    }
    OC_AUTO_FREE char *text = oc_json_print(file, true);
    oc_write_text(m->approvals, text);
}

static void decide_as(struct machine *m, const char *config_text, const char *agent,
        const char *const *argv, struct nd_exec_verdict *ret) {
    OC_AUTO_STRV struct oc_strv v = { 0 };
    for (; *argv; argv++) {
        oc_strv_add(&v, *argv);
    }
    OC_AUTO_JSON cJSON *config = NULL;
    if (config_text) {
        assert_int_equal(oc_json_parse(config_text, strlen(config_text), &config, NULL), OC_OK);
    }
    OC_AUTO_FREE char *path_env = oc_strfmt("%s:/usr/bin:/bin", m->bin);
    nd_exec_decide(&(struct nd_exec_request){ .approvals_path = m->approvals,
                           .config = config,
                           .argv = &v,
                           .cwd = m->dir,
                           .path_env = path_env,
                           .agent_id = agent },
            ret);
}

static void assert_allowed(struct machine *m, const char *const *argv, const char *path) {
    struct nd_exec_verdict v;
    decide_as(m, NULL, NULL, argv, &v);
    if (!v.is_allowed) {
        fail_msg("%s: %s", argv[0], v.message);
    }
    if (path) {
        OC_AUTO_FREE char *real = nd_exec_real(path);
        assert_string_equal(v.path, real);
    }
    nd_exec_verdict_finish(&v);
}

static void assert_refused_as(struct machine *m, const char *config, const char *agent,
        const char *const *argv, const char *start, const char *part) {
    struct nd_exec_verdict v;
    decide_as(m, config, agent, argv, &v);
    if (v.is_allowed) {
        fail_msg("%s was allowed", argv[0]);
    }
    assert_null(v.path);
    assert_int_not_equal(v.by, OC_RUN_GATE_NONE);
    OC_AUTO_FREE char *fix = oc_fix_text(&v.grounds);
    OC_AUTO_FREE char *told = oc_fix_sentence(v.message, &v.grounds, fix);
    if (strncmp(told, start, strlen(start)) != 0 || !strstr(told, part)) {
        fail_msg("%s: %s", argv[0], told);
    }
    assert_null(strstr(v.message, "fix: "));
    assert_int_not_equal(v.grounds.cause, OC_CAUSE_NONE);
    assert_int_equal(v.grounds.gate, OC_GATE_LOCAL);
    assert_non_null(fix);
    nd_exec_verdict_finish(&v);
}

#define DISABLED "SYSTEM_RUN_DISABLED: security=deny"
#define MISS "SYSTEM_RUN_DENIED: allowlist miss"

static void assert_refused(
        struct machine *m, const char *const *argv, const char *start, const char *part) {
    assert_refused_as(m, NULL, NULL, argv, start, part);
}

static void without_a_file_nothing_runs(void **state) {
    struct machine *m = *state;
    assert_refused(m, ARGV("true"), DISABLED, "openclaw approvals security allowlist");
}

static void damaged_files_deny_and_stay(void **state) {
    struct machine *m = *state;
    static const char *const texts[] = { "", "{", "[]", "null", "\"full\"",
        "{\"defaults\":{\"security\":\"full\"}", "{\"defaults\":{\"security\":\"full\"}} x",
        "{\"version\":2,\"defaults\":{\"security\":\"full\"}}",
        "{\"version\":\"1\",\"defaults\":{\"security\":\"full\"}}", "{\"defaults\":\"full\"}",
        "{\"agents\":[],\"defaults\":{\"security\":\"full\"}}",
        "{\"defaults\":{\"security\":\"FULL\"}}", "{\"defaults\":{\"security\":true}}",
        "{\"defaults\":{\"security\":\"full\",\"ask\":\"allways\"}}",
        "{\"defaults\":{\"security\":\"full\",\"security\":\"deny\"}}", "\xff" };
    for (size_t i = 0; i < OC_COUNT(texts); i++) {
        oc_write_text(m->approvals, texts[i]);
        assert_refused(m, ARGV("true"), DISABLED, m->approvals);
        OC_AUTO_BUF struct oc_buf now = { 0 };
        assert_int_equal(oc_file_read(m->approvals, 1000, &now, NULL), OC_OK);
        assert_string_equal(now.len ? now.data : "", texts[i]);
    }
    unlink(m->approvals);
    assert_int_equal(mkdir(m->approvals, 0700), 0);
    assert_refused(m, ARGV("true"), DISABLED, m->approvals);
    rmdir(m->approvals);
}

static void a_file_everyone_can_write_is_not_believed(void **state) {
    struct machine *m = *state;
    oc_write_text(m->approvals, "{\"version\":1,\"defaults\":{\"security\":\"full\"}}");
    assert_allowed(m, ARGV("true"), NULL);
    assert_int_equal(chmod(m->approvals, 0666), 0);
    assert_refused(m, ARGV("true"), DISABLED, "written by everyone");
}

static void full_runs_everything(void **state) {
    struct machine *m = *state;
    oc_write_text(
            m->approvals, "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"off\"}}");
    assert_allowed(m, ARGV("sh", "-c", "id"), NULL);
    assert_allowed(m, ARGV("/usr/bin/env", "sh"), NULL);
    struct nd_exec_verdict v;
    decide_as(m, NULL, NULL, ARGV("no-such-program"), &v);
    assert_true(v.is_allowed);
    assert_int_equal(v.find_errno, ENOENT);
    assert_null(v.path);
    nd_exec_verdict_finish(&v);
    /* on-miss asks about misses of the list; with full there are none */
    oc_write_text(m->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"on-miss\"}}");
    assert_allowed(m, ARGV("id"), NULL);
}

static void ask_always_means_nothing_unasked(void **state) {
    struct machine *m = *state;
    oc_write_text(m->approvals,
            "{\"version\":1,\"defaults\":{\"security\":\"full\",\"ask\":\"always\"}}");
    assert_refused(m, ARGV("id"), "SYSTEM_RUN_DENIED: approval required",
            "openclaw approvals ask on-miss");
    OC_AUTO_FREE char *tool = program(m, "tool");
    allow(m, ARGV(tool));
    assert_allowed(m, ARGV("tool"), tool);
}

static void approvals_lift_ask_but_not_deny(void **state) {
    struct machine *m = *state;
    static const struct {
        const char *defaults, *unapproved; /* NULL: runs */
        bool runs_approved;
    } cases[] = {
        { "\"security\":\"deny\",\"ask\":\"always\"", "SYSTEM_RUN_DISABLED", false },
        { "\"security\":\"allowlist\",\"ask\":\"off\"", MISS, false },
        { "\"security\":\"allowlist\"", "SYSTEM_RUN_DENIED: approval required", true },
        { "\"security\":\"allowlist\",\"ask\":\"on-miss\"", "SYSTEM_RUN_DENIED: approval required",
                true },
        { "\"security\":\"allowlist\",\"ask\":\"always\"", "SYSTEM_RUN_DENIED: approval required",
                true },
        { "\"security\":\"full\",\"ask\":\"always\"", "SYSTEM_RUN_DENIED: approval required",
                true },
        { "\"security\":\"full\",\"ask\":\"on-miss\"", NULL, true },
    };
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "sh");
    oc_strv_add(&argv, "-c");
    oc_strv_add(&argv, "id");
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *file = oc_strfmt("{\"version\":1,\"defaults\":{%s}}", cases[i].defaults);
        oc_write_text(m->approvals, file);
        for (int approved = 0; approved < 2; approved++) {
            struct nd_exec_verdict v;
            nd_exec_decide(&(struct nd_exec_request){ .approvals_path = m->approvals,
                                   .argv = &argv,
                                   .path_env = "/usr/bin:/bin",
                                   .is_approved = approved },
                    &v);
            assert_int_equal(
                    v.is_allowed, approved ? cases[i].runs_approved : !cases[i].unapproved);
            if (!approved && cases[i].unapproved) {
                assert_true(oc_starts_with(v.message, cases[i].unapproved));
            }
            nd_exec_verdict_finish(&v);
        }
    }
}

/* SPA_PLUGIN_DIR and dozens more made listed programs load what a caller wanted. */
static void a_listed_program_with_a_variable_is_another_one(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool");
    static const struct {
        const char *rules, *env, *config, *reason; /* NULL: runs */
        bool is_approved, runs;
    } cases[] = {
        { "\"allowlist\",\"ask\":\"off\"", "{\"LANG\":\"C\"}", NULL, NULL, false, true },
        { "\"allowlist\",\"ask\":\"off\"", "{\"LD_PRELOAD\":\"x\"}", NULL, NULL, false, true },
        { "\"allowlist\",\"ask\":\"off\"", "{\"FOO\":\"x\"}", NULL, "allowlist-miss", false,
                false },
        { "\"allowlist\",\"ask\":\"off\"", "{\"FOO\":\"x\"}", NULL, "allowlist-miss", true, false },
        { "\"allowlist\",\"ask\":\"off\"", "{\"FOO\":\"x\"}",
                "{\"node\":{\"exec\":{\"env\":{\"allow\":[\"FOO\"]}}}}", NULL, false, true },
        { "\"allowlist\",\"ask\":\"on-miss\"", "{\"FOO\":\"x\"}", NULL, "approval-required", false,
                false },
        { "\"allowlist\",\"ask\":\"on-miss\"", "{\"FOO\":\"x\"}", NULL, NULL, true, true },
        { "\"full\",\"ask\":\"off\"", "{\"FOO\":\"x\"}", NULL, NULL, false, true },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *file = oc_strfmt("{\"version\":1,\"defaults\":{\"security\":%s},"
                                            "\"agents\":{\"*\":{\"allowlist\":[\"%s\"]}}}",
                cases[i].rules, tool);
        oc_write_text(m->approvals, file);
        OC_AUTO_JSON cJSON *env = NULL, *config = NULL;
        assert_int_equal(oc_json_parse(cases[i].env, strlen(cases[i].env), &env, NULL), OC_OK);
        if (cases[i].config) {
            assert_int_equal(
                    oc_json_parse(cases[i].config, strlen(cases[i].config), &config, NULL), OC_OK);
        }
        OC_AUTO_STRV struct oc_strv argv = { 0 };
        oc_strv_add(&argv, tool);
        struct nd_exec_verdict v;
        nd_exec_decide(&(struct nd_exec_request){ .approvals_path = m->approvals,
                               .argv = &argv,
                               .path_env = m->bin,
                               .env = env,
                               .config = config,
                               .is_approved = cases[i].is_approved },
                &v);
        if (v.is_allowed != cases[i].runs) {
            fail_msg("case %zu: %s", i, v.message ? v.message : "runs");
        }
        if (!v.is_allowed) {
            assert_string_equal(oc_run_gate_name(v.by), cases[i].reason);
            assert_non_null(strstr(v.message, "but not with the variable FOO"));
            assert_int_equal(v.grounds.remedy, OC_REMEDY_ALLOW_VARIABLE);
            assert_string_equal(v.grounds.subject, "FOO");
        }
        nd_exec_verdict_finish(&v);
    }
}

/* Three answers to "nobody was there", and none of them without the word of the gateway. */
static void when_nobody_decides(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool"), *other = program(m, "other");
    static const struct {
        const char *settings;
        bool runs_listed, runs_other;
        const char *reason; /* why other does not run */
    } cases[] = {
        { "\"security\":\"deny\",\"askFallback\":\"full\"", false, false, "security=deny" },
        { "\"security\":\"allowlist\"", true, false, "approval-timeout" },
        { "\"security\":\"allowlist\",\"askFallback\":\"deny\"", true, false, "approval-timeout" },
        { "\"security\":\"allowlist\",\"askFallback\":\"allowlist\"", true, false,
                "approval-timeout (allowlist-miss)" },
        { "\"security\":\"allowlist\",\"askFallback\":\"full\"", true, true, NULL },
        { "\"security\":\"allowlist\",\"ask\":\"off\",\"askFallback\":\"full\"", true, false,
                "allowlist-miss" },
        { "\"security\":\"allowlist\",\"ask\":\"always\"", false, false, "approval-timeout" },
        { "\"security\":\"full\",\"ask\":\"always\",\"askFallback\":\"allowlist\"", true, false,
                "approval-timeout (allowlist-miss)" },
        { "\"security\":\"full\",\"ask\":\"always\",\"askFallback\":\"full\"", true, true, NULL },
        { "\"security\":\"full\",\"ask\":\"always\",\"askFallback\":\"Full\"", false, false,
                "security=deny" },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *file = oc_strfmt("{\"version\":1,\"defaults\":{%s},\"agents\":{\"*\":{"
                                            "\"allowlist\":[\"%s\"]}}}",
                cases[i].settings, tool);
        oc_write_text(m->approvals, file);
        for (int k = 0; k < 2; k++) {
            OC_AUTO_STRV struct oc_strv argv = { 0 };
            oc_strv_add(&argv, k ? other : tool);
            struct nd_exec_request req = { .approvals_path = m->approvals,
                .argv = &argv,
                .path_env = m->bin,
                .is_unanswered = true };
            struct nd_exec_verdict v;
            nd_exec_decide(&req, &v);
            if (v.is_allowed != (k ? cases[i].runs_other : cases[i].runs_listed)) {
                fail_msg("%s: %s", cases[i].settings, v.message ? v.message : "runs");
            }
            if (k && !v.is_allowed) {
                assert_string_equal(oc_run_gate_name(v.by), cases[i].reason);
            }
            nd_exec_verdict_finish(&v);
            req.is_unanswered = false; /* nobody was asked: then somebody has to be */
            nd_exec_decide(&req, &v);
            assert_true(!v.is_allowed || (!k && strstr(cases[i].settings, "allowlist\"")));
            nd_exec_verdict_finish(&v);
        }
    }
}

static void who_decides(void **state) {
    struct machine *m = *state;
    static const char file[] =
            "{\"version\":1,\"defaults\":{\"security\":\"deny\"},\"agents\":{"
            "\"main\":{\"security\":\"full\"},\"*\":{\"security\":\"allowlist\"},"
            "\"quiet\":{\"ask\":\"off\"}}}";
    static const struct {
        const char *file, *config, *agent;
        enum nd_exec_security security;
    } cases[] = {
        { file, NULL, NULL, ND_EXEC_FULL },
        { file, NULL, "main", ND_EXEC_FULL },
        { file, NULL, "  ", ND_EXEC_FULL },
        { file, NULL, "other", ND_EXEC_ALLOWLIST },
        { file, NULL, "quiet", ND_EXEC_ALLOWLIST },
        { "{\"version\":1,\"defaults\":{\"security\":\"full\"}}", NULL, "other", ND_EXEC_FULL },
        { "{\"version\":1,\"agents\":{\"default\":{\"security\":\"full\"}}}", NULL, "main",
                ND_EXEC_FULL },
        { "{\"version\":1,\"agents\":{\"default\":{\"security\":\"full\"}}}", NULL, "other",
                ND_EXEC_DENY },
        { "{\"version\":1}", NULL, NULL, ND_EXEC_DENY },
        { "{\"version\":1}", "{\"tools\":{\"exec\":{\"security\":\"full\"}}}", NULL, ND_EXEC_FULL },
        { "{\"version\":1,\"defaults\":{\"security\":\"deny\"}}",
                "{\"tools\":{\"exec\":{\"security\":\"full\"}}}", NULL, ND_EXEC_DENY },
        { "{\"version\":1}",
                "{\"agents\":{\"list\":[{\"id\":\"a\",\"tools\":{\"exec\":{\"security\":\"full\"}}}"
                "]},"
                "\"tools\":{\"exec\":{\"security\":\"allowlist\"}}}",
                "a", ND_EXEC_FULL },
        { "{\"version\":1}", "{\"tools\":{\"exec\":{\"security\":\"yes\"}}}", NULL, ND_EXEC_DENY },
        /* look-ups are exact: another spelling of a key is another key */
        { "{\"version\":1,\"Defaults\":{\"security\":\"full\"}}", NULL, NULL, ND_EXEC_DENY },
        { "{\"version\":1,\"defaults\":{\"Security\":\"full\"}}", NULL, NULL, ND_EXEC_DENY },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        oc_write_text(m->approvals, cases[i].file);
        struct nd_exec_verdict v;
        decide_as(m, cases[i].config, cases[i].agent, ARGV("true"), &v);
        if (v.security != cases[i].security) {
            fail_msg("case %zu: %d", i, v.security);
        }
        nd_exec_verdict_finish(&v);
    }
}

static void listed_programs_run(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool"), *other = program(m, "other");
    allow(m, ARGV(tool));
    assert_allowed(m, ARGV("tool", "any", "--argument"), tool);
    assert_allowed(m, ARGV(tool), tool);
    assert_allowed(m, ARGV("./bin/tool"), tool);
    assert_allowed(m, ARGV("bin/../bin/tool"), tool);
    assert_refused(m, ARGV("other"), MISS, other);
    assert_refused(m, ARGV(other), MISS, "openclaw approvals allowlist add ");
    assert_refused(m, ARGV("no-such-program"), MISS, "was not found");
    assert_refused_as(m, NULL, "agent-7", ARGV("other"), MISS, "openclaw approvals allowlist add ");
}

/* Neither a refusal nor a question: a program that is not there cannot be started, whatever anybody
 * says. */
static void what_is_not_there(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool");
    static const char *const rules[] = { "\"security\":\"allowlist\",\"ask\":\"off\"",
        "\"security\":\"allowlist\",\"ask\":\"on-miss\"",
        "\"security\":\"allowlist\",\"ask\":\"always\"",
        "\"security\":\"full\",\"ask\":\"always\"" };
    for (size_t i = 0; i < OC_COUNT(rules); i++) {
        OC_AUTO_FREE char *file = oc_strfmt("{\"version\":1,\"defaults\":{%s}}", rules[i]);
        oc_write_text(m->approvals, file);
        struct nd_exec_verdict v;
        decide_as(m, NULL, NULL, ARGV("no-such-program"), &v);
        assert_false(v.is_allowed);
        assert_int_equal(v.find_errno, ENOENT);
        nd_exec_verdict_finish(&v);
        decide_as(m, NULL, NULL, ARGV(tool), &v);
        assert_false(v.is_allowed);
        assert_int_equal(v.find_errno, 0);
        assert_non_null(v.why);
        nd_exec_verdict_finish(&v);
    }
    oc_write_text(m->approvals, "{\"version\":1,\"defaults\":{\"security\":\"deny\"}}");
    struct nd_exec_verdict v;
    decide_as(m, NULL, NULL, ARGV("no-such-program"), &v);
    assert_int_equal(v.find_errno, 0); /* deny tells nothing about the machine */
    nd_exec_verdict_finish(&v);
}

/* A file name is not a program. */
static void namesakes_are_strangers(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool");
    OC_AUTO_FREE char *elsewhere = oc_path_join(m->dir, "tool"),
                      *upper = oc_path_join(m->dir, "bin/TOOL");
    oc_write_text(elsewhere, "#!/bin/sh\n");
    assert_int_equal(chmod(elsewhere, 0700), 0);
    allow(m, ARGV(tool));
    assert_refused(m, ARGV("./tool"), MISS, elsewhere);
    assert_refused(m, ARGV(elsewhere), MISS, elsewhere);
    assert_refused(m, ARGV(upper), MISS, "");
    assert_allowed(m, ARGV("tool"), tool);
}

static void lists_of_agents(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool"), *mine = program(m, "mine");
    OC_AUTO_FREE char *file =
            oc_strfmt("{\"version\":1,\"defaults\":{\"security\":\"allowlist\",\"ask\":\"off\"},"
                      "\"agents\":{\"*\":{\"allowlist\":[\"%s\",7,{},null]},"
                      "\"a\":{\"allowlist\":[{\"pattern\":\"%s\"}]}}}",
                    tool, mine);
    oc_write_text(m->approvals, file);
    assert_allowed(m, ARGV("tool"), tool);
    assert_refused(m, ARGV("mine"), MISS, mine);
    struct nd_exec_verdict v;
    decide_as(m, NULL, "a", ARGV("mine"), &v);
    assert_true(v.is_allowed);
    nd_exec_verdict_finish(&v);
}

static void patterns_are_paths_and_nothing_else(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool");
    OC_AUTO_FREE char *missing = oc_strfmt("%s/gone", m->bin);
    allow(m, ARGV("**", "tool", "t*", "bin/tool", "bin/*", missing, "", "/", "/*"));
    assert_refused(m, ARGV("tool"), MISS, tool);
    assert_refused(m, ARGV(missing), MISS, "");
    OC_AUTO_FREE char *star = oc_strfmt("%s/t*", m->bin), *deep = oc_strfmt("%s/**", m->dir);
    allow(m, ARGV(star));
    assert_allowed(m, ARGV("tool"), tool);
    allow(m, ARGV(deep));
    assert_allowed(m, ARGV("tool"), tool);
    allow(m, ARGV("*"));
    assert_allowed(m, ARGV("tool"), tool);
    assert_refused(m, ARGV("sh"), MISS, "can run any other command");
    assert_refused(m, ARGV("no-such-program"), MISS, "was not found");
}

static void links(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *tool = program(m, "tool"), *evil = program(m, "evil");
    oc_free(link_to(m, "alias", tool));
    allow(m, ARGV(tool));
    assert_allowed(m, ARGV("alias"), tool); /* what runs is the listed file */
    oc_free(link_to(m, "alias", evil));
    assert_refused(m, ARGV("alias"), MISS, evil);
    /* A listed link lists nothing: it could be turned to another program later. */
    OC_AUTO_FREE char *listed = link_to(m, "listed", tool);
    allow(m, ARGV(listed));
    assert_refused(m, ARGV("listed"), MISS, tool);
    OC_AUTO_FREE char *dangling = link_to(m, "dangling", "/no/such/file");
    allow(m, ARGV(dangling));
    assert_refused(m, ARGV("dangling"), MISS, "not found");
}

/* The list is JSON, so it cannot name such a file, and a note of its use would make it
 * unreadable. */
static void names_that_are_not_text(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *odd = program(m, "odd\xff");
    OC_AUTO_FREE char *link = link_to(m, "fine", odd), *all = oc_path_join(m->bin, "*");
    allow(m, ARGV(all));
    assert_refused(m, ARGV("fine"), MISS, "is not UTF-8 text, so no list can name it");
    assert_refused(m, ARGV(link), MISS, "is not UTF-8 text");
    struct nd_exec_verdict v;
    decide_as(m, NULL, NULL, ARGV("fine"), &v);
    assert_int_equal(v.remember.count, 0);
    assert_int_equal(v.hit_count, 0);
    assert_int_equal(v.grounds.remedy, OC_REMEDY_ASK_ON_MISS);
    nd_exec_verdict_finish(&v);
    OC_AUTO_FREE char *plain = program(m, "plain");
    assert_allowed(m, ARGV("plain"), plain);
}

/* What a person approves is said in JSON, and must be what runs. */
static void only_text_can_be_approved(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *odd = program(m, "odd\xff"), *dir = oc_path_join(m->bin, "dir\xff");
    OC_AUTO_FREE char *link = link_to(m, "fine", odd), *cwd = nd_exec_real(m->bin);
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    struct oc_error err = { 0 };
    oc_strv_add(&argv, link);
    assert_int_equal(nd_exec_harden_program(&argv, NULL, NULL, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "approval requires a path that is UTF-8 text"));
    assert_int_equal(err.grounds.remedy, OC_REMEDY_RENAME_FILE);
    assert_non_null(strstr(err.text, "odd\\xff"));
    assert_string_equal(argv.items[0], link);
    assert_int_equal(nd_run_harden_cwd(&cwd, NULL, &err), OC_OK);
    assert_int_equal(mkdir(dir, 0700), 0);
    OC_AUTO_FREE char *real = nd_exec_real(dir);
    assert_int_equal(nd_run_harden_cwd(&real, NULL, &err), OC_E_INVALID);
    assert_non_null(strstr(err.text, "dir\\xff"));
}

/* One file, many commands by name. */
static void programs_that_act_by_their_name(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *multi = program(m, "multi");
    OC_AUTO_FREE char *ls = link_to(m, "my-ls", multi), *rm = link_to(m, "my-rm", multi);
    allow(m, ARGV(ls));
    assert_refused(m, ARGV("my-ls"), MISS, multi);
    assert_refused(m, ARGV("my-rm", "-rf", "/"), MISS, "");
    assert_refused(m, ARGV(rm), MISS, "");
    assert_refused(m, ARGV("multi", "my-rm"), MISS, "");
}

/* An entry is a pattern, and blanks around it do not count: a path with either would allow other
 * programs. */
static void what_is_no_pattern_is_not_remembered(void **state) {
    struct machine *m = *state;
    allow(m, ARGV("/nothing"));
    static const struct {
        const char *name;
        bool can_be;
    } cases[] = { { "tool", true }, { "to ol", true }, { "*", false }, { "t?ol", false },
        { "tool ", false }, { "tool\n", false } };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        OC_AUTO_FREE char *path = program(m, cases[i].name);
        struct nd_exec_verdict v;
        decide_as(m, NULL, NULL, ARGV(path), &v);
        assert_false(v.is_allowed);
        assert_int_equal(v.remember.count, cases[i].can_be);
        assert_int_equal(
                v.grounds.remedy, cases[i].can_be ? OC_REMEDY_ADD_PROGRAM : OC_REMEDY_ASK_ON_MISS);
        assert_string_equal(v.grounds.subject, cases[i].can_be ? path : "");
        nd_exec_verdict_finish(&v);
    }
}

static void carriers_never_by_list(void **state) {
    struct machine *m = *state;
    OC_AUTO_FREE char *sh = program(m, "sh"), *python = program(m, "python3.11"),
                      *env = program(m, "env");
    OC_AUTO_FREE char *renamed = link_to(m, "harmless", sh), *tool = program(m, "tool");
    allow(m, ARGV(sh, python, env, renamed, tool));
    assert_refused(m, ARGV("sh", "-c", "id"), MISS, "/id is not on the list");
    assert_refused(m, ARGV("sh", "script"), MISS, "can run any other command");
    assert_refused(m, ARGV("python3.11", "-c", "x"), MISS, "can run any other command");
    assert_refused(m, ARGV("env"), MISS, "env");
    assert_refused(m, ARGV("env", "A=b", "tool"), MISS, "change the environment");
    assert_allowed(m, ARGV("env", "tool"), tool); /* that env does nothing */
    assert_allowed(m, ARGV("sh", "-c", "tool; tool"), NULL);
    assert_refused(m, ARGV("harmless", "-c", "id"), MISS, "can run any other command");
    assert_allowed(m, ARGV("tool"), tool);
}

/* Directories that the owner trusts, unless everyone can write them. */
static void trusted_directories(void **state) {
    struct machine *m = *state;
    oc_free(program(m, "wc"));
    oc_free(program(m, "nice"));
    OC_AUTO_FREE char *tool = program(m, "tool");
    allow(m, ARGV(tool));
    OC_AUTO_FREE char *config = oc_strfmt(
            "{\"tools\":{\"exec\":{\"safeBinTrustedDirs\":[\"%s/\",\"bin\",7]}}}", m->bin);
    struct nd_exec_verdict v;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(chmod(m->bin, i == 2 ? 0777 : 0755), 0);
        decide_as(m, i == 0 ? NULL : config, NULL, ARGV("wc", "-l"), &v);
        assert_int_equal(v.is_allowed, i == 1);
        nd_exec_verdict_finish(&v);
        decide_as(m, i == 0 ? NULL : config, NULL, ARGV("nice", "tool"), &v);
        assert_int_equal(v.is_allowed, i == 1);
        nd_exec_verdict_finish(&v);
    }
    assert_int_equal(chmod(m->bin, 0700), 0);
}

static void refusals_show_no_control_characters(void **state) {
    struct machine *m = *state;
    allow(m, ARGV("/x"));
    struct nd_exec_verdict v;
    decide_as(m, NULL, NULL, ARGV("\x1b[2Jevil\n"), &v);
    assert_false(v.is_allowed);
    assert_null(strchr(v.message, '\x1b'));
    assert_null(strchr(v.message, '\n'));
    nd_exec_verdict_finish(&v);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(without_a_file_nothing_runs),
        TEST(damaged_files_deny_and_stay),
        TEST(a_file_everyone_can_write_is_not_believed),
        TEST(full_runs_everything),
        TEST(ask_always_means_nothing_unasked),
        TEST(approvals_lift_ask_but_not_deny),
        TEST(a_listed_program_with_a_variable_is_another_one),
        TEST(when_nobody_decides),
        TEST(who_decides),
        TEST(listed_programs_run),
        TEST(what_is_not_there),
        TEST(namesakes_are_strangers),
        TEST(lists_of_agents),
        TEST(patterns_are_paths_and_nothing_else),
        TEST(links),
        TEST(names_that_are_not_text),
        TEST(only_text_can_be_approved),
        TEST(programs_that_act_by_their_name),
        TEST(what_is_no_pattern_is_not_remembered),
        TEST(carriers_never_by_list),
        TEST(trusted_directories),
        TEST(refusals_show_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
