/* What later messages have settled, while the kept ones are looked through from the last to the
 * first: a set of names, of components, places in the data and whole surfaces. Only hashes are kept
 * (SipHash with a secret key, chained over the parts of a path), so that neither long names nor
 * deep paths cost more than to read them once; who knows no key makes no two of them equal. */
#ifndef NODE_CANVAS_CANVAS_SETTLED_H
#define NODE_CANVAS_CANVAS_SETTLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nd_canvas_settled {
    uint64_t *slots; /* 0: free */
    size_t cap, count;
};

/* All zero is an empty one. */
void nd_canvas_settled_finish(struct nd_canvas_settled *s);
/* what: 'c' component, 'b' root, 'x' the whole surface. True: it was there before. */
bool nd_canvas_settled_add(
        struct nd_canvas_settled *s, char what, const char *surface, const char *name);
bool nd_canvas_settled_has(
        const struct nd_canvas_settled *s, char what, const char *surface, const char *name);
/* The same of "/a/b"; "" is all the data. Settled with a place is what is below it. */
bool nd_canvas_settled_add_path(struct nd_canvas_settled *s, const char *surface, const char *path);

#endif
