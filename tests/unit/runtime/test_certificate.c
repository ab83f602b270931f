#include "controller/runtime/certificate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "controller/base/time.h"

#define FROM_US (INT64_C(1700000000) * US_PER_SECOND)
#define UNTIL_US (INT64_C(1800000000) * US_PER_SECOND)

static void issue(const struct certificate_options *options, const struct certificate *issuer,
                  struct certificate *ret_certificate)
{
    struct error err = ERROR_INIT;

    if (!certificate_issue(options, issuer, ret_certificate, &err))
        fail_msg("%s", err.text);
}

static X509 *parse(const struct certificate *certificate)
{
    BIO *text = BIO_new_mem_buf(certificate->certificate_pem, -1);
    X509 *parsed = PEM_read_bio_X509(text, NULL, NULL, NULL);

    BIO_free(text);
    assert_non_null(parsed);
    return parsed;
}

static bool verifies(const struct certificate *leaf, const struct certificate *authority,
                     int64_t at_us)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509 *one = parse(leaf);
    X509 *root = parse(authority);
    bool ok;

    X509_STORE_add_cert(store, root);
    X509_STORE_CTX_init(context, store, one, NULL);
    X509_STORE_CTX_set_time(context, 0, (time_t)(at_us / US_PER_SECOND));
    ok = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    X509_free(one);
    X509_free(root);
    return ok;
}

struct family {
    struct certificate authority;
    struct certificate other;
    struct certificate leaf;
};

static void family_make(struct family *family)
{
    static const char *const names[] = {"api", "127.0.0.1", "::1"};
    static const char *const organizations[] = {"system:masters", "b, c=d"};
    struct certificate_options options = {
        .common_name = "authority", .not_before_us = FROM_US, .not_after_us = UNTIL_US};

    issue(&options, NULL, &family->authority);
    issue(&options, NULL, &family->other);
    options.common_name = "leaf";
    options.organizations = organizations;
    options.organization_count = 2;
    options.names = names;
    options.name_count = 3;
    issue(&options, &family->authority, &family->leaf);
}

static void family_release(struct family *family)
{
    certificate_release(&family->authority);
    certificate_release(&family->other);
    certificate_release(&family->leaf);
    certificate_release(&family->leaf); /* once more does nothing */
}

static void test_chain(void **state)
{
    struct family family;

    (void)state;
    family_make(&family);
    assert_true(verifies(&family.leaf, &family.authority, FROM_US));
    assert_true(verifies(&family.leaf, &family.authority, UNTIL_US - US_PER_SECOND));
    assert_false(verifies(&family.leaf, &family.authority, FROM_US - US_PER_SECOND));
    assert_false(
        verifies(&family.leaf, &family.authority, UNTIL_US)); /* OpenSSL: the last second is out */
    assert_false(verifies(&family.leaf, &family.other, FROM_US));
    family_release(&family);
}

static void test_subject_and_names(void **state)
{
    struct family family;
    X509 *leaf;
    char text[64];

    (void)state;
    family_make(&family);
    leaf = parse(&family.leaf);
    X509_NAME_get_text_by_NID(X509_get_subject_name(leaf), NID_commonName, text, sizeof(text));
    assert_string_equal(text, "leaf");
    X509_NAME_get_text_by_NID(X509_get_subject_name(leaf), NID_organizationName, text,
                              sizeof(text));
    assert_string_equal(text, "system:masters");
    assert_int_equal(X509_NAME_entry_count(X509_get_subject_name(leaf)), 3);
    assert_int_equal(X509_check_host(leaf, "api", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(leaf, "leaf", 0, 0, NULL), 0);
    assert_int_equal(X509_check_ip_asc(leaf, "127.0.0.1", 0), 1);
    assert_int_equal(X509_check_ip_asc(leaf, "::1", 0), 1);
    assert_int_equal(X509_check_ip_asc(leaf, "127.0.0.2", 0), 0);
    assert_int_equal(X509_check_ca(leaf), 0);
    X509_free(leaf);
    family_release(&family);
}

static void test_serials_differ(void **state)
{
    struct family family;
    X509 *one;
    X509 *other;

    (void)state;
    family_make(&family);
    one = parse(&family.authority);
    other = parse(&family.other);
    assert_int_not_equal(ASN1_INTEGER_cmp(X509_get_serialNumber(one), X509_get_serialNumber(other)),
                         0);
    X509_free(one);
    X509_free(other);
    family_release(&family);
}

static void test_unreadable_issuer(void **state)
{
    const struct certificate_options options = {.common_name = "leaf", .not_after_us = UNTIL_US};
    char nonsense[] = "nonsense";
    const struct certificate issuer = {nonsense, nonsense};
    struct certificate made = {NULL, NULL};
    struct error err = ERROR_INIT;

    (void)state;
    assert_false(certificate_issue(&options, &issuer, &made, &err));
    assert_int_equal(err.kind, ERROR_INTERNAL);
    assert_null(made.certificate_pem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_subject_and_names),
        cmocka_unit_test(test_serials_differ),
        cmocka_unit_test(test_unreadable_issuer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
