/* A store in memory, a clock that stands still, and short ways to say who wants what. */
#ifndef TESTS_UNIT_GATEWAY_PAIRING_PAIRING_FIXTURE_H
#define TESTS_UNIT_GATEWAY_PAIRING_PAIRING_FIXTURE_H

#include "gateway/pairing/pairing.h"
#include "gateway/pairing/pairing_priv.h"
#include "gateway/pairing/surface.h"
#include "lib/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define START_MS 1794787516297
#define ALL_SCOPES "operator.admin operator.read operator.write operator.approvals operator.pairing"

static struct oc_fake_clock fake;
static struct gw_store *store;
static struct gw_pairing *pairing;
static struct gw_surface *surface;
static struct oc_strv lists[1024]; /* what words() gave out, until the test is over */
static size_t list_count;
static struct oc_error error;

static inline int fixture_setup(void **state) {
    (void)state;
    oc_fake_clock_init(&fake, START_MS);
    list_count = 0;
    error = (struct oc_error){ 0 };
    if (gw_store_open(":memory:", &store, &error) != OC_OK) {
        return -1;
    }
    pairing = gw_pairing_create(store, &fake.clock);
    surface = gw_surface_create(store, &fake.clock);
    return 0;
}

static inline int fixture_teardown(void **state) {
    (void)state;
    for (size_t i = 0; i < list_count; i++) {
        oc_strv_finish(&lists[i]);
        lists[i] = (struct oc_strv){ 0 };
    }
    gw_surface_destroy(surface);
    gw_pairing_destroy(pairing);
    gw_store_close(store);
    return 0;
}

/* "a b c" as a list that lives as long as the test. */
static inline const struct oc_strv *words(const char *text) {
    assert_true(list_count < OC_COUNT(lists));
    struct oc_strv *list = &lists[list_count++];
    while (*text) {
        size_t len = strcspn(text, " ");
        OC_AUTO_FREE char *word = oc_strndup(text, len);
        if (len > 0) {
            oc_strv_add(list, word);
        }
        text += len + (text[len] == ' ');
    }
    return list;
}

static inline struct gw_actor actor(const char *scopes, const char *device_id) {
    return (struct gw_actor){ .scopes = words(scopes), .device_id = device_id };
}

static inline struct gw_pair_claim claim(
        const char *device_id, const char *role, const char *scopes) {
    return (struct gw_pair_claim){
        .device_id = device_id,
        .public_key = device_id, /* any text will do here; a connect has checked that they belong
                                    together */
        .role = role,
        .scopes = words(scopes),
        .display_name = "Box",
        .platform = "linux",
        .client_id = strcmp(role, "node") == 0 ? "node-host" : "cli",
        .client_mode = strcmp(role, "node") == 0 ? "node" : "cli",
        .version = "1.0",
        .remote_ip = "10.0.0.9",
    };
}

static inline struct gw_pair_outcome check(const struct gw_pair_claim *c) {
    struct gw_pair_outcome o = { 0 };
    if (gw_pairing_check(pairing, c, &o, &error) != OC_OK) {
        fail_msg("check: %s", error.text);
    }
    return o;
}

/* The reason for a request, or "paired" or "silent". */
static inline const char *verdict(const struct gw_pair_claim *c) {
    struct gw_pair_outcome o = check(c);
    const char *text = o.was_silent ? "silent" : o.is_paired ? "paired" : o.reason;
    assert_int_equal(o.is_paired, o.reason == NULL);
    assert_int_equal(o.is_paired, o.device != NULL);
    gw_pair_outcome_finish(&o);
    return text;
}

/* The id of the request that now waits; the caller frees. */
static inline char *ask(const struct gw_pair_claim *c) {
    struct gw_pair_outcome o = check(c);
    assert_false(o.is_paired);
    char *id = oc_strdup(oc_json_get_str(o.request, "requestId"));
    gw_pair_outcome_finish(&o);
    return id;
}

static inline enum oc_code approve(const struct gw_actor *who, const char *request_id) {
    OC_AUTO_JSON cJSON *payload = NULL;
    OC_AUTO_JSON cJSON *request = NULL;
    error = (struct oc_error){ 0 };
    return gw_pairing_approve(pairing, who, request_id, &payload, &request, &error);
}

static inline void pair(const struct gw_pair_claim *c) {
    OC_AUTO_FREE char *id = ask(c);
    struct gw_actor admin = actor(ALL_SCOPES, NULL);
    if (approve(&admin, id) != OC_OK) {
        fail_msg("approve: %s", error.text);
    }
}

static inline cJSON *stored(enum gw_table t, const char *key) {
    cJSON *doc = NULL;
    enum oc_code rc = gw_store_get(store, t, key, &doc, &error);
    assert_true(rc == OC_OK || rc == OC_E_NOT_FOUND);
    return doc;
}

static inline size_t count(enum gw_table t) {
    size_t n = 0;
    assert_int_equal(gw_store_count(store, t, &n, NULL), OC_OK);
    return n;
}

static inline void assert_json(const cJSON *value, const char *want) {
    OC_AUTO_FREE char *text = oc_json_print(value, false);
    assert_string_equal(text, want);
}

/* With these words, unless OC_OK is wanted. */
static inline void assert_fails(enum oc_code rc, enum oc_code want, const char *text) {
    if (rc != want || (want != OC_OK && strcmp(error.text, text) != 0)) {
        fail_msg("got %s '%s', wanted %s '%s'", oc_code_name(rc), rc == OC_OK ? "" : error.text,
                oc_code_name(want), text);
    }
}

#endif
