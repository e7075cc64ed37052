/* Whether a gateway that is to be found on the network can be. */
#include "cli/doctor/doctor.h"

#include "cli/gateway/mdns.h"
#include "cli/gateway/mdns_publish.h"
#include "lib/base/mem.h"
#include "node/argv/paths/exec_path.h"

void cli_doctor_mdns(struct cli_doctor *d) {
    struct oc_error err;
    const char *mode = NULL;
    if (!d->config || cli_mdns_mode(d->config, &mode, &err) != OC_OK || oc_streq(mode, "off")) {
        return;
    }
    OC_AUTO_FREE char *tool = NULL;
    const char *bind = oc_json_get_str(oc_json_get(d->config, "gateway"), "bind");
    bool is_loopback = !bind || oc_streq(bind, "loopback");
    const char *fix = NULL, *trouble = cli_mdns_trouble(is_loopback, &fix);
    if (nd_exec_find("avahi-publish", NULL, nd_exec_search_path(), &tool) != 0) {
        cli_doctor_add(d, CLI_FINDING_WARN, "discovery", oc_strdup("apt install avahi-utils"),
                "the gateway is not announced on the network: avahi-publish is missing");
    } else if (trouble) {
        cli_doctor_add(d, CLI_FINDING_WARN, "discovery", oc_strdup(fix), "%s", trouble);
    }
}
