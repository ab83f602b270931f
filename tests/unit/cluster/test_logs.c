/* Logs of pods, as clients read them (fakeapi/WIRE.md K29, K30). */
#include "tests/unit/cluster/cluster_world.h"

#include <stdio.h>

/* A client on a host of its own. */
struct client {
    struct cluster_world *world;
    struct runtime *rt;
    struct listener *listener;
    unsigned status;
    char text[4096];
    bool ended;
};

static void on_head(void *arg, const struct response_head *head)
{
    ((struct client *)arg)->status = head->status;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct client *client = arg;
    size_t used = strlen(client->text);

    assert_true(used + size < sizeof(client->text));
    memcpy(client->text + used, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    (void)detail;
    assert_int_equal(end, EXCHANGE_COMPLETE);
    ((struct client *)arg)->ended = true;
}

static const struct exchange_events events = {on_head, on_body, on_end};

/* Asks for the log of pod p, and lets a tenth of a second go by. */
static void ask(struct client *client, const char *query)
{
    char *url = xprintf("http://api:8080/api/v1/namespaces/" NAMESPACE "/pods/p/log?%s", query);
    const struct http_request request = {
        .method = "GET", .url = url, .response_bytes_max = sizeof(client->text)};

    memset(client->text, 0, sizeof(client->text));
    client->status = 0;
    client->ended = false;
    (void)runtime_request(client->rt, &request, &events, client);
    cluster_world_run(client->world, SECOND / 10);
    free(url);
}

static int set_up(void **state)
{
    const struct sim_process_options process = {.name = "client"};
    const struct listen_options listen = {.address = "::", .port = 8080};
    struct client *client = xcalloc(1, sizeof(*client));
    struct sim_process *host;
    struct error err = ERROR_INIT;
    void *world;

    cluster_world_new(&world);
    client->world = world;
    host = sim_process_new(client->world->sim, &process);
    sim_process_start(host);
    cluster_world_run(client->world, 0);
    client->rt = sim_process_runtime(host);
    if (!runtime_listen(client->world->rt, &listen, rest_service(), client->world->rest,
                        &client->listener, &err))
        fail_msg("%s", err.text);
    *state = client;
    return 0;
}

static int tear_down(void **state)
{
    struct client *client = *state;
    void *world = client->world;

    listener_close(client->listener);
    cluster_world_free(&world);
    free(client);
    return 0;
}

static void create(struct client *client, const char *annotations)
{
    char *json = xprintf(
        "{'metadata':{'name':'p','annotations':{%s}},'spec':{'restartPolicy':'Never','containers':"
        "[{'name':'side','image':'i'},{'name':'agent','image':'i'}]}}",
        annotations);

    cluster_world_create(client->world, "pods", json);
    free(json);
}

static void test_ended(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\nthree'");
    cluster_world_run(client->world, 2 * SECOND);
    ask(client, "container=agent");
    assert_int_equal(client->status, 200);
    assert_string_equal(client->text, "one\ntwo\nthree");
    ask(client, "container=agent&tailLines=2");
    assert_string_equal(client->text, "two\nthree");
    ask(client, "container=agent&limitBytes=5");
    assert_string_equal(client->text, "one\nt");
    ask(client, "container=side");
    assert_int_equal(client->status, 200);
    assert_string_equal(client->text, "");
    ask(client, "container=agent&previous=true");
    assert_int_equal(client->status, 400);
}

/* All lines but the last at the start, the last at the end; following waits for it. */
static void test_follow(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\n','fakeapi/run-seconds':'10'");
    cluster_world_run(client->world, SECOND);
    ask(client, "container=agent&follow=true");
    assert_string_equal(client->text, "one\n");
    assert_false(client->ended);
    cluster_world_run(client->world, 10 * SECOND);
    assert_string_equal(client->text, "one\ntwo\n");
    assert_true(client->ended);
}

/* Line by line, and the last one at the end. */
static void test_pieces(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\nthree\\nfour\\n','fakeapi/run-seconds':'10',"
                   "'fakeapi/log-every-seconds':'2'");
    cluster_world_run(client->world, SECOND);
    ask(client, "container=agent&follow=true");
    assert_string_equal(client->text, "one\n");
    cluster_world_run(client->world, SECOND);
    assert_string_equal(client->text, "one\ntwo\n");
    cluster_world_run(client->world, 2 * SECOND);
    assert_string_equal(client->text, "one\ntwo\nthree\n");
    cluster_world_run(client->world, 5 * SECOND);
    assert_string_equal(client->text, "one\ntwo\nthree\n");
    assert_false(client->ended);
    cluster_world_run(client->world, SECOND);
    assert_string_equal(client->text, "one\ntwo\nthree\nfour\n");
    assert_true(client->ended);
}

/* What was to come is never written by one that is killed. */
static void test_pieces_killed(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\nthree\\nfour\\n','fakeapi/ending':'oom',"
                   "'fakeapi/run-seconds':'3','fakeapi/log-every-seconds':'2'");
    cluster_world_run(client->world, 20 * SECOND);
    ask(client, "container=agent");
    assert_string_equal(client->text, "one\ntwo\n");
}

/* The last line can be read some time after the end only; who follows waits for it. */
static void test_late(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\n','fakeapi/log-late-seconds':'5'");
    cluster_world_run(client->world, 2 * SECOND);
    cluster_world_expect(cluster_world_get(client->world, "pods", "p"), "'phase':'Succeeded'");
    ask(client, "container=agent&follow=true");
    assert_string_equal(client->text, "one\n");
    cluster_world_run(client->world, 3 * SECOND);
    assert_string_equal(client->text, "one\n");
    assert_false(client->ended);
    cluster_world_run(client->world, SECOND);
    assert_string_equal(client->text, "one\ntwo\n");
    assert_true(client->ended);
}

/* One that was killed never wrote its last line. */
static void test_killed(void **state)
{
    struct client *client = *state;

    create(client, "'fakeapi/log':'one\\ntwo\\n','fakeapi/ending':'oom'");
    cluster_world_run(client->world, 2 * SECOND);
    ask(client, "container=agent");
    assert_string_equal(client->text, "one\n");
}

/* A run's log is read as long as it is the last one or the one before; who follows it sees its end,
 * not what the next one writes. */
static void test_previous(void **state)
{
    struct client *client = *state;

    cluster_world_create(client->world, "pods",
                         "{'metadata':{'name':'p','annotations':{'fakeapi/log':'one\\ntwo\\n',"
                         "'fakeapi/exit-code':'1','fakeapi/run-seconds':'10'}},"
                         "'spec':{'containers':[{'name':'agent','image':'i'}]}}");
    cluster_world_run(client->world, SECOND);
    ask(client, "previous=true");
    assert_int_equal(client->status, 400);
    ask(client, "follow=true&timestamps=true");
    assert_string_equal(client->text, "2023-11-14T22:13:21.010000000Z one\n");
    cluster_world_run(client->world, 10 * SECOND);
    assert_true(client->ended);
    assert_string_equal(client->text, "2023-11-14T22:13:21.010000000Z one\n"
                                      "2023-11-14T22:13:31.010000000Z two\n");
    ask(client, "");
    assert_string_equal(client->text, "one\n");
    ask(client, "previous=true");
    assert_string_equal(client->text, "one\ntwo\n");
    cluster_world_run(client->world, 10 * SECOND); /* it waits to be started again */
    ask(client, "");
    assert_string_equal(client->text, "one\ntwo\n");
    ask(client, "previous=true&timestamps=true&tailLines=1");
    assert_string_equal(client->text, "2023-11-14T22:13:41.010000000Z two\n");
}

static void test_not_there(void **state)
{
    struct client *client = *state;

    ask(client, "");
    assert_int_equal(client->status, 404);
    create(client, "'fakeapi/log':'one','fakeapi/log-gone':'true','fakeapi/start-seconds':'5'");
    cluster_world_run(client->world, SECOND);
    ask(client, "container=agent");
    assert_int_equal(client->status, 400);
    assert_non_null(strstr(client->text, "is waiting to start: ContainerCreating"));
    cluster_world_run(client->world, 10 * SECOND);
    ask(client, "container=agent");
    assert_non_null(strstr(client->text, "unable to retrieve container logs for containerd://"));
}

#define WITH_CLIENT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLIENT(test_ended),    WITH_CLIENT(test_follow),    WITH_CLIENT(test_killed),
        WITH_CLIENT(test_ended),    WITH_CLIENT(test_follow),    WITH_CLIENT(test_pieces),
        WITH_CLIENT(test_ended),    WITH_CLIENT(test_follow),    WITH_CLIENT(test_pieces_killed),
        WITH_CLIENT(test_ended),    WITH_CLIENT(test_follow),    WITH_CLIENT(test_late),
        WITH_CLIENT(test_previous), WITH_CLIENT(test_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
