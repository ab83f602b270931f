/* faults - which requests go wrong, and how. */
#include "fakeapi/faults/faults.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/faults/glob.h"

/* "namespace/name" of a service account: a label of 63 and a name of 253 characters. */
#define ACCOUNT_BYTES_MAX 320

/* A rule at work. */
struct entry {
    uint64_t id;
    struct fault_rule rule; /* its texts are of this entry */
    uint64_t matched;       /* calls */
    uint64_t acted;
    struct entry *prev;
    struct entry *next;
};

struct faults {
    struct entry *entries; /* in the order of their adding */
    size_t count;
    uint64_t next_id;
    fault_observer_fn *observer; /* may be NULL */
    void *observer_arg;
};

static const struct {
    const char *name;
    const char *key;
} actions[FAULT_ACTION_COUNT] = {
    [FAULT_NONE] = {"none",          NULL           },
    [FAULT_REFUSE] = {"refuse",        "refuse"       },
    [FAULT_SILENT] = {"silent",        "silent"       },
    [FAULT_STATUS] = {"status",        "status"       },
    [FAULT_DROP_ANSWER] = {"drop answer",   "drop_answer"  },
    [FAULT_CUT] = {"cut",           "cut_at"       },
    [FAULT_STALE] = {"stale",         "stale"        },
    [FAULT_DELAY] = {"delay",         "delay"        },
    [FAULT_COMPACT] = {"compact",       "compact"      },
    [FAULT_WATCH_CLOSE] = {"close watch",   "close_watch"  },
    [FAULT_WATCH_STALL] = {"stall watch",   "stall_watch"  },
    [FAULT_WATCH_SWALLOW] = {"swallow event", "swallow_event"},
};

const char *fault_action_name(enum fault_action action)
{
    return actions[action].name;
}

const char *fault_action_key(enum fault_action action)
{
    return actions[action].key;
}

/* --- rules --- */

static struct fault_patterns copy_patterns(const struct fault_patterns *patterns)
{
    struct fault_patterns copy = {.count = patterns->count};

    for (size_t i = 0; i < patterns->count; i++)
        copy.items[i] = xstrdup(patterns->items[i]);
    return copy;
}

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

static void free_patterns(struct fault_patterns *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        free_text(patterns->items[i]);
}

static void free_entry(struct entry *entry)
{
    struct fault_rule *rule = &entry->rule;

    free_text(rule->name);
    free_patterns(&rule->caller);
    free_patterns(&rule->peer);
    free_patterns(&rule->user);
    free_patterns(&rule->account);
    free_patterns(&rule->verb);
    free_patterns(&rule->resource);
    free_patterns(&rule->namespace);
    free_patterns(&rule->object);
    free_text(rule->effect.reason);
    free_text(rule->effect.message);
    free(entry);
}

static struct entry *copy_rule(const struct fault_rule *rule, uint64_t id)
{
    struct entry *entry = xcalloc(1, sizeof(*entry));
    struct fault_rule *copy = &entry->rule;

    entry->id = id;
    *copy = *rule;
    copy->name =
        rule->name != NULL ? xstrdup(rule->name) : xprintf("rule %llu", (unsigned long long)id);
    copy->caller = copy_patterns(&rule->caller);
    copy->peer = copy_patterns(&rule->peer);
    copy->user = copy_patterns(&rule->user);
    copy->account = copy_patterns(&rule->account);
    copy->verb = copy_patterns(&rule->verb);
    copy->resource = copy_patterns(&rule->resource);
    copy->namespace = copy_patterns(&rule->namespace);
    copy->object = copy_patterns(&rule->object);
    copy->effect.reason = xstrdup(rule->effect.reason);
    copy->effect.message = xstrdup(rule->effect.message);
    copy->effect.rule = NULL;
    return entry;
}

static bool check_rule(const struct fault_rule *rule, struct error *err)
{
    const struct fault_effect *effect = &rule->effect;

    if (rule->has_probability && !(rule->probability >= 0 && rule->probability <= 1))
        return error_set(err, ERROR_INVALID, "probability must be from 0 to 1");
    if (rule->seed != 0 && !rule->has_probability)
        return error_set(err, ERROR_INVALID, "a seed goes with a probability");
    if (rule->from_us < 0 || rule->until_us < 0 ||
        (rule->until_us != 0 && rule->until_us <= rule->from_us))
        return error_set(err, ERROR_INVALID, "until must be after from, and neither below 0");
    if (effect->delay_us < 0)
        return error_set(err, ERROR_INVALID, "delay must not be below 0");
    if (effect->action == FAULT_STATUS && (effect->status < 400 || effect->status > 599))
        return error_set(err, ERROR_INVALID, "status must be from 400 to 599");
    if (effect->retry_after_seconds < 0 || effect->stale_age_us < 0)
        return error_set(err, ERROR_INVALID, "times must not be below 0");
    if (effect->action == FAULT_STALE &&
        (effect->stale_revision == 0) == (effect->stale_age_us == 0))
        return error_set(err, ERROR_INVALID, "stale takes either a revision or an age");
    if ((effect->action == FAULT_NONE || effect->action == FAULT_DELAY ||
         effect->action == FAULT_COMPACT) &&
        effect->delay_us == 0 && !effect->compact)
        return error_set(err, ERROR_INVALID, "the rule does nothing");
    return true;
}

struct faults *faults_new(void)
{
    struct faults *faults = xcalloc(1, sizeof(*faults));

    faults->next_id = 1;
    return faults;
}

void faults_clear(struct faults *faults)
{
    struct entry *entry;
    struct entry *next;

    DL_FOREACH_SAFE(faults->entries, entry, next)
    {
        DL_DELETE(faults->entries, entry);
        free_entry(entry);
    }
    faults->count = 0;
}

void faults_free(struct faults *faults)
{
    if (faults == NULL)
        return;
    faults_clear(faults);
    free(faults);
}

bool faults_add(struct faults *faults, const struct fault_rule *rule, uint64_t *ret_id,
                struct error *err)
{
    struct entry *entry;

    if (!check_rule(rule, err))
        return false;
    if (faults->count == FAULT_RULES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %d fault rules", FAULT_RULES_MAX);
    entry = copy_rule(rule, faults->next_id++);
    DL_APPEND(faults->entries, entry);
    faults->count++;
    if (ret_id != NULL)
        *ret_id = entry->id;
    return true;
}

bool faults_add_first(struct faults *faults, const struct fault_rule *rule, struct error *err)
{
    struct entry *entry;

    if (!check_rule(rule, err))
        return false;
    entry = copy_rule(rule, FAULT_FIRST_ID);
    DL_PREPEND(faults->entries, entry);
    faults->count++;
    return true;
}

static struct entry *find_entry(const struct faults *faults, uint64_t id)
{
    struct entry *entry;

    DL_FOREACH (faults->entries, entry) {
        if (entry->id == id)
            return entry;
    }
    return NULL;
}

bool faults_remove(struct faults *faults, uint64_t id)
{
    struct entry *entry = find_entry(faults, id);

    if (entry == NULL)
        return false;
    DL_DELETE(faults->entries, entry);
    free_entry(entry);
    faults->count--;
    return true;
}

size_t faults_count(const struct faults *faults)
{
    return faults->count;
}

static struct fault_entry describe(const struct entry *entry)
{
    return (struct fault_entry){entry->id, &entry->rule, entry->matched, entry->acted};
}

void faults_each(const struct faults *faults, void (*fn)(void *arg, const struct fault_entry *),
                 void *arg)
{
    const struct entry *entry;

    DL_FOREACH (faults->entries, entry) {
        struct fault_entry described = describe(entry);

        fn(arg, &described);
    }
}

bool faults_find(const struct faults *faults, uint64_t id, struct fault_entry *ret_entry)
{
    const struct entry *entry = find_entry(faults, id);

    if (entry != NULL)
        *ret_entry = describe(entry);
    return entry != NULL;
}

uint64_t faults_acted(const struct faults *faults, uint64_t id)
{
    const struct entry *entry = find_entry(faults, id);

    return entry == NULL ? 0 : entry->acted;
}

/* --- deciding --- */

static bool any_matches(const struct fault_patterns *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (glob_matches(patterns->items[i], text_or(text, "")))
            return true;
    return patterns->count == 0;
}

/* "system:serviceaccount:ns:name" is the account "ns/name". */
static bool account_matches(const struct fault_patterns *patterns, const char *user)
{
    static const char prefix[] = "system:serviceaccount:";
    char account[ACCOUNT_BYTES_MAX];
    char *colon;

    if (patterns->count == 0)
        return true;
    user = text_or(user, "");
    if (!text_starts_with(user, prefix) || strlen(user) - (sizeof(prefix) - 1) >= sizeof(account))
        return false;
    strcpy(account, user + sizeof(prefix) - 1);
    colon = strchr(account, ':');
    if (colon == NULL)
        return false;
    *colon = '/';
    return any_matches(patterns, account);
}

static bool matches(const struct fault_rule *rule, const struct fault_call *call)
{
    return call->since_start_us >= rule->from_us &&
           (rule->until_us == 0 || call->since_start_us < rule->until_us) &&
           any_matches(&rule->caller, call->user_agent) && any_matches(&rule->peer, call->peer) &&
           any_matches(&rule->user, call->user) && account_matches(&rule->account, call->user) &&
           any_matches(&rule->verb, call->verb) && any_matches(&rule->resource, call->resource) &&
           any_matches(&rule->namespace, call->namespace) && any_matches(&rule->object, call->name);
}

/* From 0 to below 1, of a random number and a count: splitmix64's last steps. */
static double chance(uint64_t random, uint64_t number)
{
    uint64_t mixed = random + number * UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    mixed ^= mixed >> 31;
    return (double)(mixed >> 11) * 0x1.0p-53;
}

static bool has_luck(const struct entry *entry, const struct fault_call *call)
{
    const struct fault_rule *rule = &entry->rule;
    double drawn =
        rule->seed == 0 ? chance(call->random, entry->id) : chance(rule->seed, entry->matched);

    return !rule->has_probability || drawn < rule->probability;
}

/* Counts a call that matches, and says whether it is one to act on. */
static bool is_its_turn(struct entry *entry, const struct fault_call *call)
{
    const struct fault_rule *rule = &entry->rule;

    if (!matches(rule, call))
        return false;
    entry->matched++;
    return (rule->nth == 0 || entry->matched == rule->nth) &&
           (rule->every == 0 || entry->matched % rule->every == 0) &&
           (rule->count == 0 || entry->acted < rule->count) && has_luck(entry, call);
}

static bool is_of_watch(const struct fault_rule *rule)
{
    return rule->effect.action == FAULT_WATCH_CLOSE || rule->effect.action == FAULT_WATCH_STALL ||
           rule->effect.action == FAULT_WATCH_SWALLOW;
}

static bool has_action(const struct fault_effect *effect)
{
    return effect->action != FAULT_NONE && effect->action != FAULT_DELAY &&
           effect->action != FAULT_COMPACT;
}

/* Adds what the rule does to effect, unless an earlier rule's action is there. */
static void act(struct entry *entry, struct fault_effect *effect)
{
    const struct fault_effect *mine = &entry->rule.effect;
    int64_t delay_us = effect->delay_us + mine->delay_us;
    bool compact = effect->compact || mine->compact || mine->action == FAULT_COMPACT;

    if (has_action(mine) && has_action(effect))
        return;
    entry->acted++;
    if (has_action(mine)) {
        *effect = *mine;
        effect->rule = entry->rule.name;
    } else if (effect->action == FAULT_NONE) {
        effect->action = mine->delay_us > 0 ? FAULT_DELAY : FAULT_COMPACT;
        effect->rule = entry->rule.name;
    }
    effect->delay_us = delay_us;
    effect->compact = compact;
}

static void decide(struct faults *faults, const struct fault_call *call, bool events,
                   struct fault_effect *ret_effect)
{
    struct entry *entry;

    *ret_effect = (struct fault_effect){0};
    if (faults->observer != NULL)
        faults->observer(faults->observer_arg, call, events);
    DL_FOREACH (faults->entries, entry) {
        if (is_of_watch(&entry->rule) == events && is_its_turn(entry, call))
            act(entry, ret_effect);
    }
}

bool faults_are_asked(const struct faults *faults)
{
    return faults->count > 0 || faults->observer != NULL;
}

bool faults_draw(const struct faults *faults)
{
    const struct entry *entry;

    DL_FOREACH (faults->entries, entry) {
        if (entry->rule.has_probability && entry->rule.seed == 0)
            return true;
    }
    return false;
}

void faults_observe(struct faults *faults, fault_observer_fn *fn, void *arg)
{
    faults->observer = fn;
    faults->observer_arg = arg;
}

void faults_decide(struct faults *faults, const struct fault_call *call,
                   struct fault_effect *ret_effect)
{
    decide(faults, call, false, ret_effect);
}

void faults_decide_event(struct faults *faults, const struct fault_call *call,
                         struct fault_effect *ret_effect)
{
    decide(faults, call, true, ret_effect);
}

/* Whether a rule asks for nothing that an idle watch does not have. */
static bool is_for_idle(const struct fault_rule *rule)
{
    return (rule->effect.action == FAULT_WATCH_CLOSE || rule->effect.action == FAULT_WATCH_STALL) &&
           rule->nth == 0 && rule->every == 0 && rule->object.count == 0 && !rule->has_probability;
}

void faults_decide_idle(struct faults *faults, const struct fault_call *call,
                        struct fault_effect *ret_effect)
{
    struct entry *entry;

    *ret_effect = (struct fault_effect){0};
    DL_FOREACH (faults->entries, entry) {
        if (is_for_idle(&entry->rule) && is_its_turn(entry, call))
            act(entry, ret_effect);
    }
}

int64_t faults_next_edge_us(const struct faults *faults, int64_t since_start_us)
{
    int64_t edge_us = INT64_MAX;
    const struct entry *entry;

    DL_FOREACH (faults->entries, entry) {
        if (is_for_idle(&entry->rule) && entry->rule.from_us > since_start_us &&
            entry->rule.from_us < edge_us)
            edge_us = entry->rule.from_us;
    }
    return edge_us;
}
