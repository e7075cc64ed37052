/* Safe bins: filters that may run without an entry on the list, because with these arguments all
 * they can do is read their input and write their output (docs/EXEC.md#allowlist).
 *
 * A program is one if its real path is in a trusted directory, its name is switched on, and every
 * argument is known to its profile. Unknown flags are refused; abbreviations of long ones too. */
#ifndef NODE_POLICY_EXEC_SAFE_BINS_H
#define NODE_POLICY_EXEC_SAFE_BINS_H

#include "lib/base/str.h"
#include "lib/json/json.h"

#include <stdbool.h>

/* The owner's settings; each may be NULL: the usual bins, no more directories, no more profiles. */
struct nd_safe_bins {
    const cJSON *bins;         /* tools.exec.safeBins, an array of names */
    const cJSON *trusted_dirs; /* tools.exec.safeBinTrustedDirs */
    const cJSON *profiles;     /* tools.exec.safeBinProfiles: name -> {minPositional, …} */
};

/* ret_why: of a program that is a safe bin, but not with these arguments: which of them is the
 * trouble, in a few words; NULL in every other case. Caller frees; may be NULL. */
bool nd_safe_bin_allows(const struct nd_safe_bins *settings, const char *real_path,
        const struct oc_strv *argv, char **ret_why);

/* Whether the file is where only the owner of the machine installs programs. */
bool nd_safe_bins_trusts_dir_of(const struct nd_safe_bins *settings, const char *real_path);

#endif
