/* What counts at a Station, as the cache has it (RULES 3.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "controller/agents/capacity.h"
#include "controller/base/memory.h"

static struct agent *make(const char *name, enum agent_phase phase, int64_t created_at_us)
{
    struct agent *agent = xcalloc(1, sizeof(*agent));

    agent->name = xstrdup(name);
    agent->uid = xstrdup(name);
    agent->resource_version = xstrdup("1");
    agent->station = xstrdup("s");
    agent->phase = phase;
    agent->created_at_us = created_at_us;
    return agent;
}

static struct agent_cache *fill(size_t pending)
{
    struct agent_cache *cache = agent_cache_new();
    char name[24];

    for (size_t i = 0; i < pending; i++) {
        snprintf(name, sizeof(name), "p%zu", i);
        agent_cache_upsert(cache, make(name, AGENT_PENDING, (int64_t)i));
    }
    agent_cache_upsert(cache, make("r", AGENT_RUNNING, 0));
    return cache;
}

static void test_ahead(void **state)
{
    struct agent_cache *cache = fill(9);
    const struct agent *last = agent_cache_get(cache, "p8");

    (void)state;
    assert_int_equal(capacity_ahead(cache, last, 100), 8);
    assert_int_equal(capacity_ahead(cache, last, 8), 8);
    assert_int_equal(capacity_ahead(cache, last, 3), 3); /* more need not be known */
    assert_int_equal(capacity_ahead(cache, agent_cache_get(cache, "p0"), 3), 0);
    agent_cache_set_begun(cache, "p1", "p1", true); /* that one waits no more */
    assert_int_equal(capacity_ahead(cache, last, 100), 7);
    agent_cache_free(cache);
}

static void test_running(void **state)
{
    struct agent_cache *cache = fill(2);

    (void)state;
    assert_int_equal(capacity_running(cache, "s", "p0"), 1);
    assert_int_equal(capacity_running(cache, "s", "r"), 0); /* itself does not count */
    assert_int_equal(capacity_running(cache, "t", "p0"), 0);
    agent_cache_set_begun(cache, "p1", "p1", true);
    assert_int_equal(capacity_running(cache, "s", "p0"), 2);
    assert_int_equal(capacity_running(cache, "s", "p1"), 1);
    assert_null(capacity_victim(cache, "s", "x")); /* its place would be that one's */
    assert_string_equal(capacity_victim(cache, "s", "p1")->name, "r"); /* not in its own way */
    agent_cache_set_begun(cache, "p1", "p1", false);
    assert_string_equal(capacity_victim(cache, "s", "x")->name, "r");
    agent_cache_set_begun(cache, "p1", "p1", true);
    agent_cache_mark_deleting(cache, "r", "r");
    assert_null(capacity_victim(cache, "s", "x"));
    assert_int_equal(capacity_running(cache, "s", "p0"), 1);
    agent_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_running),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
