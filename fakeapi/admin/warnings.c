/* warnings - rules that may not do what their author meant. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/admin/parts.h"

/* Most resources that a wrong name is compared with. */
#define CANDIDATES_MAX 512

struct look {
    const struct store *store;
    admin_warning_fn *fn;
    void *arg;
};

/* The plural of a pattern that names one; NULL for one with a wildcard, or a path. free() it. */
static char *plain_plural(const char *pattern)
{
    if (pattern[0] == '/' || strpbrk(pattern, "*?") != NULL)
        return NULL;
    return xmemdup(pattern, strcspn(pattern, "/"));
}

static void check_pattern(const struct look *look, const char *rule, const char *pattern)
{
    const char *candidates[CANDIDATES_MAX];
    size_t count = 0;
    struct store_resource *resource;
    char *plural = plain_plural(pattern);
    const char *closest;
    char *what;
    bool known = plural == NULL;

    while (!known && count < CANDIDATES_MAX &&
           (resource = store_resource_at(look->store, count)) != NULL) {
        candidates[count] = store_resource_plural(resource);
        known = strcmp(candidates[count++], plural) == 0;
    }
    if (!known) {
        closest = text_closest(plural, candidates, count);
        what = xprintf("no resource \"%s\" is served%s%s%s", plural,
                       closest == NULL ? "" : "; did you mean \"", text_or(closest, ""),
                       closest == NULL ? "" : "\"?");
        look->fn(look->arg, rule, what);
        free(what);
    }
    free(plural);
}

static void check_rule(void *arg, const struct fault_entry *entry)
{
    const struct fault_patterns *patterns = &entry->rule->resource;

    for (size_t i = 0; i < patterns->count; i++)
        check_pattern(arg, entry->rule->name, patterns->items[i]);
}

void admin_each_unknown_resource(const struct faults *faults, const struct store *store,
                                 admin_warning_fn *fn, void *arg)
{
    struct look look = {store, fn, arg};

    faults_each(faults, check_rule, &look);
}

static void log_warning(void *arg, const char *rule, const char *what)
{
    struct log_field fields[] = {LOG_TEXT("rule", rule), LOG_TEXT("why", what)};
    struct log_record record = {LOG_WARN, "fault rule may never act", fields, ARRAY_SIZE(fields)};

    runtime_log(arg, &record);
}

void admin_warn_of_resources(struct runtime *rt, const struct faults *faults,
                             const struct store *store)
{
    admin_each_unknown_resource(faults, store, log_warning, rt);
}

static void log_if_idle(void *arg, const struct fault_entry *entry)
{
    struct log_field fields[] = {LOG_TEXT("rule", entry->rule->name),
                                 LOG_NUMBER("matched", (int64_t)entry->matched)};
    struct log_record record = {LOG_WARN, "fault rule never acted", fields, ARRAY_SIZE(fields)};

    if (entry->acted == 0)
        runtime_log(arg, &record);
}

void admin_warn_of_idle_rules(struct runtime *rt, const struct faults *faults)
{
    faults_each(faults, log_if_idle, rt);
}
