/* fakeapi - wiring: flags, the parts in order, the listener, an orderly stop. */
#include "fakeapi/fakeapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/certificate.h"
#include "fakeapi/admin/admin.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/credentials.h"
#include "fakeapi/keys.h"
#include "fakeapi/kubeconfig.h"
#include "fakeapi/load.h"
#include "fakeapi/options.h"
#include "fakeapi/pod_scripts.h"
#include "fakeapi/rewind.h"
#include "fakeapi/waiting_report.h"

/* How long a stop waits for answers under way, and how often it looks. */
#define STOP_WAIT_US (5 * US_PER_SECOND)
#define STOP_LOOK_US (10 * US_PER_MS)
/* Certificates are for tests: a year is enough. */
#define CERTIFICATE_LIFE_US (365 * US_PER_DAY)

/* What is served: all that another state has anew. */
struct served {
    struct runtime *rt; /* the clock's */
    struct store *store;
    struct access *access;
    struct rest *rest;
    struct cluster *cluster; /* NULL: none */
    struct timer *delivery;
};

struct fakeapi {
    struct runtime *rt;
    struct fakeapi_options options;
    struct clock *clock;
    struct faults *faults;
    struct served *served;
    struct listener *listener;
    struct admin *admin; /* NULL: none */
    struct listener *admin_listener;
    struct buffer start; /* a dump of what was loaded, for a reset; empty without an admin */
    char *token;
    char *admin_token;
    enum access_mode mode;
    struct access_secrets *secrets;
    struct certificate ca;
    struct certificate certificate;
    struct timer *stop_look;
    int64_t stop_elapsed_us; /* when a stop stops waiting */
};

static void served_free(struct served *served)
{
    if (served == NULL)
        return;
    timer_cancel(served->delivery);
    cluster_free(served->cluster);
    rest_free(served->rest);
    access_free(served->access);
    store_free(served->store);
    free(served);
}

static void fakeapi_free(void *root)
{
    struct fakeapi *fakeapi = root;

    if (fakeapi == NULL)
        return;
    timer_cancel(fakeapi->stop_look);
    listener_close(fakeapi->listener);
    listener_close(fakeapi->admin_listener);
    served_free(fakeapi->served);
    admin_free(fakeapi->admin);
    access_secrets_free(fakeapi->secrets);
    faults_free(fakeapi->faults);
    clock_free(fakeapi->clock);
    certificate_release(&fakeapi->certificate);
    certificate_release(&fakeapi->ca);
    buffer_release(&fakeapi->start);
    free(fakeapi->token);
    free(fakeapi->admin_token);
    fakeapi_options_release(&fakeapi->options);
    free(fakeapi);
}

/* --- observers are told at the loop's next turn --- */

static void on_delivery(void *arg)
{
    struct served *served = arg;

    served->delivery = NULL;
    store_deliver(served->store);
}

static void schedule_delivery(void *arg)
{
    struct served *served = arg;

    if (served->delivery == NULL)
        served->delivery = runtime_after(served->rt, 0, on_delivery, served);
}

/* --- stopping --- */

static void finish(struct fakeapi *fakeapi)
{
    const struct store *store = fakeapi->served->store;
    bool dumped = fakeapi_dump(fakeapi->rt, store, fakeapi->options.dump);
    bool kept = fakeapi_dump(fakeapi->rt, store, fakeapi->options.state);

    admin_warn_of_idle_rules(fakeapi->rt, fakeapi->faults);
    waiting_report_log(fakeapi->served->cluster, fakeapi->served->rt, fakeapi->rt);
    runtime_stop(fakeapi->rt, dumped && kept ? 0 : 1);
}

static void on_stop_look(void *arg)
{
    struct fakeapi *fakeapi = arg;

    fakeapi->stop_look = NULL;
    if (rest_open_requests(fakeapi->served->rest) == 0 ||
        runtime_elapsed_us(fakeapi->rt) >= fakeapi->stop_elapsed_us)
        finish(fakeapi);
    else
        fakeapi->stop_look = runtime_after(fakeapi->rt, STOP_LOOK_US, on_stop_look, fakeapi);
}

static void on_signal(void *arg)
{
    struct fakeapi *fakeapi = arg;

    listener_stop(fakeapi->listener);
    clock_start(fakeapi->clock); /* answers that wait come to their end */
    rest_stop(fakeapi->served->rest);
    fakeapi->stop_elapsed_us = runtime_elapsed_us(fakeapi->rt) + STOP_WAIT_US;
    on_stop_look(fakeapi);
}

/* --- starting --- */

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
    return (fakeapi->ca.certificate_pem != NULL ||
            certificate_issue(&ca, NULL, &fakeapi->ca, err)) &&
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

static bool load_fault_file(struct fakeapi *fakeapi, const char *path, struct error *err)
{
    struct buffer bytes = BUFFER_INIT(FAULT_FILE_BYTES_MAX);
    struct error why = ERROR_INIT;
    bool ok = runtime_read_file(fakeapi->rt, path, &bytes, err);

    if (ok && !faults_load(fakeapi->faults, buffer_text(&bytes), bytes.size, &why))
        ok = say_where(path, &why, err);
    buffer_release(&bytes);
    return ok;
}

/* In the place of all rules that there are. */
static bool load_faults(struct fakeapi *fakeapi, struct error *err)
{
    faults_clear(fakeapi->faults);
    for (size_t i = 0; i < fakeapi->options.fault_count; i++)
        if (!load_fault_file(fakeapi, fakeapi->options.faults[i], err))
            return false;
    return true;
}

/* A store with the API over it; restored: without the objects of a new cluster. */
static struct served *served_new(struct fakeapi *fakeapi, bool restored)
{
    struct served *served = xcalloc(1, sizeof(*served));
    struct store_options store = {.history_events_max = (size_t)fakeapi->options.history,
                                  .first_revision = fakeapi->options.first_version,
                                  .schedule = schedule_delivery,
                                  .schedule_arg = served};
    struct access_options access = {
        .mode = fakeapi->mode, .secrets = fakeapi->secrets, .ca_pem = fakeapi->ca.certificate_pem};
    struct rest_options rest = {.faults = fakeapi->faults,
                                .inflight_max = (size_t)fakeapi->options.inflight,
                                .restored = restored};

    served->rt = clock_runtime(fakeapi->clock);
    served->store = store_new(&store);
    access.rt = served->rt;
    access.store = served->store;
    served->access = access_new(&access);
    rest.rt = served->rt;
    rest.store = served->store;
    rest.access = served->access;
    served->rest = rest_new(&rest);
    return served;
}

static bool load_objects(const struct fakeapi *fakeapi, const struct served *served,
                         struct error *err)
{
    for (size_t i = 0; fakeapi->options.access && access_bootstrap_manifests[i] != NULL; i++) {
        const char *text = access_bootstrap_manifests[i];

        if (!fakeapi_load_text(fakeapi->rt, served->rest, "bootstrap.yaml", text, strlen(text),
                               err))
            return false;
    }
    for (size_t i = 0; i < fakeapi->options.load_count; i++)
        if (!fakeapi_load(fakeapi->rt, served->rest, fakeapi->options.loads[i], err))
            return false;
    return true;
}

/* Puts it in the place of what is served, whose connections break. */
static void serve(struct fakeapi *fakeapi, struct served *served)
{
    struct cluster_options options = {.rt = served->rt,
                                      .store = served->store,
                                      .rest = served->rest,
                                      .ca_pem = fakeapi->ca.certificate_pem};

    for (size_t i = 0; i < CLUSTER_ACTOR_COUNT; i++)
        options.off[i] = fakeapi->options.without[i];
    if (fakeapi->served != NULL)
        rest_reset_requests(fakeapi->served->rest);
    served_free(fakeapi->served);
    fakeapi->served = served;
    if (!fakeapi->options.no_cluster) /* behind the loading, so that it sees objects whole */
        served->cluster = cluster_new(&options);
    if (fakeapi->admin != NULL)
        admin_set_parts(fakeapi->admin, served->store, served->rest);
}

static bool serve_loaded(struct fakeapi *fakeapi, struct error *err)
{
    struct served *served = served_new(fakeapi, false);

    if (!load_objects(fakeapi, served, err)) {
        served_free(served);
        return false;
    }
    serve(fakeapi, served);
    admin_warn_of_resources(fakeapi->rt, fakeapi->faults, served->store);
    return true;
}

/* --- what the admin asks for --- */

static bool host_dump(void *arg, uint64_t revision, struct buffer *into, struct error *err)
{
    const struct fakeapi *fakeapi = arg;

    return fakeapi_dump_text(fakeapi->served->store, revision, into, err);
}

static bool host_load(void *arg, const char *text, size_t size, struct error *err)
{
    struct fakeapi *fakeapi = arg;

    return fakeapi_load_text(fakeapi->rt, fakeapi->served->rest, "body", text, size, err);
}

static bool serve_dump(struct fakeapi *fakeapi, const char *name, const char *text, size_t size,
                       struct error *err)
{
    struct served *served = served_new(fakeapi, true);

    if (!fakeapi_restore_text(served->rest, served->store, name, text, size, err)) {
        served_free(served);
        return false;
    }
    serve(fakeapi, served);
    return true;
}

static bool host_restore(void *arg, const char *text, size_t size, struct error *err)
{
    return serve_dump(arg, "body", text, size, err);
}

/* By the dump, not by the files again: uids stay, and with them the tokens of ServiceAccounts. */
static bool host_reset(void *arg, struct error *err)
{
    struct fakeapi *fakeapi = arg;

    clock_reset(fakeapi->clock);
    return load_faults(fakeapi, err) &&
           serve_dump(fakeapi, "start", buffer_text(&fakeapi->start), fakeapi->start.size, err);
}

/* As the run before left it; *ret_served: there was one. */
static bool serve_kept(struct fakeapi *fakeapi, bool *ret_served, struct error *err)
{
    struct buffer text = BUFFER_INIT(LOAD_FILE_BYTES_MAX);
    struct error why = ERROR_INIT;
    bool ok = true;

    *ret_served = false;
    if (fakeapi->options.state == NULL)
        return true;
    if (runtime_read_file(fakeapi->rt, fakeapi->options.state, &text, &why))
        *ret_served = ok =
            serve_dump(fakeapi, fakeapi->options.state, buffer_text(&text), text.size, err);
    else if (why.kind != ERROR_NOT_FOUND)
        ok = error_set(err, why.kind, "--state: %s", why.text);
    buffer_release(&text);
    return ok;
}

static struct json_object *host_waiting(void *arg)
{
    const struct fakeapi *fakeapi = arg;

    return waiting_report_to_json(fakeapi->served->cluster, fakeapi->served->rt);
}

static bool host_script_pods(void *arg, const char *text, size_t size, struct error *err)
{
    return pod_scripts_add(((struct fakeapi *)arg)->served->cluster, text, size, err);
}

const struct admin_host fakeapi_host = {host_dump,  host_load,    host_restore,
                                        host_reset, host_waiting, host_script_pods};

/* --- listening --- */

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    const struct fakeapi *fakeapi = arg;

    rest_service()->on_request(fakeapi->served->rest, request, head);
}

static const struct http_service service = {on_request};

static bool listen_there(struct fakeapi *fakeapi, struct error *err)
{
    struct tls_server tls = {.certificate_pem = fakeapi->certificate.certificate_pem,
                             .key_pem = fakeapi->certificate.key_pem,
                             .client_ca_pem = fakeapi->ca.certificate_pem};
    struct listen_options options = {.address = fakeapi->options.address,
                                     .port = fakeapi->options.port};

    if (fakeapi->options.tls)
        options.tls = &tls;
    return runtime_listen(fakeapi->rt, &options, &service, fakeapi, &fakeapi->listener, err);
}

static bool open_admin(struct fakeapi *fakeapi, struct error *err)
{
    struct admin_options admin = {.rt = fakeapi->rt,
                                  .clock = fakeapi->clock,
                                  .faults = fakeapi->faults,
                                  .host = &fakeapi_host,
                                  .host_arg = fakeapi};
    struct tls_server tls = {.certificate_pem = fakeapi->certificate.certificate_pem,
                             .key_pem = fakeapi->certificate.key_pem};
    struct listen_options options = {.address = fakeapi->options.admin_address,
                                     .port = fakeapi->options.admin_port,
                                     .unix_path = fakeapi->options.admin_unix,
                                     .connections_max = ADMIN_CONNECTIONS_MAX};

    if (options.address == NULL && options.unix_path == NULL)
        return true;
    if (fakeapi->options.admin_token_file != NULL &&
        !credentials_read_token(fakeapi->rt, fakeapi->options.admin_token_file,
                                &fakeapi->admin_token, err))
        return false;
    admin.token = fakeapi->admin_token;
    if (fakeapi->options.tls && options.unix_path == NULL)
        options.tls = &tls;
    fakeapi->start = BUFFER_INIT(LOAD_FILE_BYTES_MAX);
    if (!fakeapi_dump_text(fakeapi->served->store, 0, &fakeapi->start, err))
        return error_prefix(err, "--admin keeps what is loaded for a reset");
    fakeapi->admin = admin_new(&admin);
    admin_set_parts(fakeapi->admin, fakeapi->served->store, fakeapi->served->rest);
    return runtime_listen(fakeapi->rt, &options, admin_service(), fakeapi->admin,
                          &fakeapi->admin_listener, err);
}

static void append_admin(const struct fakeapi *fakeapi, struct buffer *text)
{
    struct fakeapi_kubeconfig config = {.address = fakeapi->options.admin_address,
                                        .ca_pem = fakeapi->ca.certificate_pem};

    if (fakeapi->admin == NULL)
        return;
    buffer_append_text(text, "fakeapi: admin on ");
    if (fakeapi->options.admin_unix != NULL) {
        buffer_append_format(text, "unix:%s", fakeapi->options.admin_unix);
    } else {
        config.port = listener_port(fakeapi->admin_listener);
        fakeapi_kubeconfig_append_url(text, &config);
    }
    buffer_append_char(text, '\n');
}

/* clientcmd of client-go leaves credentials out of what is not encrypted: whoever comes with such a
 * kubeconfig is told that he is anonymous, and not why. */
static void warn_of_plain_credentials(const struct fakeapi *fakeapi)
{
    static const struct log_record record = {
        .level = LOG_WARN,
        .message =
            "kubectl and Go clients send no credentials over plain HTTP; add --tls for them"};
    const struct fakeapi_options *options = &fakeapi->options;

    if (options->tls || fakeapi->mode == ACCESS_OPEN)
        return;
    if (options->user_count > 0 || options->kubeconfig != NULL)
        runtime_log(fakeapi->rt, &record);
}

/* Says where it listens, on standard output and in kubeconfigs. */
static bool announce(struct fakeapi *fakeapi, struct error *err)
{
    struct fakeapi_kubeconfig config = {.address = fakeapi->options.address,
                                        .port = listener_port(fakeapi->listener),
                                        .ca_pem = fakeapi->ca.certificate_pem,
                                        .token = fakeapi->token};
    struct fakeapi_kubeconfig server = config;
    struct buffer text = BUFFER_INIT(64 * 1024);
    bool ok;

    server.token = NULL;
    ok = credentials_write_users(fakeapi->rt, &fakeapi->options, &server, &fakeapi->ca,
                                 fakeapi->served->store, fakeapi->served->access, err);
    if (ok && fakeapi->options.kubeconfig != NULL) {
        fakeapi_kubeconfig_append(&text, &config);
        ok = runtime_write_file(fakeapi->rt, fakeapi->options.kubeconfig, text.bytes, text.size,
                                true, err);
        buffer_clear(&text);
    }
    buffer_append_text(&text, "fakeapi: listening on ");
    fakeapi_kubeconfig_append_url(&text, &config);
    buffer_append_char(&text, '\n');
    append_admin(fakeapi, &text);
    if (ok)
        warn_of_plain_credentials(fakeapi);
    if (ok)
        runtime_print(fakeapi->rt, text.bytes, text.size);
    buffer_release(&text);
    return ok;
}

/* What kept has goes on, the rest is made. */
static bool make_credentials(struct fakeapi *fakeapi, struct keys *kept, struct error *err)
{
    fakeapi->secrets = access_secrets_new();
    fakeapi->secrets->key = kept->accounts;
    fakeapi->ca = kept->ca;
    kept->ca = (struct certificate){0};
    return credentials_token(fakeapi->rt, &fakeapi->options, kept->token, &fakeapi->token, err) &&
           credentials_mode(&fakeapi->options, fakeapi->token, &fakeapi->mode, err) &&
           credentials_fill(fakeapi->rt, &fakeapi->options, fakeapi->token, fakeapi->secrets,
                            err) &&
           (!fakeapi->options.tls || make_certificates(fakeapi, err));
}

/* For this run alone without --state. */
static bool keep_credentials(struct fakeapi *fakeapi, struct error *err)
{
    struct keys keys = {0};
    char *path = NULL;
    bool ok;

    if (fakeapi->options.state == NULL)
        return make_credentials(fakeapi, &keys, err);
    path = xprintf("%s.keys", fakeapi->options.state);
    ok = keys_read(fakeapi->rt, path, &keys, err) && make_credentials(fakeapi, &keys, err);
    if (ok) {
        accounts_key_make(&fakeapi->secrets->key, fakeapi->rt);
        ok = keys_write(fakeapi->rt, path,
                        &(struct keys){fakeapi->ca, fakeapi->token, fakeapi->secrets->key}, err);
    }
    keys_release(&keys);
    free(path);
    return ok;
}

/* What is written late only: nobody could mend it then. */
static bool try_files(const struct fakeapi *fakeapi, struct error *err)
{
    const char *dump = fakeapi->options.dump;
    const char *state = fakeapi->options.state;

    if (dump != NULL && !runtime_try_file(fakeapi->rt, dump, err))
        return error_prefix(err, "--dump");
    if (state != NULL && !runtime_try_file(fakeapi->rt, state, err))
        return error_prefix(err, "--state");
    return true;
}

static bool start_server(struct fakeapi *fakeapi, struct error *err)
{
    bool served = false;

    if (fakeapi->options.exit_with_parent)
        runtime_follow_parent(fakeapi->rt); /* at once: it may end any time */
    if (!try_files(fakeapi, err) || !keep_credentials(fakeapi, err))
        return false;
    fakeapi->clock = clock_new(fakeapi->rt);
    fakeapi->faults = faults_new();
    if (!load_faults(fakeapi, err) || !serve_kept(fakeapi, &served, err) ||
        (!served && !serve_loaded(fakeapi, err)))
        return false;
    if (!open_admin(fakeapi, err) || !listen_there(fakeapi, err) || !announce(fakeapi, err))
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
    return ((struct fakeapi *)root)->served->store;
}

struct rest *fakeapi_rest(void *root)
{
    return ((struct fakeapi *)root)->served->rest;
}

struct faults *fakeapi_faults(void *root)
{
    return ((struct fakeapi *)root)->faults;
}

struct cluster *fakeapi_cluster(void *root)
{
    return ((struct fakeapi *)root)->served->cluster;
}
