/* live_tls - client certificates of a TLS listener: checked in the handshake, read after it.
 *
 * libmicrohttpd asks for a certificate and checks none. */
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/runtime/live_server.h"

#define SUBJECT_VALUE_SIZE 256
/* Kubernetes groups of one certificate. */
#define ORGANIZATIONS_MAX 64

static bool read_cas(struct live_listener *listener, const char *pem)
{
    gnutls_datum_t text = {live_without_const(pem), (unsigned)strlen(pem)};

    return gnutls_x509_trust_list_init(&listener->client_cas, 0) == 0 &&
           gnutls_x509_trust_list_add_trust_mem(listener->client_cas, &text, NULL,
                                                GNUTLS_X509_FMT_PEM, 0, 0) > 0;
}

static bool is_key_pair(const struct tls_server *tls)
{
    gnutls_certificate_credentials_t credentials;
    gnutls_datum_t certificate = {live_without_const(tls->certificate_pem),
                                  (unsigned)strlen(tls->certificate_pem)};
    gnutls_datum_t key = {live_without_const(tls->key_pem), (unsigned)strlen(tls->key_pem)};
    bool ok;

    if (gnutls_certificate_allocate_credentials(&credentials) != 0)
        return false;
    ok = gnutls_certificate_set_x509_key_mem(credentials, &certificate, &key,
                                             GNUTLS_X509_FMT_PEM) >= 0;
    gnutls_certificate_free_credentials(credentials);
    return ok;
}

bool live_tls_listen(struct live_listener *listener, const struct tls_server *tls,
                     struct error *err)
{
    listener->tls = true;
    if (tls->certificate_pem == NULL || tls->key_pem == NULL || !is_key_pair(tls))
        return error_set(err, ERROR_USAGE, "tls: certificate and key are not a PEM pair");
    if (tls->client_ca_pem == NULL)
        return true;
    listener->asks_certificate = true;
    if (!read_cas(listener, tls->client_ca_pem))
        return error_set(err, ERROR_USAGE, "tls: no certificate in the client CA");
    return true;
}

void live_tls_release(struct live_listener *listener)
{
    if (listener->client_cas != NULL)
        gnutls_x509_trust_list_deinit(listener->client_cas, 1);
    listener->client_cas = NULL;
}

/* --- in the handshake --- */

static bool import_leaf(gnutls_session_t session, gnutls_x509_crt_t *ret_leaf)
{
    unsigned count = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);

    if (chain == NULL || count == 0 || gnutls_x509_crt_init(ret_leaf) != 0)
        return false;
    if (gnutls_x509_crt_import(*ret_leaf, &chain[0], GNUTLS_X509_FMT_DER) == 0)
        return true;
    gnutls_x509_crt_deinit(*ret_leaf);
    return false;
}

static bool import_chain(gnutls_session_t session, gnutls_x509_crt_t *certificates,
                         unsigned *ret_count)
{
    unsigned count = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);

    *ret_count = 0;
    for (unsigned i = 0; chain != NULL && i < count && i < ORGANIZATIONS_MAX; i++) {
        if (gnutls_x509_crt_init(&certificates[i]) != 0)
            return false;
        (*ret_count)++;
        if (gnutls_x509_crt_import(certificates[i], &chain[i], GNUTLS_X509_FMT_DER) != 0)
            return false;
    }
    return true;
}

static bool chain_is_trusted(const struct live_listener *listener, gnutls_session_t session)
{
    gnutls_x509_crt_t certificates[ORGANIZATIONS_MAX];
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = live_without_const(GNUTLS_KP_TLS_WWW_CLIENT)};
    unsigned status = ~0U;
    unsigned count;
    bool ok = import_chain(session, certificates, &count);

    if (ok && count > 0)
        ok = gnutls_x509_trust_list_verify_crt2(listener->client_cas, certificates, count, &purpose,
                                                1, 0, &status, NULL) == 0 &&
             status == 0;
    for (unsigned i = 0; i < count; i++)
        gnutls_x509_crt_deinit(certificates[i]);
    return ok;
}

static int verify_peer(gnutls_session_t session)
{
    const struct live_connection *connection = gnutls_db_get_ptr(session);

    if (chain_is_trusted(connection->listener, session))
        return 0;
    (void)gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_UNKNOWN_CA);
    return GNUTLS_E_CERTIFICATE_ERROR;
}

void live_tls_connect(struct live_connection *connection, gnutls_session_t session)
{
    if (!connection->listener->asks_certificate)
        return;
    /* libmicrohttpd keeps the session's own pointer; that of the unused session database is free */
    gnutls_db_set_ptr(session, connection);
    gnutls_session_set_verify_function(session, verify_peer);
}

/* --- after it --- */

static char *subject_value(gnutls_x509_crt_t certificate, const char *oid, unsigned index)
{
    char value[SUBJECT_VALUE_SIZE];
    size_t size = sizeof(value);

    if (gnutls_x509_crt_get_dn_by_oid(certificate, oid, index, 0, value, &size) != 0 ||
        memchr(value, '\0', size) != NULL)
        return NULL;
    return xmemdup(value, size);
}

void live_tls_identify(struct live_connection *connection, gnutls_session_t session)
{
    struct live_peer *peer = connection->peer;
    gnutls_x509_crt_t leaf;
    const char **organizations;
    char *text;

    if (!connection->listener->asks_certificate || peer->has_certificate ||
        !import_leaf(session, &leaf))
        return;
    organizations = xcalloc(ORGANIZATIONS_MAX, sizeof(*organizations));
    text = subject_value(leaf, GNUTLS_OID_X520_COMMON_NAME, 0);
    peer->certificate.common_name = text == NULL ? xstrdup("") : text;
    for (unsigned i = 0; i < ORGANIZATIONS_MAX; i++) {
        text = subject_value(leaf, GNUTLS_OID_X520_ORGANIZATION_NAME, i);
        if (text == NULL)
            break;
        organizations[peer->certificate.organization_count++] = text;
    }
    peer->certificate.organizations = organizations;
    peer->has_certificate = true;
    gnutls_x509_crt_deinit(leaf);
}
