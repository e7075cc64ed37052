/* A config of an earlier name of the product: it is read while there is none of ours. */
#include "cli/doctor/doctor.h"

#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "lib/text/paste.h"

#include <sys/stat.h>

void cli_doctor_ancestors(struct cli_doctor *d) {
    OC_AUTO_FREE char *old = oc_path_ancestor_config(d->config_path);
    struct stat st;
    if (!old) {
        return;
    }
    if (stat(old, &st) == 0 && (st.st_mode & 077)) {
        cli_doctor_add(d, CLI_FINDING_WARN, "config", oc_paste(NULL, "chmod 600 %s", old),
                "others can read %s, which may hold a secret", old);
    }
    cli_doctor_add(d, CLI_FINDING_WARN, "config",
            oc_paste(NULL, "install -m 600 %s %s", old, d->config_path),
            "%s is used, of an earlier version; changes go to %s, which does not exist yet", old,
            d->config_path);
}
