/* The trace: the same run, the same hash; any difference, another one. */
#include "tests/unit/sim/fixture.h"

struct story {
    uint64_t seed;
    const char *body;
    int64_t pause_us; /* of the server at 10 s; 0: none */
    bool lose_one;
    bool tapped;
    bool marked;
    bool left;
};

struct teller {
    struct runtime *rt;
    struct sim_process *process;
    const char *body;
    struct asked asked[20];
    uint64_t last_random;
    unsigned rounds;
};

static void next_round(void *arg)
{
    struct teller *teller = arg;
    const struct log_field fields[] = {LOG_NUMBER("round", teller->rounds)};
    const struct log_record record = {LOG_INFO, "round", fields, ARRAY_SIZE(fields)};

    teller->last_random = runtime_random(teller->rt);
    if (teller->rounds == ARRAY_SIZE(teller->asked))
        return;
    runtime_log(teller->rt, &record);
    ask(&teller->asked[teller->rounds++], teller->process, "http://api/echo", teller->body,
        strlen(teller->body));
    runtime_after(teller->rt, US_PER_SECOND, next_round, teller);
}

static void lose_third(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    (void)arg;
    if (request->id == 3)
        fault->kind = SIM_FAULT_LOSE;
}

static void count_events(void *arg, const struct sim_event *event)
{
    (void)event;
    (*(unsigned *)arg)++;
}

static void tell(const struct story *story, char hex[SHA256_HEX_SIZE], uint64_t *ret_random)
{
    uint8_t digest[SHA256_SIZE];
    struct teller teller = {.body = story->body};
    unsigned events = 0;
    struct pair pair;

    pair_init(&pair, story->seed);
    if (story->left)
        sim_leave_hash(pair.sim);
    if (story->tapped)
        sim_add_tap(pair.sim, SIM_EVENTS_ALL, count_events, &events);
    if (story->lose_one)
        sim_set_network_fault(pair.sim, lose_third, NULL);
    teller.process = pair.ctl;
    teller.rt = sim_process_runtime(pair.ctl);
    runtime_after(teller.rt, US_PER_SECOND, next_round, &teller);
    pair_run(&pair, 10 * US_PER_SECOND);
    if (story->marked)
        runtime_mark(teller.rt, MARK_PRUNED);
    if (story->pause_us > 0) {
        sim_process_pause(pair.api);
        pair_run(&pair, story->pause_us);
        sim_process_resume(pair.api);
    }
    pair_run(&pair, US_PER_MINUTE);
    sim_trace_hash(pair.sim, digest);
    digest_hex(digest, sizeof(digest), hex);
    if (ret_random != NULL)
        *ret_random = teller.last_random;
    assert_int_equal(events > 0, story->tapped);
    pair_release(&pair);
}

static void test_same_story_same_hash(void **state)
{
    const struct story story = {.seed = 7, .body = "hello", .pause_us = 3 * US_PER_SECOND};
    char first[SHA256_HEX_SIZE];
    char second[SHA256_HEX_SIZE];

    (void)state;
    tell(&story, first, NULL);
    tell(&story, second, NULL);
    assert_string_equal(first, second);
}

/* The hash of one story, for every compiler and level of optimisation to meet. It is another one
 * when the simulator itself, or what a log line looks like, is changed: then write that here. */
static void test_hash_is_the_same_in_every_build(void **state)
{
    const struct story story = {.seed = 7, .body = "hello"};
    char hex[SHA256_HEX_SIZE];

    (void)state;
    tell(&story, hex, NULL);
    assert_string_equal(hex, "72de66833555eb0ed0acec6ef5963005b00464223f1a6c8eb8b6dc5265a6d29c");
}

static void test_any_difference_changes_the_hash(void **state)
{
    static const struct story stories[] = {
        {7, "hello", 0, false, false},
        {8, "hello", 0, false, false},
        {7, "hallo", 0, false, false},
        {7, "hello", 1, false, false},
        {7, "hello", 0, true,  false},
    };
    char hashes[ARRAY_SIZE(stories)][SHA256_HEX_SIZE];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(stories); i++) {
        tell(&stories[i], hashes[i], NULL);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hashes[i], hashes[k]);
    }
}

static void test_watching_changes_nothing(void **state)
{
    const struct story plain = {.seed = 7, .body = "hello"};
    const struct story tapped = {.seed = 7, .body = "hello", .tapped = true};
    char first[SHA256_HEX_SIZE];
    char second[SHA256_HEX_SIZE];

    (void)state;
    tell(&plain, first, NULL);
    tell(&tapped, second, NULL);
    assert_string_equal(first, second);
}

/* So that a new mark breaks no hash that somebody has written down. */
static void test_marks_are_not_in_the_hash(void **state)
{
    const struct story plain = {.seed = 7, .body = "hello"};
    const struct story marked = {.seed = 7, .body = "hello", .marked = true};
    char first[SHA256_HEX_SIZE];
    char second[SHA256_HEX_SIZE];

    (void)state;
    tell(&plain, first, NULL);
    tell(&marked, second, NULL);
    assert_string_equal(first, second);
}

/* A fault changes what happens, not what the program draws. */
static void test_fault_leaves_program_randomness(void **state)
{
    const struct story plain = {.seed = 7, .body = "hello"};
    const struct story faulty = {.seed = 7, .body = "hello", .lose_one = true};
    char hex[SHA256_HEX_SIZE];
    uint64_t first;
    uint64_t second;

    (void)state;
    tell(&plain, hex, &first);
    tell(&faulty, hex, &second);
    assert_true(first == second);
}

/* --- what a tap is shown --- */

static void write_down(void *arg, const struct sim_event *event)
{
    buffer_append_format(arg, "%s%s %s", ((struct buffer *)arg)->size > 0 ? "|" : "",
                         event->process == NULL ? "world" : sim_process_name(event->process),
                         sim_event_kind_name(event->kind));
    if (event->target != NULL)
        buffer_append_format(arg, " %s %s", event->method, event->target);
    if (event->status != 0)
        buffer_append_format(arg, " %u", event->status);
    if (event->size != 0)
        buffer_append_format(arg, " %zu", event->size);
    if (event->text != NULL && *event->text != '\0')
        buffer_append_format(arg, " '%s'", event->text);
}

static void test_no_hash_and_all_else_the_same(void **state)
{
    const struct story plain = {.seed = 7, .body = "hello", .tapped = true};
    const struct story left = {.seed = 7, .body = "hello", .tapped = true, .left = true};
    char hex[SHA256_HEX_SIZE];
    uint64_t randoms[2];

    (void)state;
    tell(&plain, hex, &randoms[0]);
    tell(&left, hex, &randoms[1]);
    assert_int_equal(strspn(hex, "0"), SHA256_HEX_SIZE - 1);
    assert_int_equal(randoms[0], randoms[1]);
}

static void test_what_a_tap_is_shown(void **state)
{
    struct buffer seen = BUFFER_INIT(10000);
    struct asked asked = {0};
    struct pair pair;

    (void)state;
    pair_init(&pair, 1);
    sim_add_tap(pair.sim, SIM_EVENTS_ALL, write_down, &seen);
    sim_note(pair.sim, "begin");
    runtime_mark(sim_process_runtime(pair.api), MARK_PRUNED);
    ask(&asked, pair.ctl, "http://api/echo", "hello", 5);
    pair_run(&pair, US_PER_SECOND);
    sim_process_crash(pair.ctl);
    assert_string_equal(buffer_text(&seen), "world note 'begin'"
                                            "|api mark 'MARK_PRUNED'"
                                            "|ctl request sent POST /echo 5"
                                            "|api request POST /echo 5"
                                            "|api response sent 200 5"
                                            "|api request closed"
                                            "|ctl response 200"
                                            "|ctl body 5"
                                            "|ctl end"
                                            "|ctl crashed");
    buffer_release(&seen);
    pair_release(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_story_same_hash),
        cmocka_unit_test(test_hash_is_the_same_in_every_build),
        cmocka_unit_test(test_any_difference_changes_the_hash),
        cmocka_unit_test(test_watching_changes_nothing),
        cmocka_unit_test(test_marks_are_not_in_the_hash),
        cmocka_unit_test(test_fault_leaves_program_randomness),
        cmocka_unit_test(test_no_hash_and_all_else_the_same),
        cmocka_unit_test(test_what_a_tap_is_shown),
    };

    return cmocka_run_group_tests_name("sim/trace", tests, NULL, NULL);
}
