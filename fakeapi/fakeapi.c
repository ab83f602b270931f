/* fakeapi - wiring: flags, the parts in order, the listener, an orderly stop. */
#include "fakeapi/fakeapi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/certificate.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/kubeconfig.h"
#include "fakeapi/load.h"
#include "fakeapi/options.h"

/* How long a stop waits for answers under way, and how often it looks. */
#define STOP_WAIT_US (5 * US_PER_SECOND)
#define STOP_LOOK_US (10 * US_PER_MS)
#define TOKEN_FILE_BYTES_MAX 4096
/* Certificates are for tests: a year is enough. */
#define CERTIFICATE_LIFE_US (365 * US_PER_DAY)

struct fakeapi {
    struct runtime *rt;
    struct fakeapi_options options;
    struct store *store;
    struct faults *faults;
    struct rest *rest;
    struct cluster *cluster; /* NULL: none */
    struct listener *listener;
    char *token;
    struct certificate ca;
    struct certificate certificate;
    struct timer *delivery;
    struct timer *stop_look;
    int64_t stop_elapsed_us; /* when a stop stops waiting */
};

static void fakeapi_free(void *root)
{
    struct fakeapi *fakeapi = root;

    if (fakeapi == NULL)
        return;
    timer_cancel(fakeapi->delivery);
    timer_cancel(fakeapi->stop_look);
    listener_close(fakeapi->listener);
    cluster_free(fakeapi->cluster);
    rest_free(fakeapi->rest);
    faults_free(fakeapi->faults);
    store_free(fakeapi->store);
    certificate_release(&fakeapi->certificate);
    certificate_release(&fakeapi->ca);
    free(fakeapi->token);
    fakeapi_options_release(&fakeapi->options);
    free(fakeapi);
}

/* --- observers are told at the loop's next turn --- */

static void on_delivery(void *arg)
{
    struct fakeapi *fakeapi = arg;

    fakeapi->delivery = NULL;
    store_deliver(fakeapi->store);
}

static void schedule_delivery(void *arg)
{
    struct fakeapi *fakeapi = arg;

    if (fakeapi->delivery == NULL)
        fakeapi->delivery = runtime_after(fakeapi->rt, 0, on_delivery, fakeapi);
}

/* --- stopping --- */

static void finish(struct fakeapi *fakeapi)
{
    struct error err = ERROR_INIT;
    int status = 0;

    if (fakeapi->options.dump != NULL &&
        !fakeapi_dump(fakeapi->rt, fakeapi->store, fakeapi->options.dump, &err)) {
        struct log_field fields[] = {LOG_TEXT("why", err.text)};
        struct log_record record = {LOG_ERROR, "dump failed", fields, ARRAY_SIZE(fields)};

        runtime_log(fakeapi->rt, &record);
        status = 1;
    }
    runtime_stop(fakeapi->rt, status);
}

static void on_stop_look(void *arg)
{
    struct fakeapi *fakeapi = arg;

    fakeapi->stop_look = NULL;
    if (rest_open_requests(fakeapi->rest) == 0 ||
        runtime_elapsed_us(fakeapi->rt) >= fakeapi->stop_elapsed_us)
        finish(fakeapi);
    else
        fakeapi->stop_look = runtime_after(fakeapi->rt, STOP_LOOK_US, on_stop_look, fakeapi);
}

static void on_signal(void *arg)
{
    struct fakeapi *fakeapi = arg;

    listener_stop(fakeapi->listener);
    rest_stop(fakeapi->rest);
    fakeapi->stop_elapsed_us = runtime_elapsed_us(fakeapi->rt) + STOP_WAIT_US;
    on_stop_look(fakeapi);
}

/* --- starting --- */

static void make_token(struct fakeapi *fakeapi)
{
    char hex[4 * 16 + 1];

    for (size_t i = 0; i < 4; i++)
        snprintf(hex + 16 * i, 17, "%016" PRIx64, runtime_random(fakeapi->rt));
    fakeapi->token = xstrdup(hex);
}

/* The token of a file; the newline at its end is none of it. */
static bool read_token_file(struct fakeapi *fakeapi, struct error *err)
{
    const char *path = fakeapi->options.token_file;
    struct buffer bytes = BUFFER_INIT(TOKEN_FILE_BYTES_MAX);
    bool ok = runtime_read_file(fakeapi->rt, path, &bytes, err);

    if (ok) {
        fakeapi->token = xstrdup(buffer_text(&bytes));
        fakeapi->token[strcspn(fakeapi->token, "\r\n")] = '\0';
        if (strspn(buffer_text(&bytes) + strlen(fakeapi->token), "\r\n") !=
            bytes.size - strlen(fakeapi->token))
            ok = error_set(err, ERROR_USAGE, "%s: must hold one line", path);
        else
            ok = fakeapi_token_check(fakeapi->token, path, err);
    }
    buffer_release(&bytes);
    return ok;
}

/* The flags win over the environment; over TLS there is always one. */
static bool choose_token(struct fakeapi *fakeapi, struct error *err)
{
    const char *setting = runtime_setting(fakeapi->rt, "FAKEAPI_TOKEN");

    if (fakeapi->options.token_file != NULL)
        return read_token_file(fakeapi, err);
    if (fakeapi->options.token != NULL) {
        fakeapi->token = xstrdup(fakeapi->options.token);
    } else if (setting != NULL) {
        fakeapi->token = xstrdup(setting);
        return fakeapi_token_check(setting, "FAKEAPI_TOKEN", err);
    } else if (fakeapi->options.tls) {
        make_token(fakeapi);
    }
    return true;
}

static bool make_certificates(struct fakeapi *fakeapi, struct error *err)
{
    const char *names[] = {"localhost", "kubernetes", "kubernetes.default.svc",
                           "127.0.0.1", "::1",        fakeapi->options.address};
    int64_t now_us = runtime_wall_us(fakeapi->rt);
    struct certificate_options ca = {.common_name = "fakeapi-ca",
                                     .not_before_us = now_us - US_PER_DAY,
                                     .not_after_us = now_us + CERTIFICATE_LIFE_US};
    struct certificate_options server = ca;

    server.common_name = "fakeapi";
    server.names = names;
    server.name_count = ARRAY_SIZE(names);
    return certificate_issue(&ca, NULL, &fakeapi->ca, err) &&
           certificate_issue(&server, &fakeapi->ca, &fakeapi->certificate, err);
}

/* "line 3, column 5: what" into "file:3:5: what". */
static bool say_where(const char *path, const struct error *why, struct error *err)
{
    unsigned line;
    unsigned column;
    int behind = 0;

    if (sscanf(why->text, "line %u, column %u: %n", &line, &column, &behind) < 2 || behind == 0)
        return error_set(err, why->kind, "%s: %s", path, why->text);
    return error_set(err, why->kind, "%s:%u:%u: %s", path, line, column, why->text + behind);
}

static bool load_faults(struct fakeapi *fakeapi, struct error *err)
{
    const char *path = fakeapi->options.faults;
    struct buffer bytes = BUFFER_INIT(FAULT_FILE_BYTES_MAX);
    struct error why = ERROR_INIT;
    bool ok;

    fakeapi->faults = faults_new();
    if (path == NULL)
        return true;
    ok = runtime_read_file(fakeapi->rt, path, &bytes, err);
    if (ok && !faults_load(fakeapi->faults, buffer_text(&bytes), bytes.size, &why))
        ok = say_where(path, &why, err);
    buffer_release(&bytes);
    return ok;
}

static void build(struct fakeapi *fakeapi)
{
    struct store_options store = {.history_events_max = (size_t)fakeapi->options.history,
                                  .schedule = schedule_delivery,
                                  .schedule_arg = fakeapi};
    struct rest_options rest = {.rt = fakeapi->rt, .faults = fakeapi->faults};

    fakeapi->store = store_new(&store);
    rest.store = fakeapi->store;
    rest.token = fakeapi->token;
    rest.user = fakeapi->token == NULL ? NULL : "fakeapi";
    fakeapi->rest = rest_new(&rest);
}

static bool load_objects(struct fakeapi *fakeapi, struct error *err)
{
    for (size_t i = 0; i < fakeapi->options.load_count; i++)
        if (!fakeapi_load(fakeapi->rt, fakeapi->rest, fakeapi->options.loads[i], err))
            return false;
    return true;
}

/* Behind the loading, so that it sees objects whole. */
static void start_cluster(struct fakeapi *fakeapi)
{
    const struct cluster_options options = {
        .rt = fakeapi->rt, .store = fakeapi->store, .rest = fakeapi->rest};

    if (!fakeapi->options.no_cluster)
        fakeapi->cluster = cluster_new(&options);
}

static bool listen_there(struct fakeapi *fakeapi, struct error *err)
{
    struct tls_server tls = {.certificate_pem = fakeapi->certificate.certificate_pem,
                             .key_pem = fakeapi->certificate.key_pem};
    struct listen_options options = {.address = fakeapi->options.address,
                                     .port = fakeapi->options.port};

    if (fakeapi->options.tls)
        options.tls = &tls;
    return runtime_listen(fakeapi->rt, &options, rest_service(), fakeapi->rest, &fakeapi->listener,
                          err);
}

/* Says where it listens, on standard output and in a kubeconfig. */
static bool announce(struct fakeapi *fakeapi, struct error *err)
{
    struct fakeapi_kubeconfig config = {.address = fakeapi->options.address,
                                        .port = listener_port(fakeapi->listener),
                                        .ca_pem = fakeapi->ca.certificate_pem,
                                        .token = fakeapi->token};
    struct buffer text = BUFFER_INIT(64 * 1024);
    bool ok = true;

    if (fakeapi->options.kubeconfig != NULL) {
        fakeapi_kubeconfig_append(&text, &config);
        ok = runtime_write_file(fakeapi->rt, fakeapi->options.kubeconfig, text.bytes, text.size,
                                true, err);
        buffer_clear(&text);
    }
    buffer_append_text(&text, "fakeapi: listening on ");
    fakeapi_kubeconfig_append_url(&text, &config);
    buffer_append_char(&text, '\n');
    if (ok)
        runtime_print(fakeapi->rt, text.bytes, text.size);
    buffer_release(&text);
    return ok;
}

static bool start_server(struct fakeapi *fakeapi, struct error *err)
{
    if (!choose_token(fakeapi, err))
        return false;
    if (fakeapi->options.tls && !make_certificates(fakeapi, err))
        return false;
    if (!load_faults(fakeapi, err))
        return false;
    build(fakeapi);
    if (!load_objects(fakeapi, err))
        return false;
    start_cluster(fakeapi);
    if (!listen_there(fakeapi, err) || !announce(fakeapi, err))
        return false;
    runtime_on_signal(fakeapi->rt, on_signal, fakeapi);
    return true;
}

static bool fakeapi_start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                          struct error *err)
{
    struct fakeapi *fakeapi = xcalloc(1, sizeof(*fakeapi));
    static const char version[] = "fakeapi " PROGRAM_VERSION "\n";

    fakeapi->rt = rt;
    if (!fakeapi_options_parse(argc, argv, &fakeapi->options, err)) {
        fakeapi_free(fakeapi);
        return false;
    }
    if (fakeapi->options.help || fakeapi->options.version) {
        if (fakeapi->options.help)
            runtime_print(rt, fakeapi_options_help, strlen(fakeapi_options_help));
        else
            runtime_print(rt, version, sizeof(version) - 1);
        runtime_stop(rt, 0);
    } else if (!start_server(fakeapi, err)) {
        fakeapi_free(fakeapi);
        return false;
    }
    *ret_root = fakeapi;
    return true;
}

const struct program fakeapi_program = {
    .name = "fakeapi", .start = fakeapi_start, .free = fakeapi_free};

/* --- parts --- */

struct store *fakeapi_store(void *root)
{
    return ((struct fakeapi *)root)->store;
}

struct rest *fakeapi_rest(void *root)
{
    return ((struct fakeapi *)root)->rest;
}

struct faults *fakeapi_faults(void *root)
{
    return ((struct fakeapi *)root)->faults;
}

struct cluster *fakeapi_cluster(void *root)
{
    return ((struct fakeapi *)root)->cluster;
}

uint16_t fakeapi_port(void *root)
{
    return listener_port(((struct fakeapi *)root)->listener);
}
