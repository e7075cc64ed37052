#include "canvas/model/value.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdint.h>
#include <string.h>

#define INDEXED 8u /* maps with more members than this have a hash table */

struct member {
    char *key; /* NUL-terminated after key_len */
    uint32_t key_len, hash;
    struct oc_value *value;
};

struct oc_value {
    uint8_t type; /* enum oc_value_type */
    bool boolean;
    uint32_t refs;       /* further owners */
    uint32_t count, cap; /* members; a string's length is its count */
    union {
        double number;
        char *string;
        struct member *members;
        struct oc_value **items;
    };
    union {
        uint32_t *table;       /* maps past INDEXED: 2 × cap slots, member + 1 or 0 */
        struct oc_value *next; /* while it is being destroyed */
    };
};

enum oc_value_type oc_value_type(const struct oc_value *v) {
    return v ? (enum oc_value_type)v->type : OC_V_NULL;
}

bool oc_value_bool(const struct oc_value *v) {
    return v && v->type == OC_V_BOOL && v->boolean;
}

double oc_value_number(const struct oc_value *v) {
    return v && v->type == OC_V_NUMBER ? v->number : 0;
}

struct oc_slice oc_value_string(const struct oc_value *v) {
    if (!v || v->type != OC_V_STRING) {
        return (struct oc_slice){ "", 0 };
    }
    return (struct oc_slice){ v->string, v->count };
}

bool oc_value_is(const struct oc_value *v, const char *text) {
    return v && v->type == OC_V_STRING && oc_slice_eq(oc_value_string(v), text);
}

size_t oc_value_count(const struct oc_value *v) {
    return v && (v->type == OC_V_MAP || v->type == OC_V_ARRAY) ? v->count : 0;
}

const struct oc_value *oc_value_at(const struct oc_value *v, size_t i) {
    if (i >= oc_value_count(v)) {
        return NULL;
    }
    return v->type == OC_V_MAP ? v->members[i].value : v->items[i];
}

struct oc_slice oc_value_key(const struct oc_value *map, size_t i) {
    if (oc_value_type(map) != OC_V_MAP || i >= map->count) {
        return (struct oc_slice){ "", 0 };
    }
    return (struct oc_slice){ map->members[i].key, map->members[i].key_len };
}

static uint32_t hash_key(struct oc_slice key) {
    return (uint32_t)oc_map_hash(key.ptr, key.len);
}

static bool has_key(const struct member *m, struct oc_slice key) {
    return m->key_len == key.len && memcmp(m->key, key.ptr, key.len) == 0;
}

static struct member *find_member(const struct oc_value *map, struct oc_slice key, uint32_t hash) {
    if (!map->table) {
        for (uint32_t i = 0; i < map->count; i++) {
            if (has_key(&map->members[i], key)) {
                return &map->members[i];
            }
        }
        return NULL;
    }
    uint32_t mask = map->cap * 2 - 1;
    for (uint32_t slot = hash & mask; map->table[slot]; slot = (slot + 1) & mask) {
        struct member *m = &map->members[map->table[slot] - 1];
        if (m->hash == hash && has_key(m, key)) {
            return m;
        }
    }
    return NULL;
}

static struct member *find(const struct oc_value *map, struct oc_slice key) {
    if (oc_value_type(map) != OC_V_MAP) {
        return NULL;
    }
    return find_member(map, key, map->table ? hash_key(key) : 0);
}

const struct oc_value *oc_value_find(const struct oc_value *map, struct oc_slice key) {
    const struct member *m = find(map, key);
    return m ? m->value : NULL;
}

const struct oc_value *oc_value_get(const struct oc_value *map, const char *key) {
    return oc_value_find(map, (struct oc_slice){ key, strlen(key) });
}

struct oc_value *oc_value_create(enum oc_value_type type) {
    struct oc_value *v = oc_new(struct oc_value);
    v->type = (uint8_t)type;
    if (type == OC_V_STRING) {
        v->string = oc_strndup("", 0);
    }
    return v;
}

struct oc_value *oc_value_create_bool(bool b) {
    struct oc_value *v = oc_value_create(OC_V_BOOL);
    v->boolean = b;
    return v;
}

struct oc_value *oc_value_create_number(double n) {
    struct oc_value *v = oc_value_create(OC_V_NUMBER);
    v->number = n;
    return v;
}

/* Unlike oc_strndup it copies U+0000 too. */
static char *copy_bytes(const char *s, size_t len) {
    char *copy = oc_alloc(len + 1);
    if (len) {
        memcpy(copy, s, len);
    }
    return copy;
}

struct oc_value *oc_value_create_string(const char *s, size_t len) {
    struct oc_value *v = oc_new(struct oc_value);
    v->type = OC_V_STRING;
    v->string = copy_bytes(s, len);
    v->count = (uint32_t)len;
    return v;
}

struct oc_value *oc_value_ref(const struct oc_value *v) {
    struct oc_value *shared = (struct oc_value *)v;
    if (shared) {
        shared->refs++;
    }
    return shared;
}

/* Frees what has no members, and puts what has on the list of what is left to do. */
static void drop(struct oc_value *v, struct oc_value **todo) {
    if (v->refs) {
        v->refs--;
    } else if (v->type == OC_V_MAP || v->type == OC_V_ARRAY) {
        if (v->type == OC_V_MAP) {
            oc_free(v->table);
        }
        v->next = *todo;
        *todo = v;
    } else {
        if (v->type == OC_V_STRING) {
            oc_free(v->string);
        }
        oc_free(v);
    }
}

void oc_value_destroy(struct oc_value *v) {
    struct oc_value *todo = NULL;
    if (v) {
        drop(v, &todo);
    }
    while (todo) {
        struct oc_value *c = todo;
        todo = c->next;
        for (uint32_t i = 0; i < c->count; i++) {
            if (c->type == OC_V_MAP) {
                oc_free(c->members[i].key);
            }
            drop(c->type == OC_V_MAP ? c->members[i].value : c->items[i], &todo);
        }
        oc_free(c->type == OC_V_MAP ? (void *)c->members : (void *)c->items);
        oc_free(c);
    }
}

static void add_to_table(struct oc_value *map, uint32_t i) {
    uint32_t mask = map->cap * 2 - 1, slot = map->members[i].hash & mask;
    while (map->table[slot]) {
        slot = (slot + 1) & mask;
    }
    map->table[slot] = i + 1;
}

static void grow_map(struct oc_value *map) {
    map->cap = map->cap ? map->cap * 2 : 2;
    map->members = oc_realloc(map->members, map->cap * sizeof(*map->members));
    if (map->cap <= INDEXED) {
        return;
    }
    bool is_new = !map->table;
    oc_free(map->table);
    map->table = oc_new_array(uint32_t, (size_t)map->cap * 2);
    for (uint32_t i = 0; i < map->count; i++) {
        struct member *m = &map->members[i];
        if (is_new) {
            m->hash = hash_key((struct oc_slice){ m->key, m->key_len });
        }
        add_to_table(map, i);
    }
}

void oc_value_set(struct oc_value *map, struct oc_slice key, struct oc_value *take_value) {
    uint32_t hash = map->table || map->count >= INDEXED ? hash_key(key) : 0;
    struct member *m = find_member(map, key, hash);
    if (m) {
        oc_value_destroy(m->value);
        m->value = take_value;
        return;
    }
    char *copy = copy_bytes(key.ptr, key.len); /* first: key may be one of this map's */
    if (map->count == map->cap) {
        grow_map(map);
    }
    map->members[map->count] = (struct member){
        .key = copy, .key_len = (uint32_t)key.len, .hash = hash, .value = take_value
    };
    if (map->table) {
        add_to_table(map, map->count);
    }
    map->count++;
}

void oc_value_append(struct oc_value *array, struct oc_value *take_value) {
    if (array->count == array->cap) {
        array->cap = array->cap ? array->cap * 2 : 4;
        array->items = oc_realloc(array->items, array->cap * sizeof(struct oc_value *));
    }
    array->items[array->count++] = take_value;
}

void oc_value_put_at(struct oc_value *array, size_t i, struct oc_value *take_value) {
    if (i >= array->count) {
        oc_value_append(array, take_value);
        return;
    }
    oc_value_destroy(array->items[i]);
    array->items[i] = take_value;
}

bool oc_value_index(struct oc_slice segment, size_t *ret) {
    size_t n = 0;
    if (!segment.len || segment.len > 9) {
        return false;
    }
    for (size_t i = 0; i < segment.len; i++) {
        if (segment.ptr[i] < '0' || segment.ptr[i] > '9') {
            return false;
        }
        n = n * 10 + (size_t)(segment.ptr[i] - '0');
    }
    *ret = n;
    return true;
}

struct oc_value *oc_value_mutable(struct oc_value *v, struct oc_slice key_or_index) {
    if (oc_value_type(v) == OC_V_ARRAY) {
        size_t i;
        return oc_value_index(key_or_index, &i) && i < v->count ? v->items[i] : NULL;
    }
    struct member *m = find(v, key_or_index);
    return m ? m->value : NULL;
}

/* The walks below recurse: parsing and oc_surface_write keep values from growing deeper than
 * OC_VALUE_MAX_DEPTH, and what is deeper nevertheless counts as null. */
static struct oc_value *copy(const struct oc_value *v, unsigned depth) {
    switch (oc_value_type(v)) {
    case OC_V_BOOL:
        return oc_value_create_bool(v->boolean);
    case OC_V_NUMBER:
        return oc_value_create_number(v->number);
    case OC_V_STRING:
        return oc_value_create_string(v->string, v->count);
    case OC_V_MAP:
    case OC_V_ARRAY:
        break;
    case OC_V_NULL:
        return oc_value_create(OC_V_NULL);
    }
    if (depth > OC_VALUE_MAX_DEPTH * 2) {
        return oc_value_create(OC_V_NULL);
    }
    struct oc_value *c = oc_value_create(oc_value_type(v));
    for (size_t i = 0; i < v->count; i++) {
        struct oc_value *member = copy(oc_value_at(v, i), depth + 1);
        if (v->type == OC_V_MAP) {
            oc_value_set(c, oc_value_key(v, i), member);
        } else {
            oc_value_append(c, member);
        }
    }
    return c;
}

struct oc_value *oc_value_copy(const struct oc_value *v) {
    return copy(v, 0);
}

static bool equal(const struct oc_value *a, const struct oc_value *b, unsigned depth) {
    if (oc_value_type(a) != oc_value_type(b)) {
        return false;
    }
    switch (oc_value_type(a)) {
    case OC_V_NULL:
        return true;
    case OC_V_BOOL:
        return a->boolean == b->boolean;
    case OC_V_NUMBER:
        return a->number == b->number;
    case OC_V_STRING:
        return a->count == b->count && memcmp(a->string, b->string, a->count) == 0;
    case OC_V_MAP:
    case OC_V_ARRAY:
        break;
    }
    if (a->count != b->count || depth > OC_VALUE_MAX_DEPTH * 2) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct oc_value *other =
                a->type == OC_V_MAP ? oc_value_find(b, oc_value_key(a, i)) : b->items[i];
        if (!other || !equal(oc_value_at(a, i), other, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool oc_value_equal(const struct oc_value *a, const struct oc_value *b) {
    return equal(a, b, 0);
}

static void add_size(const struct oc_value *v, unsigned depth, struct oc_value_size *ret) {
    ret->values++;
    if (depth > ret->depth) {
        ret->depth = depth;
    }
    if (oc_value_type(v) == OC_V_STRING) {
        ret->bytes += v->count;
    }
    if (depth > OC_VALUE_MAX_DEPTH * 2) {
        return;
    }
    for (size_t i = 0; i < oc_value_count(v); i++) {
        if (v->type == OC_V_MAP) {
            ret->bytes += v->members[i].key_len;
        }
        add_size(oc_value_at(v, i), depth + 1, ret);
    }
}

struct oc_value_size oc_value_size(const struct oc_value *v) {
    struct oc_value_size size = { 0 };
    add_size(v, 0, &size);
    return size;
}
