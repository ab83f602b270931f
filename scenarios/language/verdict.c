/* verdict - see verdict.h. */
#include "scenarios/language/verdict.h"

#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/** Names listed where too many objects fit. */
#define LISTED_MAX 10

static const char *name_of(const struct json_object *object)
{
    return text_or(json_get_text(json_get(object, "metadata"), "name"), "");
}

static bool has_name(const struct claim *claim, const struct json_object *object)
{
    return claim->name == NULL ||
           shape_match(claim->name, json_walk(object, "metadata", "name", NULL), NULL);
}

static bool fits(const struct claim *claim, struct json_object *object)
{
    return has_name(claim, object) && shape_match(claim->shape, object, NULL);
}

void claim_append_subject(const struct claim *claim, struct buffer *buffer)
{
    buffer_append_text(buffer, claim->target.kind);
    if (claim->server != NULL)
        buffer_append_format(buffer, " to %s", claim->server);
    if (claim->name != NULL)
        buffer_append_format(buffer, " %s", claim->name->written);
}

/* --- why not --- */

void differences_append(const struct differences *differences, const char *path, struct buffer *why)
{
    for (size_t i = 0; i < differences->count; i++) {
        const struct difference *item = &differences->items[i];

        buffer_append_format(why, "    %s: expected %s, got %s   (%s:%u:%u)\n", item->path,
                             item->expected, item->got, text_or(item->place.file, path),
                             item->place.line, item->place.column);
    }
    if (differences->left_out > 0)
        buffer_append_format(why, "    and %zu more difference%s\n", differences->left_out,
                             text_plural(differences->left_out));
}

/** The object of a fitting name that differs least; its differences. NULL when no name fits. */
static struct json_object *closest(const struct claim *claim, struct json_object *const *objects,
                                   size_t count, struct differences *ret_differences)
{
    struct json_object *best = NULL;

    for (size_t i = 0; i < count; i++) {
        struct differences found = {0};

        if (!has_name(claim, objects[i]))
            continue;
        (void)shape_match(claim->shape, objects[i], &found);
        if (found.count > 0 &&
            (best == NULL ||
             found.count + found.left_out < ret_differences->count + ret_differences->left_out)) {
            differences_release(ret_differences);
            *ret_differences = found;
            best = objects[i];
        } else {
            differences_release(&found);
        }
    }
    return best;
}

/** What a Secret holds stands in no report. */
static void hide_secrets(const struct claim *claim, struct differences *differences)
{
    if (!text_equal(claim->target.kind, "Secret"))
        return;
    for (size_t i = 0; i < differences->count; i++) {
        struct difference *item = &differences->items[i];

        if (!text_starts_with(item->path, "data") && !text_starts_with(item->path, "stringData"))
            continue;
        free(item->got);
        item->got = xstrdup("something that is kept secret");
    }
}

static void tell_closest(const struct claim *claim, struct json_object *const *objects,
                         size_t count, const char *path, struct buffer *why)
{
    struct differences differences = {0};
    struct json_object *object = closest(claim, objects, count, &differences);

    if (object == NULL) {
        buffer_append_format(why,
                             "    there is no such object; %s there are:", claim->target.plural);
        for (size_t i = 0; i < count && i < LISTED_MAX; i++)
            buffer_append_format(why, " %s", name_of(objects[i]));
        buffer_append_text(why, count > LISTED_MAX ? " ...\n" : count == 0 ? " none\n" : "\n");
    } else {
        buffer_append_format(
            why, "    %s %s, at version %s:\n", claim->target.kind, name_of(object),
            text_or(json_get_text(json_get(object, "metadata"), "resourceVersion"), "?"));
        hide_secrets(claim, &differences);
        differences_append(&differences, path, why);
    }
    differences_release(&differences);
}

static void tell_fitting(const struct claim *claim, struct json_object *const *objects,
                         size_t count, struct buffer *why)
{
    size_t listed = 0;

    buffer_append_text(why, "    these are:");
    for (size_t i = 0; i < count; i++) {
        if (fits(claim, objects[i]) && ++listed <= LISTED_MAX)
            buffer_append_format(why, " %s", name_of(objects[i]));
    }
    buffer_append_text(why, listed > LISTED_MAX ? " ...\n" : listed == 0 ? " none\n" : "\n");
}

static void tell(const struct claim *claim, struct json_object *const *objects, size_t count,
                 size_t fitting, const char *path, struct buffer *why)
{
    buffer_append_format(why, "  %s:%u:%u: ", text_or(claim->place.file, path), claim->place.line,
                         claim->place.column);
    claim_append_subject(claim, why);
    if (claim->absent) {
        buffer_append_format(why, ": expected none like this, got %zu\n", fitting);
        tell_fitting(claim, objects, count, why);
    } else if (claim->count != NULL) {
        buffer_append_format(why, ": expected %s like this, got %zu\n", claim->count->written,
                             fitting);
        tell_fitting(claim, objects, count, why);
        tell_closest(claim, objects, count, path, why);
    } else {
        buffer_append_text(why, ": not as expected\n");
        tell_closest(claim, objects, count, path, why);
    }
}

static bool count_is_right(const struct claim *claim, size_t fitting)
{
    struct json_object *number;
    bool right;

    if (claim->absent)
        return fitting == 0;
    if (claim->count == NULL)
        return fitting > 0;
    number = json_object_new_int64((int64_t)fitting);
    right = shape_match(claim->count, number, NULL);
    (void)json_object_put(number);
    return right;
}

bool claim_holds(const struct claim *claim, struct json_object *const *objects, size_t count,
                 const char *path, struct buffer *why)
{
    size_t fitting = 0;

    for (size_t i = 0; i < count; i++) {
        if (fits(claim, objects[i]))
            fitting++;
    }
    if (count_is_right(claim, fitting))
        return true;
    if (why != NULL)
        tell(claim, objects, count, fitting, path, why);
    return false;
}
