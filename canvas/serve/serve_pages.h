/* Web pages for serve_canvas.h, shown by the web program (web_child.h). All functions take NULL for
 * "there is no such program". */
#ifndef CANVAS_SERVE_SERVE_PAGES_H
#define CANVAS_SERVE_SERVE_PAGES_H

#include "canvas/serve/serve_canvas.h"

struct cv_serve_pages;

/* NULL: openclaw-web is not installed. The rest as of cv_web_child_create. */
struct cv_serve_pages *cv_serve_pages_create(bool is_headless, const char *root);
void cv_serve_pages_destroy(struct cv_serve_pages *p);
const struct cv_serve_web *cv_serve_pages_web(const struct cv_serve_pages *p);
void cv_serve_pages_attach(struct cv_serve_pages *p, struct cv_serve_canvas *serve);
int cv_serve_pages_fd(const struct cv_serve_pages *p); /* always the same; -1: none */
void cv_serve_pages_read(struct cv_serve_pages *p);

#endif
