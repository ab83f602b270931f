#include "controller/base/digest.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct sha256 {
    EVP_MD_CTX *context;
    EVP_MD_CTX *peek; /* scratch for sha256_peek() */
};

/* OpenSSL fails here only when out of memory or misbuilt. */
static void must(int result)
{
    if (result != 1)
        abort();
}

struct sha256 *sha256_new(void)
{
    struct sha256 *hash = xcalloc(1, sizeof(*hash));

    hash->context = EVP_MD_CTX_new();
    hash->peek = EVP_MD_CTX_new();
    must(hash->context != NULL && hash->peek != NULL);
    must(EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL));
    return hash;
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t size)
{
    must(EVP_DigestUpdate(hash->context, bytes, size));
}

void sha256_peek(const struct sha256 *hash, uint8_t digest[SHA256_SIZE])
{
    must(EVP_MD_CTX_copy_ex(hash->peek, hash->context));
    must(EVP_DigestFinal_ex(hash->peek, digest, NULL));
}

void sha256_free(struct sha256 *hash)
{
    if (hash == NULL)
        return;
    EVP_MD_CTX_free(hash->context);
    EVP_MD_CTX_free(hash->peek);
    free(hash);
}

void digest_sha256(const void *bytes, size_t size, uint8_t digest[SHA256_SIZE])
{
    must(EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL));
}

void digest_hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size,
                        uint8_t digest[SHA256_SIZE])
{
    unsigned digest_size = SHA256_SIZE;

    assert(key_size <= INT32_MAX);
    /* An empty key is legal, but not as a NULL. */
    must(HMAC(EVP_sha256(), key_size == 0 ? "" : key, (int)key_size, bytes, size, digest,
              &digest_size) != NULL);
}

uint64_t digest_fnv1a64(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

/* The lowest byte first, on every machine; one load where that is the machine's own order. */
static uint64_t word_at(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

uint64_t digest_quick64(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint8_t last[sizeof(uint64_t)] = {0};
    uint64_t hash = size;

    for (; size >= sizeof(last); at += sizeof(last), size -= sizeof(last))
        hash = mix(hash, word_at(at));
    if (size > 0)
        memcpy(last, at, size);
    return mix(mix(hash, word_at(last)), 0);
}

void digest_hex(const void *bytes, size_t size, char *hex)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        hex[2 * i] = digits[at[i] >> 4];
        hex[2 * i + 1] = digits[at[i] & 15];
    }
    hex[2 * size] = '\0';
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool digest_from_hex(const char *hex, void *bytes, size_t size)
{
    uint8_t *out = bytes;

    if (strlen(hex) != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = hex_value(hex[2 * i]);
        int low = hex_value(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool digest_equal(const void *a, size_t a_size, const void *b, size_t b_size)
{
    return a_size == b_size && CRYPTO_memcmp(a, b, a_size) == 0;
}

static const char base64_standard[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64_url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

char *base64_encode(const void *bytes, size_t size, bool url)
{
    const char *alphabet = url ? base64_url : base64_standard;
    const uint8_t *in = bytes;
    char *text = xcalloc(size / 3 + 1, 4 + 1);
    char *out = text;

    for (size_t i = 0; i < size; i += 3) {
        size_t count = size - i < 3 ? size - i : 3;
        uint32_t group = (uint32_t)in[i] << 16;

        if (count > 1)
            group |= (uint32_t)in[i + 1] << 8;
        if (count > 2)
            group |= in[i + 2];
        for (size_t k = 0; k <= count; k++)
            *out++ = alphabet[group >> (18 - 6 * k) & 63];
        for (size_t k = count; k < 3 && !url; k++)
            *out++ = '=';
    }
    *out = '\0';
    return text;
}

static int base64_value(char letter, bool url)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == (url ? '-' : '+'))
        return 62;
    return letter == (url ? '_' : '/') ? 63 : -1;
}

/* The letters without their padding; false when that is not as the form wants it. */
static bool base64_letters(const char *text, bool url, size_t *ret_count)
{
    size_t size = strlen(text);
    size_t count = size;

    if (!url) {
        if (size % 4 != 0)
            return false;
        while (count > 0 && size - count < 2 && text[count - 1] == '=')
            count--;
    }
    *ret_count = count;
    return count % 4 != 1;
}

char *base64_decode(const char *text, bool url, size_t *ret_size)
{
    size_t count;
    size_t size = 0;
    uint32_t bits = 0;
    unsigned bit_count = 0;
    char *bytes;

    if (!base64_letters(text, url, &count))
        return NULL;
    bytes = xcalloc(count / 4 + 1, 3 + 1);
    for (size_t i = 0; i < count; i++) {
        int value = base64_value(text[i], url);

        if (value < 0)
            goto refuse;
        bits = bits << 6 | (uint32_t)value;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes[size++] = (char)(bits >> bit_count & 255);
        }
    }
    if ((bits & ((1U << bit_count) - 1)) != 0) /* two spellings of the same bytes */
        goto refuse;
    *ret_size = size;
    return bytes;
refuse:
    free(bytes);
    return NULL;
}
