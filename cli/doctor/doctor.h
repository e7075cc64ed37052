/* What openclaw doctor found out: one line each, with the command that helps. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "cli/command.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

enum cli_finding_level {
    CLI_FINDING_OK,
    CLI_FINDING_OFF, /* not used, or not there; nothing is wrong with that */
    CLI_FINDING_WARN,
    CLI_FINDING_FAIL,
};

struct cli_doctor {
    struct cli_cli *cli;
    char *state_dir, *config_path, *home;
    cJSON *config;   /* NULL when it cannot be read */
    cJSON *findings; /* [{"check","level","text","fix"?}] */
    cJSON *nodes;    /* [{"nodeId","displayName","connected","commands":{name:gates}}] */
    size_t failures;
};

/* check is a literal like "config"; fix may be NULL and is given up by the caller. What is OK has
 * none. */
void cli_doctor_add(struct cli_doctor *d, enum cli_finding_level level, const char *check,
        char *take_fix, const char *fmt, ...) OC_PRINTF(5, 6);

/* For people: coloured, and wrapped to the terminal below the text. */
void cli_doctor_print(const struct cli_doctor *d);

/* doctor_node.c: the node of this machine, and whether it runs. */
void cli_doctor_node(struct cli_doctor *d);
/* Whether this is the node of this machine, by its key. */
bool cli_doctor_is_own_node(const struct cli_doctor *d, const char *node_id);
/* What becomes of it when it is not connected to the gateway we look at. */
void cli_doctor_own_node_away(struct cli_doctor *d, const char *name);
/* doctor_files.c: what lies on this machine's disk. Reads only. */
void cli_doctor_files(struct cli_doctor *d);
/* doctor_ancestors.c: is a config of an earlier name used. */
void cli_doctor_ancestors(struct cli_doctor *d);
/* An object of a file; NULL when it is missing or damaged, and the latter is a finding. Caller
 * deletes. */
cJSON *cli_doctor_read(struct cli_doctor *d, const char *check, const char *path);
/* doctor_exec.c: what a node on this machine runs for others. */
void cli_doctor_exec(struct cli_doctor *d);
/* doctor_mdns.c: can it be found on the network, where it is to be. */
void cli_doctor_mdns(struct cli_doctor *d);
/* doctor_sandbox.c: what would stand around the commands of a node here. */
void cli_doctor_sandbox(struct cli_doctor *d);
/* doctor_owner.c: what the owner of this machine lets gateways use. */
void cli_doctor_owner(struct cli_doctor *d);
/* doctor_desktop.c: would what they let gateways use work here. */
void cli_doctor_desktop(struct cli_doctor *d);
/* doctor_service.c: what systemd runs of ours. */
void cli_doctor_service(struct cli_doctor *d);
/* doctor_gateway.c: does the gateway answer, and which gates of which node are shut. */
void cli_doctor_gateway(struct cli_doctor *d);

#endif
