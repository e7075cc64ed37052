#include "lib/text/quoted.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/str.h"

char *oc_quoted(const char *text, size_t max_chars) {
    OC_AUTO_FREE char *shown = NULL;
    OC_AUTO_BUF struct oc_buf escaped = OC_BUF_INIT(SIZE_MAX / 2);
    for (const char *p = text ? text : ""; *p; p++) {
        if (*p == '"' || *p == '\\') {
            oc_buf_putc(&escaped, '\\');
        }
        oc_buf_putc(&escaped, *p);
    }
    shown = oc_printable(escaped.data ? escaped.data : "", escaped.len, max_chars);
    return oc_strfmt("\"%s\"", shown);
}
