/* credentials - who may come in: the administrator's token, token files, and kubeconfigs for more
 * users. */
#ifndef FAKEAPI_CREDENTIALS_H
#define FAKEAPI_CREDENTIALS_H

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/certificate.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/access.h"
#include "fakeapi/kubeconfig.h"
#include "fakeapi/options.h"

/** The token of a file; the newline at its end is none of it. free() it. */
bool credentials_read_token(struct runtime *rt, const char *path, char **ret_token,
                            struct error *err) MUST_CHECK;

/** The administrator's token as flags and environment say it, or a random one where there must be
 * one, kept (NULL: none) if there is that; NULL when requests need none. free() it. ERROR_USAGE and
 * what reading a file gives. */
bool credentials_token(struct runtime *rt, const struct fakeapi_options *options, const char *kept,
                       char **ret_token, struct error *err) MUST_CHECK;

/** How requests are let in; false with ERROR_USAGE when that is everybody and the address is none
 * of the loopback. */
bool credentials_mode(const struct fakeapi_options *options, const char *token,
                      enum access_mode *ret_mode, struct error *err) MUST_CHECK;

/** Makes the administrator's token (NULL: none) and those of the token file known. */
bool credentials_fill(struct runtime *rt, const struct fakeapi_options *options, const char *token,
                      struct access_secrets *secrets, struct error *err) MUST_CHECK;

/** Writes the kubeconfigs of --user. server says where the server is; ca signs client certificates
 * where it has them, else users get tokens. The objects are loaded. */
bool credentials_write_users(struct runtime *rt, const struct fakeapi_options *options,
                             const struct fakeapi_kubeconfig *server, const struct certificate *ca,
                             struct store *store, struct access *access,
                             struct error *err) MUST_CHECK;

#endif
