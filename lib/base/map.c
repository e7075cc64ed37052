/* Open addressing with linear probing; removal moves later entries back, so there are no
 * tombstones. The hash is SipHash-1-3 with a random key: who does not know the key cannot choose
 * strings that collide. */
#include "lib/base/map.h"

#include "lib/base/encode.h"
#include "lib/base/mem.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct map_entry {
    char *key; /* NULL: free slot */
    void *value;
    uint64_t hash;
};

struct oc_map {
    struct map_entry *slots;
    size_t cap, count; /* cap is a power of two */
};

static uint64_t seed[2];
static pthread_once_t once = PTHREAD_ONCE_INIT; /* threads of the node have maps of their own */

static void make_seed(void) {
    oc_random(seed, sizeof(seed));
}

static uint64_t map_rotl(uint64_t x, unsigned n) {
    return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[1] = map_rotl(v[1], 13) ^ v[0];
    v[0] = map_rotl(v[0], 32);
    v[2] += v[3];
    v[3] = map_rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = map_rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = map_rotl(v[1], 17) ^ v[2];
    v[2] = map_rotl(v[2], 32);
}

uint64_t oc_map_hash(const void *bytes, size_t len) {
    pthread_once(&once, make_seed);
    const char *key = bytes;
    size_t i = 0;
    uint64_t v[4] = { seed[0] ^ UINT64_C(0x736f6d6570736575),
        seed[1] ^ UINT64_C(0x646f72616e646f6d), seed[0] ^ UINT64_C(0x6c7967656e657261),
        seed[1] ^ UINT64_C(0x7465646279746573) };
    uint64_t word = 0;
    for (; i + 8 <= len; i += 8) {
        memcpy(&word, key + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = (uint64_t)len << 56;
    for (unsigned shift = 0; i < len; i++, shift += 8) {
        word |= (uint64_t)(uint8_t)key[i] << shift;
    }
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t hash_of(const char *key) {
    return oc_map_hash(key, strlen(key));
}

struct oc_map *oc_map_create(void) {
    return oc_new(struct oc_map);
}

void oc_map_destroy(struct oc_map *m) {
    if (!m) {
        return;
    }
    for (size_t i = 0; i < m->cap; i++) {
        oc_free(m->slots[i].key);
    }
    oc_free(m->slots);
    oc_free(m);
}

/* The slot that holds key, or the free one where it would go. cap must not be 0. */
static struct map_entry *slot_of(const struct oc_map *m, const char *key, uint64_t hash) {
    size_t i = (size_t)hash & (m->cap - 1);
    while (m->slots[i].key && (m->slots[i].hash != hash || strcmp(m->slots[i].key, key) != 0)) {
        i = (i + 1) & (m->cap - 1);
    }
    return &m->slots[i];
}

static void map_grow(struct oc_map *m) {
    struct map_entry *old = m->slots;
    size_t old_cap = m->cap;
    m->cap = old_cap ? old_cap * 2 : 8;
    m->slots = oc_new_array(struct map_entry, m->cap);
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i].key) {
            *slot_of(m, old[i].key, old[i].hash) = old[i];
        }
    }
    oc_free(old);
}

void *oc_map_get(const struct oc_map *m, const char *key) {
    return m->count ? slot_of(m, key, hash_of(key))->value : NULL;
}

void *oc_map_put(struct oc_map *m, const char *key, void *value) {
    if (m->count + 1 > m->cap / 4 * 3) {
        map_grow(m);
    }
    uint64_t hash = hash_of(key);
    struct map_entry *e = slot_of(m, key, hash);
    void *old = e->value;
    if (!e->key) {
        e->key = oc_strdup(key);
        e->hash = hash;
        m->count++;
    }
    e->value = value;
    return old;
}

void *oc_map_remove(struct oc_map *m, const char *key) {
    struct map_entry *e = m->count ? slot_of(m, key, hash_of(key)) : NULL;
    if (!e || !e->key) {
        return NULL;
    }
    void *value = e->value;
    oc_free(e->key);
    m->count--;
    size_t mask = m->cap - 1, hole = (size_t)(e - m->slots);
    for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
        /* An entry may move into the hole if that does not put it before its home slot. */
        size_t home = (size_t)m->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole] = (struct map_entry){ 0 };
    return value;
}

size_t oc_map_count(const struct oc_map *m) {
    return m->count;
}

bool oc_map_next(const struct oc_map *m, size_t *pos, const char **ret_key, void **ret_value) {
    for (; *pos < m->cap; (*pos)++) {
        if (m->slots[*pos].key) {
            *ret_key = m->slots[*pos].key;
            *ret_value = m->slots[*pos].value;
            (*pos)++;
            return true;
        }
    }
    return false;
}
