/* The protocol's published test vectors: the key whose seed is the bytes 00 01 … 1f. */
#ifndef TESTS_UNIT_LIB_PROTOCOL_VECTORS_H
#define TESTS_UNIT_LIB_PROTOCOL_VECTORS_H

#include <stdint.h>

#define VECTOR_PUBLIC_KEY "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"
#define VECTOR_DEVICE_ID "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c"
#define VECTOR_PKCS8                                                               \
    "-----BEGIN PRIVATE "                                                          \
    "KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n" \
    "-----END PRIVATE KEY-----\n"
#define VECTOR_SPKI                                                                              \
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=\n" \
    "-----END PUBLIC KEY-----\n"

static const uint8_t vector_seed[32] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };

#endif
