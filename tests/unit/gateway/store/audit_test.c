#include "gateway/store/audit.h"

#include "gateway/store/audit_priv.h"
#include "lib/base/mem.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/unit.h"

static int setup(void **state) {
    struct gw_store *s = NULL;
    struct oc_error err;
    assert_int_equal(gw_store_open(":memory:", &s, &err), OC_OK);
    assert_int_equal(gw_audit_open(s, &err), OC_OK);
    assert_int_equal(gw_audit_open(s, &err), OC_OK); /* as at the next start */
    *state = s;
    return 0;
}

static int teardown(void **state) {
    gw_store_close(*state);
    return 0;
}

static int64_t add_by(
        struct gw_store *s, enum gw_audit_table table, struct gw_audit_row row, const char *kind) {
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "kind", kind);
    int64_t seq = 0;
    struct oc_error err;
    row.doc = doc;
    assert_int_equal(gw_audit_add(s, table, &row, &seq, &err), OC_OK);
    return seq;
}

static int64_t add(struct gw_store *s, enum gw_audit_table table, int64_t at_ms, int64_t ref,
        const char *node, const char *kind) {
    return add_by(s, table,
            (struct gw_audit_row){ .at_ms = at_ms, .ref = ref, .node_id = node, .actor = "me" },
            kind);
}

static struct gw_audit_page page(
        struct gw_store *s, enum gw_audit_table table, struct gw_audit_query q) {
    struct gw_audit_page ret = { 0 };
    struct oc_error err;
    q.max_bytes = q.max_bytes ? q.max_bytes : SIZE_MAX;
    assert_int_equal(gw_audit_list(s, table, &q, &ret, &err), OC_OK);
    return ret;
}

static cJSON *list(struct gw_store *s, enum gw_audit_table table, struct gw_audit_query q,
        int64_t *ret_pruned) {
    struct gw_audit_page all = page(s, table, q);
    *ret_pruned = all.pruned;
    return all.items;
}

static void ends_complete_runs(void **state) {
    struct gw_store *s = *state;
    int64_t first = add(s, GW_AUDIT_RUNS, 1000, 0, "a", "run"), pruned;
    add(s, GW_AUDIT_RUNS, 2000, 0, "b", "run");
    add(s, GW_AUDIT_RUNS, 3000, first, "a", "end");
    OC_AUTO_JSON cJSON *all = list(
            s, GW_AUDIT_RUNS, (struct gw_audit_query){ .until_ms = 9000, .limit = 10 }, &pruned);
    OC_AUTO_FREE char *text = oc_json_print(all, false);
    assert_string_equal(text, "[{\"kind\":\"run\",\"atMs\":2000,\"seq\":2},"
                              "{\"kind\":\"run\",\"atMs\":1000,\"seq\":1,\"end\":{\"kind\":\"end\","
                              "\"atMs\":3000}}]");
    assert_int_equal(pruned, 0);
    OC_AUTO_JSON cJSON *some = list(s, GW_AUDIT_RUNS,
            (struct gw_audit_query){
                    .node_id = "a", .since_ms = 1001, .until_ms = 9000, .limit = 9 },
            &pruned);
    assert_int_equal(cJSON_GetArraySize(some), 0);
}

/* From nothing known to known, and never back. */
static void what_is_known_grows(void **state) {
    struct gw_store *s = *state;
    struct oc_error err;
    struct gw_audit_run found = { 0 };
    struct gw_audit_query q = { .until_ms = 9000, .limit = 10 };
    int64_t pruned, closed;
    struct gw_audit_row begin = { .at_ms = 1, .node_id = "a", .actor = "me", .invoke_id = "i" };
    int64_t seq = add_by(s, GW_AUDIT_RUNS, begin, "run");
    add(s, GW_AUDIT_RUNS, 1, 0, "a", "approval"); /* has no end to wait for */
    assert_int_equal(gw_audit_find(s, "b", "i", &found, &err), OC_E_NOT_FOUND);
    assert_int_equal(gw_audit_find(s, "a", "j", &found, &err), OC_E_NOT_FOUND);
    assert_int_equal(gw_audit_find(s, "a", "i", &found, &err), OC_OK);
    assert_int_equal(found.seq, seq);
    assert_string_equal(found.actor, "me");
    assert_false(found.is_ended);
    gw_audit_run_finish(&found);
    OC_AUTO_JSON cJSON *lost = cJSON_CreateObject();
    oc_json_set_str(lost, "kind", "lost");
    assert_int_equal(gw_audit_close_open(s, 2, lost, &closed, &err), OC_OK);
    assert_int_equal(closed, 1);
    assert_int_equal(gw_audit_close_open(s, 3, lost, &closed, &err), OC_OK);
    assert_int_equal(closed, 0);
    assert_int_equal(gw_audit_find(s, "a", "i", &found, &err), OC_OK);
    assert_false(found.is_ended);
    gw_audit_run_finish(&found);
    add(s, GW_AUDIT_RUNS, 4, seq, "a", "end");
    assert_int_equal(gw_audit_find(s, "a", "i", &found, &err), OC_OK);
    assert_true(found.is_ended);
    gw_audit_run_finish(&found);
    OC_AUTO_JSON cJSON *all = list(s, GW_AUDIT_RUNS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(all), 2); /* one line for the run, whatever was learned */
    const cJSON *run = cJSON_GetArrayItem(all, 1);
    assert_string_equal(oc_json_get_str(oc_json_get(run, "end"), "kind"), "end");
}

static int64_t count_of(struct gw_store *s, const char *actor, int64_t *ret_oldest) {
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(s->db,
                             "SELECT count(*), min(seq) FROM exec_refusals WHERE actor = ?1", -1,
                             &stmt, NULL),
            SQLITE_OK);
    sqlite3_bind_text(stmt, 1, actor, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(stmt, 0);
    *ret_oldest = sqlite3_column_int64(stmt, 1);
    sqlite3_finalize(stmt);
    return n;
}

static void whoever_has_most_loses_the_oldest(void **state) {
    struct gw_store *s = *state;
    struct oc_error err;
    struct gw_audit_row quiet = { .actor = "quiet" }, loud = { .actor = "loud" };
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    for (int i = 0; i < 100; i++) {
        add_by(s, GW_AUDIT_REFUSALS, quiet, "refused");
    }
    for (int i = 0; i < 3 * OC_MAX_AUDIT_REFUSALS; i++) {
        add_by(s, GW_AUDIT_REFUSALS, loud, "refused");
    }
    assert_int_equal(gw_store_commit(s, &err), OC_OK);
    int64_t oldest, quiet_count = count_of(s, "quiet", &oldest);
    assert_int_equal(quiet_count, 100); /* though they are the oldest of all */
    assert_int_equal(oldest, 1);
    int64_t loud_count = count_of(s, "loud", &oldest);
    assert_in_range(loud_count + quiet_count, OC_MAX_AUDIT_REFUSALS,
            OC_MAX_AUDIT_REFUSALS + GW_AUDIT_SLACK);
    int64_t pruned;
    struct gw_audit_query q = { .until_ms = 100000, .limit = 1 };
    OC_AUTO_JSON cJSON *one = list(s, GW_AUDIT_REFUSALS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(one), 1);
    assert_int_equal(pruned, 100 + 3 * OC_MAX_AUDIT_REFUSALS - loud_count - quiet_count);
    OC_AUTO_JSON cJSON *runs = list(s, GW_AUDIT_RUNS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(runs), 0);
    assert_int_equal(pruned, 0);
    /* Over the ceiling or not: nobody's newest goes. */
    assert_int_not_equal(gw_store_exec(s, "DELETE FROM exec_refusals WHERE seq = 50", &err), OC_OK);
}

/* As the first version made them: with rows, and with triggers that keep by number alone. */
static void old_tables_are_taken_over(void **state) {
    (void)state;
    struct gw_store *s = NULL;
    struct oc_error err;
    assert_int_equal(gw_store_open(":memory:", &s, &err), OC_OK);
    assert_int_equal(gw_store_exec(s,
                             "CREATE TABLE exec_audit(seq INTEGER PRIMARY KEY AUTOINCREMENT,"
                             " at_ms INTEGER NOT NULL, ref INTEGER, node TEXT, doc TEXT NOT NULL)"
                             " STRICT;"
                             "CREATE TRIGGER exec_audit_bounded AFTER INSERT ON exec_audit BEGIN"
                             " DELETE FROM exec_audit WHERE seq <= NEW.seq - 1; END;"
                             "INSERT INTO exec_audit(at_ms, doc) VALUES(1, '{\"kind\":\"run\"}');",
                             &err),
            OC_OK);
    assert_int_equal(gw_audit_open(s, &err), OC_OK);
    add(s, GW_AUDIT_RUNS, 2, 0, "a", "run");
    int64_t pruned;
    struct gw_audit_query q = { .until_ms = 100, .limit = 10 };
    OC_AUTO_JSON cJSON *all = list(s, GW_AUDIT_RUNS, q, &pruned);
    assert_int_equal(cJSON_GetArraySize(all), 2);
    gw_store_close(s);
}

static void rows_stay_as_they_are(void **state) {
    struct gw_store *s = *state;
    struct oc_error err;
    add(s, GW_AUDIT_RUNS, 1, 0, NULL, "run");
    assert_int_not_equal(gw_store_exec(s, "DELETE FROM exec_audit", &err), OC_OK);
    assert_non_null(strstr(err.text, "append-only"));
    assert_int_not_equal(gw_store_exec(s, "UPDATE exec_audit SET at_ms = 2", &err), OC_OK);
    assert_int_not_equal(
            gw_store_exec(s, "REPLACE INTO exec_audit(seq, at_ms, doc) VALUES(1, 2, '{}')", &err),
            OC_OK);
}

/* Whatever is asked for, no list reads the table from end to end. */
static void no_filter_of_a_list_reads_the_whole_book(void **state) {
    struct gw_store *s = *state;
    for (int i = 0; i < GW_AUDIT_TABLES * 2; i++) {
        OC_AUTO_FREE char *list_sql = gw_audit_list_sql((enum gw_audit_table)(i / 2), i % 2);
        OC_AUTO_FREE char *sql = oc_strfmt("EXPLAIN QUERY PLAN %s", list_sql);
        GW_AUTO_STMT sqlite3_stmt *stmt = NULL;
        assert_int_equal(sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL), SQLITE_OK);
        int rows = 0;
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *detail = (const char *)sqlite3_column_text(stmt, 3);
            if (strstr(detail, "SCAN") == detail || strstr(detail, "TEMP B-TREE")) {
                fail_msg("%s: %s", list_sql, detail);
            }
            rows++;
        }
        assert_true(rows > 0);
    }
}

static int count_work(void *user) {
    ++*(int64_t *)user;
    return 0;
}

/* In instructions of SQLite's machine. */
static int64_t work_of(struct gw_store *s, struct gw_audit_query q) {
    int64_t work = 0;
    sqlite3_progress_handler(s->db, 1, count_work, &work);
    struct gw_audit_page got = page(s, GW_AUDIT_RUNS, q);
    sqlite3_progress_handler(s->db, 0, NULL, NULL);
    cJSON_Delete(got.items);
    return work;
}

static void asking_a_full_book_costs_what_is_found(void **state) {
    struct gw_store *s = *state;
    struct oc_error err;
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    for (int i = 0; i < OC_MAX_AUDIT_RUNS / 2; i++) {
        int64_t seq = add(s, GW_AUDIT_RUNS, i, 0, i % 2 ? "a" : "b", "run");
        add(s, GW_AUDIT_RUNS, i, seq, i % 2 ? "a" : "b", "end");
    }
    assert_int_equal(gw_store_commit(s, &err), OC_OK);
    const struct gw_audit_query nothing[] = {
        { .node_id = "x", .until_ms = INT64_MAX, .limit = 100 },
        { .node_id = "a", .until_ms = -1, .limit = 100 },
        { .node_id = "a", .since_ms = OC_MAX_AUDIT_RUNS, .until_ms = INT64_MAX, .limit = 100 },
        { .until_ms = -1, .limit = 100 },
        { .since_ms = OC_MAX_AUDIT_RUNS, .until_ms = INT64_MAX, .limit = 100 },
    };
    for (size_t i = 0; i < OC_COUNT(nothing); i++) {
        assert_in_range(work_of(s, nothing[i]), 1, 1000);
    }
    struct gw_audit_query some = { .node_id = "a", .until_ms = INT64_MAX, .limit = 10 };
    assert_in_range(work_of(s, some), 1, 2000);
}

/* Pages that are cut at bytes and rows of the same moment lose nothing and repeat nothing. */
static void pages_follow_each_other(void **state) {
    struct gw_store *s = *state;
    for (int i = 0; i < 25; i++) {
        add(s, GW_AUDIT_RUNS, 1000 + i / 10, 0, "a", "run");
    }
    struct gw_audit_query q = { .until_ms = 9000, .limit = 7, .max_bytes = 50 };
    int64_t expected = 25;
    bool is_cut = true;
    while (is_cut) {
        struct gw_audit_page got = page(s, GW_AUDIT_RUNS, q);
        const cJSON *item = NULL;
        cJSON_ArrayForEach(item, got.items) {
            q.before_seq = any_int(item, "seq", 0);
            q.until_ms = any_int(item, "atMs", 0);
            assert_int_equal(q.before_seq, expected--);
        }
        is_cut = got.is_cut;
        assert_in_range(cJSON_GetArraySize(got.items), is_cut ? 1 : 0, 4);
        cJSON_Delete(got.items);
    }
    assert_int_equal(expected, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = { TEST(ends_complete_runs), TEST(what_is_known_grows),
        TEST(whoever_has_most_loses_the_oldest), cmocka_unit_test(old_tables_are_taken_over),
        TEST(no_filter_of_a_list_reads_the_whole_book),
        TEST(asking_a_full_book_costs_what_is_found), TEST(pages_follow_each_other),
        TEST(rows_stay_as_they_are) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
