/* Opens addresses in the desktop's own programs. By the desktop's portal, which starts them
 * outside: what this program started would be in its sandbox, too. */
#ifndef CANVAS_WINDOW_OPENER_H
#define CANVAS_WINDOW_OPENER_H

struct cv_opener;

/* on_failed may come once for each address, from the loop. */
struct cv_opener *cv_opener_create(void (*on_failed)(void *user, const char *why), void *user);
void cv_opener_destroy(struct cv_opener *o);
void cv_opener_open(struct cv_opener *o, const char *url);

#endif
