#include "scenarios/sim/trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define COMMON_NAME_BYTES_MAX 256
#define ORGANIZATIONS_MAX 64

struct client_entry {
    unsigned number;
    char *ca_pem;
    char *certificate_pem;
    char *key_pem;
    char *server_name;
    bool skip_verify;
    struct client_entry *next;
};

struct server_entry {
    unsigned number;
    char *certificate_pem;
    char *key_pem;
    char *client_ca_pem;
    struct server_entry *next;
};

struct verdict_entry {
    unsigned client;
    unsigned server;
    char *host;
    struct trust_verdict verdict;
    struct peer_certificate certificate; /* of the two below */
    char *common_name;
    char **organizations;
    struct verdict_entry *next;
};

struct trust {
    char *system_pem;
    struct client_entry *clients;
    struct server_entry *servers;
    struct verdict_entry *verdicts;
    unsigned next_number;
};

/* --- reading PEM texts --- */

/* All certificates of a text; NULL when there is none. */
static STACK_OF(X509) * read_certificates(const char *pem)
{
    STACK_OF(X509) *certificates = sk_X509_new_null();
    BIO *bio = BIO_new_mem_buf(pem == NULL ? "" : pem, -1);
    X509 *certificate;

    while ((certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL)
        sk_X509_push(certificates, certificate);
    BIO_free(bio);
    ERR_clear_error();
    if (sk_X509_num(certificates) > 0)
        return certificates;
    sk_X509_free(certificates);
    return NULL;
}

static void free_certificates(STACK_OF(X509) * certificates)
{
    sk_X509_pop_free(certificates, X509_free);
}

static bool key_fits(X509 *certificate, const char *key_pem)
{
    BIO *bio = BIO_new_mem_buf(key_pem == NULL ? "" : key_pem, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    bool fits = key != NULL && X509_check_private_key(certificate, key) == 1;

    EVP_PKEY_free(key);
    BIO_free(bio);
    ERR_clear_error();
    return fits;
}

static bool pair_fits(const char *certificate_pem, const char *key_pem)
{
    STACK_OF(X509) *chain = read_certificates(certificate_pem);
    bool fits = chain != NULL && key_fits(sk_X509_value(chain, 0), key_pem);

    free_certificates(chain);
    return fits;
}

/* --- checking --- */

static bool holds_certificates(const char *pem)
{
    STACK_OF(X509) *certificates = read_certificates(pem);
    bool any = certificates != NULL && sk_X509_num(certificates) > 0;

    free_certificates(certificates);
    return any;
}

static void set_expectations(X509_STORE_CTX *context, const char *host, int purpose)
{
    X509_VERIFY_PARAM *param = X509_STORE_CTX_get0_param(context);

    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_NO_CHECK_TIME | X509_V_FLAG_PARTIAL_CHAIN);
    X509_STORE_CTX_set_purpose(context, purpose);
    if (host != NULL && X509_VERIFY_PARAM_set1_ip_asc(param, host) != 1) {
        X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        X509_VERIFY_PARAM_set1_host(param, host, 0);
    }
}

/* Why the chain (its first one is meant) is not to be trusted; NULL when it is. */
static const char *check_chain(STACK_OF(X509) * chain, STACK_OF(X509) * authorities,
                               const char *host, int purpose)
{
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    const char *refusal = NULL;

    for (int i = 0; i < sk_X509_num(authorities); i++)
        X509_STORE_add_cert(store, sk_X509_value(authorities, i));
    if (X509_STORE_CTX_init(context, store, sk_X509_value(chain, 0), chain) != 1)
        refusal = "certificate cannot be checked";
    else
        set_expectations(context, host, purpose);
    if (refusal == NULL && X509_verify_cert(context) != 1)
        refusal = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context));
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    ERR_clear_error();
    return refusal;
}

/* As check_chain, from texts. */
static const char *check_texts(const char *chain_pem, const char *authority_pem, const char *host,
                               int purpose)
{
    STACK_OF(X509) *chain = read_certificates(chain_pem);
    STACK_OF(X509) *authorities = read_certificates(authority_pem);
    const char *refusal;

    if (chain == NULL)
        refusal = "no certificate";
    else if (authorities == NULL)
        refusal = "no authority to check the certificate against";
    else
        refusal = check_chain(chain, authorities, host, purpose);
    free_certificates(chain);
    free_certificates(authorities);
    return refusal;
}

/* --- whom a client certificate names --- */

static char *name_text(const X509_NAME *name, int nid, int *position)
{
    unsigned char *text = NULL;
    char *copy = NULL;
    int size;

    *position = X509_NAME_get_index_by_NID(name, nid, *position);
    if (*position < 0)
        return NULL;
    size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, *position)));
    if (size >= 0 && size <= COMMON_NAME_BYTES_MAX)
        copy = xmemdup(text, (size_t)size);
    OPENSSL_free(text);
    return copy;
}

static void read_subject(const X509 *x509, struct verdict_entry *entry)
{
    const X509_NAME *name = X509_get_subject_name(x509);
    int position = -1;
    size_t count = 0;
    char *organization;

    entry->common_name = name_text(name, NID_commonName, &position);
    entry->organizations = xcalloc(ORGANIZATIONS_MAX, sizeof(*entry->organizations));
    position = -1;
    while (count < ORGANIZATIONS_MAX &&
           (organization = name_text(name, NID_organizationName, &position)) != NULL)
        entry->organizations[count++] = organization;
    entry->certificate.common_name = entry->common_name == NULL ? "" : entry->common_name;
    entry->certificate.organizations = (const char *const *)entry->organizations;
    entry->certificate.organization_count = count;
}

static void meet_client(const struct client_entry *client, const struct server_entry *server,
                        struct verdict_entry *entry)
{
    STACK_OF(X509) * chain;

    if (server->client_ca_pem == NULL || client->certificate_pem == NULL)
        return;
    entry->verdict.refusal =
        check_texts(client->certificate_pem, server->client_ca_pem, NULL, X509_PURPOSE_SSL_CLIENT);
    if (entry->verdict.refusal != NULL)
        return;
    chain = read_certificates(client->certificate_pem);
    read_subject(sk_X509_value(chain, 0), entry);
    entry->verdict.certificate = &entry->certificate;
    free_certificates(chain);
}

static void meet(const struct trust *trust, const struct client_entry *client,
                 const struct server_entry *server, struct verdict_entry *entry)
{
    const char *ca_pem = client->ca_pem == NULL ? trust->system_pem : client->ca_pem;
    const char *name = client->server_name == NULL ? entry->host : client->server_name;

    if (client->certificate_pem != NULL && !pair_fits(client->certificate_pem, client->key_pem))
        entry->verdict.refusal = "client certificate and key do not fit";
    else if (!client->skip_verify)
        entry->verdict.refusal =
            check_texts(server->certificate_pem, ca_pem, name, X509_PURPOSE_SSL_SERVER);
    if (entry->verdict.refusal == NULL)
        meet_client(client, server, entry);
}

/* --- numbers for settings --- */

static bool same_client(const struct client_entry *a, const struct tls_client *b)
{
    return a->skip_verify == b->skip_verify && text_equal(a->ca_pem, b->ca_pem) &&
           text_equal(a->certificate_pem, b->certificate_pem) &&
           text_equal(a->key_pem, b->key_pem) && text_equal(a->server_name, b->server_name);
}

static bool same_server(const struct server_entry *a, const struct tls_server *b)
{
    return text_equal(a->certificate_pem, b->certificate_pem) &&
           text_equal(a->key_pem, b->key_pem) && text_equal(a->client_ca_pem, b->client_ca_pem);
}

unsigned trust_client(struct trust *trust, const struct tls_client *tls)
{
    static const struct tls_client none = {0};
    struct client_entry *entry;

    tls = tls == NULL ? &none : tls;
    LL_FOREACH (trust->clients, entry)
        if (same_client(entry, tls))
            return entry->number;
    entry = xcalloc(1, sizeof(*entry));
    entry->number = ++trust->next_number;
    entry->ca_pem = xstrdup(tls->ca_pem);
    entry->certificate_pem = xstrdup(tls->certificate_pem);
    entry->key_pem = xstrdup(tls->key_pem);
    entry->server_name = xstrdup(tls->server_name);
    entry->skip_verify = tls->skip_verify;
    LL_PREPEND(trust->clients, entry);
    return entry->number;
}

bool trust_server(struct trust *trust, const struct tls_server *tls, unsigned *ret_server,
                  struct error *err)
{
    struct server_entry *entry;

    LL_FOREACH (trust->servers, entry) {
        if (same_server(entry, tls)) {
            *ret_server = entry->number;
            return true;
        }
    }
    if (!pair_fits(tls->certificate_pem, tls->key_pem))
        return error_set(err, ERROR_USAGE, "TLS certificate and key do not fit");
    if (tls->client_ca_pem != NULL && !holds_certificates(tls->client_ca_pem))
        return error_set(err, ERROR_USAGE, "no certificate in the client CA");
    entry = xcalloc(1, sizeof(*entry));
    entry->number = ++trust->next_number;
    entry->certificate_pem = xstrdup(tls->certificate_pem);
    entry->key_pem = xstrdup(tls->key_pem);
    entry->client_ca_pem = xstrdup(tls->client_ca_pem);
    LL_PREPEND(trust->servers, entry);
    *ret_server = entry->number;
    return true;
}

/* --- verdicts --- */

static const struct client_entry *client_of(const struct trust *trust, unsigned number)
{
    const struct client_entry *entry = trust->clients;

    while (entry->number != number)
        entry = entry->next;
    return entry;
}

static const struct server_entry *server_of(const struct trust *trust, unsigned number)
{
    const struct server_entry *entry = trust->servers;

    while (entry->number != number)
        entry = entry->next;
    return entry;
}

const struct trust_verdict *trust_meet(struct trust *trust, unsigned client, unsigned server,
                                       const char *host)
{
    struct verdict_entry *entry;

    LL_FOREACH (trust->verdicts, entry)
        if (entry->client == client && entry->server == server && text_equal(entry->host, host))
            return &entry->verdict;
    entry = xcalloc(1, sizeof(*entry));
    entry->client = client;
    entry->server = server;
    entry->host = xstrdup(host);
    LL_PREPEND(trust->verdicts, entry);
    meet(trust, client_of(trust, client), server_of(trust, server), entry);
    return &entry->verdict;
}

static void forget_verdicts(struct trust *trust)
{
    while (trust->verdicts != NULL) {
        struct verdict_entry *entry = trust->verdicts;

        LL_DELETE(trust->verdicts, entry);
        for (size_t i = 0; i < entry->certificate.organization_count; i++)
            free(entry->organizations[i]);
        free(entry->organizations);
        free(entry->common_name);
        free(entry->host);
        free(entry);
    }
}

void trust_set_system(struct trust *trust, const char *ca_pem)
{
    free(trust->system_pem);
    trust->system_pem = xstrdup(ca_pem);
    /* Verdicts that connections still point into stay; new meetings look again. */
    for (struct verdict_entry *entry = trust->verdicts; entry != NULL; entry = entry->next)
        entry->client = 0;
}

struct trust *trust_new(void)
{
    return xcalloc(1, sizeof(struct trust));
}

static void forget_clients(struct trust *trust)
{
    while (trust->clients != NULL) {
        struct client_entry *entry = trust->clients;

        LL_DELETE(trust->clients, entry);
        free(entry->ca_pem);
        free(entry->certificate_pem);
        free(entry->key_pem);
        free(entry->server_name);
        free(entry);
    }
}

static void forget_servers(struct trust *trust)
{
    while (trust->servers != NULL) {
        struct server_entry *entry = trust->servers;

        LL_DELETE(trust->servers, entry);
        free(entry->certificate_pem);
        free(entry->key_pem);
        free(entry->client_ca_pem);
        free(entry);
    }
}

void trust_free(struct trust *trust)
{
    if (trust == NULL)
        return;
    forget_verdicts(trust);
    forget_clients(trust);
    forget_servers(trust);
    free(trust->system_pem);
    free(trust);
}
