/* What a JSON text will take as a tree, and what a tree takes: a value is two bytes on the wire and
 * forty times that in memory. */
#include "lib/json/json.h"

#include <string.h>

#define EACH_ALLOCATION 16

size_t oc_json_count_values(const char *text, size_t len) {
    size_t values = 1;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else {
            in_string = c == '"';
            values += c == ',' || c == '[' || c == '{';
        }
    }
    return values;
}

static size_t text_bytes(const char *text) {
    return text ? strlen(text) + 1 + EACH_ALLOCATION : 0;
}

size_t oc_json_tree_bytes(const cJSON *tree) {
    if (!tree) {
        return 0;
    }
    size_t bytes = sizeof(*tree) + EACH_ALLOCATION + text_bytes(tree->string) +
                   text_bytes(tree->valuestring);
    for (const cJSON *child = tree->child; child; child = child->next) {
        bytes += oc_json_tree_bytes(child); /* as deep as the parser lets a text be */
    }
    return bytes;
}
