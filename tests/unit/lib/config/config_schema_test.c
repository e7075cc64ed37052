#include "tests/unit/unit.h"

#include "lib/config/config_schema.h"
#include "tests/any_int.h"

static cJSON *parse(const char *text) {
    cJSON *v = NULL;
    assert_int_equal(oc_json5_parse(text, strlen(text), &v, NULL), OC_OK);
    return v;
}

/* "path message" of the only issue, or "" when there is none. */
static void expect(const char *config, bool is_error, const char *want) {
    OC_AUTO_JSON cJSON *tree = parse(config);
    OC_AUTO_JSON cJSON *errors = cJSON_CreateArray(), *warnings = cJSON_CreateArray();
    oc_config_check(tree, errors, warnings);
    const cJSON *got = is_error ? errors : warnings, *other = is_error ? warnings : errors;
    assert_null(other->child);
    assert_int_equal(cJSON_GetArraySize(got), *want ? 1 : 0);
    if (*want) {
        OC_AUTO_FREE char *text = oc_strfmt("%s %s", oc_json_get_str(got->child, "path"),
                oc_json_get_str(got->child, "message"));
        assert_string_equal(text, want);
    }
}

static void finds_what_was_meant(void **state) {
    (void)state;
    expect("{gateway:{prot:1}}", false, "gateway.prot unknown key; did you mean gateway.port?");
    expect("{gatway:{port:1}}", false, "gatway unknown key; did you mean gateway?");
    expect("{gateway:{nodes:{allowcommands:[]}}}", false,
            "gateway.nodes.allowcommands unknown key; did you mean gateway.nodes.allowCommands?");
    expect("{gateway:{token:'x'}}", false,
            "gateway.token unknown key; did you mean gateway.auth.token?");
    expect("{gateway:{nodes:{comands:{allow:[]}}}}", false,
            "gateway.nodes.comands unknown key; did you mean gateway.nodes.commands?");
    expect("{zebra:1}", false, "zebra unknown key; it does nothing");
    expect("{agents:{whatever:[{deep:1}]},tools:{exec:{host:'node',x:1}}}", false, "");
    expect("{gateway:{nodes:{allowCommands:['a'],commands:{deny:['b']}}}}", true, "");
}

/* A mistyped key would open the sandbox. */
static void unknown_keys_of_a_node_are_errors(void **state) {
    (void)state;
    expect("{node:{exec:{sandbx:'strict'}}}", true,
            "node.exec.sandbx unknown key; did you mean node.exec.sandbox?");
    expect("{node:{exec:{limits:{bogus:3}}}}", true,
            "node.exec.limits.bogus unknown key; remove it, no node knows such a setting");
    expect("{node:{zebra:1}}", true,
            "node.zebra unknown key; remove it, no node knows such a setting");
    expect("{nodeHost:{zebra:1}}", false, "nodeHost.zebra unknown key; it does nothing");
}

static void checks_sizes(void **state) {
    (void)state;
    static const char *const right[] = { "'1'", "'512M'", "'2g'", "'3k'", "'8T'", "4096" };
    static const char *const wrong[] = { "'100MB'", "'100MiB'", "'1.5G'", "''", "'M'", "'-1'",
        "' 1M'", "'1X'", "'99999999T'", "0", "-4", "1.5", "true", "['1M']" };
    for (size_t i = 0; i < OC_COUNT(right); i++) {
        OC_AUTO_FREE char *config =
                oc_strfmt("{node:{exec:{limits:{memory:%s,fileSize:%s}}}}", right[i], right[i]);
        expect(config, true, "");
    }
    for (size_t i = 0; i < OC_COUNT(wrong); i++) {
        OC_AUTO_FREE char *config = oc_strfmt("{node:{exec:{limits:{memory:%s}}}}", wrong[i]);
        expect(config, true,
                "node.exec.limits.memory must be a size like \"512M\" or \"2G\" (K, M, G, T: "
                "powers of "
                "1024; no letter: bytes)");
    }
}

static void checks_types(void **state) {
    (void)state;
    expect("{gateway:{port:'1'}}", true, "gateway.port must be a whole number in 1..65535");
    expect("{gateway:{port:70000}}", true, "gateway.port must be a whole number in 1..65535");
    expect("{gateway:{port:1.5}}", true, "gateway.port must be a whole number in 1..65535");
    expect("{gateway:5}", true, "gateway must be an object { … }");
    expect("{node:{exec:{env:['FOO']}}}", true,
            "node.exec.env must be an object { … }; the list of variables that commands in a "
            "sandbox inherit is node.exec.env.inherit");
    expect("{node:{exec:{env:{allow:['FOO','MY_PATH']}}}}", true, "");
    expect("{node:{exec:{env:{allow:['FOO','PATH']}}}}", true,
            "node.exec.env.allow must not name PATH: programs are looked up, shown and approved by "
            "the node's own; set PATH for the node");
    expect("{gateway:{bind:'everywhere'}}", true,
            "gateway.bind must be one of loopback|lan|tailnet|auto|custom");
    expect("{gateway:{tls:{enabled:'yes'}}}", true, "gateway.tls.enabled must be true or false");
    expect("{gateway:{nodes:{commands:{allow:'x'}}}}", true,
            "gateway.nodes.commands.allow must be a list of texts");
    expect("{gateway:{nodes:{denyCommands:[1]}}}", true,
            "gateway.nodes.denyCommands must be a list of texts");
    expect("{gateway:{auth:{token:{source:'env'}}}}", true,
            "gateway.auth.token must be a text in quotes");
    expect("{gateway:{port:null}}", true, "");
    expect("{canvasHost:{port:'not ours'}}", true, "");
    expect("{gateway:{handshakeTimeoutMs:1}}", true,
            "gateway.handshakeTimeoutMs must be a whole number in 100..120000");
    expect("{node:{location:{fixed:{lat:-90,lon:0.5,accuracyMeters:12.5}}}}", true, "");
    expect("{node:{location:{fixed:{lat:-90.1}}}}", true,
            "node.location.fixed.lat must be a number in -90..90");
    expect("{node:{location:{fixed:{lon:'1'}}}}", true,
            "node.location.fixed.lon must be a number in -180..180");
    expect("{gateway:{auth:{mode:'trusted-proxy'}}}", true,
            "gateway.auth.mode must be one of token|password|none");
}

static void tells_hot_from_restart(void **state) {
    (void)state;
    static const struct {
        const char *before, *after;
        unsigned want;
    } rows[] = {
        { "{}", "{}", 0 },
        { "{gateway:{port:1}}", "{gateway:{port:1}}", 0 },
        { "{gateway:{port:1}}", "{gateway:{port:2}}", OC_CONFIG_RESTART },
        { "{}", "{gateway:{auth:{token:'x'}}}", OC_CONFIG_RESTART },
        { "{}", "{gateway:{nodes:{denyCommands:['x']}}}", OC_CONFIG_HOT },
        { "{gateway:{nodes:{commands:{allow:['x']}}}}", "{}", OC_CONFIG_HOT },
        { "{}", "{agents:{x:1},zebra:1}", 0 },
        { "{}", "{logging:{level:'warn'},gateway:{tls:{enabled:true}}}",
                OC_CONFIG_HOT | OC_CONFIG_RESTART },
    };
    for (size_t i = 0; i < OC_COUNT(rows); i++) {
        OC_AUTO_JSON cJSON *before = parse(rows[i].before), *after = parse(rows[i].after);
        assert_int_equal(oc_config_changes(before, after), rows[i].want);
    }
}

static void table_makes_sense(void **state) {
    (void)state;
    size_t count;
    const struct oc_config_key *k = oc_config_keys(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(k[i - 1].path, k[i].path) < 0); /* sorted, none twice */
        unsigned use = k[i].flags & ~(unsigned)OC_CONFIG_SECRET;
        assert_true(use && (use & (use - 1)) == 0); /* exactly one */
        if (k[i].def) {
            OC_AUTO_JSON cJSON *def = parse(k[i].def);
            assert_non_null(def);
        }
    }
}

static void schema_has_every_key(void **state) {
    (void)state;
    OC_AUTO_JSON cJSON *schema = oc_config_json_schema();
    const cJSON *port = oc_json_path(schema, "properties.gateway.properties.port");
    assert_string_equal(oc_json_get_str(port, "type"), "integer");
    assert_int_equal(any_int(port, "maximum", 0), 65535);
    assert_int_equal(any_int(port, "default", 0), 18789);
    const cJSON *bind = oc_json_path(schema, "properties.gateway.properties.bind.enum");
    assert_int_equal(cJSON_GetArraySize(bind), 5);
    assert_non_null(oc_json_path(schema, "properties.tools.properties.exec.properties.host"));
    OC_AUTO_JSON cJSON *hints = oc_config_ui_hints();
    const cJSON *token = oc_json_get(hints, "gateway.auth.token");
    assert_true(oc_json_get_bool(token, "sensitive", false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_meant),
        cmocka_unit_test(unknown_keys_of_a_node_are_errors),
        cmocka_unit_test(checks_sizes),
        cmocka_unit_test(checks_types),
        cmocka_unit_test(tells_hot_from_restart),
        cmocka_unit_test(table_makes_sense),
        cmocka_unit_test(schema_has_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
