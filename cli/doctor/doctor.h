/* What openclaw doctor found out: one line each, with the command that helps. */
#ifndef CLI_DOCTOR_DOCTOR_H
#define CLI_DOCTOR_DOCTOR_H

#include "cli/command.h"
#include "lib/base/error.h"
#include "lib/json/json.h"

enum oc_finding_level { OC_FINDING_OK, OC_FINDING_WARN, OC_FINDING_FAIL };

struct oc_doctor {
    struct oc_cli *cli;
    char *state_dir, *config_path, *home;
    cJSON *config;   /* NULL when it cannot be read */
    cJSON *findings; /* [{"check","level","text","fix"?}] */
    cJSON *nodes;    /* [{"nodeId","displayName","connected","commands":{name:gates}}] */
    size_t failures;
};

/* check is a literal like "config"; fix may be NULL and is given up by the caller. */
void oc_doctor_add(struct oc_doctor *d, enum oc_finding_level level, const char *check,
        char *take_fix, const char *fmt, ...) OC_PRINTF(5, 6);

/* doctor_files.c: what lies on this machine's disk. Reads only. */
void oc_doctor_files(struct oc_doctor *d);
/* doctor_exec.c: what a node on this machine runs for others. */
void oc_doctor_exec(struct oc_doctor *d);
/* doctor_mdns.c: can it be found on the network, where it is to be. */
void oc_doctor_mdns(struct oc_doctor *d);
/* doctor_sandbox.c: what would stand around the commands of a node here. */
void oc_doctor_sandbox(struct oc_doctor *d);
/* doctor_owner.c: what the owner of this machine lets gateways use. */
void oc_doctor_owner(struct oc_doctor *d);
/* doctor_desktop.c: would what they let gateways use work here. */
void oc_doctor_desktop(struct oc_doctor *d);
/* doctor_service.c: what systemd runs of ours. */
void oc_doctor_service(struct oc_doctor *d);
/* doctor_gateway.c: does the gateway answer, and which gates of which node are shut. */
void oc_doctor_gateway(struct oc_doctor *d);

#endif
