/* The table of fault kinds: every row can be written, and whatever can be written has a row. */
#include "scenarios/language/fault_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/** A scenario with one fault that does so; NULL after a mistake. */
static struct scenario *read_deed(const char *deed)
{
    struct problems problems = {0};
    char *text = xprintf("description: x\nfaults:\n- do: %s\nexpect: [{kind: Job}]\n", deed);
    struct scenario *scenario = scenario_read("a/b.yaml", text, strlen(text), &problems);

    for (size_t i = 0; i < problems.count; i++)
        print_error("%s: %s\n", deed, problems.items[i].text);
    problems_release(&problems);
    free(text);
    return scenario;
}

static void test_every_example_is_of_its_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < fault_kind_count(); i++) {
        const struct fault_kind *kind = fault_kind_at(i);
        char *deed = fault_kind_deed(kind, "ctl-0");
        struct scenario *scenario = read_deed(deed);

        assert_non_null(scenario);
        assert_string_equal(fault_kind_of(&scenario->faults.items[0])->name, kind->name);
        assert_ptr_equal(fault_kind_find(kind->name), kind);
        scenario_free(scenario);
        free(deed);
    }
}

static bool has_kind(const char *key)
{
    for (size_t i = 0; i < fault_kind_count(); i++) {
        if (strcmp(fault_kind_at(i)->key, key) == 0)
            return true;
    }
    return false;
}

static bool is_parameter(const char *key)
{
    for (size_t i = 0; i < fault_kind_count(); i++) {
        size_t count;
        const char *const *parameters = fault_kind_parameters(fault_kind_at(i), &count);

        for (size_t j = 0; j < count; j++) {
            if (strcmp(parameters[j], key) == 0)
                return true;
        }
    }
    return false;
}

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < fault_deed_table.key_count; i++) {
        if (strcmp(fault_deed_table.keys[i].name, name) == 0)
            return &fault_deed_table.keys[i];
    }
    return NULL;
}

static void test_keys_and_kinds_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < fault_deed_table.key_count; i++) {
        const struct key *key = &fault_deed_table.keys[i];

        assert_true(key->action == 0 || has_kind(key->name));
        assert_true(key->action != 0 || is_parameter(key->name));
        assert_non_null(key->help);
    }
    for (size_t i = 0; i < fault_kind_count(); i++) {
        size_t count;
        const char *const *parameters = fault_kind_parameters(fault_kind_at(i), &count);

        assert_non_null(find_key(fault_kind_at(i)->key));
        for (size_t j = 0; j < count; j++)
            assert_non_null(find_key(parameters[j]));
    }
}

/** What the API server's rules know of and the language does not would be a mistake here. */
static void test_actions_of_the_api_have_kinds(void **state)
{
    (void)state;
    for (int action = FAULT_NONE + 1; action < FAULT_ACTION_COUNT; action++)
        assert_true(has_kind(fault_action_key((enum fault_action)action)));
}

static void test_what_a_status_is(void **state)
{
    struct scenario *scenario = read_deed("{status: 418}");

    (void)state;
    assert_non_null(scenario);
    assert_string_equal(fault_kind_of(&scenario->faults.items[0])->name, "status");
    scenario_free(scenario);
}

static void test_where_kinds_apply(void **state)
{
    static const struct {
        const char *kind;
        const char *verb; /* NULL: an event */
        bool applies;
    } rows[] = {
        {"status-409",    "create", true },
        {"status-409",    "list",   false},
        {"stale",         "list",   true },
        {"stale",         "get",    false},
        {"stale",         "patch",  false},
        {"swallow_event", NULL,     true },
        {"swallow_event", "create", false},
        {"crash",         "delete", true },
        {"drop_answer",   "watch",  true },
        {"status-503",    "post",   true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned site = rows[i].verb == NULL ? FAULT_SITE_EVENT : fault_site_of_verb(rows[i].verb);

        assert_int_equal(fault_kind_applies(fault_kind_find(rows[i].kind), site, "jobs"),
                         rows[i].applies);
    }
}

static void test_what_is_final(void **state)
{
    static const struct {
        const char *resource;
        const char *deed;
        bool final;
    } rows[] = {
        {"jobs",     "{status: 403, message: not allowed}", true },
        {"jobs",     "{silent: true}",                      false},
        {"pods",     "{silent: true}",                      true },
        {"pods/log", "{silent: true}",                      true },
        {"pods",     "{delay: 5s}",                         false},
        {"pods",     "{stale: {age: 10s}}",                 true },
        {"agents",   "{stale: {age: 10s}}",                 false},
    };
    struct arena arena = {0};
    struct problems problems = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *text =
            xprintf("{match: {peer: ctl-0, resource: %s}, do: %s}", rows[i].resource, rows[i].deed);
        const struct fault *fault = fault_read(text, &arena, &problems);

        assert_non_null(fault);
        if (fault_is_final(fault) != rows[i].final)
            fail_msg("%s", text);
        free(text);
    }
    problems_release(&problems);
    arena_release(&arena);
}

/** One kind of each class: no kind is left out of a sweep for it, and none is tried where it makes
 * no sense. */
static void test_what_is_swept(void **state)
{
    (void)state;
    for (size_t i = 0; i < fault_kind_count(); i++) {
        const struct fault_kind *kind = fault_kind_at(i);
        unsigned swept = kind->swept;

        if (swept & FAULT_SITE_LEASE_READ)
            swept |= FAULT_SITE_GET;
        if (swept & FAULT_SITE_LEASE_WRITE)
            swept |= FAULT_SITE_PATCH;
        swept &= ~(unsigned)FAULT_SITES_LEASE;
        if ((kind->sites == 0) != (swept == 0) || (swept & ~kind->sites) != 0)
            fail_msg("%s", kind->name);
    }
}

static void test_where_it_is_swept(void **state)
{
    static const struct {
        const char *kind;
        unsigned site;
        const char *resource;
        bool swept;
    } rows[] = {
        {"drop_answer",  FAULT_SITE_CREATE, "jobs",   true },
        {"drop_answer",  FAULT_SITE_GET,    "jobs",   false},
        {"cut_at",       FAULT_SITE_GET,    "jobs",   true },
        {"cut_at",       FAULT_SITE_GET,    "leases", false},
        {"clock_freeze", FAULT_SITE_PATCH,  "leases", true },
        {"clock_freeze", FAULT_SITE_PATCH,  "agents", false},
        {"clock_freeze", FAULT_SITE_GET,    "leases", false},
        {"crash",        FAULT_SITE_TIMER,  "",       true },
        {"crash",        FAULT_SITE_LIST,   "agents", false},
        {"pause",        FAULT_SITE_LIST,   "agents", true },
        {"crash",        FAULT_SITE_EVENT,  "leases", true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (fault_kind_is_swept(fault_kind_find(rows[i].kind), rows[i].site, rows[i].resource) !=
            rows[i].swept)
            fail_msg("row %zu: %s", i, rows[i].kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_example_is_of_its_kind),
        cmocka_unit_test(test_keys_and_kinds_are_the_same),
        cmocka_unit_test(test_actions_of_the_api_have_kinds),
        cmocka_unit_test(test_what_a_status_is),
        cmocka_unit_test(test_where_kinds_apply),
        cmocka_unit_test(test_what_is_final),
        cmocka_unit_test(test_what_is_swept),
        cmocka_unit_test(test_where_it_is_swept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
