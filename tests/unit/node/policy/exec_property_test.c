/* Nothing that the engine calls allowed makes a real shell execute a program that is not on the
 * list.
 *
 * Scripts are generated from words that are easy to get wrong. What the engine allows is run twice:
 * as the engine rebuilt it, and as the text that came in, by the shells of this machine. Every
 * program that is executed is seen. It must be on the list, and both runs must execute the same
 * programs with the same arguments and end the same way. */
#include "lib/base/encode.h"
#include "lib/files/file.h"
#include "node/argv/paths/exec_path.h"
#include "node/policy/exec_judge.h"
#include "tests/unit/node/policy/trace.h"

enum { SCRIPTS = 12000, RUNS_AT_MOST = 300 };

static const char *const listed[] = { "yes1", "yes2", "no1" }; /* exit with 0, 0 and 1 */
static const char *const unlisted[] = { "evil1", "evil2" };

struct machine {
    char *dir, *bin;
    cJSON *list;
};

static void copy_program(const char *from, const char *dir, const char *name) {
    OC_AUTO_BUF struct oc_buf bytes = { 0 };
    assert_int_equal(oc_file_read(from, 1u << 22, &bytes, NULL), OC_OK);
    OC_AUTO_FREE char *to = oc_path_join(dir, name);
    FILE *f = fopen(to, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.data, 1, bytes.len, f), bytes.len);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(to, 0755), 0);
}

static int setup(void **state) {
    struct machine *m = oc_new(struct machine);
    char *made = NULL;
    if (oc_temp_setup((void **)&made) != 0) {
        return -1;
    }
    m->dir = nd_exec_real(made);
    oc_free(made);
    m->bin = oc_path_join(m->dir, "bin");
    assert_int_equal(mkdir(m->bin, 0755), 0);
    m->list = cJSON_CreateArray();
    for (size_t i = 0; i < OC_COUNT(listed); i++) {
        copy_program(listed[i][0] == 'y' ? "/bin/true" : "/bin/false", m->bin, listed[i]);
        OC_AUTO_FREE char *pattern = oc_path_join(m->bin, listed[i]);
        cJSON_AddItemToArray(m->list, cJSON_CreateString(pattern));
    }
    for (size_t i = 0; i < OC_COUNT(unlisted); i++) {
        copy_program("/bin/true", m->bin, unlisted[i]);
        copy_program("/bin/true", m->dir, unlisted[i]);
    }
    *state = m;
    return 0;
}

static int teardown(void **state) {
    struct machine *m = *state;
    cJSON_Delete(m->list);
    oc_free(m->bin);
    int rc = oc_temp_teardown((void **)&m->dir);
    oc_free(m);
    return rc;
}

/* Other scripts in every run, and the same ones again for whoever has the seed. */
static uint32_t choose_seed(void) {
    const char *given = getenv("OC_PROPERTY_SEED");
    int64_t seed = 0;
    if (given) {
        assert_true(oc_parse_int(given, 1, UINT32_MAX, &seed));
    } else {
        uint32_t fresh = 0;
        oc_random(&fresh, sizeof(fresh));
        seed = fresh ? fresh : 1; /* xorshift stays at zero */
    }
    print_message("seed %u; once more: OC_PROPERTY_SEED=%u\n", (unsigned)seed, (unsigned)seed);
    return (uint32_t)seed;
}

/* xorshift */
static uint32_t next_random(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static const char *const words[] = { "yes1", "yes1", "yes1", "yes2", "yes2", "no1", "no1", "yes1 a",
    "no1 b c", "bin/yes1", "./bin/no1", "./yes1", "evil1", "./evil1", "cd bin", "cd bin && ./evil1",
    "$(evil1)", "`evil1`", "\"$(evil1)\"", "'$(evil1)'", "\"\\$(evil1)\"", "\\$\\(evil1\\)",
    "<(evil1)", ">(evil1)", "> out", "2>&1", "< /dev/null", "$IFS", "${IFS}evil1", "{yes1,evil1}",
    "*", "~", "x=~", "HEAD~1", "'a b'", "\"a b\"", "a\\ b", "'it'\\''s'", "\"it's\"", "''", "\"\"",
    "\\'", "\\\"", "\\\\", "\"\\\\\"", "'\\'", "a#b", "#", "# evil1", "!", "=evil1", "A=b",
    "A=b evil1", "exec", "eval evil1", "command evil1", "env yes1", "env evil1", "env A=b yes1",
    "nice yes1", "nice evil1", "timeout 5 yes2", "timeout 5 evil1", "nohup yes1",
    "nice -n 1 timeout 9 no1", "sh -c evil1", "sh -c yes1", "'yes1'", "y\"es\"1", "ye\\s1",
    "\"yes1\"", "'&&'", "\"; evil1\"", "'| evil1'", "\\;", "\\|", "\\&", "--", "-c", "-x=1", "a:b",
    "\xc3\xa4", "'\n'", "\"a\nb\"", "\\\n", "\n", "\n evil1", "\r", "\t", "(evil1)", "{ evil1; }",
    "if", "then evil1", "[ x ]", "test x", "$'\\x65vil1'", "%1", "^", "a^b", "@", "a,b", "$0",
    "$" };
static const char *const glue[] = { " ", " ", " ", " ", " ", " ", "  ", "", " && ", " && ", "&&",
    " || ", "||", " ; ", ";", " | ", " | ", "|", " & ", " |& ", "\n", "\\\n" };

static void generate(uint32_t *seed, struct oc_buf *out) {
    oc_buf_clear(out);
    if (next_random(seed) % 8 == 0) {
        oc_buf_puts(out, "cd bin && ");
    }
    uint32_t count = 1 + next_random(seed) % 6;
    for (uint32_t i = 0; i < count; i++) {
        /* a command most often begins with a program, or nearly nothing would ever be allowed */
        bool is_program = next_random(seed) % 3 != 0;
        oc_buf_puts(out, words[next_random(seed) % (is_program ? 12 : OC_COUNT(words))]);
        if (i + 1 < count) {
            oc_buf_puts(out, glue[next_random(seed) % OC_COUNT(glue)]);
        }
    }
}

/* Programs of the machine's own directories, sorted: pipes have no order. Anything else but shells
 * and the system's wrappers is a broken promise. */
static char *check_programs(struct machine *m, const struct oc_trace *t, const char *script) {
    OC_AUTO_STRV struct oc_strv own = { 0 };
    for (size_t i = 0; i < t->programs.count; i++) {
        const char *line = t->programs.items[i];
        bool is_listed = false;
        for (size_t k = 0; k < OC_COUNT(listed); k++) {
            OC_AUTO_FREE char *start = oc_strfmt("%s/%s ", m->bin, listed[k]);
            is_listed = is_listed || oc_starts_with(line, start);
        }
        static const char *const usual[] = { "/usr/bin/dash ", "/usr/bin/bash ", "/usr/bin/env ",
            "/usr/bin/nice ", "/usr/bin/timeout ", "/usr/bin/nohup " };
        bool is_usual = false;
        for (size_t k = 0; k < OC_COUNT(usual); k++) {
            is_usual = is_usual || oc_starts_with(line, usual[k]);
        }
        if (!is_listed && !is_usual) {
            fail_msg("'%s' executed %s", script, line);
        }
        if (is_listed) {
            oc_strv_add(&own, line);
        }
    }
    for (size_t i = 0; i < own.count; i++) { /* few: sorting them by hand keeps duplicates */
        for (size_t k = i + 1; k < own.count; k++) {
            if (strcmp(own.items[k], own.items[i]) < 0) {
                char *swap = own.items[i];
                own.items[i] = own.items[k];
                own.items[k] = swap;
            }
        }
    }
    return oc_strv_join(&own, "\n");
}

static char *run(struct machine *m, const char *dir, const char *path, const struct oc_strv *argv,
        const char *script, int *ret_exit) {
    OC_AUTO_FREE char *search = oc_strfmt("PATH=%s:/usr/bin", m->bin);
    char *env[] = { search, NULL };
    struct oc_trace t;
    assert_true(oc_trace_run(dir, path, argv, env, &t));
    char *programs = check_programs(m, &t, script);
    *ret_exit = t.exit_code;
    oc_trace_finish(&t);
    return programs;
}

static void compare(struct machine *m, const struct nd_exec_judgement *j, const char *script) {
    int expected_exit = 0;
    OC_AUTO_FREE char *expected =
            run(m, j->cwd ? j->cwd : m->dir, j->path, &j->argv, script, &expected_exit);
    static const char *const shells[] = { "/bin/sh", "/bin/bash" };
    for (size_t i = 0; i < OC_COUNT(shells); i++) {
        if (access(shells[i], X_OK) != 0) {
            continue;
        }
        OC_AUTO_STRV struct oc_strv argv = { 0 };
        oc_strv_add(&argv, shells[i]);
        oc_strv_add(&argv, "-c");
        oc_strv_add(&argv, script);
        int exit_code = 0;
        OC_AUTO_FREE char *programs = run(m, m->dir, shells[i], &argv, script, &exit_code);
        if (strcmp(programs, expected) != 0 || exit_code != expected_exit) {
            fail_msg("'%s' by %s: %d\n%s\nrebuilt: %d\n%s", script, shells[i], exit_code, programs,
                    expected_exit, expected);
        }
    }
}

static bool can_trace(struct machine *m) {
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_strv_add(&argv, "/bin/sh");
    oc_strv_add(&argv, "-c");
    oc_strv_add(&argv, "./evil1 a; exit 3");
    char *env[] = { NULL };
    struct oc_trace t;
    bool can = oc_trace_run(m->dir, "/bin/sh", &argv, env, &t);
    if (can) { /* the tracer sees what it is there to see */
        assert_int_equal(t.programs.count, 2);
        OC_AUTO_FREE char *all = oc_strv_join(&t.programs, "\n");
        assert_non_null(strstr(all, "/evil1 a|"));
        assert_int_equal(t.exit_code, 3);
    }
    oc_trace_finish(&t);
    return can;
}

static void allowed_scripts_execute_listed_programs(void **state) {
    struct machine *m = *state;
    assert_true(can_trace(m)); /* ptrace of one's own children must be allowed here */
    OC_AUTO_FREE char *path_env = oc_strfmt("%s:/usr/bin", m->bin);
    struct nd_exec_scene scene = {
        .fs = &nd_exec_fs_native, .cwd = m->dir, .path_env = path_env, .own = m->list
    };
    uint32_t seed = choose_seed();
    OC_AUTO_BUF struct oc_buf script = OC_BUF_INIT(1u << 16);
    OC_AUTO_STRV struct oc_strv seen = { 0 };
    int allowed = 0, refused = 0;
    for (int i = 0; i < SCRIPTS && allowed < RUNS_AT_MOST; i++) {
        generate(&seed, &script);
        char *items[] = { "sh", "-c", script.data };
        struct oc_strv argv = { .items = items, .count = 3 };
        struct nd_exec_judgement j;
        nd_exec_judge(&scene, &argv, &j);
        if (j.is_satisfied && !oc_strv_has(&seen, script.data)) {
            oc_strv_add(&seen, script.data);
            compare(m, &j, script.data);
            allowed++;
        }
        refused += !j.is_satisfied;
        nd_exec_judgement_finish(&j);
    }
    print_message("%d scripts allowed and run, %d refused\n", allowed, refused);
    assert_true(allowed >= RUNS_AT_MOST / 2 && refused > allowed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(allowed_scripts_execute_listed_programs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
