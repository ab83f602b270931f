/* digest - hashes, HMAC, hex, and comparison in constant time. Over OpenSSL's EVP. */
#ifndef CONTROLLER_BASE_DIGEST_H
#define CONTROLLER_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"

#define SHA256_SIZE 32
#define SHA256_HEX_SIZE (2 * SHA256_SIZE + 1)

/** A SHA-256 that is fed piece by piece. */
struct sha256;
struct sha256 *sha256_new(void);
void sha256_add(struct sha256 *hash, const void *bytes, size_t size);
/** The digest so far; more may be added after. */
void sha256_peek(const struct sha256 *hash, uint8_t digest[SHA256_SIZE]);
void sha256_free(struct sha256 *hash);

void digest_sha256(const void *bytes, size_t size, uint8_t digest[SHA256_SIZE]);
void digest_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                        uint8_t digest[SHA256_SIZE]);

/** FNV-1a, 64 bits: for names and tables, never against an adversary. */
uint64_t digest_fnv1a64(const void *bytes, size_t size);

/** Eight bytes at a time: to see whether bytes have changed, never against an adversary. The same
 * on every machine. */
uint64_t digest_quick64(const void *bytes, size_t size);

/** 2 * size lower-case hex digits and a NUL. */
void digest_hex(const void *bytes, size_t size, char *hex);

/** Reads exactly 2 * size hex digits of either case. */
bool digest_from_hex(const char *hex, void *bytes, size_t size) MUST_CHECK;

/** Compares in time that depends on the sizes alone. */
bool digest_equal(const void *a, size_t a_size, const void *b, size_t b_size);

/** Base64 (RFC 4648) with padding, or URL-safe without; free() the text. */
char *base64_encode(const void *bytes, size_t size, bool url) MUST_CHECK;
/** Strict reverse of the same form; free() the bytes (NUL behind them). NULL when it is none. */
char *base64_decode(const char *text, bool url, size_t *ret_size) MUST_CHECK;

#endif
