/* What devices join-code and qr share: asking for a setup code, and what to say about it. */
#ifndef CLI_PAIRING_SETUP_CALL_H
#define CLI_PAIRING_SETUP_CALL_H

#include "cli/command.h"

#define CLI_PUBLIC_URL_OPTION                                                                    \
    {                                                                                            \
        "public-url", 0, CLI_OPT_TEXT, "ws-url",                                                 \
                "where the new device finds the gateway (what the gateway or this machine uses)" \
    }
#define CLI_PIN_OPTION                                                                         \
    {                                                                                          \
        "pin", 0, CLI_OPT_FLAG, NULL,                                                          \
                "--public-url leads straight to this gateway: put its certificate's pin into " \
                "the code"                                                                     \
    }

/* device.pair.setupCode with these params, and the address: --public-url, else the one this command
 * line uses when the gateway is elsewhere, else what the gateway thinks. */
enum oc_code cli_setup_call(
        struct cli_cli *cli, cJSON *take_params, cJSON **ret, struct oc_error *err) OC_MUST_USE;
/* "openclaw node run --pair <code>"; caller frees with oc_free_secret. */
char *cli_setup_command(const cJSON *answer);
/* How long it is good for, where it leads, and a note when that is this machine only. */
void cli_setup_print_facts(const cJSON *answer);

#endif
