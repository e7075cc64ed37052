#include "node/argv/exec_pieces.h"

#include "lib/base/mem.h"

#include <string.h>

enum { MAX_PIECES = 64 }; /* of one word; each may be a file that is asked for */

bool nd_exec_word_pieces(const char *word, struct oc_strv *ret) {
    static const char between[] = " \t\r\n;|&<>()'\"`$={}!,:@";
    const char *value = strchr(word, '=');
    oc_strv_add_unique(ret, word);
    if (value && value[1]) {
        oc_strv_add_unique(ret, value + 1);
    }
    if (word[0] == '-' && word[1] && word[1] != '-' && word[2]) {
        oc_strv_add_unique(ret, word + 2);
    }
    const char *at = word + strspn(word, between);
    while (*at && ret->count < MAX_PIECES) {
        size_t len = strcspn(at, between);
        OC_AUTO_FREE char *piece = oc_strndup(at, len);
        oc_strv_add_unique(ret, piece);
        at += len;
        at += strspn(at, between);
    }
    return !*at;
}
