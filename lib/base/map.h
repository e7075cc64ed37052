/* String-keyed hash map (keys copied, values borrowed). Seeded per process, so peers cannot aim at
 * collisions. */
#ifndef LIB_BASE_MAP_H
#define LIB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oc_map;

struct oc_map *oc_map_create(void);
void oc_map_destroy(struct oc_map *m); /* does not touch the values */
void *oc_map_get(const struct oc_map *m, const char *key);
/* Returns the value that was replaced, or NULL. value must not be NULL. */
void *oc_map_put(struct oc_map *m, const char *key, void *value);
void *oc_map_remove(struct oc_map *m, const char *key);
size_t oc_map_count(const struct oc_map *m);
/* Iterates in unspecified order; start with *pos = 0. The map must not be changed meanwhile. */
bool oc_map_next(const struct oc_map *m, size_t *pos, const char **ret_key, void **ret_value);
/* The hash it uses, for tables of another shape. */
uint64_t oc_map_hash(const void *bytes, size_t len);

#endif
