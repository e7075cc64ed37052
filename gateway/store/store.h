/* The gateway's durable state: small JSON documents under a key, in SQLite behind this header.
 *
 * The documents have the shapes of the reference's files (docs/PROTOCOL.md#files), so import and
 * export are copies. Look-ups by key or by owner are indexed: the cost of a connect does not grow
 * with the number of devices. Another store (NATS) can take this place later; nothing here assumes
 * one process. */
#ifndef GATEWAY_STORE_STORE_H
#define GATEWAY_STORE_STORE_H

#include "lib/base/error.h"
#include "lib/json/json.h"

enum gw_table {
    GW_DEVICES,         /* key device id: paired device with its tokens */
    GW_DEVICE_REQUESTS, /* key request id, owner device id: pending device pairing */
    GW_NODES,           /* key node id: approved surface, name, last seen */
    GW_NODE_REQUESTS,   /* key request id, owner node id: pending surface approval */
    GW_TABLE_COUNT,
};

struct gw_store;

/* path ":memory:" for tests. Opens or creates the database with mode 0600. A damaged, empty,
 * foreign or newer database is OC_E_CORRUPT with a text that names the file and what to do; it is
 * never replaced. OC_E_UNAVAILABLE when another process has it open: <path>.lock holds its pid. The
 * directory must exist. */
enum oc_code gw_store_open(
        const char *path, struct gw_store **ret, struct oc_error *err) OC_MUST_USE;
void gw_store_close(struct gw_store *s);
/* Where the gateway listens, for other programs of this machine: it goes behind the pid in the lock
 * file. */
void gw_store_note_port(struct gw_store *s, uint16_t port);

/* OC_E_NOT_FOUND when there is none. */
enum oc_code gw_store_get(struct gw_store *s, enum gw_table t, const char *key, cJSON **ret,
        struct oc_error *err) OC_MUST_USE;
/* The document of this owner that was inserted last. */
enum oc_code gw_store_get_by_owner(struct gw_store *s, enum gw_table t, const char *owner,
        cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* Inserts or replaces; durable when this returns. owner may be NULL. */
enum oc_code gw_store_put(struct gw_store *s, enum gw_table t, const char *key, const char *owner,
        const cJSON *doc, struct oc_error *err) OC_MUST_USE;
/* The same without waiting for the disk: for stamps that may be lost with the machine's power. */
enum oc_code gw_store_put_soon(struct gw_store *s, enum gw_table t, const char *key,
        const char *owner, const cJSON *doc, struct oc_error *err) OC_MUST_USE;
/* OK whether or not it was there. */
enum oc_code gw_store_delete(
        struct gw_store *s, enum gw_table t, const char *key, struct oc_error *err) OC_MUST_USE;
/* Every document of this owner. */
enum oc_code gw_store_delete_owned(
        struct gw_store *s, enum gw_table t, const char *owner, struct oc_error *err) OC_MUST_USE;
/* All documents as an array, in no particular order. */
enum oc_code gw_store_all(
        struct gw_store *s, enum gw_table t, cJSON **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_store_count(
        struct gw_store *s, enum gw_table t, size_t *ret, struct oc_error *err) OC_MUST_USE;

/* Of the pending requests, whose documents have "remoteNet" and "ts", without parsing them into
 * trees: how many come from an address, and away with those whose ts is not within
 * first_ms…last_ms. */
enum oc_code gw_store_count_from(struct gw_store *s, enum gw_table t, const char *ip, size_t *ret,
        struct oc_error *err) OC_MUST_USE;
enum oc_code gw_store_delete_outside(struct gw_store *s, enum gw_table t, int64_t first_ms,
        int64_t last_ms, struct oc_error *err) OC_MUST_USE;

/* Grows with every change of any document: what was counted stays true while it is the same. */
int64_t gw_store_changes(const struct gw_store *s);

/* Calls fn after every so many steps of SQLite's machine: how much work a request makes. */
void gw_store_on_work(struct gw_store *s, int steps, void (*fn)(void *user), void *user);

/* Everything between begin and commit happens, or nothing. May be nested, so that an operation
 * which is atomic by itself can be part of a larger one: only the outermost commit is durable, a
 * rollback undoes its own level. */
enum oc_code gw_store_begin(struct gw_store *s, struct oc_error *err) OC_MUST_USE;
/* The same for what a crash of the machine may take back: its commit does not wait for the disk,
 * unless it is inside another. */
enum oc_code gw_store_begin_lax(struct gw_store *s, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_store_commit(struct gw_store *s, struct oc_error *err) OC_MUST_USE;
void gw_store_rollback(struct gw_store *s);
/* Of what came to rc: commits if that is OC_OK, else undoes it. Returns what went wrong. */
enum oc_code gw_store_end(struct gw_store *s, enum oc_code rc, struct oc_error *err) OC_MUST_USE;

/* Facts about the database itself. ret is owned by the caller; OC_E_NOT_FOUND when there is none.
 */
enum oc_code gw_store_get_meta(
        struct gw_store *s, const char *key, char **ret, struct oc_error *err) OC_MUST_USE;
enum oc_code gw_store_set_meta(
        struct gw_store *s, const char *key, const char *value, struct oc_error *err) OC_MUST_USE;

/* A fact about a database, without opening it as ours; NULL when there is none or it cannot be
 * read. Caller frees. */
char *gw_store_peek_meta(const char *db_path, const char *key);

#endif
