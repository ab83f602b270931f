/* options - the command line of fakeapi. */
#ifndef FAKEAPI_OPTIONS_H
#define FAKEAPI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "fakeapi/cluster/cluster.h"

/** Most --user flags. */
#define OPTIONS_USERS_MAX 64
/** Most --load flags, and most --faults flags. */
#define OPTIONS_LOADS_MAX 64
#define OPTIONS_FAULTS_MAX 64
#define OPTIONS_HISTORY_MAX 10000000
#define OPTIONS_INFLIGHT_MAX 100000
/** Highest resource version to start at: far from where 64 bits with a sign end. */
#define OPTIONS_FIRST_VERSION_MAX (INT64_C(1) << 62)

struct fakeapi_options {
    char *address; /* owned */
    uint16_t port;
    bool tls;
    bool access;            /* who may what is checked */
    bool open;              /* to everybody, wherever it listens */
    const char *kubeconfig; /* path; NULL: none. These texts are those of argv. */
    const char *token;
    const char *token_file;
    const char *token_auth_file;          /* CSV */
    const char *users[OPTIONS_USERS_MAX]; /* NAME[,GROUP...]=FILE */
    size_t user_count;
    const char *loads[OPTIONS_LOADS_MAX];
    size_t load_count;
    const char *dump;
    const char *state;
    const char *faults[OPTIONS_FAULTS_MAX];
    size_t fault_count;
    uint64_t history;       /* events; 0: the store's default */
    uint64_t first_version; /* 0: the store's default */
    uint64_t inflight;      /* requests at a time; 0: any */
    char *admin_address;    /* owned; NULL: none, or a socket file */
    uint16_t admin_port;
    const char *admin_unix;
    const char *admin_token_file;
    bool exit_with_parent;
    bool no_cluster;
    bool without[CLUSTER_ACTOR_COUNT]; /* actors of the cluster that are left out */
    bool help;
    bool version;
};

/** Reads argv[1..]. False with ERROR_USAGE, which says which flag. No file that is written is that
 * of another flag; but what --load reads may be what --dump writes. */
bool fakeapi_options_parse(int argc, const char *const *argv, struct fakeapi_options *ret_options,
                           struct error *err) MUST_CHECK;
/** ERROR_USAGE when it is no token; from says where it was given. */
bool fakeapi_token_check(const char *token, const char *from, struct error *err) MUST_CHECK;
void fakeapi_options_release(struct fakeapi_options *options);

/** What --help prints. */
extern const char fakeapi_options_help[];

#endif
