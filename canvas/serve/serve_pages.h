/* Web pages for serve_canvas.h, shown by the web program (web_child.h). All functions take NULL for "there is no such program". */
#ifndef CANVAS_SERVE_SERVE_PAGES_H
#define CANVAS_SERVE_SERVE_PAGES_H

#include "canvas/serve/serve_canvas.h"

struct oc_serve_pages;

/* NULL: openclaw-web is not installed. The rest as of oc_web_child_create. */
struct oc_serve_pages *oc_serve_pages_create(bool is_headless, const char *root);
void oc_serve_pages_destroy(struct oc_serve_pages *p);
const struct oc_serve_web *oc_serve_pages_web(const struct oc_serve_pages *p);
void oc_serve_pages_attach(struct oc_serve_pages *p, struct oc_serve_canvas *serve);
int oc_serve_pages_fd(const struct oc_serve_pages *p); /* always the same; -1: none */
void oc_serve_pages_read(struct oc_serve_pages *p);

#endif
