/* A property that must hold for every input; a broken one is a finding. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(fact)                                                                  \
    do {                                                                             \
        if (!(fact)) {                                                               \
            (void)fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #fact); \
            abort();                                                                 \
        }                                                                            \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
