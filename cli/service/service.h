/* The gateway or the node of this state directory as a service of the user's systemd: its files,
 * and how it stands. */
#ifndef CLI_SERVICE_SERVICE_H
#define CLI_SERVICE_SERVICE_H

#include "lib/base/error.h"
#include "lib/json/json.h"

#include <stdbool.h>

struct cli_service {
    const char *group; /* literal: "gateway" or "node", as in the commands */
    char *unit;        /* "openclaw-node.service"; a name of its own for every state directory */
    char *unit_path, *link_path; /* the unit, and the link that starts it with the session */
    char *env_path;              /* its secrets */
    char *state_dir;
};

/* By OPENCLAW_STATE_DIR, XDG_CONFIG_HOME and HOME. Needs cli_service_finish. */
void cli_service_init(struct cli_service *s, const char *group);
void cli_service_finish(struct cli_service *s);
static inline void cli_auto_service(struct cli_service *s) {
    cli_service_finish(s);
}
#define CLI_AUTO_SERVICE __attribute__((cleanup(cli_auto_service)))

/* "" for <home>/.openclaw, "-work" for <home>/.openclaw-work, else "-" and eight digits of its own.
 * Caller frees. */
char *cli_service_suffix(const char *home, const char *state_dir);

/* The unit's text, or NULL when there is none. Caller frees. A link is "somebody else's": systemctl
 * mask makes them. */
char *cli_service_read(const struct cli_service *s);

/* How it stands:
 *   {"unit","unitPath","installed":bool,"ours":bool,
 *    "label":"systemd","loaded":bool (it starts with the session),"loadedText","notLoadedText",
 *    "command":null|{"programArguments":[…],"sourcePath"},
 *    "runtime":{"status":"running"|"stopped"|"unknown","state"?,"subState"?,"pid"?,
 *               "lastExitStatus"?,"detail"?},
 *    "result"?,"restarts"?,"statusText"?,"lingers":bool,"logs":"journalctl …"}
 * label, loaded…, command and runtime are what the reference prints. Asks the manager only about
 * what is installed. Caller deletes. */
cJSON *cli_service_state(const struct cli_service *s);
/* One line of it for people, without the unit's name. Caller frees. */
char *cli_service_summary(const cJSON *state);
/* Does this user's manager run while nobody is logged in. */
bool cli_service_lingers(void);
/* The program that runs now, by its real path. Caller frees; NULL when it is gone. */
char *cli_service_program(void);

#endif
