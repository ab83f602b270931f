#include "fakeapi/faults/faults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fakeapi/faults/glob.h"

static const struct fault_call call = {
    .user_agent = "agent-controller/1",
    .peer = "ctl-0",
    .user = "system:serviceaccount:a:ctl",
    .verb = "list",
    .resource = "agents",
    .namespace = "ai-agents",
    .name = "",
    .since_start_us = 10,
};

static void test_glob(void **state)
{
    static const struct {
        const char *pattern;
        const char *text;
        bool want;
    } rows[] = {
        {"",       "",         true },
        {"",       "a",        false},
        {"*",      "",         true },
        {"a*",     "abc",      true },
        {"a*",     "ba",       false},
        {"*c",     "abc",      true },
        {"a*c*e",  "abcde",    true },
        {"a*c*e",  "abcdef",   false},
        {"a?c",    "abc",      true },
        {"a?c",    "ac",       false},
        {"*ab",    "aab",      true },
        {"pods",   "pods/log", false},
        {"pods/*", "pods/log", true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (glob_matches(rows[i].pattern, rows[i].text) != rows[i].want)
            fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].text);
}

/* Each matcher, with a pattern that matches the call and one that does not. */
static void test_matchers(void **state)
{
    static const struct {
        const char *name;
        size_t offset;
        const char *good;
        const char *bad;
    } rows[] = {
        {"caller",    offsetof(struct fault_rule, caller),    "agent-*",   "kubectl*"},
        {"peer",      offsetof(struct fault_rule, peer),      "ctl-?",     "ctl"     },
        {"account",   offsetof(struct fault_rule, account),   "a/c*",      "b/ctl"   },
        {"user",      offsetof(struct fault_rule, user),      "*:ctl",     "admin"   },
        {"verb",      offsetof(struct fault_rule, verb),      "list",      "get"     },
        {"resource",  offsetof(struct fault_rule, resource),  "agents",    "agents/*"},
        {"namespace", offsetof(struct fault_rule, namespace), "ai-agents", ""        },
        {"object",    offsetof(struct fault_rule, object),    "",          "x"       },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct faults *faults = faults_new();
        struct fault_rule rule = {.effect = {.action = FAULT_REFUSE}};
        struct fault_patterns *patterns =
            (struct fault_patterns *)(void *)((char *)&rule + rows[i].offset);
        struct fault_effect effect;
        struct error err = ERROR_INIT;

        *patterns = (struct fault_patterns){
            .items = {"zzz", rows[i].bad},
              .count = 2
        };
        assert_true(faults_add(faults, &rule, NULL, &err));
        faults_decide(faults, &call, &effect);
        if (effect.action != FAULT_NONE)
            fail_msg("%s: '%s' matches", rows[i].name, rows[i].bad);
        patterns->items[1] = rows[i].good;
        assert_true(faults_add(faults, &rule, NULL, &err));
        faults_decide(faults, &call, &effect);
        if (effect.action != FAULT_REFUSE)
            fail_msg("%s: '%s' does not match", rows[i].name, rows[i].good);
        faults_free(faults);
    }
}

/* Which of ten calls, one microsecond apart from 0 on, a rule acts on: 'x' each. */
static void acts_on(const struct fault_rule *rule, char pattern[11])
{
    struct faults *faults = faults_new();
    struct fault_call one = call;
    struct fault_effect effect;
    struct error err = ERROR_INIT;

    assert_true(faults_add(faults, rule, NULL, &err));
    for (int i = 0; i < 10; i++) {
        one.since_start_us = i;
        faults_decide(faults, &one, &effect);
        pattern[i] = effect.action == FAULT_NONE ? '.' : 'x';
    }
    pattern[10] = '\0';
    faults_free(faults);
}

static void test_turns(void **state)
{
    /* clang-format off */
    static const struct {
        const char *name;
        struct fault_rule rule;
        const char *want;
    } rows[] = {
        {"always", {.nth = 0}, "xxxxxxxxxx"},
        {"the first", {.nth = 1}, "x........."},
        {"the third", {.nth = 3}, "..x......."},
        {"every third", {.every = 3}, "..x..x..x."},
        {"at most twice", {.count = 2}, "xx........"},
        {"every third, twice", {.every = 3, .count = 2}, "..x..x...."},
        {"from", {.from_us = 4}, "....xxxxxx"},
        {"until", {.until_us = 4}, "xxxx......"},
        {"a window, and the second in it", {.from_us = 4, .until_us = 8, .nth = 2}, ".....x...."},
        {"never", {.has_probability = true, .probability = 0}, ".........."},
        {"surely", {.has_probability = true, .probability = 1}, "xxxxxxxxxx"},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fault_rule rule = rows[i].rule;
        char got[11];

        rule.effect.action = FAULT_SILENT;
        acts_on(&rule, got);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: %s", rows[i].name, got);
    }
}

static void test_probability(void **state)
{
    struct faults *faults = faults_new();
    struct fault_rule rule = {
        .has_probability = true, .probability = 0.25, .effect = {.action = FAULT_REFUSE}};
    struct fault_call one = call;
    struct fault_effect effect;
    struct error err = ERROR_INIT;
    int hits = 0;

    (void)state;
    assert_true(faults_add(faults, &rule, NULL, &err));
    for (uint64_t i = 0; i < 4000; i++) {
        one.random = i;
        faults_decide(faults, &one, &effect);
        hits += effect.action == FAULT_REFUSE;
    }
    assert_in_range(hits, 900, 1100);
    faults_free(faults);
}

static void test_together(void **state)
{
    struct faults *faults = faults_new();
    struct fault_rule slow = {
        .name = "slow", .effect = {.action = FAULT_DELAY, .delay_us = 5}
    };
    struct fault_rule lost = {
        .name = "lost", .effect = {.action = FAULT_DROP_ANSWER, .delay_us = 7}
    };
    struct fault_rule cut = {
        .name = "cut", .effect = {.action = FAULT_CUT, .cut_at = 3}
    };
    struct fault_rule forget = {
        .effect = {.action = FAULT_COMPACT, .compact = true}
    };
    struct fault_effect effect;
    struct error err = ERROR_INIT;
    uint64_t ids[4];

    (void)state;
    assert_true(faults_add(faults, &slow, &ids[0], &err));
    assert_true(faults_add(faults, &lost, &ids[1], &err));
    assert_true(faults_add(faults, &cut, &ids[2], &err));
    assert_true(faults_add(faults, &forget, &ids[3], &err));
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.action, FAULT_DROP_ANSWER);
    assert_int_equal(effect.delay_us, 12);
    assert_true(effect.compact);
    assert_string_equal(effect.rule, "lost");
    assert_int_equal(faults_acted(faults, ids[0]), 1);
    assert_int_equal(faults_acted(faults, ids[2]), 0);
    assert_int_equal(faults_acted(faults, ids[3]), 1);
    assert_true(faults_remove(faults, ids[1]));
    assert_false(faults_remove(faults, ids[1]));
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.action, FAULT_CUT);
    assert_int_equal(effect.cut_at, 3);
    assert_int_equal(faults_count(faults), 3);
    faults_clear(faults);
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.action, FAULT_NONE);
    faults_free(faults);
}

static void test_watches(void **state)
{
    struct faults *faults = faults_new();
    struct fault_rule swallow = {
        .object = {.items = {"run-*"}, .count = 1},
        .nth = 2,
        .effect = {.action = FAULT_WATCH_SWALLOW                 }
    };
    struct fault_rule stall = {.from_us = 50, .effect = {.action = FAULT_WATCH_STALL}};
    struct fault_call watch = call;
    struct fault_effect effect;
    struct error err = ERROR_INIT;

    (void)state;
    watch.verb = "watch";
    watch.name = "run-1";
    assert_true(faults_add(faults, &swallow, NULL, &err));
    assert_true(faults_add(faults, &stall, NULL, &err));
    /* opening the watch is no event */
    faults_decide(faults, &watch, &effect);
    assert_int_equal(effect.action, FAULT_NONE);
    faults_decide_event(faults, &watch, &effect);
    assert_int_equal(effect.action, FAULT_NONE);
    faults_decide_event(faults, &watch, &effect);
    assert_int_equal(effect.action, FAULT_WATCH_SWALLOW);
    assert_int_equal(faults_next_edge_us(faults, 0), 50);
    assert_int_equal(faults_next_edge_us(faults, 50), INT64_MAX);
    faults_decide_idle(faults, &watch, &effect);
    assert_int_equal(effect.action, FAULT_NONE);
    watch.since_start_us = 50;
    faults_decide_idle(faults, &watch, &effect);
    assert_int_equal(effect.action, FAULT_WATCH_STALL);
    faults_free(faults);
}

static void test_refused_rules(void **state)
{
    /* clang-format off */
    static const struct {
        const char *want;
        struct fault_rule rule;
    } rows[] = {
        {"the rule does nothing", {.nth = 1}},
        {"status must be from 400 to 599", {.effect = {.action = FAULT_STATUS, .status = 399}}},
        {"status must be from 400 to 599", {.effect = {.action = FAULT_STATUS, .status = 600}}},
        {"a seed goes with a probability", {.seed = 1, .effect = {.action = FAULT_REFUSE}}},
        {"probability must be from 0 to 1",
         {.has_probability = true, .probability = 1.5, .effect = {.action = FAULT_REFUSE}}},
        {"until must be after from, and neither below 0",
         {.from_us = 5, .until_us = 5, .effect = {.action = FAULT_REFUSE}}},
        {"delay must not be below 0", {.effect = {.action = FAULT_REFUSE, .delay_us = -1}}},
        {"stale takes either a revision or an age", {.effect = {.action = FAULT_STALE}}},
        {"stale takes either a revision or an age",
         {.effect = {.action = FAULT_STALE, .stale_age_us = 1, .stale_revision = 1}}},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct faults *faults = faults_new();
        struct error err = ERROR_INIT;

        assert_false(faults_add(faults, &rows[i].rule, NULL, &err));
        assert_string_equal(err.text, rows[i].want);
        faults_free(faults);
    }
}

static void test_rule_limit(void **state)
{
    struct faults *faults = faults_new();
    struct fault_rule rule = {.effect = {.action = FAULT_REFUSE}};
    struct error err = ERROR_INIT;

    (void)state;
    for (int i = 0; i < FAULT_RULES_MAX; i++)
        assert_true(faults_add(faults, &rule, NULL, &err));
    assert_false(faults_add(faults, &rule, NULL, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    faults_free(faults);
}

/* With a seed it is the same matches in every run, whatever random numbers the calls bring. */
static void test_seed(void **state)
{
    char runs[3][65];

    (void)state;
    for (size_t run = 0; run < 3; run++) {
        struct fault_rule rule = {.has_probability = true,
                                  .probability = 0.25,
                                  .seed = run == 2 ? 8 : 7,
                                  .effect = {.action = FAULT_SILENT}};
        struct faults *faults = faults_new();
        struct fault_call mine = call;
        struct fault_effect effect;

        assert_true(faults_add(faults, &rule, NULL, NULL));
        for (size_t i = 0; i < 64; i++) {
            mine.random = run * 1000 + i;
            faults_decide(faults, &mine, &effect);
            runs[run][i] = effect.action == FAULT_SILENT ? 'x' : '.';
        }
        runs[run][64] = '\0';
        assert_in_range(faults_acted(faults, 1), 4, 32);
        faults_free(faults);
    }
    assert_string_equal(runs[0], runs[1]);
    assert_string_not_equal(runs[0], runs[2]);
}

/* Only users that are service accounts have a namespace and a name. */
static void test_accounts(void **state)
{
    static const struct {
        const char *user;
        const char *pattern;
        bool want;
    } rows[] = {
        {"system:serviceaccount:a:ctl", "a/ctl",   true },
        {"system:serviceaccount:a:ctl", "*",       true },
        {"system:serviceaccount:a:ctl", "a/other", false},
        {"system:serviceaccount:a",     "*",       false},
        {"a/ctl",                       "a/ctl",   false},
        {"",                            "*",       false},
        {NULL,                          "*",       false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fault_rule rule = {
            .account = {.items = {rows[i].pattern}, .count = 1},
            .effect = {.action = FAULT_SILENT                         }
        };
        struct faults *faults = faults_new();
        struct fault_call mine = call;
        struct fault_effect effect;

        assert_true(faults_add(faults, &rule, NULL, NULL));
        mine.user = rows[i].user;
        faults_decide(faults, &mine, &effect);
        if ((effect.action == FAULT_SILENT) != rows[i].want)
            fail_msg("row %zu", i);
        faults_free(faults);
    }
}

/* What each rule did so far, in the order of their adding. */
static void count_entries(void *arg, const struct fault_entry *entry)
{
    uint64_t *sums = arg;

    sums[0]++;
    sums[1] = sums[1] * 10 + entry->id;
    sums[2] = sums[2] * 10 + entry->matched;
    sums[3] = sums[3] * 10 + entry->acted;
}

static void test_entries(void **state)
{
    struct fault_rule rule = {.nth = 2, .effect = {.action = FAULT_SILENT}};
    struct faults *faults = faults_new();
    struct fault_effect effect;
    struct fault_entry entry;
    uint64_t sums[4] = {0};

    (void)state;
    assert_true(faults_add(faults, &rule, NULL, NULL));
    rule.nth = 0;
    assert_true(faults_add(faults, &rule, NULL, NULL));
    faults_decide(faults, &call, &effect);
    faults_decide(faults, &call, &effect);
    faults_each(faults, count_entries, sums);
    assert_int_equal(sums[0], 2);
    assert_int_equal(sums[1], 12);
    assert_int_equal(sums[2], 22);
    assert_int_equal(sums[3], 11); /* the second gave way to the first once */
    assert_true(faults_find(faults, 2, &entry));
    assert_string_equal(entry.rule->name, "rule 2");
    assert_false(faults_find(faults, 3, &entry));
    faults_free(faults);
}

/* --- the one in front --- */

static const struct fault_rule lucky = {
    .has_probability = true, .probability = 0.5, .effect = {.action = FAULT_REFUSE}};
static const struct fault_rule first = {
    .nth = 2, .effect = {.action = FAULT_STATUS, .status = 503}
};

/* What the others do is as without it, but where it acts: there its action wins. */
static void test_first(void **state)
{
    struct faults *without = faults_new();
    struct faults *with = faults_new();
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(faults_add_first(with, &first, &err));
    assert_true(faults_add(without, &lucky, NULL, &err));
    assert_true(faults_add(with, &lucky, NULL, &err));
    for (uint64_t i = 1; i <= 20; i++) {
        struct fault_call drawn = call;
        struct fault_effect alone;
        struct fault_effect both;

        drawn.random = i * UINT64_C(0x9e3779b97f4a7c15);
        faults_decide(without, &drawn, &alone);
        faults_decide(with, &drawn, &both);
        assert_int_equal(both.action, i == 2 ? FAULT_STATUS : alone.action);
    }
    assert_int_equal(faults_acted(with, FAULT_FIRST_ID), 1);
    assert_true(faults_remove(with, FAULT_FIRST_ID));
    faults_free(without);
    faults_free(with);
}

static void test_draw(void **state)
{
    struct faults *faults = faults_new();
    struct fault_rule seeded = lucky;
    struct error err = ERROR_INIT;

    (void)state;
    seeded.seed = 7;
    assert_true(faults_add(faults, &first, NULL, &err));
    assert_true(faults_add(faults, &seeded, NULL, &err));
    assert_false(faults_draw(faults));
    assert_true(faults_add(faults, &lucky, NULL, &err));
    assert_true(faults_draw(faults));
    faults_free(faults);
}

struct observed {
    struct faults *faults;
    size_t calls;
    size_t events;
};

/* It may add the rule that decides on this very call. */
static void observe(void *arg, const struct fault_call *seen, bool event)
{
    struct observed *observed = arg;
    struct fault_rule now = {.nth = 1, .effect = {.action = FAULT_REFUSE}};
    struct error err = ERROR_INIT;

    assert_string_equal(seen->peer, "ctl-0");
    observed->calls += !event;
    observed->events += event;
    if (!event && observed->calls == 2)
        assert_true(faults_add_first(observed->faults, &now, &err));
}

static void test_observer(void **state)
{
    struct observed observed = {.faults = faults_new()};
    struct fault_effect effect;

    (void)state;
    assert_false(faults_are_asked(observed.faults));
    faults_observe(observed.faults, observe, &observed);
    assert_true(faults_are_asked(observed.faults));
    for (size_t i = 1; i <= 3; i++) {
        faults_decide(observed.faults, &call, &effect);
        assert_int_equal(effect.action, i == 2 ? FAULT_REFUSE : FAULT_NONE);
    }
    faults_decide_event(observed.faults, &call, &effect);
    assert_int_equal(observed.calls, 3);
    assert_int_equal(observed.events, 1);
    faults_observe(observed.faults, NULL, NULL);
    faults_decide(observed.faults, &call, &effect);
    assert_int_equal(observed.calls, 3);
    faults_free(observed.faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glob),        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_accounts),    cmocka_unit_test(test_entries),
        cmocka_unit_test(test_matchers),    cmocka_unit_test(test_turns),
        cmocka_unit_test(test_probability), cmocka_unit_test(test_together),
        cmocka_unit_test(test_watches),     cmocka_unit_test(test_refused_rules),
        cmocka_unit_test(test_rule_limit),  cmocka_unit_test(test_first),
        cmocka_unit_test(test_draw),        cmocka_unit_test(test_observer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
