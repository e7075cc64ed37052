/* What whoever decides hears when a decision is not taken. */
#include "gateway/exec/approval_refusal.h"

#include "lib/protocol/grounds.h"
#include "tests/unit/unit.h"

/* As a client reads it: each refusal has a remedy of ours, not words of the gateway's. */
static void each_says_what_helps(void **state) {
    (void)state;
    static const struct {
        const char *wire, *code, *fix;
        enum oc_remedy remedy;
    } wanted[] = {
        [GW_APPROVAL_NOT_FOUND] = { "INVALID_REQUEST", "APPROVAL_NOT_FOUND",
                "see what still waits: openclaw approvals pending", OC_REMEDY_LIST_APPROVALS },
        [GW_APPROVAL_OWN_REQUEST] = { "INVALID_REQUEST", "APPROVAL_OWN_REQUEST",
                "decide it as another operator: openclaw approvals pending",
                OC_REMEDY_OTHER_OPERATOR },
        [GW_APPROVAL_CHANGED] = { "INVALID_REQUEST", "APPROVAL_CHANGED",
                "have it asked for again, with files that nobody changes meanwhile",
                OC_REMEDY_REQUEST_AGAIN },
        [GW_APPROVAL_NOT_LOOKED_AT] = { "UNAVAILABLE", "APPROVAL_NOT_LOOKED_AT",
                "approve it again when the node answers: openclaw nodes status",
                OC_REMEDY_WAIT_FOR_NODE },
        [GW_APPROVAL_CONTENT_NOT_BOUND] = { "INVALID_REQUEST", "APPROVAL_CONTENT_NOT_BOUND",
                "openclaw approvals approve without --always", OC_REMEDY_APPROVE_ONCE },
    };
    assert_int_equal(OC_COUNT(wanted), GW_APPROVAL_REFUSAL_COUNT);
    for (size_t i = 0; i < OC_COUNT(wanted); i++) {
        OC_AUTO_JSON cJSON *error = gw_approval_refuse((enum gw_approval_refusal)i, NULL);
        const cJSON *details = oc_json_get(error, "details");
        assert_string_equal(oc_json_get_str(error, "code"), wanted[i].wire);
        assert_string_equal(oc_json_get_str(details, "code"), wanted[i].code);
        assert_string_equal(oc_json_get_str(details, "fix"), wanted[i].fix);
        struct oc_told_error told = { .message = oc_json_get_str(error, "message"),
            .details = details };
        struct oc_grounds read = { 0 };
        OC_AUTO_FREE char *text = oc_grounds_read(&told, &read);
        assert_int_equal(read.remedy, wanted[i].remedy);
        assert_string_equal(text, told.message);
    }
}

static void why_is_cut_and_printable(void **state) {
    (void)state;
    char why[1000];
    memset(why, 'x', sizeof(why) - 1);
    why[sizeof(why) - 1] = '\0';
    memcpy(why, "a\x1b[31mb", strlen("a\x1b[31mb"));
    OC_AUTO_JSON cJSON *error = gw_approval_refuse(GW_APPROVAL_NOT_LOOKED_AT, why);
    const char *message = oc_json_get_str(error, "message");
    assert_non_null(strstr(message, "still the same (a"));
    assert_null(strchr(message, '\x1b'));
    assert_true(strlen(message) < 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_what_helps),
        cmocka_unit_test(why_is_cut_and_printable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
