#include "canvas/text/direction.h"

#include "lib/base/utf8.h"

#include <string.h>
#include <utf8proc.h>

bool cv_reads_leftwards(const char *utf8) {
    size_t len = strlen(utf8);
    for (size_t i = 0; i < len;) {
        uint32_t c = oc_utf8_decode(utf8, len, i, &i);
        int class = utf8proc_get_property((int32_t)c)->bidi_class;
        if (class == UTF8PROC_BIDI_CLASS_R || class == UTF8PROC_BIDI_CLASS_AL) {
            return true;
        }
        if (class == UTF8PROC_BIDI_CLASS_L) {
            return false;
        }
    }
    return false;
}
