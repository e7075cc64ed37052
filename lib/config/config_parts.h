/* The two steps between a parsed openclaw.json and the config the programs see. */
#ifndef LIB_CONFIG_CONFIG_PARTS_H
#define LIB_CONFIG_CONFIG_PARTS_H

#include "lib/base/error.h"
#include "lib/json/json.h"

/* An included file that was read and is no JSON5. */
struct oc_config_fault {
    char *file; /* owned; NULL: it is something else that is wrong */
    struct oc_json5_fault at;
};
/* Replaces every {"$include": "file" | ["file", …], …} by the content of the files, merged in order
 * and under the keys beside $include. Paths are relative to the file that names them and must stay
 * below the config's directory or one of OPENCLAW_INCLUDE_ROOTS. Adds the path of every included
 * file to files, also of one that cannot be read. ret_fault needs oc_free of its file. */
enum oc_code oc_config_include(cJSON **root, const char *path, struct oc_strv *files,
        struct oc_config_fault *ret_fault, struct oc_error *err) OC_MUST_USE;
/* What the name in an $include of the file from means. Caller frees. */
char *oc_config_include_path(const char *from, const char *name);
/* Replaces ${NAME} in string values by the environment variable, or by what the config's own env
 * section has as plain text; $${NAME} stands for the literal text. A value whose variable is not
 * set is an error in the sections this program acts on, and left out elsewhere: it is never kept as
 * text, or "${TOKEN}" would become the token. OC_E_TOO_LARGE when the texts grow beyond
 * OC_CONFIG_MAX_BYTES. For tests. */
enum oc_code oc_config_expand(cJSON *root, struct oc_error *err) OC_MUST_USE;
/* The same; an error about one setting has its path in *ret_where (caller frees) and not in the
 * text. */
enum oc_code oc_config_expand_at(cJSON *root, char **ret_where, struct oc_error *err) OC_MUST_USE;

#endif
