/* Takes a service away: stops it, removes its files, tells the manager. */
#ifndef CLI_SERVICE_SERVICE_REMOVE_H
#define CLI_SERVICE_SERVICE_REMOVE_H

#include "cli/service/service.h"

/* Unit, link and secrets go; drop-ins and the state directory stay. The manager need not be there.
 * *ret_note is what the person should know then, or NULL; the caller frees it. Whose unit it is has
 * to be asked before (cli_unit_is_ours). */
enum oc_code cli_service_remove(const struct cli_service *s, bool *ret_was_there, char **ret_note,
        struct oc_error *err) OC_MUST_USE;

#endif
