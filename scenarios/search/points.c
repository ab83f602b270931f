/* points - see points.h. */
#include "scenarios/search/points.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"

#define DEED_BYTES_MAX 4096

/* --- which kinds --- */

static unsigned site_bit(const struct site *site)
{
    if (site->stage == SITE_TIMER)
        return FAULT_SITE_TIMER;
    if (site->stage == SITE_EVENT)
        return FAULT_SITE_EVENT;
    return fault_site_of_verb(site->verb);
}

static bool is_one_of(const struct fault_kind *kind, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kind->key, keys[i]) == 0)
            return true;
    }
    return false;
}

/** At which moments of a call a fault of a process or a link differs from that at an earlier one.
 * Between a write's sending and its answer lies its being carried out; a question changes nothing,
 * so whoever dies after it might as well not have asked. Whoever is stopped finds the answer later
 * in either case; whoever is to end goes on from where he is. */
static bool has_moment(const struct fault_kind *kind, const struct site *site)
{
    static const char *const after_writes[] = {"crash",     "restart", "power_off",
                                               "partition", "strand",  "reset_connections"};
    static const char *const after_answers[] = {"terminate"};
    bool write = (fault_site_of_verb(site->verb) & FAULT_SITES_WRITE) != 0;

    if (site->stage == SITE_APPLIED)
        return write && is_one_of(kind, after_writes, ARRAY_SIZE(after_writes));
    if (site->stage == SITE_ANSWERED)
        return is_one_of(kind, after_answers, ARRAY_SIZE(after_answers));
    return site->stage == SITE_SENT;
}

static bool happens_at(const struct fault_kind *kind, const struct site *site)
{
    if (kind->moments)
        return site->stage == SITE_TIMER || site->stage == SITE_EVENT || has_moment(kind, site);
    if (kind->area == FAULT_AREA_NETWORK)
        return site->stage == SITE_WAY;
    return site->stage == (kind->area == FAULT_AREA_WATCH ? SITE_EVENT : SITE_ARRIVED);
}

size_t points_at(const struct site *site, const struct fault_kind *ret_kinds[POINTS_KINDS_MAX])
{
    unsigned bit = site_bit(site);
    size_t count = 0;

    for (size_t i = 0; i < fault_kind_count() && count < POINTS_KINDS_MAX; i++) {
        const struct fault_kind *kind = fault_kind_at(i);

        if (fault_kind_is_swept(kind, bit, site->resource) && happens_at(kind, site))
            ret_kinds[count++] = kind;
    }
    return count;
}

/* --- as a file has it --- */

/** What a kind does, as a tree: its example. */
static struct json_object *deed_of(const struct fault_kind *kind, const char *peer)
{
    char *text = fault_kind_deed(kind, peer);
    struct yaml_document *document = NULL;
    struct json_object *deed;
    struct error err = ERROR_INIT;

    if (!yaml_parse(text, strlen(text), DEED_BYTES_MAX, &document, NULL, NULL, &err))
        abort(); /* a test reads all of them */
    deed = yaml_to_json(yaml_root(document));
    yaml_free(document);
    free(text);
    return deed;
}

static const char *const moments[SITE_STAGE_COUNT] = {
    [SITE_SENT] = "sent", [SITE_APPLIED] = "applied", [SITE_ANSWERED] = "answered"};

static struct json_object *match_of(const struct site *site, const struct fault_kind *kind)
{
    struct json_object *match = json_object_new_object();

    if (site->stage == SITE_TIMER) {
        json_set_text(match, "timer", site->peer);
        return match;
    }
    json_set_text(match, "peer", site->peer);
    json_set_text(match, "verb", site->verb);
    json_set_text(match, "resource", site->resource);
    if (*site->name != '\0')
        json_set_text(match, "name", site->name);
    if (site->stage == SITE_EVENT && kind->area != FAULT_AREA_WATCH)
        json_set_bool(match, "event", true);
    return match;
}

struct json_object *point_fault(const struct site *site, const struct fault_kind *kind,
                                uint64_t nth)
{
    struct json_object *fault = json_object_new_object();
    struct json_object *when = json_object_new_object();
    struct json_object *deed = deed_of(kind, site->peer);

    json_set_int64(when, "nth", (int64_t)nth);
    if (kind->moments && moments[site->stage] != NULL)
        json_set_text(deed, "moment", moments[site->stage]);
    json_set(fault, "match", match_of(site, kind));
    json_set(fault, "when", when);
    json_set(fault, "do", deed);
    json_set_bool(fault, "sweep", true);
    return fault;
}

char *point_describe(const struct site *site, const struct fault_kind *kind, uint64_t nth)
{
    static const char *const what[SITE_STAGE_COUNT] = {
        [SITE_WAY] = "on the way of",     [SITE_SENT] = "as it sends",
        [SITE_APPLIED] = "right after",   [SITE_ANSWERED] = "once it is answered:",
        [SITE_ARRIVED] = "on its",        [SITE_EVENT] = "at an event of",
        [SITE_TIMER] = "as a timer fires"};
    const char *gap = *site->name == '\0' ? "" : " ";

    if (site->stage == SITE_TIMER)
        return xprintf("%s, %s, %s, number %" PRIu64, kind->name, site->peer, what[site->stage],
                       nth);
    return xprintf("%s, %s, %s %s %s%s%s, number %" PRIu64, kind->name, site->peer,
                   what[site->stage], site->verb, site->resource, gap, site->name, nth);
}

void point_put(struct json_object *scenario, struct json_object *fault)
{
    struct json_object *faults = json_get(scenario, "faults");
    struct json_object *list;

    if (faults != NULL && json_object_is_type(faults, json_type_array)) {
        (void)json_object_array_add(faults, fault);
        return;
    }
    list = json_object_new_array();
    if (faults != NULL)
        (void)json_object_array_add(list, json_object_get(faults));
    (void)json_object_array_add(list, fault);
    json_set(scenario, "faults", list);
}
