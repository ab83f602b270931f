/* review - what one may, who one is, whose a token is. */
#include "fakeapi/rest/review.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/write_call.h"
#include "fakeapi/schema/field_error.h"

/* --- what is asked --- */

static const char exactly_one[] =
    "exactly one of nonResourceAttributes or resourceAttributes must be specified";

static const char *member(const struct json_object *object, const char *key)
{
    return text_or(json_get_text(object, key), "");
}

/* Adds a text as Go quotes it, behind a name: 'Path:"/x"'. */
static void append_named(struct buffer *text, const char *name, const char *value)
{
    buffer_append_format(text, "%s:", name);
    field_error_append_quoted(text, value);
}

static void refuse_path_attributes(const struct json_object *attributes, const char *why,
                                   struct field_errors *errors)
{
    struct buffer value = BUFFER_INIT((size_t)2 * REST_BODY_BYTES_MAX);

    buffer_append_text(&value, "authorization.NonResourceAttributes{");
    append_named(&value, "Path", member(attributes, "path"));
    buffer_append_text(&value, ", ");
    append_named(&value, "Verb", member(attributes, "verb"));
    buffer_append_char(&value, '}');
    field_errors_add(errors, FIELD_INVALID, "spec.nonResourceAttributes", "Invalid value: %s: %s",
                     buffer_text(&value), why);
    buffer_release(&value);
}

static void check_attributes(const struct json_object *spec, struct field_errors *errors)
{
    const struct json_object *paths = json_get_object(spec, "nonResourceAttributes");
    const struct json_object *resources = json_get_object(spec, "resourceAttributes");

    if (paths != NULL && resources != NULL)
        refuse_path_attributes(paths, "cannot be specified in combination with resourceAttributes",
                               errors);
    if (paths == NULL && resources == NULL)
        field_errors_add(errors, FIELD_INVALID, "spec.resourceAttributes",
                         "Invalid value: \"null\": %s", exactly_one);
}

static void check_subject(const struct json_object *spec, struct field_errors *errors)
{
    const struct json_object *groups = json_get_array(spec, "groups");

    if (member(spec, "user")[0] == '\0' &&
        (groups == NULL || json_object_array_length(groups) == 0))
        field_errors_add(errors, FIELD_INVALID, "spec.user",
                         "Invalid value: \"\": at least one of user or group must be specified");
}

static void check_local(const struct json_object *spec, const char *namespace,
                        struct field_errors *errors)
{
    const struct json_object *paths = json_get_object(spec, "nonResourceAttributes");
    const struct json_object *resources = json_get_object(spec, "resourceAttributes");
    const char *asked = member(resources, "namespace");
    struct buffer value = BUFFER_INIT((size_t)2 * REST_BODY_BYTES_MAX);

    field_error_append_quoted(&value, asked);
    if (resources != NULL && strcmp(asked, namespace) != 0)
        field_errors_add(errors, FIELD_INVALID, "spec.resourceAttributes.namespace",
                         "Invalid value: %s: must match metadata.namespace", buffer_text(&value));
    if (paths != NULL)
        refuse_path_attributes(paths, "disallowed on this kind of request", errors);
    buffer_release(&value);
}

/* Releases the errors. */
static bool is_valid(struct write *write, struct field_errors *errors)
{
    const struct rest_subject subject = {
        .group = write->kind->group, .plural = "", .kind = "", .name = ""};
    bool valid = errors->count == 0;

    if (!valid)
        rest_status_invalid(&write->status, &subject, errors);
    field_errors_release(errors);
    return valid;
}

/* --- the answer --- */

static void answer_access(struct call *call, struct json_object *tree,
                          const struct access_user *user)
{
    const struct json_object *spec = json_get_object(tree, "spec");
    const struct json_object *resources = json_get_object(spec, "resourceAttributes");
    const struct json_object *paths = json_get_object(spec, "nonResourceAttributes");
    const struct attributes attributes = {.user = user,
                                          .resource_request = resources != NULL,
                                          .verb =
                                              member(resources == NULL ? paths : resources, "verb"),
                                          .group = member(resources, "group"),
                                          .resource = member(resources, "resource"),
                                          .subresource = member(resources, "subresource"),
                                          .namespace = member(resources, "namespace"),
                                          .name = member(resources, "name"),
                                          .path = member(paths, "path")};
    struct json_object *status = json_object_new_object();
    char *reason = NULL;

    json_set_bool(status, "allowed", access_allows(call->rest->access, &attributes, &reason));
    if (reason != NULL)
        json_set_text(status, "reason", reason);
    json_set(tree, "status", status);
    free(reason);
}

bool review_own_access(struct call *call, struct write *write, struct json_object *tree)
{
    struct field_errors errors = FIELD_ERRORS_INIT;

    check_attributes(json_get_object(tree, "spec"), &errors);
    if (!is_valid(write, &errors))
        return false;
    answer_access(call, tree, &call->user);
    return true;
}

/* Whom a review asks about. */
static struct access_user asked_user(const struct json_object *spec)
{
    struct access_user user = access_user_named(member(spec, "user"), NULL);

    user.groups = words_parse(json_get(spec, "groups"));
    return user;
}

static bool review_of(struct call *call, struct write *write, struct json_object *tree, bool local)
{
    const struct json_object *spec = json_get_object(tree, "spec");
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct access_user user;

    check_attributes(spec, &errors);
    check_subject(spec, &errors);
    if (local)
        check_local(spec, write->namespace, &errors);
    if (!is_valid(write, &errors))
        return false;
    user = asked_user(spec);
    answer_access(call, tree, &user);
    access_user_release(&user);
    return true;
}

bool review_access(struct call *call, struct write *write, struct json_object *tree)
{
    return review_of(call, write, tree, false);
}

bool review_local_access(struct call *call, struct write *write, struct json_object *tree)
{
    return review_of(call, write, tree, true);
}

/* --- rules --- */

bool review_own_rules(struct call *call, struct write *write, struct json_object *tree)
{
    const char *namespace = member(json_get_object(tree, "spec"), "namespace");
    struct json_object *status = json_object_new_object();
    struct json_object *resources = json_object_new_array();
    struct json_object *paths = json_object_new_array();
    char *problem = NULL;
    struct rules rules;

    json_set(status, "resourceRules", resources);
    json_set(status, "nonResourceRules", paths);
    json_set_bool(status, "incomplete", false);
    if (namespace[0] == '\0') {
        json_object_put(status);
        return rest_status_bad_request(&write->status, "no namespace on request");
    }
    rules = access_rules_for(call->rest->access, &call->user, namespace, &problem);
    for (size_t i = 0; i < rules.count; i++) {
        if (rules.items[i].resources.count > 0)
            json_add(resources, rule_resource_json(&rules.items[i]));
        if (rules.items[i].urls.count > 0)
            json_add(paths, rule_url_json(&rules.items[i]));
    }
    if (problem != NULL)
        json_set_text(status, "evaluationError", problem);
    json_set(tree, "spec", json_object_new_object()); /* the real server forgets it */
    json_set(tree, "status", status);
    rules_release(&rules);
    free(problem);
    return true;
}

/* --- identities --- */

bool review_self(struct call *call, struct write *write, struct json_object *tree)
{
    char now[TIME_TEXT_SIZE];

    (void)write;
    time_format(runtime_wall_us(call->rest->rt), now);
    json_set_text(json_ensure_object(tree, "metadata"), "creationTimestamp", now);
    json_set(json_ensure_object(tree, "status"), "userInfo", access_user_to_json(&call->user));
    return true;
}

bool review_token(struct call *call, struct write *write, struct json_object *tree)
{
    const struct json_object *spec = json_get_object(tree, "spec");
    const char *token = member(spec, "token");
    struct json_object *status;
    struct words wanted = words_parse(json_get(spec, "audiences"));
    struct words audiences = {0};
    struct access_user user = {0};
    struct error err = ERROR_INIT;

    if (token[0] == '\0') {
        words_release(&wanted);
        return rest_status_bad_request(&write->status,
                                       "token is required for TokenReview in authentication");
    }
    status = json_object_new_object();
    if (access_review_token(call->rest->access, token, &wanted, &user, &audiences, &err)) {
        json_set_bool(status, "authenticated", true);
        json_set(status, "user", access_user_to_json(&user));
        json_set(status, "audiences", words_to_json(&audiences));
    } else {
        json_set(status, "user", json_object_new_object());
        json_set_text(status, "error", err.text);
    }
    json_set(tree, "status", status);
    words_release(&wanted);
    words_release(&audiences);
    access_user_release(&user);
    return true;
}

/* --- the request --- */

void call_answer_question(struct call *call, const struct accept *accept,
                          const struct write *warnings, const struct json_object *tree)
{
    static const char *const keys[] = {"kind", "apiVersion", "metadata", "spec", "status"};
    struct json_object *ordered = json_object_new_object();

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (json_get(tree, keys[i]) != NULL)
            json_set(ordered, keys[i], json_object_get(json_get(tree, keys[i])));
    call_answer_tree(call, 201, accept, warnings, ordered);
    json_object_put(ordered);
}

void call_review(struct call *call)
{
    const struct accept_offer offer = {0};
    struct accept accept;
    struct write write;
    struct json_object *tree = NULL;

    if (!call_accept(call, &offer, &accept))
        return;
    write = write_call_begin(call);
    if (write_call_read_create(call, &write, &tree) &&
        call->kind->row->review(call, &write, tree)) {
        struct json_object *metadata = json_ensure_object(tree, "metadata");

        if (json_get(metadata, "creationTimestamp") == NULL)
            json_object_object_add(metadata, "creationTimestamp", NULL);
        call_answer_question(call, &accept, &write, tree);
    } else {
        call_answer_failure(call, &write);
    }
    json_object_put(tree);
    write_release(&write);
}
