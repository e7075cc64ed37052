/* Intrusive doubly linked list. A head says in a comment what it holds: struct oc_list calls;
 * (oc_call.link) */
#ifndef LIB_BASE_LIST_H
#define LIB_BASE_LIST_H

#include "lib/base/mem.h"

#include <stdbool.h>

struct oc_list {
    struct oc_list *next, *prev;
};

static inline void oc_list_init(struct oc_list *l) {
    l->next = l->prev = l;
}
static inline bool oc_list_empty(const struct oc_list *l) {
    return l->next == l;
}
static inline void oc_list_append(struct oc_list *head, struct oc_list *e) {
    e->prev = head->prev;
    e->next = head;
    head->prev->next = e;
    head->prev = e;
}
/* Safe on an element that is not linked (after oc_list_init) and when called twice. */
static inline void oc_list_remove(struct oc_list *e) {
    if (e->next) {
        e->next->prev = e->prev;
        e->prev->next = e->next;
    }
    oc_list_init(e);
}

#define oc_list_for_each(pos, head, member)                                                        \
    for ((pos) = OC_CONTAINER((head)->next, __typeof__(*(pos)), member); &(pos)->member != (head); \
            (pos) = OC_CONTAINER((pos)->member.next, __typeof__(*(pos)), member))
/* The element may be removed (but not the one after it) inside the loop. */
#define oc_list_for_each_safe(pos, tmp, head, member)                         \
    for ((pos) = OC_CONTAINER((head)->next, __typeof__(*(pos)), member),      \
        (tmp) = OC_CONTAINER((pos)->member.next, __typeof__(*(pos)), member); \
            &(pos)->member != (head);                                         \
            (pos) = (tmp), (tmp) = OC_CONTAINER((tmp)->member.next, __typeof__(*(tmp)), member))
#define oc_list_first(head, type, member) OC_CONTAINER((head)->next, type, member)

#endif
