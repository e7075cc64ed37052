#include "tests/unit/unit.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "node/owner/screen_token.h"
#include "node/owner/switches.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char dir[32];
    char *switches, *token;
};

static int set_up(void **state) {
    struct place *p = oc_new(struct place);
    memcpy(p->dir, "/tmp/oc-token-XXXXXX", sizeof("/tmp/oc-token-XXXXXX"));
    assert_non_null(mkdtemp(p->dir));
    p->switches = oc_path_join(p->dir, ND_SWITCHES_FILE);
    p->token = oc_path_join(p->dir, ND_SCREEN_TOKEN_FILE);
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    struct place *p = *state;
    unlink(p->switches);
    unlink(p->token);
    rmdir(p->dir);
    oc_free(p->switches);
    oc_free(p->token);
    oc_free(p);
    return 0;
}

static void assert_token(const struct place *p, const char *wanted) {
    OC_AUTO_FREE char *got = nd_screen_token_load(p->switches);
    if (wanted) {
        assert_string_equal(got, wanted);
    } else {
        assert_null(got);
    }
}

static void the_newest_counts(void **state) {
    struct place *p = *state;
    struct oc_error err;
    struct stat st;
    assert_token(p, NULL);
    assert_int_equal(nd_screen_token_save(p->switches, "one", &err), OC_OK);
    assert_token(p, "one");
    assert_int_equal(nd_screen_token_save(p->switches, "two", &err), OC_OK);
    assert_token(p, "two");
    assert_int_equal(stat(p->token, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void nonsense_is_not_kept(void **state) {
    struct place *p = *state;
    struct oc_error err;
    char large[300];
    memset(large, 'x', sizeof(large));
    large[sizeof(large) - 1] = '\0';
    assert_int_equal(nd_screen_token_save(p->switches, "", &err), OC_E_INVALID);
    assert_int_equal(nd_screen_token_save(p->switches, large, &err), OC_E_INVALID);
    assert_token(p, NULL);
    assert_int_equal(oc_file_write_private(p->token, "{", 1, &err), OC_OK);
    assert_token(p, NULL);
    assert_int_equal(nd_screen_token_save(p->switches, "one", &err), OC_OK);
    assert_token(p, "one");
}

static void switching_the_screen_off_forgets_it(void **state) {
    struct place *p = *state;
    struct oc_error err;
    assert_int_equal(nd_switch_set(p->switches, "screen", true, &err), OC_OK);
    assert_int_equal(nd_screen_token_save(p->switches, "one", &err), OC_OK);
    assert_int_equal(nd_switch_set(p->switches, "camera", false, &err), OC_OK);
    assert_token(p, "one");
    assert_int_equal(nd_switch_set(p->switches, "screen", false, &err), OC_OK);
    assert_token(p, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nonsense_is_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(switching_the_screen_off_forgets_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
