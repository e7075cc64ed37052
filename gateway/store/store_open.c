/* The file the documents live in: making it, refusing what is not ours, and keeping a second
 * gateway out.
 *
 * A new database is built under another name and renamed when it is complete, so a file of ours is
 * never empty. An empty, damaged, foreign or newer file is therefore always refused, and nothing is
 * written before the checks are done: a lost pairing store must not look like a fresh one. */
#include "gateway/store/store_priv.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"
#include "lib/log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define APPLICATION_ID 0x4f434757 /* "OCGW" */
#define SCHEMA_VERSION 1
#define STR(x) STR_(x)
#define STR_(x) #x

/* A check reads the whole file. Up to this size that costs nothing; a larger one is checked when
 * the last gateway did not shut down cleanly, which shows in the -wal file it left. */
#define CHECK_ALWAYS_BYTES ((off_t)8 * 1024 * 1024)
#define PAGE_BYTES 4096
#define BUSY_TIMEOUT_MS 250 /* someone looks into the file with another tool */

#define TABLE(name)                                                                        \
    "CREATE TABLE " name "(seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, owner TEXT," \
    " doc TEXT NOT NULL) STRICT;"                                                          \
    "CREATE INDEX " name "_owner ON " name "(owner) WHERE owner IS NOT NULL;"

/* clang-format off */
static const char schema[] =
    "PRAGMA page_size = " STR(PAGE_BYTES) ";"
    "BEGIN IMMEDIATE;"
    "PRAGMA application_id = " STR(APPLICATION_ID) ";"
    "PRAGMA user_version = " STR(SCHEMA_VERSION) ";"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) STRICT;"
    TABLE("devices") TABLE("device_requests") TABLE("nodes") TABLE("node_requests")
    "COMMIT;";
/* clang-format on */

static const char settings[] = "PRAGMA journal_mode = WAL;"
                               "PRAGMA synchronous = FULL;"
                               "PRAGMA cache_size = -256;" /* KiB */
                               "PRAGMA mmap_size = 0;"
                               "PRAGMA temp_store = MEMORY;"
                               "PRAGMA secure_delete = FAST;" /* tokens */
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA wal_autocheckpoint = 256;"
                               "PRAGMA journal_size_limit = 1048576;";

static void auto_store(struct gw_store **s) {
    gw_store_close(*s);
}
#define AUTO_STORE __attribute__((cleanup(auto_store)))

static enum oc_code store_open_corrupt(const char *path, const char *why, struct oc_error *err) {
    return oc_fail(err, OC_E_CORRUPT,
            "database '%s' %s: move it away (with its -wal file) or restore a backup; nothing was "
            "changed",
            path, why);
}

/* What SQLite says while a file is checked is about the file, not about us. */
static enum oc_code corrupt_by_sqlite(struct gw_store *s, struct oc_error *err) {
    struct oc_error plain = { 0 };
    enum oc_code rc = gw_store_fail(s, "open", &plain);
    if (rc != OC_E_CORRUPT && rc != OC_E_INTERNAL) {
        return oc_fail(err, rc, "%s", plain.text);
    }
    OC_AUTO_FREE char *why = oc_strfmt("is damaged (%s)", sqlite3_errmsg(s->db));
    return store_open_corrupt(s->path, why, err);
}

static enum oc_code open_db(struct gw_store *s, const char *path, struct oc_error *err) {
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK) {
        if (access(path, R_OK | W_OK) != 0) { /* SQLite does not say why */
            return oc_fail(err, OC_E_IO, "database '%s': %s", path, strerror(errno));
        }
        return gw_store_fail(s, "open", err);
    }
    sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 128, 32);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return OC_OK;
}

static char *first_line(char *text) {
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* flock dies with the process, so there are no stale locks; the file stays. The pid in it serves
 * people, and with the port behind it local commands find a gateway that was given another one than
 * the config's. */
static enum oc_code store_open_lock(struct gw_store *s, struct oc_error *err) {
    OC_AUTO_FREE char *path = oc_strfmt("%s.lock", s->path);
    s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (s->lock_fd < 0) {
        return oc_fail(err, OC_E_IO, "open '%s': %s", path, strerror(errno));
    }
    if (flock(s->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return oc_fail(err, OC_E_IO, "lock '%s': %s", path, strerror(errno));
        }
        char text[32] = { 0 };
        int64_t pid = 0;
        bool has_pid = pread(s->lock_fd, text, sizeof(text) - 1, 0) > 0 &&
                       oc_parse_int(oc_trim(first_line(text)), 1, INT32_MAX, &pid);
        OC_AUTO_FREE char *who = has_pid ? oc_strfmt(" (pid %lld)", (long long)pid) : oc_strdup("");
        return oc_fail(err, OC_E_UNAVAILABLE,
                "database '%s' is in use by another gateway%s: stop that one, or set "
                "OPENCLAW_STATE_DIR to another directory",
                s->path, who);
    }
    char text[32];
    int len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(s->lock_fd, 0) != 0 || pwrite(s->lock_fd, text, (size_t)len, 0) != len) {
        return oc_fail(err, OC_E_IO, "write '%s': %s", path, strerror(errno));
    }
    return OC_OK;
}

static enum oc_code store_open_create(struct gw_store *s, struct oc_error *err) {
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", s->path);
    if (access(wal, F_OK) == 0) {
        /* SQLite would replay the old log into the new file. */
        return oc_fail(err, OC_E_CORRUPT,
                "database '%s' is missing but '%s' is there: restore the database, or move that "
                "file away to start empty; nothing was changed",
                s->path, wal);
    }
    OC_AUTO_FREE char *fresh = oc_strfmt("%s.new", s->path);
    OC_AUTO_FREE char *journal = oc_strfmt("%s-journal", fresh);
    (void)unlink(fresh); /* from a start that was interrupted */
    (void)unlink(journal);
    /* Made by us, because SQLite's own files take the mode of this one. */
    OC_AUTO_FD int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return oc_fail(err, OC_E_IO, "create '%s': %s", fresh, strerror(errno));
    }
    struct gw_store maker = { .path = fresh, .lock_fd = -1 };
    enum oc_code rc = open_db(&maker, fresh, err);
    if (rc == OC_OK) {
        rc = gw_store_exec(&maker, schema, err);
    }
    sqlite3_close(maker.db);
    if (rc != OC_OK) {
        (void)unlink(fresh);
        return rc;
    }
    if (rename(fresh, s->path) != 0) {
        return oc_fail(err, OC_E_IO, "create '%s': %s", s->path, strerror(errno));
    }
    return oc_file_sync_dir(s->path, err);
}

/* A database restored from a backup may be readable by others; it holds tokens. */
static enum oc_code make_private(const char *path, struct oc_error *err) {
    struct stat st;
    if (stat(path, &st) != 0) {
        return errno == ENOENT ? OC_OK
                               : oc_fail(err, OC_E_IO, "stat '%s': %s", path, strerror(errno));
    }
    if ((st.st_mode & 077) != 0 && chmod(path, 0600) != 0) {
        return oc_fail(err, OC_E_IO, "'%s' is readable by others and cannot be made private: %s",
                path, strerror(errno));
    }
    return OC_OK;
}

static enum oc_code pragma_int(
        struct gw_store *s, const char *sql, int64_t *ret, struct oc_error *err) {
    sqlite3_stmt *stmt = NULL;
    bool ok = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
              sqlite3_step(stmt) == SQLITE_ROW;
    enum oc_code rc = OC_OK;
    if (ok) {
        *ret = sqlite3_column_int64(stmt, 0);
    } else {
        rc = corrupt_by_sqlite(s, err);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static enum oc_code quick_check(struct gw_store *s, struct oc_error *err) {
    sqlite3_stmt *stmt = NULL;
    enum oc_code rc = OC_OK;
    if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) != SQLITE_OK ||
            sqlite3_step(stmt) != SQLITE_ROW) {
        rc = corrupt_by_sqlite(s, err);
    } else {
        const char *verdict = (const char *)sqlite3_column_text(stmt, 0);
        if (!oc_streq(verdict, "ok")) {
            OC_AUTO_FREE char *shown =
                    oc_printable(verdict ? verdict : "", verdict ? strlen(verdict) : 0, 100);
            OC_AUTO_FREE char *why = oc_strfmt("is damaged (%s)", shown);
            rc = store_open_corrupt(s->path, why, err);
        }
    }
    sqlite3_finalize(stmt);
    return rc;
}

static enum oc_code check_identity(struct gw_store *s, struct oc_error *err) {
    int64_t id = 0, version = 0;
    enum oc_code rc = pragma_int(s, "PRAGMA application_id", &id, err);
    if (rc == OC_OK) {
        rc = pragma_int(s, "PRAGMA user_version", &version, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (id != APPLICATION_ID) {
        return store_open_corrupt(s->path, "belongs to another program", err);
    }
    if (version > SCHEMA_VERSION) {
        return oc_fail(err, OC_E_CORRUPT,
                "database '%s' was written by a newer version (schema %lld, this one knows %d): "
                "install the newer version or restore a backup; nothing was changed",
                s->path, (long long)version, SCHEMA_VERSION);
    }
    if (version < SCHEMA_VERSION) {
        return store_open_corrupt(s->path, "has no schema version", err);
    }
    return OC_OK;
}

static enum oc_code open_existing(struct gw_store *s, struct oc_error *err) {
    OC_AUTO_FREE char *wal = oc_strfmt("%s-wal", s->path);
    OC_AUTO_FREE char *shm = oc_strfmt("%s-shm", s->path);
    const char *const files[] = { s->path, wal, shm };
    for (size_t i = 0; i < OC_COUNT(files); i++) {
        enum oc_code rc = make_private(files[i], err);
        if (rc != OC_OK) {
            return rc;
        }
    }
    struct stat st;
    if (stat(s->path, &st) != 0) {
        return oc_fail(err, OC_E_IO, "stat '%s': %s", s->path, strerror(errno));
    }
    if (st.st_size == 0) {
        return store_open_corrupt(s->path, "is empty", err);
    }
    if (st.st_size < PAGE_BYTES) {
        return store_open_corrupt(
                s->path, "is damaged (too short)", err); /* SQLite would read it as empty */
    }
    bool must_check = st.st_size <= CHECK_ALWAYS_BYTES || access(wal, F_OK) == 0;
    enum oc_code rc = open_db(s, s->path, err);
    if (rc != OC_OK) {
        return rc;
    }
    /* Closing a database that is refused must not write the log into it. */
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    rc = check_identity(s, err);
    if (rc == OC_OK && must_check) {
        rc = quick_check(s, err);
    }
    if (rc == OC_OK && gw_store_check_tables(s, NULL) != OC_OK) {
        rc = corrupt_by_sqlite(s, err);
    }
    if (rc == OC_OK && sqlite3_db_readonly(s->db, "main") == 1) {
        rc = oc_fail(
                err, OC_E_IO, "database '%s' is not writable: correct its owner or mode", s->path);
    }
    if (rc == OC_OK) {
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    }
    return rc;
}

static enum oc_code open_file(struct gw_store *s, struct oc_error *err) {
    enum oc_code rc = store_open_lock(s, err);
    if (rc != OC_OK) {
        return rc;
    }
    struct stat st;
    if (lstat(s->path, &st) != 0 && errno == ENOENT) {
        rc = store_open_create(s, err);
    }
    return rc == OC_OK ? open_existing(s, err) : rc;
}

enum oc_code gw_store_open(const char *path, struct gw_store **ret, struct oc_error *err) {
    AUTO_STORE struct gw_store *s = oc_new(struct gw_store);
    s->path = oc_strdup(path);
    s->lock_fd = -1;
    enum oc_code rc;
    if (oc_streq(path, ":memory:")) {
        rc = open_db(s, path, err);
        if (rc == OC_OK) {
            rc = gw_store_exec(s, schema, err);
        }
    } else {
        rc = open_file(s, err);
    }
    if (rc == OC_OK) {
        rc = gw_store_exec(s, settings, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    *ret = oc_take(&s);
    return OC_OK;
}

void gw_store_note_port(struct gw_store *s, uint16_t port) {
    char text[32];
    int len = snprintf(text, sizeof(text), "%ld\n%u\n", (long)getpid(), (unsigned)port);
    if (s->lock_fd >= 0 && pwrite(s->lock_fd, text, (size_t)len, 0) != len) {
        oc_log(OC_LOG_WARN, "gateway.store", "write '%s.lock': %s", s->path, strerror(errno));
    }
}

void gw_store_close(struct gw_store *s) {
    if (!s) {
        return;
    }
    gw_store_finalize(s);
    sqlite3_close(s->db); /* rolls back what was not committed, and folds the log into the file */
    if (s->lock_fd >= 0) {
        if (ftruncate(s->lock_fd, 0) != 0) {
            oc_log(OC_LOG_DEBUG, "gateway.store", "%s.lock keeps an old pid", s->path);
        }
        close(s->lock_fd);
    }
    oc_free(s->path);
    oc_free(s);
}
