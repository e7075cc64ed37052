#include "cli/service/service_remove.h"

#include "cli/service/systemctl.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"
#include "lib/files/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static enum oc_code remove_file(const char *path, bool *ret_was_there, struct oc_error *err) {
    if (unlink(path) == 0) {
        *ret_was_there = true;
        return OC_OK;
    }
    return errno == ENOENT ? OC_OK
                           : oc_fail(err, OC_E_IO, "remove '%s': %s", path, strerror(errno));
}

enum oc_code cli_service_remove(
        const struct cli_service *s, bool *ret_was_there, char **ret_note, struct oc_error *err) {
    struct oc_error unreachable = { 0 };
    int version = 0;
    bool was_there = false;
    bool has_unit = oc_file_exists(s->unit_path);
    bool is_reachable = cli_systemctl_reach(&version, &unreachable) == OC_OK;
    enum oc_code rc = OC_OK;
    if (has_unit && is_reachable) {
        rc = cli_systemctl("stop", s->unit, err);
        rc = rc == OC_OK ? cli_systemctl("disable", s->unit, err) : rc;
    }
    /* The link by hand, too: there may be no manager to take it away. */
    const char *const paths[] = { s->link_path, s->unit_path, s->env_path };
    for (size_t i = 0; rc == OC_OK && i < OC_COUNT(paths); i++) {
        rc = remove_file(paths[i], &was_there, err);
    }
    if (rc == OC_OK && is_reachable) {
        rc = cli_systemctl("daemon-reload", NULL, err);
    }
    if (rc != OC_OK) {
        return rc;
    }
    if (has_unit && is_reachable) {
        struct oc_error ignored; /* a unit that did not fail has nothing to forget */
        (void)!cli_systemctl("reset-failed", s->unit, &ignored);
    }
    *ret_was_there = was_there;
    *ret_note = was_there && !is_reachable
                        ? oc_strfmt("the files are gone, but if it ran it runs on: %s",
                                  unreachable.text)
                        : NULL;
    return OC_OK;
}
