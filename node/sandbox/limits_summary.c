/* The ceilings in words, with how exactly each one holds: a number alone promises more than the
 * kernel keeps. */
#include "node/sandbox/sandbox.h"

#include "lib/base/mem.h"

#include <inttypes.h>

static void limits_summary_add(struct oc_strv *to, int64_t limit, char *take_text) {
    if (limit > 0) {
        oc_strv_add(to, take_text);
    }
    oc_free(take_text);
}

static char *size_text(int64_t bytes) {
    static const char *const units[] = { "", "K", "M", "G", "T" };
    size_t unit = 0;
    while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < OC_COUNT(units)) {
        bytes /= 1024;
        unit++;
    }
    return oc_strfmt("%" PRId64 "%s", bytes, units[unit]);
}

char *nd_limits_summary(const struct os_limits *l) {
    OC_AUTO_STRV struct oc_strv together = { 0 }, single = { 0 }, all = { 0 };
    OC_AUTO_FREE char *memory = size_text(l->memory_bytes), *file = size_text(l->file_bytes);
    limits_summary_add(&together, l->memory_bytes, oc_strfmt("%s of memory", memory));
    limits_summary_add(&together, l->cpu_seconds,
            oc_strfmt("%" PRId64 " s of processor time", l->cpu_seconds));
    limits_summary_add(&single, l->file_bytes, oc_strfmt("files up to %s", file));
    limits_summary_add(&single, l->open_files, oc_strfmt("%" PRId64 " open files", l->open_files));
    if (together.count > 0) {
        OC_AUTO_FREE char *text = oc_strv_join(&together, " and ");
        OC_AUTO_FREE char *line = oc_strfmt(
                "%s for a command with all it starts (the kernel holds each process to it; what "
                "they have together it counts in a service with Delegate=yes, elsewhere the node "
                "looks "
                "twice a second)",
                text);
        oc_strv_add(&all, line);
    }
    if (single.count > 0) {
        OC_AUTO_FREE char *text = oc_strv_join(&single, " and ");
        OC_AUTO_FREE char *line = oc_strfmt("%s for each process", text);
        oc_strv_add(&all, line);
    }
    limits_summary_add(
            &all, l->processes, oc_strfmt("%" PRId64 " processes for a command", l->processes));
    return all.count > 0 ? oc_strv_join(&all, "; ") : NULL;
}
