/* Finding paired devices and their requests by what people call them: an id or its beginning, or a
 * name, by the rules of cli/nodes/nodes_util.h. */
#ifndef CLI_NODES_DEVICE_FIND_H
#define CLI_NODES_DEVICE_FIND_H

#include "cli/command.h"

/* A whole id is taken as it is, without asking the gateway. *ret_id: caller frees; *ret_name: how
 * the device is called, may be NULL, caller frees. */
enum oc_code cli_device_find(struct cli_cli *cli, const char *query, char **ret_id, char **ret_name,
        struct oc_error *err) OC_MUST_USE;

/* The request with this id, or the only one whose id begins so. A whole id is left to the gateway
 * to know. *ret_doc: the request when it was found by its beginning, borrowed from *ret_list, which
 * the caller deletes. Caller frees *ret_id. */
enum oc_code cli_device_request(struct cli_cli *cli, const char *query, char **ret_id,
        cJSON **ret_list, const cJSON **ret_doc, struct oc_error *err) OC_MUST_USE;

#endif
