/* What an approval of a node's commands changes, for who says yes to it: all of them grouped when
 * it is the first, otherwise what is new and what goes. */
#ifndef CLI_NODES_COMMAND_CHANGE_H
#define CLI_NODES_COMMAND_CHANGE_H

#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "lib/json/json.h"

struct cli_command_change {
    bool is_first;                       /* nothing of this node was approved before */
    struct oc_strv added, removed, kept; /* sorted */
};

/* record: the node as the gateway's list of paired nodes has it, NULL when it does not; asked: the
 * names of the commands. ret needs cli_command_change_finish. */
void cli_command_change_of(const cJSON *record, const cJSON *asked, struct cli_command_change *ret);
void cli_command_change_finish(struct cli_command_change *c);
/* "added" and "removed", unless it is the first. */
void cli_command_change_json(const struct cli_command_change *c, cJSON *to);
/* Lines as those of cli_waiting_print_one. */
void cli_command_change_print(const struct cli_command_change *c, struct oc_buf *out);

static inline void cli_auto_command_change(struct cli_command_change *c) {
    cli_command_change_finish(c);
}
#define CLI_AUTO_COMMAND_CHANGE __attribute__((cleanup(cli_auto_command_change)))

#endif
