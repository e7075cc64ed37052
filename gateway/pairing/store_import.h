/* Taking over what the reference has paired: a machine that moves to us keeps its devices. */
#ifndef GATEWAY_PAIRING_STORE_IMPORT_H
#define GATEWAY_PAIRING_STORE_IMPORT_H

#include "gateway/store/store.h"

/* Takes over <state>/devices/paired.json and <state>/nodes/paired.json of the reference, once (a
 * marker is kept in the database when there was one). A file that does not parse, or an entry that
 * makes no sense, is OC_E_CORRUPT naming it; nothing is imported then. What the database already
 * has under the same id stays. */
enum oc_code gw_store_import(struct gw_store *s, const char *state_dir, size_t *ret_devices,
        struct oc_error *err) OC_MUST_USE;
/* The path of one of these files that is another one than was taken over, and so is not read; NULL
 * when there is none. Caller frees. _at: of a database that may be in use; nothing is written. */
char *gw_store_import_missed_by(struct gw_store *s, const char *state_dir);
char *gw_store_import_missed_at(const char *db_path, const char *state_dir);
/* What the import would do, if it is still to come: the error, or the number of devices. Nothing is
 * written. */
enum oc_code gw_store_import_try(const char *db_path, const char *state_dir, size_t *ret_devices,
        struct oc_error *err) OC_MUST_USE;
/* Requests that wait in the reference's files. They are not taken over: the devices ask again. */
size_t gw_store_import_waiting(const char *state_dir);

#endif
