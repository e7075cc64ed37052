/* The text of a systemd unit of ours, and what can be read back from it. Pure. */
#ifndef CLI_SERVICE_UNIT_TEXT_H
#define CLI_SERVICE_UNIT_TEXT_H

#include "lib/base/str.h"

#include <stdbool.h>

/* The first line of every unit that we write. */
#define CLI_UNIT_MARK "# Written by openclaw; "

struct cli_unit {
    const char *description;
    const char *rewrite;        /* the command that writes it anew */
    const struct oc_strv *argv; /* argv[0] is an absolute path */
    const struct oc_strv *env;  /* "NAME=value", nothing secret */
    const char *env_path;       /* file with the secrets; need not exist */
    bool runs_commands;         /* for others, so the service itself has no sandbox */
    bool backs_off;             /* the manager knows RestartSteps= (254 and newer) */
};

/* Caller frees. */
char *cli_unit_text(const struct cli_unit *u); /* NULL: too long */
/* One word of ExecStart= or Environment=: quoted as needed, specifiers (%) as plain text. Caller
 * frees. */
char *cli_unit_quote(const char *word);
/* A path behind EnvironmentFile=, where quotes mean nothing but patterns do. Caller frees. */
char *cli_unit_file_path(const char *path);

bool cli_unit_is_ours(const char *text);
/* The words of ExecStart= in a unit of ours; ret (empty) stays so when there is none. */
void cli_unit_command(const char *text, struct oc_strv *ret);

#endif
