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

/* What an action happens to. */
enum subject { TO_REQUESTS, TO_READS, TO_EVENTS, TO_BOOKMARKS };

static const struct {
    const char *name;
    const char *key;
    enum subject subject;
} actions[FAULT_ACTION_COUNT] = {
    [FAULT_NONE] = {"none",          NULL,            TO_REQUESTS },
    [FAULT_REFUSE] = {"refuse",        "refuse",        TO_REQUESTS },
    [FAULT_SILENT] = {"silent",        "silent",        TO_REQUESTS },
    [FAULT_STATUS] = {"status",        "status",        TO_REQUESTS },
    [FAULT_DROP_ANSWER] = {"drop answer",   "drop_answer",   TO_REQUESTS },
    [FAULT_CUT] = {"cut",           "cut_at",        TO_REQUESTS },
    [FAULT_STALE] = {"stale",         "stale",         TO_READS    },
    [FAULT_DELAY] = {"delay",         "delay",         TO_REQUESTS },
    [FAULT_COMPACT] = {"compact",       "compact",       TO_REQUESTS },
    [FAULT_WATCH_CLOSE] = {"close watch",   "close_watch",   TO_EVENTS   },
    [FAULT_WATCH_STALL] = {"stall watch",   "stall_watch",   TO_EVENTS   },
    [FAULT_WATCH_SWALLOW] = {"swallow event", "swallow_event", TO_EVENTS   },
    [FAULT_HTML] = {"html",          "html",          TO_REQUESTS },
    [FAULT_CONTENT_TYPE] = {"content type",  "content_type",  TO_REQUESTS },
    [FAULT_TRUNCATE] = {"truncate",      "truncate",      TO_REQUESTS },
    [FAULT_SLOW_BODY] = {"slow body",     "slow_body",     TO_REQUESTS },
    [FAULT_WATCH_DELAY] = {"delay event",   "delay_event",   TO_EVENTS   },
    [FAULT_WATCH_REPEAT] = {"repeat event",  "repeat_event",  TO_EVENTS   },
    [FAULT_WATCH_GAP] = {"gap",           "gap",           TO_EVENTS   },
    [FAULT_WATCH_ERROR] = {"error event",   "error_event",   TO_EVENTS   },
    [FAULT_WATCH_GARBAGE] = {"garbage line",  "garbage_line",  TO_EVENTS   },
    [FAULT_WATCH_LONG] = {"long line",     "long_line",     TO_EVENTS   },
    [FAULT_WATCH_HALF] = {"half line",     "half_line",     TO_EVENTS   },
    [FAULT_WATCH_NO_MARK] = {"no bookmark",   "no_bookmark",   TO_BOOKMARKS},
};

const char *fault_action_name(enum fault_action action)
{
    return actions[action].name;
}

const char *fault_action_key(enum fault_action action)
{
    return actions[action].key;
}

bool fault_action_is_of_watch(enum fault_action action)
{
    return actions[action].subject == TO_EVENTS || actions[action].subject == TO_BOOKMARKS;
}

bool fault_action_suits(enum fault_action action, const char *verb)
{
    if (fault_action_is_of_watch(action))
        return strcmp(verb, "watch") == 0;
    return actions[action].subject != TO_READS || strcmp(verb, "get") == 0 ||
           strcmp(verb, "list") == 0;
}

const char *fault_reason(unsigned status, const char *written)
{
    static const struct {
        unsigned status;
        const char *reason;
    } usual[] = {
        {400, "BadRequest"           },
        {401, "Unauthorized"         },
        {403, "Forbidden"            },
        {404, "NotFound"             },
        {405, "MethodNotAllowed"     },
        {409, "Conflict"             },
        {410, "Expired"              },
        {413, "RequestEntityTooLarge"},
        {422, "Invalid"              },
        {429, "TooManyRequests"      },
        {500, "InternalError"        },
        {503, "ServiceUnavailable"   },
        {504, "Timeout"              }
    };

    if (written != NULL)
        return *written == '\0' ? NULL : written;
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
        if (usual[i].status == status)
            return usual[i].reason;
    return NULL;
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
    free_text(rule->effect.content_type);
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
    copy->effect.content_type = xstrdup(rule->effect.content_type);
    copy->effect.rule = NULL;
    return entry;
}

static bool has_action(const struct fault_effect *effect)
{
    return effect->action != FAULT_NONE && effect->action != FAULT_DELAY &&
           effect->action != FAULT_COMPACT;
}

static bool check_times(const struct fault_rule *rule, struct error *err)
{
    const struct fault_effect *effect = &rule->effect;

    if (rule->from_us < 0 || rule->until_us < 0 ||
        (rule->until_us != 0 && rule->until_us <= rule->from_us))
        return error_set(err, ERROR_INVALID, "until must be after from, and neither below 0");
    if (effect->delay_us < 0)
        return error_set(err, ERROR_INVALID, "delay must not be below 0");
    if (effect->retry_after_seconds < 0 || effect->stale_age_us < 0)
        return error_set(err, ERROR_INVALID, "times must not be below 0");
    if ((effect->action == FAULT_SLOW_BODY || effect->action == FAULT_WATCH_DELAY) &&
        effect->wait_us <= 0)
        return error_set(err, ERROR_INVALID, "%s must be above 0", actions[effect->action].key);
    return true;
}

static bool check_effect(const struct fault_effect *effect, struct error *err)
{
    bool carries_status = effect->action == FAULT_STATUS || effect->action == FAULT_WATCH_ERROR;

    if (carries_status && (effect->status < 400 || effect->status > 599))
        return error_set(err, ERROR_INVALID, "status must be from 400 to 599");
    if (effect->action == FAULT_HTML && (effect->status < 200 || effect->status > 599))
        return error_set(err, ERROR_INVALID, "html must be from 200 to 599");
    if (effect->action == FAULT_STALE &&
        (effect->stale_revision == 0) == (effect->stale_age_us == 0))
        return error_set(err, ERROR_INVALID, "stale takes either a revision or an age");
    if (effect->action == FAULT_CONTENT_TYPE && effect->content_type == NULL)
        return error_set(err, ERROR_INVALID, "content_type must be said");
    if (effect->action == FAULT_WATCH_LONG && effect->amount > FAULT_LINE_BYTES_MAX)
        return error_set(err, ERROR_INVALID, "long_line must be at most %d", FAULT_LINE_BYTES_MAX);
    if (fault_action_is_of_watch(effect->action) && (effect->delay_us > 0 || effect->compact))
        return error_set(err, ERROR_INVALID,
                         "delay and compact happen to requests, and %s does not",
                         actions[effect->action].key);
    if (!has_action(effect) && effect->delay_us == 0 && !effect->compact)
        return error_set(err, ERROR_INVALID, "the rule does nothing");
    return true;
}

static bool check_rule(const struct fault_rule *rule, struct error *err)
{
    if (rule->has_probability && !(rule->probability >= 0 && rule->probability <= 1))
        return error_set(err, ERROR_INVALID, "probability must be from 0 to 1");
    if (rule->seed != 0 && !rule->has_probability)
        return error_set(err, ERROR_INVALID, "a seed goes with a probability");
    return check_times(rule, err) && check_effect(&rule->effect, err);
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

/* Rules of subject, and with requests those of reads. */
static bool looks_at(const struct fault_rule *rule, enum subject subject)
{
    enum subject own = actions[rule->effect.action].subject;

    return own == subject || (own == TO_READS && subject == TO_REQUESTS);
}

static void decide(struct faults *faults, const struct fault_call *call, enum subject subject,
                   struct fault_effect *ret_effect)
{
    struct entry *entry;

    *ret_effect = (struct fault_effect){0};
    if (faults->observer != NULL && subject != TO_BOOKMARKS)
        faults->observer(faults->observer_arg, call, subject == TO_EVENTS);
    DL_FOREACH (faults->entries, entry) {
        if (looks_at(&entry->rule, subject) && is_its_turn(entry, call))
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
    decide(faults, call, TO_REQUESTS, ret_effect);
}

void faults_decide_event(struct faults *faults, const struct fault_call *call,
                         struct fault_effect *ret_effect)
{
    decide(faults, call, TO_EVENTS, ret_effect);
}

void faults_decide_bookmark(struct faults *faults, const struct fault_call *call,
                            struct fault_effect *ret_effect)
{
    decide(faults, call, TO_BOOKMARKS, ret_effect);
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
