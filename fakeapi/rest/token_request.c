/* token_request - a token for a ServiceAccount (WIRE.md A4). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/write_call.h"
#include "fakeapi/schema/field_error.h"

#define EXPIRATION_SECONDS INT64_C(3600)
#define EXPIRATION_SECONDS_MIN INT64_C(600)
#define EXPIRATION_SECONDS_MAX (INT64_C(1) << 32)

const struct kind_row token_request_row = {
    .group = "authentication.k8s.io",
    .version = "v1",
    .kind = "TokenRequest",
    .plural = "tokenrequests",
    .singular = "tokenrequest",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED,
};

struct token_request {
    struct call *call;
    struct write *write;
    struct json_object *tree;
    const struct store_object *account;
    int64_t now_us;
    int64_t seconds;
};

static const struct store_object *find(const struct token_request *request, const char *plural,
                                       const char *namespace, const char *name)
{
    return store_get(store_find_resource(request->call->rest->store, "", plural), namespace, name);
}

static bool refuse_missing(struct write *write, const char *plural, const char *name)
{
    const struct rest_subject subject = {.group = "", .plural = plural, .kind = "", .name = name};

    return rest_status_not_found(&write->status, &subject);
}

static bool find_account(struct token_request *request)
{
    const struct route *route = &request->call->route;

    request->account = find(request, "serviceaccounts", route->namespace, route->name);
    return request->account != NULL ||
           refuse_missing(request->write, "serviceaccounts", route->name);
}

/* --- what is asked for --- */

static bool refuse_field(struct write *write, const char *name, const char *path, const char *value,
                         const char *why)
{
    const struct rest_subject subject = {
        .group = "authentication.k8s.io", .plural = "", .kind = "TokenRequest", .name = name};
    struct field_errors errors = FIELD_ERRORS_INIT;

    field_errors_add(&errors, FIELD_INVALID, path, "Invalid value: %s: %s", value, why);
    rest_status_invalid(&write->status, &subject, &errors);
    field_errors_release(&errors);
    return false;
}

static bool check_name(struct token_request *request)
{
    struct json_object *metadata = json_ensure_object(request->tree, "metadata");
    const char *name = json_get_text(metadata, "name");
    struct buffer quoted = BUFFER_INIT((size_t)2 * REST_BODY_BYTES_MAX);
    bool ok = text_is_empty(name) || strcmp(name, request->call->route.name) == 0;

    if (!ok) {
        field_error_append_quoted(&quoted, name);
        refuse_field(request->write, request->call->route.name, "metadata.name",
                     buffer_text(&quoted), "must match the service account name if specified");
    }
    buffer_release(&quoted);
    return ok;
}

static bool check_expiration(struct token_request *request)
{
    struct json_object *spec = json_ensure_object(request->tree, "spec");
    const char *why = NULL;
    char *value;

    request->seconds = json_get_int64(spec, "expirationSeconds", EXPIRATION_SECONDS);
    if (request->seconds < EXPIRATION_SECONDS_MIN)
        why = "may not specify a duration less than 10 minutes";
    else if (request->seconds > EXPIRATION_SECONDS_MAX)
        why = "may not specify a duration larger than 2^32 seconds";
    if (why == NULL)
        return true;
    value = xprintf("%" PRId64, request->seconds);
    refuse_field(request->write, "", "spec.expirationSeconds", value, why);
    free(value);
    return false;
}

/* --- what it is bound to --- */

static struct account_ref ref_to(const struct store_object *object)
{
    return (struct account_ref){xstrdup(object->name), xstrdup(object->uid)};
}

/* The node of a pod, by its name alone when it is not there (any more). */
static struct account_ref node_of(const struct token_request *request, const char *name)
{
    const struct store_object *node = find(request, "nodes", "", name);

    return node == NULL ? (struct account_ref){xstrdup(name), NULL} : ref_to(node);
}

static bool bind_to_pod(struct token_request *request, const struct store_object *pod,
                        struct account_claims *claims)
{
    struct json_object *tree = store_object_parse(pod);
    const struct json_object *spec = json_get_object(tree, "spec");
    const char *account = text_or(json_get_text(spec, "serviceAccountName"), "");
    const char *node = text_or(json_get_text(spec, "nodeName"), "");
    bool same = strcmp(account, request->account->name) == 0;

    if (!same)
        rest_status_bad_request(&request->write->status,
                                "cannot bind token for serviceaccount \"%s\" to pod running with "
                                "different serviceaccount name.",
                                request->account->name);
    else if (node[0] != '\0')
        claims->node = node_of(request, node);
    json_object_put(tree);
    return same;
}

static bool refuse_bound_kind(struct write *write, const char *api_version, const char *kind)
{
    const char *slash = strchr(api_version, '/');

    return rest_status_bad_request(&write->status,
                                   "cannot bind token to object of type %s%s, Kind=%s",
                                   slash == NULL ? "/" : "", api_version, kind);
}

static bool bind_to(struct token_request *request, const struct json_object *ref,
                    struct account_claims *claims)
{
    static const struct {
        const char *kind;
        const char *plural;
        bool namespaced;
        enum account_bound bound;
    } rows[] = {
        {"Pod",    "pods",    true,  BOUND_TO_POD   },
        {"Secret", "secrets", true,  BOUND_TO_SECRET},
        {"Node",   "nodes",   false, BOUND_TO_NODE  },
    };
    const char *api_version = text_or(json_get_text(ref, "apiVersion"), "");
    const char *kind = text_or(json_get_text(ref, "kind"), "");
    const char *name = text_or(json_get_text(ref, "name"), "");
    const char *uid = text_or(json_get_text(ref, "uid"), "");
    const struct rest_subject subject = {.group = "", .plural = kind, .kind = "", .name = name};
    const struct store_object *object;
    size_t row = 0;

    while (row < ARRAY_SIZE(rows) && strcmp(rows[row].kind, kind) != 0)
        row++;
    if (row == ARRAY_SIZE(rows) || strchr(api_version, '/') != NULL)
        return refuse_bound_kind(request->write, api_version, kind);
    object = find(request, rows[row].plural,
                  rows[row].namespaced ? request->account->namespace : "", name);
    if (object == NULL)
        return refuse_missing(request->write, rows[row].plural, name);
    if (rows[row].bound == BOUND_TO_POD && !bind_to_pod(request, object, claims))
        return false;
    if (uid[0] != '\0' && strcmp(uid, object->uid) != 0)
        return rest_status_conflict(&request->write->status, &subject,
                                    "the UID in the bound object reference (%s) does not match the "
                                    "UID in record. The object might have been deleted and then "
                                    "recreated",
                                    uid);
    claims->bound = rows[row].bound;
    claims->bound_to = ref_to(object);
    return true;
}

/* --- the token --- */

static void set_audiences(struct json_object *spec, struct account_claims *claims)
{
    claims->audiences = words_parse(json_get(spec, "audiences"));
    if (claims->audiences.count == 0)
        words_add(&claims->audiences, ACCOUNTS_AUDIENCE);
    json_set(spec, "audiences", words_to_json(&claims->audiences));
}

static void fill_answer(struct token_request *request, const char *token)
{
    struct json_object *metadata = json_ensure_object(request->tree, "metadata");
    struct json_object *spec = json_ensure_object(request->tree, "spec");
    struct json_object *status = json_object_new_object();
    char text[TIME_TEXT_SIZE];

    json_set_text(metadata, "name", request->account->name);
    json_set_text(metadata, "namespace", request->account->namespace);
    time_format(request->now_us, text);
    json_set_text(metadata, "creationTimestamp", text);
    json_set_int64(spec, "expirationSeconds", request->seconds);
    if (json_get(spec, "boundObjectRef") == NULL)
        json_object_object_add(spec, "boundObjectRef", NULL);
    json_set_text(status, "token", token);
    time_format(request->now_us + request->seconds * US_PER_SECOND, text);
    json_set_text(status, "expirationTimestamp", text);
    json_set(request->tree, "status", status);
}

/* Makes the token that is asked for, or says why not. */
static bool issue(struct token_request *request)
{
    struct rest *rest = request->call->rest;
    const struct json_object *ref =
        json_get_object(json_get_object(request->tree, "spec"), "boundObjectRef");
    struct account_claims claims = {0};
    char id[37];
    char *token;
    bool ok;

    if (!check_name(request) || !find_account(request) || !check_expiration(request))
        return false;
    set_audiences(json_ensure_object(request->tree, "spec"), &claims);
    ok = ref == NULL || bind_to(request, ref, &claims);
    if (ok) {
        write_new_uid(rest, id);
        claims.id = xstrdup(id);
        claims.namespace = xstrdup(request->account->namespace);
        claims.account = ref_to(request->account);
        claims.issued_s = request->now_us / US_PER_SECOND;
        claims.expires_s = claims.issued_s + request->seconds;
        token = accounts_make(access_accounts(rest->access), &claims);
        fill_answer(request, token);
        free(token);
    }
    account_claims_release(&claims);
    return ok;
}

void call_token_request(struct call *call)
{
    const struct accept_offer offer = {0};
    struct token_request request = {.call = call, .now_us = runtime_wall_us(call->rest->rt)};
    struct accept accept;
    struct write write;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_call_begin(call);
    write.kind = call->rest->token_requests;
    write.version = kind_storage_version(write.kind);
    request.write = &write;
    if (write_call_read_create(call, &write, &request.tree) && issue(&request))
        call_answer_question(call, &accept, &write, request.tree);
    else
        call_answer_failure(call, &write);
    json_object_put(request.tree);
    write_release(&write);
}
