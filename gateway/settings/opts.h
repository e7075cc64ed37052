/* What a gateway is started with: the owner's options, its config, and what outlives a restart. */
#ifndef GATEWAY_SETTINGS_OPTS_H
#define GATEWAY_SETTINGS_OPTS_H

#include "lib/json/json.h"

#include <stdbool.h>
#include <stdint.h>

struct gw_rate_limit;
struct gw_write_budget;
struct oc_listeners;

/* What the owner asked for. A NULL string (or port -1) means: as the config file says, else the
 * default. */
struct gw_opts {
    const char *state_dir;   /* created (0700) when missing */
    const char *config_path; /* named in texts and in hello-ok; may be NULL */
    const cJSON *config;     /* borrowed for the call; NULL counts as empty */
    int port;                /* 0 lets the system pick one */
    const char *bind;        /* "loopback", "lan", "tailnet", "auto" or "custom" */
    const char *custom_host; /* numeric address for "custom" */
    const char *auth_mode;   /* "token", "password" or "none" */
    const char *token, *password;
    struct gw_write_budget *writes; /* borrowed for the gateway's life; NULL: one of its own */
    struct gw_rate_limit *rate;     /* the same */
    struct oc_listeners
            *sockets; /* the same: keeps the port when this gateway is gone; NULL: nobody does */
    /* An administrator wants the gateway to serve anew on the config that was just written. Returns
     * when it will, in milliseconds from now; *ret_coalesced: it was to do so anyway, and no later.
     * NULL: nobody can do that. */
    int64_t (*on_restart_wanted)(void *user, int64_t delay_ms, bool *ret_coalesced);
    void *user;
};

#endif
