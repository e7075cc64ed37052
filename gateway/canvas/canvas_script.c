#include "gateway/canvas/canvas_script.h"

#include "lib/base/mem.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Bridge to whoever shows the page, and reload. Relative to where the page itself came from, so
 * that a capability stays in it. */
const char gw_canvas_script[] =
        "<script>(()=>{const post=v=>{const s=typeof v===\"string\"?v:JSON.stringify(v);try{"
        "const "
        "w=globalThis.webkit?.messageHandlers?.openclawCanvasA2UIAction;if(w){w.postMessage(s);"
        "return true}const a=globalThis.openclawCanvasA2UIAction;if(a){a.postMessage(s);return "
        "true}}"
        "catch(e){}return false};const send=u=>post({userAction:{...u,id:u?.id||(crypto.randomUUID?"
        "crypto.randomUUID():String(Date.now()))}});globalThis.OpenClaw=Object.assign(globalThis."
        "OpenClaw||{},{postMessage:post,sendUserAction:send});globalThis.openclawPostMessage=post;"
        "globalThis.openclawSendUserAction=send;const at=location.pathname.indexOf(\"/__openclaw__/"
        "canvas\");if(at>=0&&globalThis.WebSocket)try{const s=new WebSocket((location.protocol==="
        "\"https:\"?\"wss://\":\"ws://\")+location.host+location.pathname.slice(0,at)+\"/"
        "__openclaw__/ws\");s.onmessage=e=>{if(e.data===\"reload\")location.reload()}}catch(e){}"
        "})();</script>\n";

static size_t last_end_of_body(const char *text, size_t len, size_t none) {
    static const char tag[] = "</body>";
    for (size_t i = len - (len < strlen(tag) ? len : strlen(tag)) + 1; i-- > 0;) {
        if (text[i] == '<' && text[i + 1] == '/' && strncasecmp(text + i, tag, strlen(tag)) == 0) {
            return i;
        }
    }
    return none;
}

uint64_t gw_canvas_script_at(int fd, uint64_t size) {
    uint64_t from = size > GW_CANVAS_SCRIPT_LOOKS_AT ? size - GW_CANVAS_SCRIPT_LOOKS_AT : 0;
    size_t len = (size_t)(size - from);
    OC_AUTO_FREE char *text = oc_alloc(len + 1);
    if (pread(fd, text, len, (off_t)from) != (ssize_t)len) {
        return size;
    }
    text[len] = '\0';
    return from + last_end_of_body(text, len, len);
}
