#include "controller/runtime/certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/time.h"

#define SERIAL_BITS 127 /* positive in 16 bytes, RFC 5280 4.1.2.2 */
#define ALTERNATIVE_NAMES_BYTES_MAX (64 * 1024)

static bool openssl_error(struct error *err, const char *what)
{
    char text[256];

    ERR_error_string_n(ERR_get_error(), text, sizeof(text));
    ERR_clear_error();
    return error_set(err, ERROR_INTERNAL, "certificate: %s: %s", what, text);
}

static bool add_name(X509_NAME *name, const char *field, const char *value)
{
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value, -1,
                                      -1, 0) == 1;
}

static bool set_subject(X509 *made, const struct certificate_options *options)
{
    X509_NAME *name = X509_get_subject_name(made);

    for (size_t i = 0; i < options->organization_count; i++)
        if (!add_name(name, "O", options->organizations[i]))
            return false;
    return options->common_name == NULL || add_name(name, "CN", options->common_name);
}

static bool set_serial(X509 *made)
{
    BIGNUM *number = BN_new();
    bool ok = number != NULL && BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ONE, 0) == 1 &&
              BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made)) != NULL;

    BN_free(number);
    return ok;
}

static bool set_life(X509 *made, const struct certificate_options *options)
{
    time_t from = (time_t)(options->not_before_us / US_PER_SECOND);
    time_t until = (time_t)(options->not_after_us / US_PER_SECOND);

    return ASN1_TIME_set(X509_getm_notBefore(made), from) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(made), until) != NULL;
}

static bool extend(X509 *made, X509 *issuer, int id, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;
    bool ok;

    X509V3_set_ctx(&context, issuer, made, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, id, value);
    ok = extension != NULL && X509_add_ext(made, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok;
}

static bool is_ip(const char *text)
{
    unsigned char address[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

static bool add_alternative_names(X509 *made, X509 *issuer,
                                  const struct certificate_options *options)
{
    struct buffer text = BUFFER_INIT(ALTERNATIVE_NAMES_BYTES_MAX);
    bool ok = true;

    for (size_t i = 0; i < options->name_count; i++)
        buffer_append_format(&text, "%s%s:%s", i == 0 ? "" : ",",
                             is_ip(options->names[i]) ? "IP" : "DNS", options->names[i]);
    if (options->name_count > 0)
        ok = !text.overflowed && extend(made, issuer, NID_subject_alt_name, buffer_text(&text));
    buffer_release(&text);
    return ok;
}

static bool add_extensions(X509 *made, X509 *issuer, const struct certificate_options *options)
{
    bool authority = issuer == NULL;

    if (issuer == NULL)
        issuer = made;
    return extend(made, issuer, NID_basic_constraints,
                  authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
           extend(made, issuer, NID_key_usage,
                  authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
           extend(made, issuer, NID_subject_key_identifier, "hash") &&
           extend(made, issuer, NID_authority_key_identifier, "keyid:always") &&
           (authority || extend(made, issuer, NID_ext_key_usage, "serverAuth,clientAuth")) &&
           add_alternative_names(made, issuer, options);
}

static X509 *read_certificate(const char *pem)
{
    BIO *text = BIO_new_mem_buf(pem, -1);
    X509 *read = text == NULL ? NULL : PEM_read_bio_X509(text, NULL, NULL, NULL);

    BIO_free(text);
    return read;
}

static EVP_PKEY *read_key(const char *pem)
{
    BIO *text = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *read = text == NULL ? NULL : PEM_read_bio_PrivateKey(text, NULL, NULL, NULL);

    BIO_free(text);
    return read;
}

static char *take_text(BIO *text)
{
    char *bytes = NULL;
    long size = BIO_get_mem_data(text, &bytes);

    return xmemdup(bytes, size < 0 ? 0 : (size_t)size);
}

static bool write_texts(X509 *made, EVP_PKEY *key, struct certificate *ret_certificate)
{
    BIO *certificate_text = BIO_new(BIO_s_mem());
    BIO *key_text = BIO_new(BIO_s_mem());
    bool ok = certificate_text != NULL && key_text != NULL &&
              PEM_write_bio_X509(certificate_text, made) == 1 &&
              PEM_write_bio_PrivateKey(key_text, key, NULL, NULL, 0, NULL, NULL) == 1;

    if (ok) {
        ret_certificate->certificate_pem = take_text(certificate_text);
        ret_certificate->key_pem = take_text(key_text);
    }
    BIO_free(certificate_text);
    BIO_free(key_text);
    return ok;
}

static bool fill(X509 *made, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key,
                 const struct certificate_options *options)
{
    return X509_set_version(made, X509_VERSION_3) == 1 && set_serial(made) &&
           set_life(made, options) && set_subject(made, options) &&
           X509_set_issuer_name(made, X509_get_subject_name(issuer == NULL ? made : issuer)) == 1 &&
           X509_set_pubkey(made, key) == 1 && add_extensions(made, issuer, options) &&
           X509_sign(made, issuer_key == NULL ? key : issuer_key, EVP_sha256()) > 0;
}

bool certificate_issue(const struct certificate_options *options, const struct certificate *issuer,
                       struct certificate *ret_certificate, struct error *err)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = X509_new();
    X509 *issuer_made = NULL;
    EVP_PKEY *issuer_key = NULL;
    bool ok = false;

    if (issuer != NULL) {
        issuer_made = read_certificate(issuer->certificate_pem);
        issuer_key = read_key(issuer->key_pem);
        if (issuer_made == NULL || issuer_key == NULL) {
            (void)openssl_error(err, "the issuer cannot be read");
            goto out;
        }
    }
    ok = key != NULL && made != NULL && fill(made, key, issuer_made, issuer_key, options) &&
         write_texts(made, key, ret_certificate);
    if (!ok)
        (void)openssl_error(err, "cannot be made");
out:
    X509_free(made);
    EVP_PKEY_free(key);
    X509_free(issuer_made);
    EVP_PKEY_free(issuer_key);
    return ok;
}

void certificate_release(struct certificate *certificate)
{
    free(certificate->certificate_pem);
    free(certificate->key_pem);
    *certificate = (struct certificate){NULL, NULL};
}
