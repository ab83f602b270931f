/* Digests against published vectors, hex, Base64, and comparing. */
#include "controller/base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_hex(const uint8_t digest[SHA256_SIZE], const char *want)
{
    char hex[SHA256_HEX_SIZE];

    digest_hex(digest, SHA256_SIZE, hex);
    assert_string_equal(hex, want);
}

static const struct {
    const char *text;
    const char *want; /* FIPS 180-2 */
} sha256_rows[] = {
    {"",                                                         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc",                                                      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"                                                            },
};

static void test_sha256(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sha256_rows); i++) {
        const char *text = sha256_rows[i].text;
        struct sha256 *hash = sha256_new();
        uint8_t digest[SHA256_SIZE];

        digest_sha256(text, strlen(text), digest);
        assert_hex(digest, sha256_rows[i].want);
        for (size_t k = 0; k < strlen(text); k++) {
            sha256_add(hash, text + k, 1);
            sha256_peek(hash, digest); /* changes nothing */
        }
        sha256_peek(hash, digest);
        assert_hex(digest, sha256_rows[i].want);
        sha256_free(hash);
    }
    sha256_free(NULL);
}

static void test_hmac(void **state)
{
    uint8_t digest[SHA256_SIZE];

    (void)state;
    digest_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, digest); /* RFC 4231, 2 */
    assert_hex(digest, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    digest_hmac_sha256(NULL, 0, "", 0, digest);
    assert_hex(digest, "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

/* Any byte and any size tell. */
static void test_quick(void **state)
{
    char text[41] = "forty bytes, whose every change is seen.";

    (void)state;
    for (size_t size = 0; size <= 40; size++) {
        uint64_t before = digest_quick64(text, size);

        for (size_t i = 0; i < size; i++) {
            text[i] ^= 1;
            assert_true(digest_quick64(text, size) != before);
            text[i] ^= 1;
        }
        assert_true(digest_quick64(text, size) == before);
        assert_true(size == 0 || digest_quick64(text, size - 1) != before);
    }
}

static void test_fnv(void **state)
{
    (void)state;
    assert_true(digest_fnv1a64("", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(digest_fnv1a64("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(digest_fnv1a64("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static const struct {
    const char *hex;
    bool valid; /* as two bytes */
} hex_rows[] = {
    {"00ff",   true },
    {"aBCd",   true },
    {"",       false},
    {"00f",    false},
    {"00fff",  false},
    {"00fff0", false},
    {"00fg",   false},
    {"0 ff",   false},
    {"0xff",   false},
};

static void test_hex(void **state)
{
    uint8_t bytes[2];
    char hex[5];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(hex_rows); i++) {
        if (digest_from_hex(hex_rows[i].hex, bytes, 2) != hex_rows[i].valid)
            fail_msg("%s", hex_rows[i].hex);
    }
    assert_true(digest_from_hex("aBCd", bytes, 2));
    digest_hex(bytes, 2, hex);
    assert_string_equal(hex, "abcd");
    assert_true(digest_from_hex("", bytes, 0));
}

static void test_equal(void **state)
{
    (void)state;
    assert_true(digest_equal("abc", 3, "abc", 3));
    assert_false(digest_equal("abc", 3, "abd", 3));
    assert_false(digest_equal("abc", 3, "abcd", 4));
    assert_true(digest_equal("", 0, "", 0));
}

static const struct {
    const char *bytes;
    const char *standard;
    const char *url;
} base64_rows[] = {
    {"",             "",         ""        },
    {"f",            "Zg==",     "Zg"      },
    {"fo",           "Zm8=",     "Zm8"     },
    {"foo",          "Zm9v",     "Zm9v"    },
    {"foob",         "Zm9vYg==", "Zm9vYg"  },
    {"fooba",        "Zm9vYmE=", "Zm9vYmE" },
    {"foobar",       "Zm9vYmFy", "Zm9vYmFy"},
    {"\xfb\xff\xbf", "+/+/",     "-_-_"    },
};

static void assert_decodes(const char *text, bool url, const char *want)
{
    size_t size = 99;
    char *bytes = base64_decode(text, url, &size);

    assert_non_null(bytes);
    assert_int_equal(size, strlen(want));
    assert_string_equal(bytes, want);
    free(bytes);
}

static void test_base64(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(base64_rows); i++) {
        const char *bytes = base64_rows[i].bytes;
        char *standard = base64_encode(bytes, strlen(bytes), false);
        char *url = base64_encode(bytes, strlen(bytes), true);

        assert_string_equal(standard, base64_rows[i].standard);
        assert_string_equal(url, base64_rows[i].url);
        assert_decodes(standard, false, bytes);
        assert_decodes(url, true, bytes);
        free(standard);
        free(url);
    }
}

static const struct {
    const char *text;
    bool url;
} malformed_rows[] = {
    {"Zg",       false}, /* no padding */
    {"Zg=",      false},
    {"Zg===",    false},
    {"Z===",     false},
    {"====",     false},
    {"Zg==Zg==", false}, /* padding inside */
    {"Zh==",     false}, /* bits that mean nothing are set */
    {"Zm9=",     false},
    {"-_-_",     false},
    {"Zm9v\n",   false},
    {"Zm 9",     false},
    {"Zg==",     true },
    {"Z",        true },
    {"Zh",       true },
    {"+/+/",     true },
};

static void test_malformed_base64(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(malformed_rows); i++) {
        size_t size;
        char *bytes = base64_decode(malformed_rows[i].text, malformed_rows[i].url, &size);

        if (bytes != NULL)
            fail_msg("%s", malformed_rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256), cmocka_unit_test(test_hmac),
        cmocka_unit_test(test_fnv),    cmocka_unit_test(test_quick),
        cmocka_unit_test(test_hex),    cmocka_unit_test(test_equal),
        cmocka_unit_test(test_base64), cmocka_unit_test(test_malformed_base64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
