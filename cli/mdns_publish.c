#include "cli/mdns_publish.h"

#include "base/mem.h"
#include "cli/child.h"
#include "cli/mdns.h"
#include "cli/output.h"
#include "gateway/gateway.h"
#include "node/exec_path.h"

#include <unistd.h>

pid_t oc_mdns_advertise(const cJSON *config, const struct oc_gateway *gateway) {
    struct oc_error err;
    const char *mode = NULL;
    if (oc_mdns_mode(config, &mode, &err) != OC_OK) {
        oc_note("not advertised on the network: %s", err.text);
        return -1;
    }
    if (oc_streq(mode, "off")) {
        return -1;
    }
    char host[256] = "";
    if (gethostname(host, sizeof(host) - 1) != 0 || !host[0]) {
        oc_note("not advertised on the network: this machine has no host name");
        return -1;
    }
    OC_AUTO_FREE char *cli_path = NULL;
    bool is_full = oc_streq(mode, "full");
    if (is_full && oc_exec_find("openclaw", NULL, oc_exec_search_path(), &cli_path) != 0) {
        cli_path = NULL;
    }
    struct oc_mdns_ad ad = {
        .host_name = host,
        .port = oc_gateway_port(gateway),
        .tls_pin = oc_gateway_tls_pin(gateway),
        .is_full = is_full,
        .cli_path = cli_path,
    };
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    oc_mdns_publish_argv(&ad, &argv);
    pid_t pid = -1;
    enum oc_code rc = oc_child_start(&argv, NULL, &pid, &err);
    if (rc != OC_OK) {
        oc_note("not advertised on the network: %s%s", err.text,
                rc == OC_E_NOT_FOUND ? "; install the package avahi-utils, or set "
                                       "discovery.mdns.mode to \"off\""
                                     : "");
        return -1;
    }
    return pid;
}
