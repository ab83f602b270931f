/* contract_sources - bodies that are pulled. */
#include <stdlib.h>
#include <string.h>

#include "tests/contract/contract.h"

static void fetch_script(struct contract_world *world, const char *script, const char *trace,
                         size_t size)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, script);
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    if (strcmp(buffer_text(&pair.client.trace), trace) != 0 || pair.client.body.size != size)
        fail_msg("script %s: got %s with %zu bytes", script, buffer_text(&pair.client.trace),
                 pair.client.body.size);
    assert_int_equal(pair.server.delivered, pair.client.end == EXCHANGE_COMPLETE);
    contract_pair_release(&pair);
}

static void pieces_make_one_body(struct contract_world *world)
{
    static const struct {
        const char *script;
        size_t size;
    } rows[] = {
        {"1e",           1   },
        {"123456789e",   45  },
        {"kkkkke",       5000},
        {"1k1k1e",       2003},
        {"1+w2+w+w+w3e", 6   }, /* wakes before WAIT */
        {"+1+2+3+e",     6   },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        fetch_script(world, rows[i].script, "head|body|complete", rows[i].size);
}

static void an_end_at_once_is_an_empty_body(struct contract_world *world)
{
    fetch_script(world, "e", "head|complete", 0);
    fetch_script(world, "+we", "head|complete", 0);
}

static void a_reset_is_never_taken_for_an_end(struct contract_world *world)
{
    static const char *const scripts[] = {"r", "1r", "5kr", "kkkkr", "1+wr", "1+w2+wr"};

    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
        struct contract_pair pair;
        struct contract_source source;

        contract_pair_init(&pair, world);
        contract_source_init(&source, &pair.server, scripts[i]);
        contract_pair_serve(&pair);
        contract_pair_fetch(&pair);
        assert_int_equal(pair.client.end, EXCHANGE_RESET);
        assert_true(pair.client.body.size <= source.pulled);
        assert_int_equal(pair.server.delivered, 0);
        contract_pair_release(&pair);
    }
}

static void a_head_has_no_body_to_pull(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "555e");
    contract_pair_serve(&pair);
    pair.request.method = "HEAD";
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|complete");
    contract_pair_release(&pair);
}

/* --- waiting --- */

static void send_and_wait(struct contract_pair *pair, const struct contract_source *source)
{
    contract_send(&pair->client, &pair->request);
    contract_until(pair->client.world, &source->waiting, "the source's WAIT");
}

static void the_head_comes_before_the_first_byte(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "w5e");
    contract_pair_serve(&pair);
    send_and_wait(&pair, &source);
    contract_wait_head(&pair.client);
    contract_pass(world, 2 * CONTRACT_SHORT_US);
    contract_pair_expect(&pair, "head");
    assert_int_equal(source.pulls, 1); /* asleep until woken */
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void note_piece(struct contract_client *client)
{
    *(bool *)client->arg = true;
}

static void a_piece_comes_while_the_source_sleeps(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;
    bool came = false;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "3w4w5e");
    pair.client.on_body = note_piece;
    pair.client.arg = &came;
    contract_pair_serve(&pair);
    send_and_wait(&pair, &source);
    contract_until(world, &came, "the first piece");
    assert_int_equal(pair.client.body.size, 3);
    came = false;
    request_wake(pair.server.request);
    contract_until(world, &came, "the second piece");
    assert_int_equal(pair.client.body.size, 7);
    contract_until(world, &source.waiting, "the second WAIT");
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    assert_int_equal(pair.client.body.size, 12);
    contract_pair_release(&pair);
}

static void waking_twice_pulls_once(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "www5e");
    contract_pair_serve(&pair);
    send_and_wait(&pair, &source);
    for (unsigned i = 2; i <= 3; i++) {
        request_wake(pair.server.request);
        request_wake(pair.server.request);
        assert_int_equal(source.pulls, i - 1); /* not from inside the call */
        source.waiting = false;
        contract_until(world, &source.waiting, "another WAIT");
        contract_pass(world, CONTRACT_SHORT_US);
        assert_int_equal(source.pulls, i);
    }
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void a_sleeping_watcher_notices_that_its_peer_left(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5we");
    contract_pair_serve(&pair);
    send_and_wait(&pair, &source);
    contract_pass(world, CONTRACT_SHORT_US);
    contract_cancel(&pair.client);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    assert_int_equal(source.pulls, 2);
    contract_pair_release(&pair);
}

static void wake_first(struct contract_server *server)
{
    request_wake(server->request); /* no answer yet: means nothing */
    request_respond(server->request, &server->answer);
    request_wake(server->request); /* not pulled yet */
}

static void waking_too_early_does_no_harm(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "1k1e");
    pair.server.on_end = wake_first;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, 1002);
    contract_pair_release(&pair);
}

static void wake_whole(struct contract_server *server)
{
    request_respond(server->request, &server->answer);
    request_wake(server->request);
}

static void waking_a_whole_answer_does_no_harm(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = wake_whole;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

/* --- ends from inside a pull --- */

static void reset_in_pull(struct contract_source *source)
{
    struct request *request = source->server->request;

    if (source->pulls < 3)
        return;
    source->server->request = NULL;
    source->script = "w";
    source->server->is_closed = true;
    request_reset(request);
}

static void a_request_is_reset_inside_its_pull(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "kkkkkke");
    source.on_pull = reset_in_pull;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_RESET);
    assert_int_equal(source.pulls, 3);
    assert_int_equal(pair.server.closed, 0);
    contract_pair_release(&pair);
}

static void close_in_pull(struct contract_source *source)
{
    struct contract_server *server = source->server;

    server->request = NULL;
    source->script = "w";
    listener_close(server->listener);
    server->listener = NULL;
    server->is_closed = true;
}

static void a_listener_is_closed_inside_a_pull(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "kkkkkke");
    source.on_pull = close_in_pull;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_RESET);
    assert_int_equal(source.pulls, 1);
    assert_int_equal(pair.server.closed, 0);
    contract_pair_release(&pair);
}

const struct contract_case contract_sources[] = {
    {"source/pieces_make_one_body",                          pieces_make_one_body                 },
    {"source/an_end_at_once_is_an_empty_body",               an_end_at_once_is_an_empty_body      },
    {"source/a_reset_is_never_taken_for_an_end",             a_reset_is_never_taken_for_an_end    },
    {"source/a_head_has_no_body_to_pull",                    a_head_has_no_body_to_pull           },
    {"source/the_head_comes_before_the_first_byte",          the_head_comes_before_the_first_byte },
    {"source/a_piece_comes_while_the_source_sleeps",         a_piece_comes_while_the_source_sleeps},
    {"source/waking_twice_pulls_once",                       waking_twice_pulls_once              },
    {"source/a_sleeping_watcher_notices_that_its_peer_left",
     a_sleeping_watcher_notices_that_its_peer_left                                                },
    {"source/waking_too_early_does_no_harm",                 waking_too_early_does_no_harm        },
    {"source/waking_a_whole_answer_does_no_harm",            waking_a_whole_answer_does_no_harm   },
    {"source/a_request_is_reset_inside_its_pull",            a_request_is_reset_inside_its_pull   },
    {"source/a_listener_is_closed_inside_a_pull",            a_listener_is_closed_inside_a_pull   },
    {NULL,                                                   NULL                                 },
};
