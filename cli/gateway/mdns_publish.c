#include "cli/gateway/mdns_publish.h"

#include "cli/child.h"
#include "cli/gateway/mdns.h"
#include "cli/output.h"
#include "gateway/gateway.h"
#include "lib/base/mem.h"
#include "lib/net/dial.h"
#include "node/argv/paths/exec_path.h"

#include <stdlib.h>
#include <unistd.h>

/* avahi-publish talks to the daemon over the system's bus. */
static bool has_avahi(void) {
    const char *bus = getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return (bus && *bus) || (access("/run/dbus/system_bus_socket", F_OK) == 0 &&
                                    access("/run/avahi-daemon/socket", F_OK) == 0);
}

const char *cli_mdns_trouble(bool is_loopback, const char **ret_fix) {
    if (!has_avahi()) {
        *ret_fix =
                "systemctl start avahi-daemon (package avahi-daemon), or set discovery.mdns.mode "
                "to off";
        return "nobody finds the gateway on the network: avahi-daemon does not run";
    }
    if (is_loopback) {
        *ret_fix = "openclaw config set gateway.bind lan";
        return "the gateway is announced on the network, but listens on this machine only";
    }
    return NULL;
}

pid_t cli_mdns_advertise(const cJSON *config, const struct gw_gateway *gateway) {
    struct oc_error err;
    const char *mode = NULL;
    if (cli_mdns_mode(config, &mode, &err) != OC_OK) {
        cli_note("not advertised on the network: %s", err.text);
        return -1;
    }
    if (oc_streq(mode, "off")) {
        return -1;
    }
    const char *fix = NULL;
    const char *trouble = cli_mdns_trouble(oc_host_is_loopback(gw_host(gateway)), &fix);
    if (trouble) {
        cli_note("%s\n  fix: %s", trouble, fix);
    }
    char host[256] = "";
    if (gethostname(host, sizeof(host) - 1) != 0 || !host[0]) {
        cli_note("not advertised on the network: this machine has no host name");
        return -1;
    }
    OC_AUTO_FREE char *cli_path = NULL;
    bool is_full = oc_streq(mode, "full");
    if (is_full && nd_exec_find("openclaw", NULL, nd_exec_search_path(), &cli_path) != 0) {
        cli_path = NULL;
    }
    struct cli_mdns_ad ad = {
        .host_name = host,
        .port = gw_port(gateway),
        .tls_pin = gw_tls_pin(gateway),
        .is_full = is_full,
        .cli_path = cli_path,
    };
    OC_AUTO_STRV struct oc_strv argv = { 0 };
    cli_mdns_publish_argv(&ad, &argv);
    pid_t pid = -1;
    enum oc_code rc = cli_child_start(&argv, NULL, &pid, &err);
    if (rc != OC_OK) {
        cli_note("not advertised on the network: %s%s", err.text,
                rc == OC_E_NOT_FOUND ? "; install the package avahi-utils, or set "
                                       "discovery.mdns.mode to \"off\""
                                     : "");
        return -1;
    }
    return pid;
}
