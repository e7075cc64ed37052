/* canvas.eval without a script engine: which scripts are understood, and as what. */
#include "tests/unit/unit.h"

#include "canvas/serve/eval.h"
#include "lib/base/mem.h"

#include <string.h>

static enum cv_eval_what what(const char *script) {
    return cv_eval_read(script, strlen(script)).what;
}

static void understands(void **state) {
    (void)state;
    static const struct {
        const char *script;
        enum cv_eval_what what;
    } cases[] = {
        { "openclawA2UI.getSurfaces()", CV_EVAL_GET_SURFACES },
        { " return window.openclawA2UI.getSurfaces( ) ; ", CV_EVAL_GET_SURFACES },
        { "JSON.stringify(globalThis.openclawA2UI.getSurfaces())", CV_EVAL_GET_SURFACES },
        { "openclawA2UI.reset();", CV_EVAL_RESET },
        { "openclawA2UI.applyMessages([{\"deleteSurface\":{}}])", CV_EVAL_APPLY_MESSAGES },
        { "document.title", CV_EVAL_TEXT },
        { "window.location.href", CV_EVAL_TEXT },
        { "document.readyState", CV_EVAL_TEXT },
        { "", CV_EVAL_UNSUPPORTED },
        { ";", CV_EVAL_UNSUPPORTED },
        { "return", CV_EVAL_UNSUPPORTED },
        { "returndocument.title", CV_EVAL_UNSUPPORTED },
        { "document.title = 'x'", CV_EVAL_UNSUPPORTED },
        { "document.titles", CV_EVAL_UNSUPPORTED },
        { "openclawA2UI.getSurfaces(1)", CV_EVAL_UNSUPPORTED },
        { "openclawA2UI.getSurfaces", CV_EVAL_UNSUPPORTED },
        { "openclawA2UI.getSurfaces().length", CV_EVAL_UNSUPPORTED },
        { "openclawA2UI.applyMessages()", CV_EVAL_UNSUPPORTED },
        { "openclawA2UI.reset", CV_EVAL_UNSUPPORTED },
    };
    for (size_t i = 0; i < OC_COUNT(cases); i++) {
        if (what(cases[i].script) != cases[i].what) {
            fail_msg("%s: %d", cases[i].script, what(cases[i].script));
        }
    }
}

static enum oc_code to_jsonl(const char *array, struct oc_buf *ret, struct oc_error *err) {
    return cv_eval_to_jsonl((struct oc_slice){ array, strlen(array) }, ret, err);
}

static void messages(void **state) {
    (void)state;
    OC_AUTO_BUF struct oc_buf out = { 0 };
    struct oc_error err;
    assert_int_equal(to_jsonl("[ {\"deleteSurface\": {\"surfaceId\":\"é\\n\"}},\n"
                              "{\"beginRendering\":{\"n\":1.50}}]",
                             &out, &err),
            OC_OK);
    assert_string_equal(out.data, "{\"deleteSurface\":{\"surfaceId\":\"é\\n\"}}\n"
                                  "{\"beginRendering\":{\"n\":1.5}}\n");
    oc_buf_finish(&out);
    assert_int_not_equal(to_jsonl("[{\"deleteSurface\":{}},7]", &out, &err), OC_OK);
    assert_non_null(strstr(err.text, "messages[1]: expected a JSON object"));
    assert_int_not_equal(to_jsonl("{\"deleteSurface\":{}}", &out, &err), OC_OK);
    assert_int_not_equal(to_jsonl("[{deleteSurface:{}}]", &out, &err), OC_OK);
    assert_int_not_equal(to_jsonl("[{\"createSurface\":{}}]", &out, &err), OC_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understands),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
