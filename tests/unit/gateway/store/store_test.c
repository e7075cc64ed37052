/* The database on a real disk: what is kept, what is refused, and that refusing changes nothing. */
#include "gateway/store/store.h"

#include "gateway/store/store_priv.h"
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/protocol/limits.h"
#include "tests/any_int.h"
#include "tests/unit/temp_dir.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char *dir, *path;

static int setup(void **state) {
    (void)state;
    dir = temp_dir_make();
    path = oc_path_join(dir, "gateway.sqlite");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    temp_dir_remove(dir);
    oc_free(path);
    return 0;
}

static struct gw_store *open_ok(const char *at) {
    struct gw_store *s = NULL;
    struct oc_error err = { 0 };
    enum oc_code rc = gw_store_open(at, &s, &err);
    if (rc != OC_OK) {
        fail_msg("open: %s", err.text);
    }
    return s;
}

static void put_text(
        struct gw_store *s, enum gw_table t, const char *key, const char *owner, const char *text) {
    OC_AUTO_JSON cJSON *doc = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(oc_json_parse(text, strlen(text), &doc, &err), OC_OK);
    assert_int_equal(gw_store_put(s, t, key, owner, doc, &err), OC_OK);
}

/* The document's text or NULL; the caller frees. */
static char *get_text(struct gw_store *s, enum gw_table t, const char *key) {
    OC_AUTO_JSON cJSON *doc = NULL;
    struct oc_error err = { 0 };
    enum oc_code rc = gw_store_get(s, t, key, &doc, &err);
    if (rc == OC_E_NOT_FOUND) {
        return NULL;
    }
    assert_int_equal(rc, OC_OK);
    return oc_json_print(doc, false);
}

static void assert_doc(struct gw_store *s, enum gw_table t, const char *key, const char *want) {
    OC_AUTO_FREE char *text = get_text(s, t, key);
    if (want) {
        assert_non_null(text);
        assert_string_equal(text, want);
    } else {
        assert_null(text);
    }
}

static size_t count(struct gw_store *s, enum gw_table t) {
    size_t n = 999;
    assert_int_equal(gw_store_count(s, t, &n, NULL), OC_OK);
    return n;
}

static void documents_come_back_as_they_went(void **state) {
    (void)state;
    static const char *const docs[] = { "{}", "{\"a\":1794787516297,\"b\":[true,null,\"\"]}",
        "{\"name\":\"Zoë's \\\"box\\\" \\\\ \xf0\x9f\xa6\x9e\"}" };
    struct gw_store *s = open_ok(":memory:");
    for (size_t i = 0; i < OC_COUNT(docs); i++) {
        for (enum gw_table t = 0; t < GW_TABLE_COUNT; t++) {
            put_text(s, t, "k", NULL, docs[i]);
            assert_doc(s, t, "k", docs[i]);
            assert_int_equal(count(s, t), 1);
        }
    }
    gw_store_close(s);
}

static void tables_and_keys_are_apart(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    put_text(s, GW_DEVICES, "k", NULL, "{\"n\":1}");
    put_text(s, GW_DEVICES, "K", NULL, "{\"n\":2}");
    put_text(s, GW_DEVICES, "k' OR 1=1 --", NULL, "{\"n\":3}");
    assert_doc(s, GW_NODES, "k", NULL);
    assert_doc(s, GW_DEVICES, "k", "{\"n\":1}");
    assert_int_equal(gw_store_delete(s, GW_DEVICES, "k' OR 1=1 --", NULL), OC_OK);
    assert_int_equal(gw_store_delete(s, GW_DEVICES, "never there", NULL), OC_OK);
    assert_int_equal(count(s, GW_DEVICES), 2);
    assert_doc(s, GW_DEVICES, "k", "{\"n\":1}");
    gw_store_close(s);
}

static void owners_find_their_newest(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    OC_AUTO_JSON cJSON *doc = NULL;
    put_text(s, GW_DEVICE_REQUESTS, "r1", "d1", "{\"n\":1}");
    put_text(s, GW_DEVICE_REQUESTS, "r2", "d1", "{\"n\":2}");
    put_text(s, GW_DEVICE_REQUESTS, "r3", "d2", "{\"n\":3}");
    put_text(s, GW_DEVICE_REQUESTS, "r4", NULL, "{\"n\":4}");
    assert_int_equal(gw_store_get_by_owner(s, GW_DEVICE_REQUESTS, "d1", &doc, NULL), OC_OK);
    assert_int_equal(any_int(doc, "n", 0), 2);
    struct oc_error err = { 0 };
    cJSON *none = NULL;
    assert_int_equal(
            gw_store_get_by_owner(s, GW_DEVICE_REQUESTS, "d3", &none, &err), OC_E_NOT_FOUND);
    /* No owner is not an owner. */
    assert_int_equal(
            gw_store_get_by_owner(s, GW_DEVICE_REQUESTS, NULL, &none, NULL), OC_E_NOT_FOUND);
    assert_int_equal(gw_store_delete_owned(s, GW_DEVICE_REQUESTS, NULL, NULL), OC_OK);
    assert_int_equal(count(s, GW_DEVICE_REQUESTS), 4);
    assert_int_equal(gw_store_delete_owned(s, GW_DEVICE_REQUESTS, "d1", NULL), OC_OK);
    assert_int_equal(count(s, GW_DEVICE_REQUESTS), 2);
    gw_store_close(s);
}

static void all_gives_every_document(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    OC_AUTO_JSON cJSON *none = NULL;
    assert_int_equal(gw_store_all(s, GW_NODES, &none, NULL), OC_OK);
    assert_int_equal(cJSON_GetArraySize(none), 0);
    int64_t sum = 0;
    for (int i = 1; i <= 50; i++) {
        OC_AUTO_FREE char *key = oc_strfmt("n%d", i);
        OC_AUTO_FREE char *doc = oc_strfmt("{\"n\":%d}", i);
        put_text(s, GW_NODES, key, NULL, doc);
    }
    OC_AUTO_JSON cJSON *all = NULL;
    assert_int_equal(gw_store_all(s, GW_NODES, &all, NULL), OC_OK);
    const cJSON *doc = NULL;
    cJSON_ArrayForEach(doc, all) {
        sum += any_int(doc, "n", 0);
    }
    assert_int_equal(cJSON_GetArraySize(all), 50);
    assert_int_equal(sum, 50 * 51 / 2);
    gw_store_close(s);
}

static void a_document_has_a_ceiling(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    OC_AUTO_FREE char *big = oc_alloc((size_t)OC_MAX_STATE_FILE_BYTES + 1);
    memset(big, 'x', (size_t)OC_MAX_STATE_FILE_BYTES);
    oc_json_set_str(doc, "x", big);
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_put(s, GW_NODES, "n", NULL, doc, &err), OC_E_TOO_LARGE);
    assert_int_equal(count(s, GW_NODES), 0);
    gw_store_close(s);
}

static void transactions_happen_or_not(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    put_text(s, GW_DEVICES, "a", NULL, "{}");
    gw_store_rollback(s);
    assert_int_equal(count(s, GW_DEVICES), 0);

    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    put_text(s, GW_DEVICES, "a", NULL, "{}");
    assert_int_equal(gw_store_commit(s, &err), OC_OK);
    assert_int_equal(count(s, GW_DEVICES), 1);

    gw_store_rollback(s); /* nothing is open: nothing happens */
    assert_int_equal(gw_store_commit(s, &err), OC_E_IO);
    assert_int_equal(count(s, GW_DEVICES), 1);
    gw_store_close(s);
}

static void inner_transactions_belong_to_the_outer(void **state) {
    (void)state;
    struct gw_store *s = open_ok(":memory:");
    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    put_text(s, GW_DEVICES, "outer", NULL, "{}");
    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    put_text(s, GW_DEVICES, "undone", NULL, "{}");
    gw_store_rollback(s);
    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    put_text(s, GW_DEVICES, "inner", NULL, "{}");
    assert_int_equal(gw_store_commit(s, NULL), OC_OK);
    assert_int_equal(gw_store_commit(s, NULL), OC_OK);
    assert_doc(s, GW_DEVICES, "outer", "{}");
    assert_doc(s, GW_DEVICES, "inner", "{}");
    assert_doc(s, GW_DEVICES, "undone", NULL);

    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    assert_int_equal(gw_store_delete(s, GW_DEVICES, "inner", NULL), OC_OK);
    assert_int_equal(gw_store_commit(s, NULL), OC_OK);
    gw_store_rollback(s); /* takes the committed inner part with it */
    assert_doc(s, GW_DEVICES, "inner", "{}");
    gw_store_close(s);
}

static void meta_is_kept(void **state) {
    (void)state;
    struct gw_store *s = open_ok(path);
    char *value = NULL;
    assert_int_equal(gw_store_get_meta(s, "k", &value, NULL), OC_E_NOT_FOUND);
    assert_null(value);
    assert_int_equal(gw_store_set_meta(s, "k", "1", NULL), OC_OK);
    assert_int_equal(gw_store_set_meta(s, "k", "2", NULL), OC_OK);
    gw_store_close(s);
    s = open_ok(path);
    assert_int_equal(gw_store_get_meta(s, "k", &value, NULL), OC_OK);
    assert_string_equal(value, "2");
    oc_free(value);
    gw_store_close(s);
}

static void reopening_finds_everything(void **state) {
    (void)state;
    struct gw_store *s = open_ok(path);
    put_text(s, GW_DEVICES, "d", NULL, "{\"n\":1}");
    put_text(s, GW_NODE_REQUESTS, "r", "d", "{\"n\":2}");
    gw_store_close(s);
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", path);
    assert_false(oc_file_exists(wal)); /* a clean shutdown leaves one file */
    s = open_ok(path);
    assert_doc(s, GW_DEVICES, "d", "{\"n\":1}");
    OC_AUTO_JSON cJSON *request = NULL;
    assert_int_equal(gw_store_get_by_owner(s, GW_NODE_REQUESTS, "d", &request, NULL), OC_OK);
    gw_store_close(s);
}

static void a_killed_gateway_loses_only_what_was_not_committed(void **state) {
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct gw_store *s = NULL;
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        bool ok = gw_store_open(path, &s, NULL) == OC_OK &&
                  gw_store_put(s, GW_DEVICES, "kept", NULL, doc, NULL) == OC_OK &&
                  gw_store_begin(s, NULL) == OC_OK &&
                  gw_store_put(s, GW_DEVICES, "lost", NULL, doc, NULL) == OC_OK;
        if (!ok) {
            _exit(1);
        }
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    struct gw_store *s = open_ok(path); /* its lock died with it */
    assert_doc(s, GW_DEVICES, "kept", "{}");
    assert_doc(s, GW_DEVICES, "lost", NULL);
    gw_store_close(s);
}

static mode_t mode_of(const char *suffix) {
    OC_AUTO_FREE char *file = oc_strfmt("%s%s", path, suffix);
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    return st.st_mode & 0777;
}

static void every_file_is_private(void **state) {
    (void)state;
    mode_t before = umask(0);
    struct gw_store *s = open_ok(path);
    put_text(s, GW_DEVICES, "d", NULL, "{}");
    assert_int_equal(mode_of(""), 0600);
    assert_int_equal(mode_of("-wal"), 0600);
    assert_int_equal(mode_of("-shm"), 0600);
    assert_int_equal(mode_of(".lock"), 0600);
    gw_store_close(s);
    assert_int_equal(chmod(path, 0644), 0); /* as a restored backup may be */
    s = open_ok(path);
    put_text(s, GW_DEVICES, "d", NULL, "{}");
    assert_int_equal(mode_of(""), 0600);
    assert_int_equal(mode_of("-wal"), 0600);
    gw_store_close(s);
    umask(before);
}

static void a_second_gateway_is_refused(void **state) {
    (void)state;
    struct gw_store *first = open_ok(path), *second = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_open(path, &second, &err), OC_E_UNAVAILABLE);
    assert_null(second);
    OC_AUTO_FREE char *pid = oc_strfmt("(pid %ld)", (long)getpid());
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, pid));
    put_text(first, GW_DEVICES, "d", NULL, "{}"); /* the first is unharmed */
    gw_store_close(first);
    second = open_ok(path);
    assert_doc(second, GW_DEVICES, "d", "{}");
    gw_store_close(second);
}

/* Ten pages of documents, closed cleanly. */
static void make_database(void) {
    struct gw_store *s = open_ok(path);
    assert_int_equal(gw_store_begin(s, NULL), OC_OK);
    for (int i = 0; i < 400; i++) {
        OC_AUTO_FREE char *key = oc_strfmt("device-%03d", i);
        OC_AUTO_FREE char *doc = oc_strfmt("{\"deviceId\":\"%s\",\"x\":\"%0100d\"}", key, i);
        put_text(s, GW_DEVICES, key, NULL, doc);
    }
    assert_int_equal(gw_store_commit(s, NULL), OC_OK);
    gw_store_close(s);
}

static void read_database(struct oc_buf *ret) {
    const size_t most = (size_t)64 * 1024 * 1024;
    *ret = OC_BUF_INIT(most);
    assert_int_equal(oc_file_read(path, most, ret, NULL), OC_OK);
}

/* Refused with these words, and every byte is as it was. */
static void assert_refused(const char *words) {
    OC_AUTO_BUF struct oc_buf before = { 0 }, after = { 0 };
    struct gw_store *s = NULL;
    struct oc_error err = { 0 };
    read_database(&before);
    assert_int_equal(gw_store_open(path, &s, &err), OC_E_CORRUPT);
    assert_null(s);
    read_database(&after);
    assert_int_equal(before.len, after.len);
    if (before.len > 0) {
        assert_memory_equal(before.data, after.data, before.len);
    }
    if (!strstr(err.text, path) || !strstr(err.text, words) ||
            !strstr(err.text, "restore a backup") || !strstr(err.text, "nothing was changed")) {
        fail_msg("unhelpful: %s", err.text);
    }
}

static void overwrite(off_t at, const void *data, size_t len) {
    OC_AUTO_FD int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, data, len, at), (ssize_t)len);
}

static void change_by_sql(const char *sql) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void write_file(const char *text) {
    assert_int_equal(oc_file_write_private(path, text, strlen(text), NULL), OC_OK);
}

static void an_empty_file_is_no_new_database(void **state) {
    (void)state;
    write_file("");
    assert_refused("is empty");
}

static void garbage_is_refused(void **state) {
    (void)state;
    write_file(
            "{\"this\":\"is not a database, though it is long enough to be read as a header, and "
            "then some more words to fill one hundred bytes\"}");
    assert_refused("is damaged");
}

static void a_truncated_database_is_refused(void **state) {
    (void)state;
    make_database();
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    const off_t lengths[] = { st.st_size / 2, st.st_size - 4096, 4096, 200, 50 };
    for (size_t i = 0; i < OC_COUNT(lengths); i++) {
        assert_int_equal(truncate(path, lengths[i]), 0);
        assert_refused("is damaged");
    }
}

static void a_damaged_page_is_refused(void **state) {
    (void)state;
    make_database();
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 32768);
    char noise[512];
    memset(noise, 0xa5, sizeof(noise));
    overwrite(st.st_size / 4096 / 2 * 4096, noise, sizeof(noise));
    assert_refused("is damaged");
}

/* The log of a gateway that was killed must not be folded into a file that is refused. */
static void a_damaged_page_with_a_log_is_refused(void **state) {
    (void)state;
    make_database();
    pid_t pid = fork();
    if (pid == 0) {
        struct gw_store *s = NULL;
        OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
        bool ok = gw_store_open(path, &s, NULL) == OC_OK &&
                  gw_store_put(s, GW_DEVICES, "in the log", NULL, doc, NULL) == OC_OK;
        _exit(ok ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", path);
    struct stat before, after;
    assert_int_equal(stat(wal, &before), 0);
    assert_true(before.st_size > 0);
    char noise[512];
    memset(noise, 0xa5, sizeof(noise));
    overwrite(4096, noise, sizeof(noise));
    overwrite(2 * (off_t)4096, noise, sizeof(noise));
    overwrite(3 * (off_t)4096, noise, sizeof(noise));
    assert_refused("is damaged");
    assert_int_equal(stat(wal, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
}

static void a_foreign_database_is_refused(void **state) {
    (void)state;
    change_by_sql("CREATE TABLE notes(text TEXT); INSERT INTO notes VALUES('mine');");
    assert_refused("belongs to another program");
}

static void another_application_id_is_refused(void **state) {
    (void)state;
    make_database();
    change_by_sql("PRAGMA application_id = 42");
    assert_refused("belongs to another program");
}

static void a_newer_schema_is_refused(void **state) {
    (void)state;
    make_database();
    change_by_sql("PRAGMA user_version = 2");
    assert_refused("newer version (schema 2");
}

static void an_unversioned_schema_is_refused(void **state) {
    (void)state;
    make_database();
    change_by_sql("PRAGMA user_version = 0");
    assert_refused("no schema version");
}

static void a_missing_table_is_refused(void **state) {
    (void)state;
    make_database();
    change_by_sql("DROP TABLE nodes");
    assert_refused("no such table: nodes");
}

static void a_lost_database_with_a_log_is_refused(void **state) {
    (void)state;
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", path);
    assert_int_equal(oc_file_write_private(wal, "log", 3, NULL), OC_OK);
    struct gw_store *s = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_open(path, &s, &err), OC_E_CORRUPT);
    assert_non_null(strstr(err.text, wal));
    assert_false(oc_file_exists(path));
    assert_true(oc_file_exists(wal));
}

static void an_interrupted_first_start_is_no_obstacle(void **state) {
    (void)state;
    OC_AUTO_FREE char *fresh = oc_strfmt("%s.new", path);
    assert_int_equal(oc_file_write_private(fresh, "half", 4, NULL), OC_OK);
    struct gw_store *s = open_ok(path);
    put_text(s, GW_DEVICES, "d", NULL, "{}");
    gw_store_close(s);
    assert_false(oc_file_exists(fresh));
}

static void a_document_that_is_no_json_is_named(void **state) {
    (void)state;
    make_database();
    change_by_sql("UPDATE devices SET doc = '{\"deviceId\":' WHERE key = 'device-007'");
    struct gw_store *s = open_ok(path);
    cJSON *doc = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_get(s, GW_DEVICES, "device-007", &doc, &err), OC_E_CORRUPT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "device-007"));
    err = (struct oc_error){ 0 };
    assert_int_equal(gw_store_all(s, GW_DEVICES, &doc, &err), OC_E_CORRUPT);
    assert_non_null(strstr(err.text, "device-007"));
    assert_null(doc);
    gw_store_close(s);
}

static void directories_that_cannot_be_written_are_named(void **state) {
    (void)state;
    OC_AUTO_FREE char *missing = oc_path_join(dir, "not/there.sqlite");
    struct gw_store *s = NULL;
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_open(missing, &s, &err), OC_E_IO);
    assert_non_null(strstr(err.text, missing));

    bool is_root = geteuid() == 0; /* whom modes do not stop */
    assert_int_equal(chmod(dir, 0555), 0);
    assert_true(!is_root || seteuid(65534) == 0);
    enum oc_code rc = gw_store_open(path, &s, &err);
    assert_true(!is_root || seteuid(0) == 0);
    assert_int_equal(chmod(dir, 0700), 0);
    assert_int_equal(rc, OC_E_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "Permission denied"));
}

static void a_database_that_cannot_be_written_is_named(void **state) {
    (void)state;
    make_database();
    bool is_root = geteuid() == 0;
    OC_AUTO_FREE char *lock = oc_strfmt("%s.lock", path);
    assert_int_equal(chmod(dir, 0777), 0);
    assert_int_equal(chmod(path, 0400), 0);
    assert_true(!is_root || (chown(path, 65534, 65534) == 0 && chown(lock, 65534, 65534) == 0 &&
                                    seteuid(65534) == 0));
    struct gw_store *s = NULL;
    struct oc_error err = { 0 };
    enum oc_code rc = gw_store_open(path, &s, &err);
    assert_true(!is_root || seteuid(0) == 0);
    assert_int_equal(rc, OC_E_IO);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "not writable"));
}

static void another_program_holding_the_file_is_a_wait_not_damage(void **state) {
    (void)state;
    struct gw_store *s = open_ok(path);
    put_text(s, GW_DEVICES, "d", NULL, "{\"n\":1}");
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_put(s, GW_DEVICES, "d", NULL, doc, &err), OC_E_IO);
    assert_int_equal(gw_store_begin(s, &err), OC_E_IO);
    assert_doc(s, GW_DEVICES, "d", "{\"n\":1}"); /* reading goes on */
    sqlite3_close(other);
    assert_int_equal(gw_store_put(s, GW_DEVICES, "d", NULL, doc, &err), OC_OK);
    gw_store_close(s);
}

static void a_full_disk_undoes_the_whole_transaction(void **state) {
    (void)state;
    struct gw_store *s = open_ok(path);
    put_text(s, GW_DEVICES, "before", NULL, "{}");
    assert_int_equal(gw_store_exec(s, "PRAGMA max_page_count = 1", NULL), OC_OK);
    struct oc_error err = { 0 };
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    OC_AUTO_JSON cJSON *doc = cJSON_CreateObject();
    oc_json_set_str(doc, "x", "0123456789012345678901234567890123456789");
    enum oc_code rc = OC_OK;
    for (int i = 0; i < 10000 && rc == OC_OK; i++) {
        OC_AUTO_FREE char *key = oc_strfmt("k%d", i);
        rc = gw_store_put(s, GW_DEVICES, key, NULL, doc, &err);
    }
    assert_int_equal(rc, OC_E_IO);
    assert_non_null(strstr(err.text, path));
    gw_store_rollback(s);
    assert_int_equal(count(s, GW_DEVICES), 1);
    assert_int_equal(gw_store_exec(s, "PRAGMA max_page_count = 1000000", NULL), OC_OK);
    assert_int_equal(gw_store_begin(s, &err), OC_OK);
    put_text(s, GW_DEVICES, "after", NULL, "{}");
    assert_int_equal(gw_store_commit(s, &err), OC_OK);
    assert_int_equal(count(s, GW_DEVICES), 2);
    gw_store_close(s);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(documents_come_back_as_they_went),
        T(tables_and_keys_are_apart),
        T(owners_find_their_newest),
        T(all_gives_every_document),
        T(a_document_has_a_ceiling),
        T(transactions_happen_or_not),
        T(inner_transactions_belong_to_the_outer),
        T(meta_is_kept),
        T(reopening_finds_everything),
        T(a_killed_gateway_loses_only_what_was_not_committed),
        T(every_file_is_private),
        T(a_second_gateway_is_refused),
        T(an_empty_file_is_no_new_database),
        T(garbage_is_refused),
        T(a_truncated_database_is_refused),
        T(a_damaged_page_is_refused),
        T(a_damaged_page_with_a_log_is_refused),
        T(a_foreign_database_is_refused),
        T(another_application_id_is_refused),
        T(a_newer_schema_is_refused),
        T(an_unversioned_schema_is_refused),
        T(a_missing_table_is_refused),
        T(a_lost_database_with_a_log_is_refused),
        T(an_interrupted_first_start_is_no_obstacle),
        T(a_document_that_is_no_json_is_named),
        T(directories_that_cannot_be_written_are_named),
        T(a_database_that_cannot_be_written_is_named),
        T(another_program_holding_the_file_is_a_wait_not_damage),
        T(a_full_disk_undoes_the_whole_transaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
