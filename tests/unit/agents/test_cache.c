/* The cache: which of three sources is believed (RULES 4.2, 13.1). */
#include <stdio.h>

#include "tests/unit/rows.h"

#include "controller/agents/cache.h"
#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/memory.h"

/* A story: one command a word group, ended by ';'.
 *   list           a listing is sent        item N U V P   one of its items
 *   apply          it is whole              start          it is whole, and the stream starts there
 *   abandon        it failed
 *   event N U V P  ADDED or MODIFIED        gone N U       DELETED ("-": uid unknown)
 *   write N        we send a patch          wrote N U V P  its answer      refused N no answer
 *   begun N U      its Job was sent for     unbegun N U    it is not there
 *   sent U         nobody knows of it       told U         now it is known
 *   clear          all is forgotten
 *   read N U V P   we read it whole         delete N U     we deleted it
 * N name, U uid, V version, P phase: P R S F. At the end:
 * "N U V P" each, '!' when deleting, '?' when begun. */
static const struct row {
    const char *name;
    const char *story;
    const char *want;
} rows[] = {
    {"4.3: a listing fills the cache", "list; item b u2 2 P; item a u1 1 R; start",
     "a u1 1 R, b u2 2 P"},
    {"4.3: nothing is seen before it is whole", "list; item a u1 1 R", ""},
    {"4.3: an abandoned one leaves all as it was",
     "list; item a u1 1 R; start; list; item b u2 2 P; "
     "item a u1 3 S; abandon",
     "a u1 1 R"},
    {"4.3: a restarted one forgets its first items",
     "list; item a u1 1 P; list; item b u2 2 P; start", "b u2 2 P"},
    {"4.2: a listing replaces",
     "list; item a u1 1 P; item b u2 2 P; start; list; item a u1 5 R; apply", "a u1 5 R"},
    {"4.2: events upsert", "list; start; event a u1 1 P; event a u1 2 R", "a u1 2 R"},
    {"4.2: DELETED evicts", "list; item a u1 1 P; start; gone a u1", ""},
    {"4.4: DELETED evicts by name alone", "list; item a u1 1 P; start; gone a -", ""},
    {"4.2: our patch upserts", "list; item a u1 1 P; start; write a; wrote a u1 2 R", "a u1 2 R"},
    {"4.5: two patches at a time, each overtaken or not by itself",
     "list; item a u1 1 P; item b u2 2 P; start; write a; write b; event b u2 4 R; event b u2 5 S; "
     "wrote b u2 4 R; wrote a u1 3 R; event a u1 9 P",
     "a u1 3 R, b u2 5 S"},
    {"3.6: a refused patch changes nothing", "list; item a u1 1 P; start; write a; refused a",
     "a u1 1 P"},
    {"13.1: an event older than our patch is dropped",
     "list; item a u1 1 P; start; write a; wrote a u1 4 R; event a u1 3 P", "a u1 4 R"},
    {"13.1: ... also where versions are no numbers",
     "list; item a u1 x1 P; start; write a; wrote a u1 x4 R; event a u1 x3 P", "a u1 x4 R"},
    {"13.1: ... until the stream brings our patch; what follows counts",
     "list; item a u1 1 P; start; write a; wrote a u1 4 R; event a u1 3 P; event a u1 4 R; "
     "event a u1 5 S",
     "a u1 5 S"},
    {"13.1: our answer comes after the event of it",
     "list; item a u1 1 P; start; write a; event a u1 4 R; event a u1 5 S; wrote a u1 4 R",
     "a u1 5 S"},
    {"13.1: our answer comes after an event of it that was not taken",
     "list; start; list; item a u1 5 P; apply; write a; event a u1 6 R; wrote a u1 6 R",
     "a u1 6 R"},
    {"13.1: ... and the stream counts again",
     "list; start; list; item a u1 5 P; apply; write a; event a u1 6 R; wrote a u1 6 R; "
     "event a u1 7 S",
     "a u1 7 S"},
    {"13.1: an older event while we write",
     "list; item a u1 1 P; start; write a; event a u1 3 P; wrote a u1 4 R; event a u1 9 P",
     "a u1 4 R"},
    {"13.1: a listing sent before our patch does not undo it",
     "list; item a u1 1 P; start; list; item a u1 1 P; write a; wrote a u1 4 R; apply", "a u1 4 R"},
    {"13.1: ... not even by not knowing it",
     "list; start; list; event a u1 1 P; write a; wrote a u1 4 R; apply", "a u1 4 R"},
    {"13.1: a listing sent after our patch replaces it, and the stream counts again",
     "list; item a u1 1 P; start; write a; wrote a u1 4 R; list; item a u1 4 R; apply; event a u1 "
     "6 S",
     "a u1 6 S"},
    {"13.1: a lagging stream does not undo a listing",
     "list; item a u1 1 P; start; list; item a u1 5 R; apply; event a u1 3 P", "a u1 5 R"},
    {"13.1: a stream that goes on from long ago does not undo what two listings told",
     "list; item a u1 1 P; start; list; item a u1 15 S; apply; list; item a u1 15 S; apply; "
     "event a u1 9 R",
     "a u1 15 S"},
    {"13.1: ... and counts again once it has caught up",
     "list; item a u1 1 P; start; list; item a u1 15 R; apply; list; item a u1 15 R; apply; "
     "event a u1 9 R; event a u1 15 R; event a u1 16 S",
     "a u1 16 S"},
    {"13.1: what is no number is older by its order alone",
     "list; item a u1 1 P; start; list; item a u1 x5 R; apply; list; item a u1 x5 R; apply; "
     "event a u1 9 S",
     "a u1 9 S"},
    {"13.1: a lagging stream does not bring back what a listing misses",
     "list; item a u1 1 P; start 1; list; apply 9; event a u1 5 R", ""},
    {"13.1: ... but tells of what has come since",
     "list; item a u1 1 P; start 1; list; apply 9; event a u1 5 R; event a u2 10 P", "a u2 10 P"},
    {"13.1: ... and of what came while it was listed",
     "list; start 1; list; event a u1 5 P; apply 5; event a u1 6 R", "a u1 6 R"},
    {"13.1: a term knows nothing of the listings of another",
     "list; start 9; clear; event a u1 5 P", "a u1 5 P"},
    {"13.1: the stream that starts at a listing counts at once",
     "list; item a u1 5 R; start; event a u1 6 S", "a u1 6 S"},
    {"M36: a listing of older versions replaces",
     "list; item a u1 9 S; start; list; item a u1 3 P; apply", "a u1 3 P"},
    {"M07: deleted unseen: the next listing drops it", "list; item a u1 1 R; start; list; apply",
     ""},
    {"deleted while listed: not brought back",
     "list; item a u1 1 R; start; list; item a u1 2 R; gone a u1; apply", ""},
    {"deleted while listed by the same bytes: not brought back",
     "list; item a u1 1 R; start; list; item a u1 1 R; gone a u1; apply", ""},
    {"deleted before its item comes: not brought back",
     "list; item a u1 1 R; start; list; gone a u1; item a u1 1 R; apply", ""},
    {"deleted and made again while listed: the new one stays",
     "list; item a u1 1 R; start; list; item a u1 1 R; gone a u1; event a u2 9 P; apply",
     "a u2 9 P"},
    {"new while listed: not dropped", "list; start; list; event a u1 3 P; apply", "a u1 3 P"},
    {"M08: a namesake by MODIFIED alone", "list; item a u1 1 R; start; event a u2 9 P", "a u2 9 P"},
    {"M08: the late end of a former namesake",
     "list; item a u1 1 R; start; list; item a u2 9 P; apply; gone a u1", "a u2 9 P"},
    {"M08: the end of a former namesake, told again by a stream that goes on from long ago",
     "list; item a u1 1 R; start; event a u2 9 P; gone a u1 5", "a u2 9 P"},
    {"M08: the end of a later namesake, whose beginning nobody told",
     "list; item a u1 1 R; start; gone a u2 5", ""},
    {"3.4: begun", "list; item a u1 1 P; start; begun a u1", "a u1 1 P?"},
    {"3.4: begun, also after an event", "list; item a u1 1 P; start; begun a u1; event a u1 2 P",
     "a u1 2 P?"},
    {"3.4: begun, until an event tells more",
     "list; item a u1 1 P; start; begun a u1; event a u1 3 R", "a u1 3 R"},
    {"3.4: begun, also after a read", "list; item a u1 1 P; start; begun a u1; read a u1 4 P",
     "a u1 4 P?"},
    {"3.4: begun, also after a listing",
     "list; item a u1 1 P; start; begun a u1; list; item a u1 5 P; apply", "a u1 5 P?"},
    {"3.4: begun, also after the same listing",
     "list; item a u1 1 P; start; begun a u1; list; item a u1 1 P; apply", "a u1 1 P?"},
    {"3.4: begun, also after our own write",
     "list; item a u1 1 P; start; begun a u1; write a; wrote a u1 4 P", "a u1 4 P?"},
    {"3.4: a namesake has not begun", "list; item a u1 1 P; start; begun a u1; event a u2 5 P",
     "a u2 5 P"},
    {"3.4: what runs already has not just begun", "list; item a u1 1 R; start; begun a u1",
     "a u1 1 R"},
    {"3.4: not begun after all", "list; item a u1 1 P; start; begun a u1; unbegun a u1",
     "a u1 1 P"},
    {"3.4: sent for, and not there: it may come yet",
     "list; item a u1 1 P; start; sent u1; begun a u1; unbegun a u1", "a u1 1 P?"},
    {"3.4: sent for, and what became of it is known",
     "list; item a u1 1 P; start; sent u1; begun a u1; told u1; unbegun a u1", "a u1 1 P"},
    {"3.4: sent for in an earlier term",
     "list; item a u1 1 P; start; sent u1; clear; list; item a u1 1 P; start", "a u1 1 P?"},
    {"3.4: sent for in an earlier term, as an event tells",
     "list; item a u1 1 P; start; sent u1; clear; event a u1 2 P", "a u1 2 P?"},
    {"3.4: sent for, but a namesake's",
     "list; item a u1 1 P; start; sent u1; clear; list; item a u2 2 P; start", "a u2 2 P"},
    {"3.4: sent for, but it runs since",
     "list; item a u1 1 P; start; sent u1; event a u1 2 R; clear; event a u1 3 P", "a u1 3 P"},
    {"3.4: sent for, but gone since",
     "list; item a u1 1 P; start; sent u1; gone a u1; event a u1 3 P", "a u1 3 P"},
    {"3.4: sent for, but not in the next term's listing",
     "list; item a u1 1 P; start; sent u1; clear; list; start; event a u1 3 P", "a u1 3 P"},
    {"3.4: sent for, but not in the next listing",
     "list; item a u1 1 P; start; sent u1; list; start; event a u1 3 P", "a u1 3 P"},
    {"4.3: a whole read replaces, and older events do not undo it",
     "list; item a u1 1 P; start; read a u1 4 P; event a u1 3 P", "a u1 4 P"},
    {"4.3: a whole read of the same version leaves the stream as it is",
     "list; item a u1 1 P; start; read a u1 1 P; event a u1 3 R", "a u1 3 R"},
    {"3.4: a victim counts no more", "list; item a u1 1 R; start; delete a u1", "a u1 1 R!"},
    {"3.4: ... only if it is that one", "list; item a u1 1 R; start; delete a u2", "a u1 1 R"},
    {"3.4: an event of the same version does not revive it",
     "list; item a u1 1 R; start; delete a u1; event a u1 1 R", "a u1 1 R!"},
    {"3.4: a listing from before does not revive it",
     "list; item a u1 1 R; start; list; item a u1 1 R; delete a u1; apply", "a u1 1 R!"},
    {"3.4: a listing from after tells", "list; item a u1 1 R; start; delete a u1; list; apply", ""},
};

static const char phase_letters[] = "PRSF";

static struct agent *make(const char *name, const char *uid, const char *version, char phase)
{
    struct agent *agent = xcalloc(1, sizeof(*agent));

    agent->name = xstrdup(name);
    agent->uid = xstrdup(uid);
    agent->resource_version = xstrdup(version);
    agent->phase = (enum agent_phase)(strchr(phase_letters, phase) - phase_letters);
    return agent;
}

/* The digest that a listed item's bytes would have. */
static uint64_t digest(const char *uid, const char *version)
{
    return (uint64_t)atol(version) * 1000 + (uint64_t)uid[1];
}

static void item(struct agent_cache *cache, const char *name, const char *uid, const char *version,
                 char phase)
{
    if (!agent_cache_list_same(cache, name, digest(uid, version)))
        agent_cache_list_item(cache, make(name, uid, version, phase), digest(uid, version));
}

static void tell(struct agent_cache *cache, const char *command)
{
    char verb[16] = "", name[16] = "", uid[16] = "", version[16] = "", phase = 'P';

    sscanf(command, " %15s %15s %15s %15s %c", verb, name, uid, version, &phase);
    if (strcmp(verb, "list") == 0)
        agent_cache_list_begin(cache);
    else if (strcmp(verb, "item") == 0)
        item(cache, name, uid, version, phase);
    else if (strcmp(verb, "apply") == 0)
        agent_cache_list_apply(cache, name, false);
    else if (strcmp(verb, "start") == 0)
        agent_cache_list_apply(cache, name, true);
    else if (strcmp(verb, "clear") == 0)
        agent_cache_clear(cache);
    else if (strcmp(verb, "abandon") == 0)
        agent_cache_list_abandon(cache);
    else if (strcmp(verb, "event") == 0)
        agent_cache_upsert(cache, make(name, uid, version, phase));
    else if (strcmp(verb, "gone") == 0)
        agent_cache_remove(cache, name, uid[0] == '-' ? NULL : uid,
                           version[0] == '\0' ? NULL : version);
    else if (strcmp(verb, "write") == 0)
        agent_cache_begin_write(cache, name);
    else if (strcmp(verb, "wrote") == 0)
        agent_cache_end_write(cache, name, make(name, uid, version, phase));
    else if (strcmp(verb, "refused") == 0)
        agent_cache_end_write(cache, name, NULL);
    else if (strcmp(verb, "read") == 0)
        agent_cache_put(cache, make(name, uid, version, phase));
    else if (strcmp(verb, "begun") == 0)
        agent_cache_set_begun(cache, name, uid, true);
    else if (strcmp(verb, "unbegun") == 0)
        agent_cache_set_begun(cache, name, uid, false);
    else if (strcmp(verb, "sent") == 0)
        agent_cache_set_sent(cache, name, true);
    else if (strcmp(verb, "told") == 0)
        agent_cache_set_sent(cache, name, false);
    else if (strcmp(verb, "clear") == 0)
        agent_cache_clear(cache);
    else if (strcmp(verb, "delete") == 0)
        agent_cache_mark_deleting(cache, name, uid);
    else
        fail_msg("no such command: %s", command);
}

static void describe(const struct agent_cache *cache, struct buffer *into)
{
    size_t count;
    const struct agent **agents = agent_cache_sorted(cache, &count);

    for (size_t i = 0; i < count; i++)
        buffer_append_format(into, "%s%s %s %s %c%s", i == 0 ? "" : ", ", agents[i]->name,
                             agents[i]->uid, agents[i]->resource_version,
                             phase_letters[agents[i]->phase],
                             agents[i]->begun      ? "?"
                             : agents[i]->deleting ? "!"
                                                   : "");
    free(agents);
}

static void test_story(void **state)
{
    const struct row *row = *state;
    struct agent_cache *cache = agent_cache_new();
    struct buffer got = BUFFER_INIT(1024);
    char *story = xstrdup(row->story);
    char *command = story;

    while (command != NULL) {
        char *end = strchr(command, ';');

        if (end != NULL)
            *end = '\0';
        tell(cache, command);
        command = end == NULL ? NULL : end + 1;
    }
    describe(cache, &got);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("%s: got %s, want %s", row->name, buffer_text(&got), row->want);
    free(story);
    buffer_release(&got);
    agent_cache_free(cache);
}

static void test_answers(void **state)
{
    struct agent_cache *cache = agent_cache_new();
    struct agent_cursor cursor = {0};
    const struct agent *agent;

    (void)state;
    assert_int_equal(agent_cache_upsert(cache, make("a", "u1", "1", 'P')), CACHE_CHANGED);
    assert_int_equal(agent_cache_upsert(cache, make("a", "u1", "1", 'P')), CACHE_SAME);
    agent_cache_begin_write(cache, "a");
    agent_cache_end_write(cache, "a", make("a", "u1", "3", 'R'));
    assert_int_equal(agent_cache_upsert(cache, make("a", "u1", "2", 'P')), CACHE_OUTDATED);
    assert_int_equal(agent_cache_upsert(cache, make("a", "u1", "3", 'R')), CACHE_SAME);
    assert_int_equal(agent_cache_upsert(cache, make("b", "u2", "4", 'R')), CACHE_CHANGED);
    assert_true(agent_cache_remove(cache, "b", "u2", "5"));
    assert_false(agent_cache_remove(cache, "b", "u2", "5"));

    agent = agent_cache_next(cache, &cursor);
    assert_ptr_equal(agent, agent_cache_get(cache, "a"));
    assert_null(agent_cache_next(cache, &cursor));
    agent_cache_clear(cache);
    cursor = (struct agent_cursor){0};
    assert_null(agent_cache_next(cache, &cursor));
    agent_cache_free(cache);
}

/* A poll over unchanged Agents decodes nothing. */
static void test_same_bytes(void **state)
{
    struct agent_cache *cache = agent_cache_new();

    (void)state;
    agent_cache_list_begin(cache);
    assert_false(agent_cache_list_same(cache, "a", 7));
    agent_cache_list_item(cache, make("a", "u1", "1", 'P'), 7);
    agent_cache_list_apply(cache, "1", true);

    agent_cache_list_begin(cache);
    assert_true(agent_cache_list_same(cache, "a", 7));
    agent_cache_list_apply(cache, "1", false);
    assert_non_null(agent_cache_get(cache, "a"));

    agent_cache_upsert(cache, make("a", "u1", "2", 'R'));
    agent_cache_list_begin(cache);
    assert_false(agent_cache_list_same(cache, "a", 7)); /* no longer what is held */
    agent_cache_list_item(cache, make("a", "u1", "2", 'R'), 8);
    agent_cache_list_apply(cache, "1", false);
    agent_cache_list_begin(cache);
    assert_false(agent_cache_list_same(cache, "a", 7));
    assert_true(agent_cache_list_same(cache, "a", 8));
    agent_cache_free(cache); /* a listing under way goes with it */
}

static void test_older(void **state)
{
    struct agent_cache *cache = agent_cache_new();

    (void)state;
    assert_true(agent_cache_is_older("9", "10"));
    assert_true(agent_cache_is_older("009", "10"));
    assert_false(agent_cache_is_older("10", "10"));
    assert_false(agent_cache_is_older("11", "10"));
    assert_false(agent_cache_is_older("9", "x"));
    assert_false(agent_cache_is_older("", "10"));

    assert_null(agent_cache_newest(cache));
    agent_cache_note_version(cache, "9");
    agent_cache_note_version(cache, "10");
    agent_cache_note_version(cache, "8");
    agent_cache_note_version(cache, "odd");
    assert_string_equal(agent_cache_newest(cache), "10");
    agent_cache_upsert(cache, make("a", "u1", "12", 'P'));
    assert_string_equal(agent_cache_newest(cache), "12");
    agent_cache_put(cache, make("a", "u1", "13", 'P'));
    assert_string_equal(agent_cache_newest(cache), "13");
    agent_cache_forget_newest(cache);
    assert_null(agent_cache_newest(cache));
    agent_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_older),
    };

    return ROWS_RUN(rows, test_story) + cmocka_run_group_tests(tests, NULL, NULL);
}
