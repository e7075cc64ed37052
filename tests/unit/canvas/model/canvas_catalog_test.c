/* What an agent's author is told about one component. */
#include "tests/unit/unit.h"

#include "canvas/model/model.h"

static void check(const char *component, const char *want) {
    OC_AUTO_FREE char *line = oc_strfmt(
            "{'surfaceUpdate':{'surfaceId':'s','components':[{'id':'x','component':%s}]}}",
            component);
    for (char *c = line; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    OC_AUTO(cv_push) struct cv_push *p = NULL;
    struct oc_error err = { 0 };
    if (cv_push_parse(line, strlen(line), &p, &err) != OC_OK) {
        fail_msg("%s: %s", line, err.text);
    }
    OC_AUTO(cv_model) struct cv_model *m = cv_model_create();
    struct cv_diags diags = { 0 };
    cv_model_apply(m, p, &diags);
    OC_AUTO_BUF struct oc_buf out = OC_BUF_INIT(1 << 16);
    oc_buf_puts(&out, "");
    for (size_t i = 0; i < diags.count; i++) {
        oc_buf_printf(&out, "%s%s: %s", i ? "; " : "", diags.items[i].code, diags.items[i].message);
        assert_int_equal(diags.items[i].line, 1);
        assert_string_equal(diags.items[i].component, "x");
    }
    assert_string_equal(out.data, want);
    cv_diags_clear(&diags);
}

#define S(text) "{'literalString':'" text "'}"

static void all_properties_are_known(void **state) {
    (void)state;
    static const char *const good[] = {
        "{'Text':{'text':{'path':'/t'},'usageHint':'caption'}}",
        "{'Image':{'url':" S("u") ",'altText':" S("a") ",'fit':'scale-down','usageHint':'header'}}",
        "{'Icon':{'name':" S("arrowBack") "}}",
        "{'Video':{'url':" S("u") "}}",
        "{'AudioPlayer':{'url':" S("u") ",'description':" S("d") "}}",
        "{'Row':{'children':{'explicitList':['a']},'distribution':'spaceEvenly','alignment':'end'}"
        "}",
        "{'Column':{'children':{'template':{'componentId':'a','dataBinding':'/l'}}}}",
        "{'List':{'children':{'explicitList':[]},'direction':'horizontal','alignment':'stretch'}}",
        "{'Card':{'child':'a'}}",
        "{'Card':{'children':['a']}}",
        "{'Tabs':{'tabItems':[{'title':" S("t") ",'child':'a'}]}}",
        "{'Divider':{'axis':'vertical'}}",
        "{'Modal':{'entryPointChild':'a','contentChild':'b'}}",
        "{'Button':{'child':'a','primary':true,'action':{'name':'go','context':[{'key':'k','value':"
        "{'literalNumber':0}}]}}}",
        "{'CheckBox':{'label':" S("l") ",'value':{'literalBoolean':false}}}",
        "{'TextField':{'label':" S("l") ",'text':" S(
                "") ",'textFieldType':'obscured','validationRegexp':'a+'}}",
        "{'DateTimeInput':{'value':{'path':'d'},'enableDate':true,'enableTime':false}}",
        "{'MultipleChoice':{'selections':{'literalArray':[]},'options':[{'label':" S(
                "l") ",'value':'v'}],'maxAllowedSelections':1,'variant':'chips','filterable':true}"
                     "}",
        "{'Slider':{'value':{'literalNumber':0},'label':" S("l") ",'minValue':0,'maxValue':1}}",
    };
    for (size_t i = 0; i < OC_COUNT(good); i++) {
        if (strstr(good[i], "'children':['a']")) {
            check(good[i],
                    "bare-value: children is an array, not {\"explicitList\":[…]}: taken as it is");
        } else {
            check(good[i], "");
        }
    }
}

static void tells_what_is_wrong(void **state) {
    (void)state;
    check("{'Chart':{}}", "unknown-component: 'Chart' is not in the standard catalogue: not shown");
    check("{'Checkbox':{}}", "unknown-component: 'Checkbox' is not in the standard catalogue: not "
                             "shown (meant 'CheckBox'?)");
    check("{'Text':{}}", "missing-property: Text has no 'text'");
    check("{'Card':{}}", "missing-property: Card has no 'child'");
    check("{'Text':{'text':" S("x") ",'color':'red'}}", "unknown-property: Text has no 'color'");
    check("{'Text':{'text':" S("x") ",'usageHint':'h6'}}",
            "wrong-enum: usageHint is 'h6', not one of: h1 h2 h3 h4 h5 caption body");
    check("{'Text':{'text':" S("x") ",'usageHint':'h'}}",
            "wrong-enum: usageHint is 'h', not one of: h1 h2 h3 h4 h5 caption body");
    check("{'Text':{'text':" S("x") ",'usageHint':7}}",
            "wrong-type: usageHint is a number, not a string");
    check("{'Text':{'text':'x'}}",
            "bare-value: text is not {\"literalString\":…} or {\"path\":…}: taken as it is");
    check("{'Text':{'text':{}}}", "missing-value: text has neither a literal nor a path");
    check("{'Text':{'text':{'path':5}}}", "wrong-type: text.path is not a string");
    check("{'Text':{'text':{'literalNumber':5}}}",
            "wrong-type: text has a literalNumber, not a literalString");
    check("{'Text':{'text':{'literalString':5}}}",
            "wrong-type: text: the value of literalString does not fit its name");
    check("{'Text':{'text':{'literalString':'a','literalNumber':5}}}",
            "two-value-members: text has several literals: the first counts");
    check("{'Text':{'text':{'literalString':'a','x':5}}}", "unknown-property: text has no 'x'");
    check("{'Icon':{'name':" S("nonsense") "}}",
            "unknown-icon: there is no icon 'nonsense': a dot is drawn");
    check("{'Row':{'children':5}}", "wrong-type: children is a number, not an object");
    check("{'Row':{'children':{}}}",
            "missing-value: children has neither an explicitList nor a template");
    check("{'Row':{'children':{'explicitList':['a',5,6]}}}",
            "wrong-type: children.explicitList[1] is not a component's id");
    check("{'Row':{'children':{'explicitList':[],'template':{'componentId':'a','dataBinding':'b'}}}"
          "}",
            "two-value-members: children has an explicitList and a template: the list counts");
    check("{'Row':{'children':{'template':{'componentId':5}}}}",
            "wrong-type: children.template.componentId is not a string; missing-property: "
            "children.template has no 'dataBinding'");
    check("{'Card':{'child':5}}", "wrong-type: child is a number, not a string");
    check("{'Button':{'child':'a','action':{}}}", "missing-property: action has no 'name'");
    check("{'Button':{'child':'a','primary':'yes','action':{'name':'n'}}}",
            "wrong-type: primary is a string, not a boolean");
    check("{'Button':{'child':'a','action':{'name':'n','context':[{'key':'k'},{'value':{'path':'p'}"
          "},7]}}}",
            "missing-property: action.context[0] has no 'value'; missing-property: "
            "action.context[1] has no 'key'; wrong-type: action.context[2] is a number, not an "
            "object");
    check("{'Tabs':{'tabItems':[{'title':" S("t") "}]}}",
            "missing-property: tabItems[0] has no 'child'");
    check("{'Tabs':{'tabItems':[]}}", "empty-list: tabItems is empty");
    check("{'MultipleChoice':{'selections':{'path':'p'},'options':[{'label':'l','value':5}],'"
          "maxAllowedSelections':1.5}}",
            "wrong-type: options[0].value is not a string; bare-value: options[0].label is not "
            "{\"literalString\":…} or {\"path\":…}: taken as it is; wrong-type: "
            "maxAllowedSelections is not a whole number of 0 or more");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_properties_are_known),
        cmocka_unit_test(tells_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
