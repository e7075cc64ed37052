#include "lib/files/content_type.h"

#include "lib/base/mem.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *ending, *type;
} types[] = {
    { ".html", "text/html; charset=utf-8" },
    { ".htm", "text/html; charset=utf-8" },
    { ".js", "text/javascript; charset=utf-8" },
    { ".mjs", "text/javascript; charset=utf-8" },
    { ".css", "text/css; charset=utf-8" },
    { ".json", "application/json; charset=utf-8" },
    { ".jsonl", "application/jsonl; charset=utf-8" },
    { ".txt", "text/plain; charset=utf-8" },
    { ".md", "text/markdown; charset=utf-8" },
    { ".svg", "image/svg+xml" },
    { ".png", "image/png" },
    { ".jpg", "image/jpeg" },
    { ".jpeg", "image/jpeg" },
    { ".gif", "image/gif" },
    { ".webp", "image/webp" },
    { ".ico", "image/x-icon" },
    { ".wasm", "application/wasm" },
    { ".woff", "font/woff" },
    { ".woff2", "font/woff2" },
    { ".ttf", "font/ttf" },
    { ".mp3", "audio/mpeg" },
    { ".mp4", "video/mp4" },
    { ".webm", "video/webm" },
    { ".pdf", "application/pdf" },
};

const char *oc_content_type(const char *name) {
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < OC_COUNT(types); i++) {
        if (strcasecmp(types[i].ending, dot) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}
