/* edits_chance - certainty instead of chance: the n-th request instead of some, a death at a
 * request instead of a moment that the seed draws, and smaller seeds. */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/search/edit_kinds.h"

/** Requests that are tried by their number, and seeds. */
#define NTH_MAX 8
#define KILL_NTH_MAX 3
#define SEEDS_MAX 24

/* --- faults of a probability --- */

static void make_nth(struct edit_walk *walk, struct json_object *when)
{
    for (int64_t nth = 1; nth <= NTH_MAX; nth++) {
        if (edit_is_due(walk)) {
            json_object_object_del(when, "probability");
            json_object_object_del(when, "seed");
            json_set_int64(when, "nth", nth);
            return;
        }
    }
}

/* --- kills --- */

/** "answer sent: create jobs" is the verb and the resource of the request that it was about. */
static bool parse_kill(const char *line, size_t size, char **ret_verb, char **ret_resource)
{
    char *text = xmemdup(line, size);
    char *colon = strstr(text, ": ");
    char *space = colon == NULL ? NULL : strchr(colon + 2, ' ');

    if (space != NULL) {
        *ret_verb = xmemdup(colon + 2, (size_t)(space - colon - 2));
        *ret_resource = xstrdup(space + 1);
    }
    free(text);
    return space != NULL;
}

static struct json_object *make_fault(const char *of, bool comes_back, const char *verb,
                                      const char *resource, const char *moment, int64_t nth)
{
    struct json_object *fault = json_object_new_object();
    struct json_object *match = json_ensure_object(fault, "match");
    struct json_object *what;

    json_set_text(match, "peer", of);
    json_set_text(match, "verb", verb);
    json_set_text(match, "resource", resource);
    json_set_int64(json_ensure_object(fault, "when"), "nth", nth);
    what = json_ensure_object(fault, "do");
    json_set_text(what, comes_back ? "restart" : "crash", of);
    json_set_text(what, "moment", moment);
    return fault;
}

static void kill_at(struct edit_walk *walk, struct json_object *step, const char *verb,
                    const char *resource)
{
    static const char *const moments[] = {"sent", "applied", "answered"};
    struct json_object *kill = json_get(step, "kill");
    bool comes_back = json_get(kill, "back") != NULL;

    for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
        for (int64_t nth = 1; nth <= KILL_NTH_MAX; nth++) {
            if (edit_is_due(walk)) {
                json_set(step, "fault",
                         make_fault(text_or(json_get_text(kill, "of"), ""), comes_back, verb,
                                    resource, moments[i], nth));
                json_object_object_del(step, "kill");
                return;
            }
        }
    }
}

/** Whether the line stands in the text before it, too. */
static bool is_repeated(const char *kills, const char *line, size_t size)
{
    for (const char *at = kills; at < line; at += strcspn(at, "\n") + 1) {
        if (strcspn(at, "\n") == size && memcmp(at, line, size) == 0)
            return true;
    }
    return false;
}

static void make_fault_of_kill(struct edit_walk *walk, struct json_object *step)
{
    const char *line = walk->kills;

    while (*line != '\0' && !walk->done) {
        size_t size = strcspn(line, "\n");
        char *verb;
        char *resource;

        if (!is_repeated(walk->kills, line, size) && parse_kill(line, size, &verb, &resource)) {
            kill_at(walk, step, verb, resource);
            free(verb);
            free(resource);
        }
        line += size + (line[size] == '\n' ? 1 : 0);
    }
}

void edit_certain(struct edit_walk *walk, struct json_object *tree)
{
    struct json_object_iter member;

    if (json_is(tree, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(tree) && !walk->done; i++)
            edit_certain(walk, json_object_array_get_idx(tree, i));
    }
    if (!json_is(tree, json_type_object))
        return;
    if (json_get(tree, "probability") != NULL)
        make_nth(walk, tree);
    else if (json_get(tree, "kill") != NULL)
        make_fault_of_kill(walk, tree);
    if (walk->done)
        return;
    json_object_object_foreachC(tree, member)
    {
        edit_certain(walk, member.val);
        if (walk->done)
            return;
    }
}

/* --- seeds --- */

void edit_seed(struct edit_walk *walk, struct json_object *tree)
{
    int64_t now = json_get_int64(tree, "seed", 1);

    for (int64_t seed = 2; seed < now && seed <= SEEDS_MAX; seed++) {
        if (edit_is_due(walk)) {
            json_set_int64(tree, "seed", seed);
            return;
        }
    }
}
