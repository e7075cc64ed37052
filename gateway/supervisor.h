/* Keeps a gateway going while its config changes: takes over what it can, lets it serve anew on
 * what it cannot, and goes back to the settings before when the new ones cannot be served. All
 * within one process, on the loop's thread. */
#ifndef GATEWAY_SUPERVISOR_H
#define GATEWAY_SUPERVISOR_H

#include "gateway/gateway.h"
#include "lib/base/error.h"
#include "lib/json/json.h"
#include "lib/net/loop/loop.h"

struct gw_supervisor;

struct gw_supervisor_opts {
    struct gw_opts gateway; /* its config holds when there is no config file; strings are borrowed
                               for the supervisor's life */
    bool keeps_log_level;   /* logging.level does nothing: the command line said how much to log */
    /* A gateway listens, the first one or another. */
    void (*on_serving)(void *user, const struct gw_gateway *gw, const cJSON *config);
    /* Neither the new settings nor the old ones can be served: there is no gateway any more. */
    void (*on_failed)(void *user, const struct oc_error *err);
    void *user;
};

/* Starts the first gateway and watches its config file. */
enum oc_code gw_supervisor_create(struct oc_loop *loop, const struct gw_supervisor_opts *opts,
        struct gw_supervisor **ret, struct oc_error *err) OC_MUST_USE;
/* Reads the config again and serves anew, whatever changed. A config that is wrong is not taken
 * over. */
void gw_supervisor_restart(struct gw_supervisor *s);
/* As gw_shutdown; on_done fires from the loop. */
void gw_supervisor_stop(
        struct gw_supervisor *s, const char *reason, void (*on_done)(void *user), void *user);
void gw_supervisor_destroy(struct gw_supervisor *s);

#endif
