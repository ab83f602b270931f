/* delete - one deletion: preconditions, propagation, grace periods, finalizers (WIRE.md X1 to X12).
 *
 * Removing dependents is the garbage collector's part; here is what a DELETE itself does. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/crd.h"
#include "fakeapi/rest/write_steps.h"

#define FINALIZER_ORPHAN "orphan"
#define FINALIZER_FOREGROUND "foregroundDeletion"

static const char orphan_warning[] =
    "child pods are preserved by default when jobs are deleted; set "
    "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this "
    "warning";

/* --- preconditions (X2, X10) --- */

/* Conflict in the words of the early check, which names the Kind. */
static bool refuse_precondition(struct write *write, const char *what, const char *want,
                                const char *have, const char *hint)
{
    struct rest_subject subject = write_subject(write, write->name);
    const char *dot = write->kind->group[0] == '\0' ? "" : ".";

    runtime_mark(write->rest->rt, MARK_API_PRECONDITION);
    rest_status_conflict(&write->status, &subject, " ");
    free(write->status.message);
    write->status.message = xprintf(
        "Operation cannot be fulfilled on %s%s%s \"%s\": the %s in the precondition (%s) "
        "does not match the %s in record (%s). The object might have been %s",
        write->kind->kind, dot, write->kind->group, write->name, what, want, what, have, hint);
    free(write->status.kind);
    write->status.kind = xstrdup(write->kind->kind);
    return false;
}

static bool check_preconditions(struct write *write, const struct rest_delete_options *options,
                                const struct store_object *old)
{
    char want[24];
    char have[24];

    if (!text_is_empty(options->uid) && strcmp(options->uid, old->uid) != 0)
        return refuse_precondition(write, "UID", options->uid, old->uid,
                                   "deleted and then recreated");
    if (options->revision == 0 || options->revision == old->revision)
        return true;
    snprintf(want, sizeof(want), "%" PRIu64, options->revision);
    snprintf(have, sizeof(have), "%" PRIu64, old->revision);
    return refuse_precondition(write, "ResourceVersion", want, have, "modified");
}

static bool check_protected(struct write *write)
{
    static const char *const names[] = {"default", "kube-system", "kube-public"};
    struct rest_subject subject = write_subject(write, write->name);

    if (!(write->kind->flags & KIND_FINALIZE))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], write->name) == 0)
            return rest_status_forbidden(&write->status, &subject,
                                         "this namespace may not be deleted");
    return true;
}

/* --- propagation (X7) --- */

static void remove_text(struct json_object *list, const char *text)
{
    for (size_t i = json_object_array_length(list); i > 0; i--)
        if (text_equal(json_text(json_object_array_get_idx(list, i - 1)), text))
            json_object_array_del_idx(list, i - 1, 1);
}

/* The finalizer that the policy asks for; NULL for none. */
static const char *wanted_finalizer(struct write *write, enum rest_propagation propagation,
                                    const struct store_object *old)
{
    switch (propagation) {
    case REST_FOREGROUND:
        return FINALIZER_FOREGROUND;
    case REST_ORPHAN:
        return FINALIZER_ORPHAN;
    case REST_BACKGROUND:
        return NULL;
    case REST_PROPAGATION_DEFAULT:
        break;
    }
    if (store_object_has_finalizer(old, FINALIZER_ORPHAN))
        return FINALIZER_ORPHAN;
    if (store_object_has_finalizer(old, FINALIZER_FOREGROUND))
        return FINALIZER_FOREGROUND;
    if (!(write->kind->flags & KIND_ORPHANS))
        return NULL;
    write_warn(write, "%s", orphan_warning);
    return FINALIZER_ORPHAN;
}

/* The wanted one behind the others; an order that is there already stays. */
static void set_finalizers(struct write *write, const struct store_object *old,
                           struct json_object *tree, const char *wanted)
{
    static const char *const names[] = {FINALIZER_ORPHAN, FINALIZER_FOREGROUND};
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct json_object *list = json_get_array(metadata, "finalizers");
    bool crd =
        write->kind->row != NULL && strcmp(write->kind->kind, "CustomResourceDefinition") == 0;
    bool change = false;

    if (list == NULL) {
        list = json_object_new_array();
        json_set(metadata, "finalizers", list);
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (store_object_has_finalizer(old, names[i]) != text_equal(wanted, names[i]))
            change = true;
    for (size_t i = 0; change && i < ARRAY_SIZE(names); i++)
        remove_text(list, names[i]);
    if (change && wanted != NULL)
        json_add(list, json_object_new_string(wanted));
    if (crd)
        crd_mark_deleted(write->rest, tree);
    if (json_object_array_length(list) == 0)
        json_object_object_del(metadata, "finalizers");
}

/* --- grace periods (X8) --- */

static bool is_phase(struct json_slice phase, const char *quoted)
{
    return phase.bytes != NULL && phase.size == strlen(quoted) &&
           memcmp(phase.bytes, quoted, phase.size) == 0;
}

/* How long the object may still live, in seconds. */
static int64_t grace_seconds(const struct write *write, const struct rest_delete_options *options,
                             const struct store_object *old)
{
    struct json_slice phase = json_slice_get(store_object_status(old), "phase");
    struct json_object *spec;
    int64_t seconds;
    bool bound;

    if (!(write->kind->flags & KIND_GRACEFUL) || is_phase(phase, "\"Succeeded\"") ||
        is_phase(phase, "\"Failed\"") || store_object_spec(old).bytes == NULL)
        return 0;
    spec = json_slice_parse(store_object_spec(old));
    bound = !text_is_empty(json_get_text(spec, "nodeName"));
    seconds = options->grace_given ? options->grace_seconds
                                   : json_get_int64(spec, "terminationGracePeriodSeconds", 30);
    json_object_put(spec);
    if (!bound)
        return 0;
    return seconds < 0 ? 1 : seconds;
}

static void set_deletion(struct json_object *metadata, int64_t at_us, int64_t grace)
{
    char text[TIME_TEXT_SIZE];

    time_format(at_us, text);
    json_set_text(metadata, "deletionTimestamp", text);
    json_set_int64(metadata, "deletionGracePeriodSeconds", grace);
}

/* A terminating pod may only be hurried; a word that does not hurry it changes nothing at all. */
static bool shorten_grace(const struct write *write, const struct rest_delete_options *options,
                          const struct store_object *old, struct json_object *metadata)
{
    int64_t before = json_get_int64(metadata, "deletionGracePeriodSeconds", 0);
    int64_t grace = options->grace_seconds;

    if (!(write->kind->flags & KIND_GRACEFUL))
        return true;
    if (!options->grace_given || grace >= before)
        return false;
    set_deletion(metadata, old->deleted_at_us + (grace - before) * US_PER_SECOND, grace);
    return true;
}

static void begin_deletion(struct write *write, struct json_object *tree, int64_t grace)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    int64_t generation = json_get_int64(metadata, "generation", 0);
    int64_t now_us = runtime_wall_us(write->rest->rt);

    set_deletion(metadata, now_us + grace * US_PER_SECOND, grace);
    if (generation > 0 && (write->kind->flags & KIND_FINALIZE) == 0)
        json_set_int64(metadata, "generation", generation + 1);
    if (write->kind->flags & KIND_FINALIZE) { /* X10 */
        json_object_object_del(metadata, "deletionGracePeriodSeconds");
        json_set_text(json_ensure_object(tree, "status"), "phase", "Terminating");
    }
}

/* --- the deletion --- */

/* Pods are marked before they go, in a write of its own (X8). */
static bool remove_now(struct write *write, const struct store_object *old,
                       struct json_object *tree)
{
    struct error err = ERROR_INIT;

    if (write->dry_run || !(write->kind->flags & KIND_GRACEFUL))
        write_answer_object(write, old);
    else if (!write_commit(write, old, tree))
        return false;
    if (write->dry_run ||
        store_delete(write->kind->objects, write->object, &write->gone_revision, &err))
        return true;
    return write_store_failed(write, write->name, &err);
}

static bool wait_for_end(struct write *write, const struct store_object *old,
                         struct json_object *tree)
{
    if (!write->dry_run)
        return write_commit(write, old, tree);
    write_answer_tree(write, old, tree);
    return true;
}

/* Whether nothing holds an object that is marked. A namespace is only marked at first, whatever
 * holds it (X10). */
static bool is_gone(const struct write *write, const struct store_object *old,
                    struct json_object *tree)
{
    const struct json_object *metadata = json_get(tree, "metadata");

    return json_get_int64(metadata, "deletionGracePeriodSeconds", 0) == 0 &&
           write_is_unheld(write, tree) && (old->deleting || !(write->kind->flags & KIND_FINALIZE));
}

/* Whether a DELETE of what is marked already has anything to say to it. */
static bool may_go_on(const struct write *write, const struct rest_delete_options *options,
                      const struct store_object *old, struct json_object *tree)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct json_object *held = json_get_array(json_get(tree, "spec"), "finalizers");

    if (!(write->kind->flags & KIND_FINALIZE))
        return shorten_grace(write, options, old, metadata);
    if (held != NULL && json_object_array_length(held) > 0)
        return false; /* X10 */
    json_set_int64(metadata, "deletionGracePeriodSeconds", 0);
    return true;
}

static bool delete_object(struct write *write, const struct delete_request *request,
                          const struct store_object *old, struct json_object *tree,
                          enum delete_outcome *ret_outcome)
{
    *ret_outcome = DELETE_WAITING;
    if (old->deleting && !may_go_on(write, &request->options, old, tree)) {
        write->code = request->orphan_dependents_false ? 202 : 200;
        write_answer_object(write, old);
        return true;
    }
    set_finalizers(write, old, tree, wanted_finalizer(write, request->options.propagation, old));
    if (!old->deleting)
        begin_deletion(write, tree, grace_seconds(write, &request->options, old));
    if (is_gone(write, old, tree))
        *ret_outcome = DELETE_GONE;
    else
        runtime_mark(write->rest->rt, MARK_API_DELETION_WAITS);
    write->code = *ret_outcome == DELETE_WAITING && request->orphan_dependents_false ? 202 : 200;
    return *ret_outcome == DELETE_GONE ? remove_now(write, old, tree)
                                       : wait_for_end(write, old, tree);
}

bool write_delete(struct write *write, const struct delete_request *request,
                  enum delete_outcome *ret_outcome)
{
    struct rest_subject subject = write_subject(write, write->name);
    const struct store_object *old = store_get(write->kind->objects, write->namespace, write->name);
    struct json_object *tree;
    bool ok;

    if (old == NULL)
        return rest_status_not_found(&write->status, &subject);
    if (!check_preconditions(write, &request->options, old) || !check_protected(write))
        return false;
    write->by_parts = write->kind->row == NULL || (write->kind->flags & KIND_APART) != 0;
    tree = write->by_parts ? store_object_parse_parts(old, false) : store_object_parse(old);
    ok = delete_object(write, request, old, tree, ret_outcome);
    json_object_put(tree);
    return ok;
}
