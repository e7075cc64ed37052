/* Looking into a database from outside, for a diagnosis: it may be in use, and nothing may change
 * by looking. */
#include "gateway/store/store.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <ctype.h>
#include <sqlite3.h>
#include <string.h>

/* Without a log everything is in the file, and SQLite need not make one to read it. */
static char *uri_of(const char *path) {
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", path);
    OC_AUTO_BUF struct oc_buf b = OC_BUF_INIT((size_t)64 * 1024);
    oc_buf_puts(&b, "file:");
    for (const char *c = path; *c; c++) {
        bool is_plain = isalnum((unsigned char)*c) || oc_is_one_of(*c, "/._-");
        OC_AUTO_FREE char *text = oc_strfmt(is_plain ? "%c" : "%%%02X", (unsigned char)*c);
        oc_buf_puts(&b, text);
    }
    oc_buf_puts(&b, oc_file_exists(wal) ? "?mode=ro" : "?mode=ro&immutable=1");
    return oc_strndup(b.data, b.len);
}

static char *read_meta(sqlite3 *db, const char *key) {
    sqlite3_stmt *stmt = NULL;
    char *value = NULL;
    if (sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE key = ?1", -1, &stmt, NULL) ==
                    SQLITE_OK &&
            sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW) {
        value = oc_strdup((const char *)sqlite3_column_text(stmt, 0));
    }
    sqlite3_finalize(stmt);
    return value;
}

char *gw_store_peek_meta(const char *db_path, const char *key) {
    OC_AUTO_FREE char *uri = uri_of(db_path);
    sqlite3 *db = NULL;
    char *value = NULL;
    if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK) {
        value = read_meta(db, key);
    }
    sqlite3_close(db);
    return value;
}
