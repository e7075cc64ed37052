/* Makes a service: writes its files, tells the manager, starts it. */
#ifndef CLI_SERVICE_SERVICE_INSTALL_H
#define CLI_SERVICE_SERVICE_INSTALL_H

#include "cli/command.h"

#include <stdbool.h>

/* What a command line asked for. Zero-initialise; needs cli_service_plan_finish. */
struct cli_service_plan {
    const char *group;       /* "gateway" or "node" */
    const char *description; /* of the unit */
    bool runs_commands;      /* for others */
    struct oc_strv words;    /* behind "<group> run" */
    struct oc_strv env;      /* "NAME=value", besides what is always handed on */
    cJSON *secrets;          /* object of strings, by the name of the variable; NULL is none */
};

void cli_service_plan_finish(struct cli_service_plan *p);
/* The option as it was given, if it was: "--host=box". */
void cli_service_plan_pass(
        struct cli_service_plan *p, const struct cli_args *args, const char *name);
void cli_service_plan_pass_flag(
        struct cli_service_plan *p, const struct cli_args *args, const char *name);
/* The variable gets the value, else what the environment has for it; takes nothing from blank
 * ones. */
void cli_service_plan_secret(struct cli_service_plan *p, const char *name, const char *value);

/* Does it and says so; the exit code. Safe to repeat: what is as it should be stays untouched, and
 * a service that runs is started anew only when something changed. Secrets that an earlier install
 * was given stay unless there are new ones. Somebody else's unit is overwritten only with --force,
 * which the command must know. */
int cli_service_install(struct cli_cli *cli, const struct cli_service_plan *p);

/* A user's services end with the last session unless they linger: how to change that, or NULL when
 * it needs no change. Caller frees. */
char *cli_service_linger_hint(void);

#endif
