/* delete_call - the deletes of requests: options in, objects, lists and Status out. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/emit.h"
#include "fakeapi/rest/page.h"
#include "fakeapi/rest/selector.h"
#include "fakeapi/rest/write_call.h"

/* --- deletes (X1) --- */

static bool read_policy(struct write *write, const char *policy, const char *orphan,
                        struct delete_request *request)
{
    if (!text_is_empty(policy) && orphan != NULL)
        return rest_status_invalid_options(&write->status, "DeleteOptions", FIELD_INVALID,
                                           "propagationPolicy",
                                           "Invalid value: \"%s\": orphanDependents and "
                                           "deletionPropagation cannot be both set",
                                           policy);
    if (orphan != NULL) {
        bool keep = strcmp(orphan, "true") == 0 || strcmp(orphan, "1") == 0;

        request->options.propagation = keep ? REST_ORPHAN : REST_BACKGROUND;
        request->orphan_dependents_false = !keep;
        return true;
    }
    if (text_is_empty(policy))
        return true;
    if (strcmp(policy, "Background") == 0)
        request->options.propagation = REST_BACKGROUND;
    else if (strcmp(policy, "Foreground") == 0)
        request->options.propagation = REST_FOREGROUND;
    else if (strcmp(policy, "Orphan") == 0)
        request->options.propagation = REST_ORPHAN;
    else
        return rest_status_invalid_options(
            &write->status, "DeleteOptions", FIELD_NOT_SUPPORTED, "propagationPolicy",
            "Unsupported value: \"%s\": supported values: \"Foreground\", \"Background\", "
            "\"Orphan\", \"nil\"",
            policy);
    return true;
}

static bool read_query_options(struct call *call, struct write *write,
                               struct delete_request *request)
{
    char *policy = route_query(&call->route, "propagationPolicy");
    char *orphan = route_query(&call->route, "orphanDependents");
    char *grace = route_query(&call->route, "gracePeriodSeconds");
    char *dry_run = route_query(&call->route, "dryRun");
    bool ok = read_policy(write, policy, orphan, request) &&
              write_call_read_dry_run(dry_run, "DeleteOptions", write);

    request->options.grace_given = !text_is_empty(grace);
    if (ok && request->options.grace_given &&
        !text_to_int64(grace, &request->options.grace_seconds))
        ok = rest_status_bad_request(&write->status,
                                     "strconv.ParseInt: parsing \"%s\": invalid syntax", grace);
    free(policy);
    free(orphan);
    free(grace);
    free(dry_run);
    return ok;
}

bool call_read_delete_options(struct write *write, const struct json_object *body,
                              struct delete_request *request)
{
    struct json_object *preconditions = json_get_object(body, "preconditions");
    struct json_object *orphan = json_get(body, "orphanDependents");
    struct json_object *dry_run = json_get_array(body, "dryRun");
    const char *revision = json_get_text(preconditions, "resourceVersion");
    const char *keep = NULL;

    request->options.uid = json_get_text(preconditions, "uid");
    if (!text_is_empty(revision) && !text_to_uint64(revision, &request->options.revision))
        request->options.revision = UINT64_MAX; /* none is so: a conflict */
    if (json_get(body, "gracePeriodSeconds") != NULL) {
        request->options.grace_given = true;
        request->options.grace_seconds = json_get_int64(body, "gracePeriodSeconds", 0);
    }
    if (json_is(orphan, json_type_boolean))
        keep = json_object_get_boolean(orphan) ? "true" : "false";
    if (!read_policy(write, json_get_text(body, "propagationPolicy"), keep, request))
        return false;
    if (dry_run == NULL || json_object_array_length(dry_run) == 0)
        return true;
    return write_call_read_dry_run(text_or(json_text(json_object_array_get_idx(dry_run, 0)), " "),
                                   "DeleteOptions", write);
}

static bool check_options_type(const struct call *call, struct write *write,
                               const struct json_object *body)
{
    const char *kind = text_or(json_get_text(body, "kind"), "DeleteOptions");
    const char *version = text_or(json_get_text(body, "apiVersion"), "v1");

    if (strcmp(kind, "DeleteOptions") == 0 &&
        (strcmp(version, "v1") == 0 || strcmp(version, "meta.k8s.io/v1") == 0 ||
         strcmp(version, call->version->api_version) == 0))
        return true;
    return rest_status_bad_request(&write->status,
                                   "%s in version \"%s\" cannot be handled as DeleteOptions: no "
                                   "kind \"%s\" is registered for version \"%s\"",
                                   kind, version, kind, version);
}

/* What does not decode is no error of the real server's own kinds (X1). */
static bool decode_options(struct write *write, struct json_object *body)
{
    struct buffer why = BUFFER_INIT(REST_BODY_BYTES_MAX);
    bool ok = types_decode(types_find("v1", "DeleteOptions"), body, NULL, &why);

    if (!ok)
        rest_status_untyped(&write->status, "%s", buffer_text(&why));
    buffer_release(&why);
    return ok;
}

/* Body or query, never both. *ret_body is to be put after. */
static bool read_delete(struct call *call, struct write *write, struct delete_request *request,
                        struct json_object **ret_body)
{
    if (call->body.size == 0)
        return read_query_options(call, write, request);
    return write_call_read_body(call, write, ret_body) &&
           check_options_type(call, write, *ret_body) && decode_options(write, *ret_body) &&
           call_read_delete_options(write, *ret_body, request);
}

/* Success, with what is gone (X3). */
static void answer_gone(struct call *call, const struct accept *accept, struct write *write)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *details = json_object_new_object();

    json_set_text(details, "name", write->name);
    if (call->kind->group[0] != '\0')
        json_set_text(details, "group", call->kind->group);
    json_set_text(details, "kind", call->kind->plural);
    json_set_text(details, "uid", write->object->uid);
    json_set_text(tree, "kind", "Status");
    json_set_text(tree, "apiVersion", "v1");
    json_set(tree, "metadata", json_object_new_object());
    json_set_text(tree, "status", "Success");
    json_set(tree, "details", details);
    call_answer_tree(call, write->code, accept, write, tree);
    json_object_put(tree);
}

void call_delete(struct call *call)
{
    const struct accept_offer offer = {.partial = true};
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    enum delete_outcome outcome = DELETE_GONE;
    struct json_object *body = NULL;
    struct accept accept;
    struct write write;
    bool ok;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_call_begin(call);
    ok = read_delete(call, &write, &request, &body) && write_delete(&write, &request, &outcome);
    json_object_put(body);
    if (ok && outcome == DELETE_GONE && !(call->kind->flags & KIND_DELETE_SHOWS)) {
        answer_gone(call, &accept, &write);
        write_release(&write);
    } else {
        write_call_finish(call, ok, &accept, &write);
    }
}

/* --- deletecollection (X11) --- */

static void append_item(struct buffer *items, const struct call *call,
                        const struct store_object *object)
{
    struct emit emit = {.kind = call->kind, .version = call->version, .list_item = true};

    if (items->size > 0)
        buffer_append_char(items, ',');
    emit_begin(&emit);
    emit_object(&emit, object, 0);
    emit_append(&emit, items);
    emit_release(&emit);
}

/* Deletes what the page holds; the items as they were listed. */
static bool delete_matching(struct call *call, struct write *outer,
                            const struct delete_request *request, const struct page *page,
                            const struct selector *selector, struct buffer *items)
{
    bool ok = true;

    for (size_t index = page->next; ok && index < page->end; index++) {
        const struct store_object *object = store_snapshot_object(page->snapshot, index);
        struct write write = write_call_begin(call);
        enum delete_outcome outcome;

        write.namespace = object->namespace;
        write.name = object->name;
        write.dry_run = outer->dry_run;
        if (selector_matches(selector, object)) {
            append_item(items, call, object);
            ok = write_delete(&write, request, &outcome);
            if (!ok && write.status.code == 404)
                ok = true; /* gone meanwhile: as wanted */
            if (!ok) {
                outer->status = write.status;
                write.status = (struct rest_status){0};
            }
        }
        write_release(&write);
    }
    return ok;
}

static void answer_collection(struct call *call, const struct list_request *list,
                              struct write *write, const struct page *page,
                              const struct buffer *items)
{
    struct buffer body = BUFFER_INIT(items->size + 4096);

    buffer_append_format(&body, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",", call->kind->list_kind,
                         call->version->api_version);
    page_append_metadata(&body, call, page, &list->selector, true);
    buffer_append_text(&body, "\"items\":[");
    buffer_append(&body, items->bytes, items->size);
    buffer_append_text(&body, "]}\n");
    call_answer_json(call, 200, &list->accept, write, body.bytes, body.size);
    buffer_release(&body);
}

void call_delete_collection(struct call *call)
{
    const struct accept_offer offer = {0};
    struct delete_request request = {.options = {.propagation = REST_PROPAGATION_DEFAULT}};
    struct buffer items = BUFFER_INIT((size_t)512 * 1024 * 1024);
    struct list_request list = {.limit = 0};
    struct page page = {0};
    struct json_object *body = NULL;
    struct write write;

    if (!call_accept(call, &offer, &list.accept))
        return;
    write = write_call_begin(call);
    if (read_delete(call, &write, &request, &body) &&
        list_options_read(call, &list, &write.status) &&
        page_open(call, &list, &page, &write.status) &&
        delete_matching(call, &write, &request, &page, &list.selector, &items))
        answer_collection(call, &list, &write, &page, &items);
    else
        call_answer_failure(call, &write);
    json_object_put(body);
    store_snapshot_free(page.snapshot);
    list_options_release(&list);
    buffer_release(&items);
    write_release(&write);
}
