#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakeapi/faults/faults.h"

static bool load(struct faults *faults, const char *text, struct error *err)
{
    return faults_load(faults, text, strlen(text), err);
}

static const char all_of_it[] =
    "- name: lists break now and then\n"
    "  match: {caller: agent-controller*, peer: ctl-0, user: '*', verb: [list, get],\n"
    "          resource: agents, namespace: ai-agents, name: ''}\n"
    "  when: {nth: 1, every: 1, probability: 1.0, from: 1s, until: 1m, count: 2}\n"
    "  do: {delay: 2s, cut_at: 100, compact: true}\n"
    "- match: {verb: create}\n"
    "  do: {status: 429, reason: TooManyRequests, message: slow down, retry_after: 5}\n"
    "- match: {verb: get}\n"
    "  do:\n"
    "    stale: {age: 30s}\n"
    "- do: {delay: 1ms}\n";

static void test_all(void **state)
{
    struct faults *faults = faults_new();
    struct fault_call call = {.user_agent = "agent-controller/1",
                              .peer = "ctl-0",
                              .verb = "list",
                              .resource = "agents",
                              .namespace = "ai-agents",
                              .since_start_us = 1000000};
    struct fault_effect effect;
    struct error err = ERROR_INIT;

    (void)state;
    if (!load(faults, all_of_it, &err))
        fail_msg("%s", err.text);
    assert_int_equal(faults_count(faults), 4);
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.action, FAULT_CUT);
    assert_int_equal(effect.cut_at, 100);
    assert_int_equal(effect.delay_us, 2001000);
    assert_true(effect.compact);
    assert_string_equal(effect.rule, "lists break now and then");
    call.verb = "create";
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.status, 429);
    assert_string_equal(effect.reason, "TooManyRequests");
    assert_string_equal(effect.message, "slow down");
    assert_int_equal(effect.retry_after_seconds, 5);
    assert_string_equal(effect.rule, "rule 2");
    call.verb = "get";
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.stale_age_us, 30000000);
    call.verb = "update";
    faults_decide(faults, &call, &effect);
    assert_int_equal(effect.action, FAULT_DELAY);
    faults_free(faults);
}

static void test_actions(void **state)
{
    static const struct {
        const char *text;
        enum fault_action want;
        bool event;
    } rows[] = {
        {"- do: {refuse: true}",                                     FAULT_REFUSE,        false},
        {"- match: {verb: 'w*'}\n  do: {silent: true}",              FAULT_SILENT,        false},
        {"- match: {verb: [head, '*']}\n  do: {refuse: true}",       FAULT_REFUSE,        false},
        {"- do: {silent: true}",                                     FAULT_SILENT,        false},
        {"- do: {drop_answer: true}",                                FAULT_DROP_ANSWER,   false},
        {"- do: {status: 503}",                                      FAULT_STATUS,        false},
        {"- do: {cut_at: 0}",                                        FAULT_CUT,           false},
        {"- do: {stale: {revision: 7}}",                             FAULT_STALE,         false},
        {"- do: {compact: true}",                                    FAULT_COMPACT,       false},
        {"- do: {close_watch: true}",                                FAULT_WATCH_CLOSE,   true },
        {"- do: {stall_watch: true}",                                FAULT_WATCH_STALL,   true },
        {"- do: {swallow_event: true}",                              FAULT_WATCH_SWALLOW, true },
        {"- do: {html: 200}",                                        FAULT_HTML,          false},
        {"- do: {html: 599}",                                        FAULT_HTML,          false},
        {"- do: {content_type: text/plain}",                         FAULT_CONTENT_TYPE,  false},
        {"- do: {truncate: 0}",                                      FAULT_TRUNCATE,      false},
        {"- do: {slow_body: 1ms}",                                   FAULT_SLOW_BODY,     false},
        {"- do: {delay_event: 1s}",                                  FAULT_WATCH_DELAY,   true },
        {"- do: {repeat_event: true}",                               FAULT_WATCH_REPEAT,  true },
        {"- do: {gap: 1}",                                           FAULT_WATCH_GAP,     true },
        {"- do: {error_event: 410, reason: ''}",                     FAULT_WATCH_ERROR,   true },
        {"- do: {garbage_line: true}",                               FAULT_WATCH_GARBAGE, true },
        {"- do: {long_line: 67108864}",                              FAULT_WATCH_LONG,    true },
        {"- do: {half_line: true}",                                  FAULT_WATCH_HALF,    true },
        {"- match: {verb: [create, 'w*']}\n  do: {half_line: true}", FAULT_WATCH_HALF,    true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct faults *faults = faults_new();
        struct fault_call call = {.verb = "watch"};
        struct fault_effect effect;
        struct error err = ERROR_INIT;

        if (!load(faults, rows[i].text, &err))
            fail_msg("%s: %s", rows[i].text, err.text);
        (rows[i].event ? faults_decide_event : faults_decide)(faults, &call, &effect);
        assert_int_equal(effect.action, rows[i].want);
        faults_free(faults);
    }
}

static void test_mistakes(void **state)
{
    /* clang-format off */
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        {"a: 1", "line 1, column 1: a list of rules is wanted"},
        {"- x", "line 1, column 3: a mapping is wanted"},
        {"- do: {refuse: true}\n  wen: {}",
         "line 2, column 3: unknown key 'wen'; did you mean 'when'?"},
        {"- zzzzzz: 1", "line 1, column 3: unknown key 'zzzzzz'; known are name, match, when, do"},
        {"- match:\n    verbs: list",
         "line 2, column 5: unknown key 'verbs'; did you mean 'verb'?"},
        {"- match: {verb: creat}\n  do: {refuse: true}",
         "line 1, column 17: unknown verb 'creat'; did you mean 'create'?"},
        {"- match: {verb: [list, GET]}\n  do: {refuse: true}",
         "line 1, column 24: unknown verb 'GET'; did you mean 'get'?"},
        {"- match: {service_account: a}\n  do: {refuse: true}",
         "line 1, column 28: a service account is wanted as namespace/name"},
        {"- match: {verb: 'x*'}\n  do: {refuse: true}",
         "line 1, column 17: unknown verb 'x*'; want get, list, watch, create, update, patch, "
         "delete or deletecollection"},
        {"- match: {verb: [creat, '', {}], nam: a}\n  when: {nth: 0}\n- do: {status: 1}",
         "line 1, column 29: a text is wanted; "
         "line 1, column 18: unknown verb 'creat'; did you mean 'create'?; "
         "line 1, column 25: unknown verb ''; want get, list, watch, create, update, patch, "
         "delete or deletecollection; "
         "line 1, column 34: unknown key 'nam'; did you mean 'name'?; "
         "line 2, column 15: a whole number from 1 on is wanted; "
         "line 3, column 16: a whole number from 400 to 599 is wanted"},
        {"- match: {verb: {a: b}}", "line 1, column 17: a text is wanted"},
        {"- match: {verb: []}", "line 1, column 17: from 1 to 32 patterns are wanted"},
        {"- when: {nth: 0}",
         "line 1, column 15: a whole number from 1 on is wanted"},
        {"- when: {probability: 1.1}", "line 1, column 23: a number from 0 to 1 is wanted"},
        {"- when: {seed: 0}", "line 1, column 16: a whole number from 1 on is wanted"},
        {"- when: {probability: 1e1}", "line 1, column 23: a number from 0 to 1 is wanted"},
        {"- when: {probability: 1e}", "line 1, column 23: a number from 0 to 1 is wanted"},
        {"- when: {probability: -1e-9}", "line 1, column 23: a number from 0 to 1 is wanted"},
        {"- when: {probability: nan}", "line 1, column 23: a number from 0 to 1 is wanted"},
        {"- when: {from: soon}", "line 1, column 16: a duration such as 1m30s is wanted"},
        {"- when: {from: -1s}", "line 1, column 16: a duration such as 1m30s is wanted"},
        {"- when: {from: 5s, until: 5s}\n  do: {refuse: true}",
         "line 1, column 3: until must be after from, and neither below 0"},
        {"- do: {refuse: false}", "line 1, column 16: only true can be said here"},
        {"- do: {refuse: true, silent: true}",
         "line 1, column 30: a second action; a rule has one"},
        {"- do: {status: 399}", "line 1, column 16: a whole number from 400 to 599 is wanted"},
        {"- do: {status: 600}", "line 1, column 16: a whole number from 400 to 599 is wanted"},
        {"- do: {refuse: true, message: x}",
         "line 1, column 7: reason and message go with a status or an error_event"},
        {"- do: {error_event: 410, retry_after: 1}",
         "line 1, column 7: retry_after goes with a status"},
        {"- do: {error_event: 200}", "line 1, column 21: a whole number from 400 to 599 is wanted"},
        {"- do: {html: 199}", "line 1, column 14: a whole number from 200 to 599 is wanted"},
        {"- do: {html: 600}", "line 1, column 14: a whole number from 200 to 599 is wanted"},
        {"- do: {gap: 0}",
         "line 1, column 13: a whole number from 1 on is wanted"},
        {"- do: {long_line: 67108865}",
         "line 1, column 19: a whole number from 1 to 67108864 is wanted"},
        {"- do: {slow_body: 0s}", "line 1, column 3: slow_body must be above 0"},
        {"- do: {delay_event: 0s}", "line 1, column 3: delay_event must be above 0"},
        {"- do: {swallow_event: true, delay: 1s}",
         "line 1, column 3: delay and compact happen to requests, and swallow_event does not"},
        {"- match: {verb: create}\n  do: {swallow_event: true}",
         "line 1, column 17: swallow_event never happens to a 'create'; it is for events of a "
         "watch"},
        {"- match: {verb: [watch, patch]}\n  do: {stale: {age: 1s}}",
         "line 1, column 17: stale never happens to a 'watch'; it is for get and list"},
        {"- do: {}", "line 1, column 3: the rule does nothing"},
        {"- {}", "line 1, column 3: the rule does nothing"},
        {"- do: {stale: {revision: 1, age: 1s}}",
         "line 1, column 3: stale takes either a revision or an age"},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct faults *faults = faults_new();
        struct error err = ERROR_INIT;

        assert_false(load(faults, rows[i].text, &err));
        if (strcmp(err.text, rows[i].want) != 0)
            fail_msg("%s: %s", rows[i].text, err.text);
        faults_free(faults);
    }
}

static void test_all_or_none(void **state)
{
    struct faults *faults = faults_new();
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(load(faults, "", &err));
    assert_true(load(faults, "- do: {refuse: true}", &err));
    assert_false(load(faults, "- do: {refuse: true}\n- do: {}", &err));
    assert_int_equal(faults_count(faults), 1);
    faults_free(faults);
}

/* A rule as JSON is a rule again, and the same. */
static void keep_json(void *arg, const struct fault_entry *entry)
{
    json_add(arg, fault_rule_to_json(entry->rule));
}

static void test_json(void **state)
{
    static const char *const texts[] = {
        all_of_it,
        "- do: {refuse: true}\n- do: {silent: true}\n- do: {drop_answer: true}\n",
        "- do: {stale: {revision: 7}}\n- do: {cut_at: 0}\n- do: {compact: true}\n",
        "- do: {close_watch: true}\n- do: {stall_watch: true}\n- do: {swallow_event: true}\n",
        "- match: {service_account: [a/b, '*/c']}\n  do: {status: 503}\n",
        "- {when: {probability: 5e-05, seed: 7}, do: {silent: true}}\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct faults *faults = faults_new();
        struct faults *again = faults_new();
        struct json_object *first = json_object_new_array();
        struct json_object *second = json_object_new_array();
        struct error err = ERROR_INIT;
        char *text;
        size_t size;

        assert_true(load(faults, texts[i], NULL));
        faults_each(faults, keep_json, first);
        text = json_to_text(first, &size);
        if (!faults_load(again, text, size, &err))
            fail_msg("%s: %s", err.text, text);
        faults_each(again, keep_json, second);
        if (!json_equal(first, second))
            fail_msg("not the same: %s", text);
        free(text);
        json_object_put(first);
        json_object_put(second);
        faults_free(faults);
        faults_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),         cmocka_unit_test(test_json),
        cmocka_unit_test(test_actions),     cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_all_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
