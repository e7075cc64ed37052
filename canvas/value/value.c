#include "canvas/value/value.h"

#include "lib/base/map.h"
#include "lib/base/mem.h"

#include <stdint.h>
#include <string.h>

#define INDEXED 8u /* maps with more members than this have a hash table */

struct member {
    char *key; /* NUL-terminated after key_len */
    uint32_t key_len, hash;
    struct cv_value *value;
};

struct cv_value {
    uint8_t type; /* enum cv_value_type */
    bool boolean;
    uint32_t refs;       /* further owners */
    uint32_t count, cap; /* members; a string's length is its count */
    union {
        double number;
        char *string;
        struct member *members;
        struct cv_value **items;
    };
    union {
        uint32_t *table;       /* maps past INDEXED: 2 × cap slots, member + 1 or 0 */
        struct cv_value *next; /* while it is being destroyed */
    };
};

enum cv_value_type cv_value_type_of(const struct cv_value *v) {
    return v ? (enum cv_value_type)v->type : CV_V_NULL;
}

bool cv_value_bool(const struct cv_value *v) {
    return v && v->type == CV_V_BOOL && v->boolean;
}

double cv_value_number(const struct cv_value *v) {
    return v && v->type == CV_V_NUMBER ? v->number : 0;
}

struct oc_slice cv_value_string(const struct cv_value *v) {
    if (!v || v->type != CV_V_STRING) {
        return (struct oc_slice){ "", 0 };
    }
    return (struct oc_slice){ v->string, v->count };
}

bool cv_value_is(const struct cv_value *v, const char *text) {
    return v && v->type == CV_V_STRING && oc_slice_eq(cv_value_string(v), text);
}

size_t cv_value_count(const struct cv_value *v) {
    return v && (v->type == CV_V_MAP || v->type == CV_V_ARRAY) ? v->count : 0;
}

const struct cv_value *cv_value_at(const struct cv_value *v, size_t i) {
    if (i >= cv_value_count(v)) {
        return NULL;
    }
    return v->type == CV_V_MAP ? v->members[i].value : v->items[i];
}

struct oc_slice cv_value_key(const struct cv_value *map, size_t i) {
    if (cv_value_type_of(map) != CV_V_MAP || i >= map->count) {
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

static struct member *find_member(const struct cv_value *map, struct oc_slice key, uint32_t hash) {
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

static struct member *value_find(const struct cv_value *map, struct oc_slice key) {
    if (cv_value_type_of(map) != CV_V_MAP) {
        return NULL;
    }
    return find_member(map, key, map->table ? hash_key(key) : 0);
}

const struct cv_value *cv_value_find(const struct cv_value *map, struct oc_slice key) {
    const struct member *m = value_find(map, key);
    return m ? m->value : NULL;
}

const struct cv_value *cv_value_get(const struct cv_value *map, const char *key) {
    return cv_value_find(map, (struct oc_slice){ key, strlen(key) });
}

struct cv_value *cv_value_create(enum cv_value_type type) {
    struct cv_value *v = oc_new(struct cv_value);
    v->type = (uint8_t)type;
    if (type == CV_V_STRING) {
        v->string = oc_strndup("", 0);
    }
    return v;
}

struct cv_value *cv_value_create_bool(bool b) {
    struct cv_value *v = cv_value_create(CV_V_BOOL);
    v->boolean = b;
    return v;
}

struct cv_value *cv_value_create_number(double n) {
    struct cv_value *v = cv_value_create(CV_V_NUMBER);
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

struct cv_value *cv_value_create_string(const char *s, size_t len) {
    struct cv_value *v = oc_new(struct cv_value);
    v->type = CV_V_STRING;
    v->string = copy_bytes(s, len);
    v->count = (uint32_t)len;
    return v;
}

struct cv_value *cv_value_ref(const struct cv_value *v) {
    struct cv_value *shared = (struct cv_value *)v;
    if (shared) {
        shared->refs++;
    }
    return shared;
}

/* Frees what has no members, and puts what has on the list of what is left to do. */
static void value_drop(struct cv_value *v, struct cv_value **todo) {
    if (v->refs) {
        v->refs--;
    } else if (v->type == CV_V_MAP || v->type == CV_V_ARRAY) {
        if (v->type == CV_V_MAP) {
            oc_free(v->table);
        }
        v->next = *todo;
        *todo = v;
    } else {
        if (v->type == CV_V_STRING) {
            oc_free(v->string);
        }
        oc_free(v);
    }
}

void cv_value_destroy(struct cv_value *v) {
    struct cv_value *todo = NULL;
    if (v) {
        value_drop(v, &todo);
    }
    while (todo) {
        struct cv_value *c = todo;
        todo = c->next;
        for (uint32_t i = 0; i < c->count; i++) {
            if (c->type == CV_V_MAP) {
                oc_free(c->members[i].key);
            }
            value_drop(c->type == CV_V_MAP ? c->members[i].value : c->items[i], &todo);
        }
        oc_free(c->type == CV_V_MAP ? (void *)c->members : (void *)c->items);
        oc_free(c);
    }
}

static void add_to_table(struct cv_value *map, uint32_t i) {
    uint32_t mask = map->cap * 2 - 1, slot = map->members[i].hash & mask;
    while (map->table[slot]) {
        slot = (slot + 1) & mask;
    }
    map->table[slot] = i + 1;
}

static void grow_map(struct cv_value *map) {
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

void cv_value_set(struct cv_value *map, struct oc_slice key, struct cv_value *take_value) {
    uint32_t hash = map->table || map->count >= INDEXED ? hash_key(key) : 0;
    struct member *m = find_member(map, key, hash);
    if (m) {
        cv_value_destroy(m->value);
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

void cv_value_append(struct cv_value *array, struct cv_value *take_value) {
    if (array->count == array->cap) {
        array->cap = array->cap ? array->cap * 2 : 4;
        array->items = oc_realloc(array->items, array->cap * sizeof(struct cv_value *));
    }
    array->items[array->count++] = take_value;
}

void cv_value_put_at(struct cv_value *array, size_t i, struct cv_value *take_value) {
    if (i >= array->count) {
        cv_value_append(array, take_value);
        return;
    }
    cv_value_destroy(array->items[i]);
    array->items[i] = take_value;
}

bool cv_value_index(struct oc_slice segment, size_t *ret) {
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

struct cv_value *cv_value_mutable(struct cv_value *v, struct oc_slice key_or_index) {
    if (cv_value_type_of(v) == CV_V_ARRAY) {
        size_t i;
        return cv_value_index(key_or_index, &i) && i < v->count ? v->items[i] : NULL;
    }
    struct member *m = value_find(v, key_or_index);
    return m ? m->value : NULL;
}

/* The walks below recurse: parsing and cv_surface_write keep values from growing deeper than
 * CV_VALUE_MAX_DEPTH, and what is deeper nevertheless counts as null. */
static struct cv_value *value_copy(const struct cv_value *v, unsigned depth) {
    switch (cv_value_type_of(v)) {
    case CV_V_BOOL:
        return cv_value_create_bool(v->boolean);
    case CV_V_NUMBER:
        return cv_value_create_number(v->number);
    case CV_V_STRING:
        return cv_value_create_string(v->string, v->count);
    case CV_V_MAP:
    case CV_V_ARRAY:
        break;
    case CV_V_NULL:
        return cv_value_create(CV_V_NULL);
    }
    if (depth > CV_VALUE_MAX_DEPTH * 2) {
        return cv_value_create(CV_V_NULL);
    }
    struct cv_value *c = cv_value_create(cv_value_type_of(v));
    for (size_t i = 0; i < v->count; i++) {
        struct cv_value *member = value_copy(cv_value_at(v, i), depth + 1);
        if (v->type == CV_V_MAP) {
            cv_value_set(c, cv_value_key(v, i), member);
        } else {
            cv_value_append(c, member);
        }
    }
    return c;
}

struct cv_value *cv_value_copy(const struct cv_value *v) {
    return value_copy(v, 0);
}

static bool value_equal(const struct cv_value *a, const struct cv_value *b, unsigned depth) {
    if (cv_value_type_of(a) != cv_value_type_of(b)) {
        return false;
    }
    switch (cv_value_type_of(a)) {
    case CV_V_NULL:
        return true;
    case CV_V_BOOL:
        return a->boolean == b->boolean;
    case CV_V_NUMBER:
        return a->number == b->number;
    case CV_V_STRING:
        return a->count == b->count && memcmp(a->string, b->string, a->count) == 0;
    case CV_V_MAP:
    case CV_V_ARRAY:
        break;
    }
    if (a->count != b->count || depth > CV_VALUE_MAX_DEPTH * 2) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct cv_value *other =
                a->type == CV_V_MAP ? cv_value_find(b, cv_value_key(a, i)) : b->items[i];
        if (!other || !value_equal(cv_value_at(a, i), other, depth + 1)) {
            return false;
        }
    }
    return true;
}

bool cv_value_equal(const struct cv_value *a, const struct cv_value *b) {
    return value_equal(a, b, 0);
}

static void add_size(const struct cv_value *v, unsigned depth, struct cv_value_size *ret) {
    ret->values++;
    if (depth > ret->depth) {
        ret->depth = depth;
    }
    if (cv_value_type_of(v) == CV_V_STRING) {
        ret->bytes += v->count;
    }
    if (depth > CV_VALUE_MAX_DEPTH * 2) {
        return;
    }
    for (size_t i = 0; i < cv_value_count(v); i++) {
        if (v->type == CV_V_MAP) {
            ret->bytes += v->members[i].key_len;
        }
        add_size(cv_value_at(v, i), depth + 1, ret);
    }
}

struct cv_value_size cv_value_measure(const struct cv_value *v) {
    struct cv_value_size size = { 0 };
    add_size(v, 0, &size);
    return size;
}
