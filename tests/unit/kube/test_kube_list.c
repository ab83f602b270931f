#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_list.h"
#include "tests/unit/kube/script.h"

static const struct kube_resource agents = {"agents.re-cinq.com", "v1beta1", "agents"};
static const char *const columns[] = {"Phase"};

#define PATH "/apis/agents.re-cinq.com/v1beta1/namespaces/ns/agents"
#define GET_TABLE "GET " PATH "?limit=500&includeObject=Metadata"
#define DEFINITIONS "\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":\"Phase\"}]"
#define ROW(name, phase)                                                                           \
    "{\"cells\":[\"" name "\",\"" phase "\"],\"object\":{\"metadata\":{\"name\":\"" name "\"}}}"
#define TABLE(metadata, rows)                                                                      \
    "{\"kind\":\"Table\",\"metadata\":{" metadata "}," DEFINITIONS ",\"rows\":[" rows "]}"
#define LIST(metadata, items) "{\"metadata\":{" metadata "},\"items\":[" items "]}"
#define ITEM(name) "{\"metadata\":{\"name\":\"" name "\"}}"
#define NO_COLUMNS "{\"kind\":\"Table\",\"metadata\":{},\"columnDefinitions\":[],\"rows\":[]}"
#define SLOW(text, delay)                                                                          \
    {                                                                                              \
        .status = 200, .body = (text), .delay_us = (delay)                                         \
    }
#define OK(text) SLOW(text, 0)
#define REFUSE(code, text)                                                                         \
    {                                                                                              \
        .status = (code), .body = (text)                                                           \
    }
#define VERSION(text) "\"resourceVersion\":\"" text "\""
#define CONTINUE(text) "\"continue\":\"" text "\""

enum stop { STOP_NOT, STOP, STOP_FREE, STOP_FREE_ALL, STOP_AND_START };

/* Answers, one after the other. */
struct fixture {
    struct script script;
    int64_t zero_us; /* of the client's elapsed clock */
    struct kube_lister *lister;
    const struct script_reply *replies;
    size_t reply_count, next;
    char *accept;
    const char *stop_at; /* the item at which the test stops, frees or starts again */
    enum stop stop_how;
    bool again;                               /* start again from on_end */
    const char *endless_first, *endless_then; /* formats of pages without end; NULL: replies */
    int64_t endless_delay_us;
    char *page;
};

static void answer_without_end(struct fixture *fixture, struct script_reply *reply)
{
    const char *format = fixture->next == 0 ? fixture->endless_first : fixture->endless_then;
    const char *mark = strstr(format, "%zu");

    free(fixture->page);
    if (mark == NULL)
        fixture->page = xstrdup(format);
    else
        fixture->page = xprintf("%.*s%zu%s", (int)(mark - format), format, fixture->next, mark + 3);
    fixture->next++;
    reply->body = fixture->page;
    reply->delay_us = fixture->endless_delay_us;
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;

    free(fixture->accept);
    fixture->accept =
        xstrdup(http_header_get(request->head->headers, request->head->header_count, "Accept"));
    if (fixture->endless_first != NULL)
        answer_without_end(fixture, reply);
    else if (fixture->next < fixture->reply_count)
        *reply = fixture->replies[fixture->next++];
    else
        reply->status = 500;
}

static void stop_listing(struct fixture *fixture)
{
    struct kube_lister *lister = fixture->lister;

    switch (fixture->stop_how) {
    case STOP_NOT:
        break;
    case STOP:
        kube_lister_stop(lister);
        break;
    case STOP_FREE:
    case STOP_FREE_ALL:
        fixture->lister = NULL;
        kube_lister_free(lister);
        if (fixture->stop_how == STOP_FREE)
            break;
        kube_free(fixture->script.kube);
        fixture->script.kube = NULL;
        break;
    case STOP_AND_START:
        fixture->stop_at = NULL;
        kube_lister_stop(lister);
        kube_lister_start(lister);
        break;
    }
}

static bool on_item(void *arg, const struct kube_item *item)
{
    struct fixture *fixture = arg;
    char *name = json_slice_text(json_slice_get(item->metadata, "name"));
    bool stop = fixture->stop_at != NULL && text_equal(name, fixture->stop_at);
    bool taken = !text_equal(name, "bad");

    if (item->cells != NULL)
        script_tell(&fixture->script, "item %s %.*s", name, (int)item->cells[0].size,
                    item->cells[0].bytes);
    else
        script_tell(&fixture->script, "item %s, %zu bytes", name, item->object.size);
    free(name);
    if (stop)
        stop_listing(fixture);
    return taken;
}

static void on_restart(void *arg)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "restart");
    if (text_equal(fixture->stop_at, "restart"))
        stop_listing(fixture);
}

static void on_end(void *arg, const struct kube_list_result *result)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script,
                "%s at %s: %zu items, %zu malformed, %zu pages, %s, sent %lld, %u%s%s",
                result->ok ? "ok" : "failed", result->resource_version, result->items,
                result->malformed, result->pages, result->table ? "table" : "full",
                (long long)((result->sent_elapsed_us - fixture->zero_us) / US_PER_MS),
                result->status, result->ok ? "" : ": ", result->error.text);
    if (fixture->again) {
        fixture->again = false;
        kube_lister_start(fixture->lister);
    } else if (text_equal(fixture->stop_at, "end")) {
        stop_listing(fixture);
    }
}

static const struct kube_list_events events = {on_item, on_restart, on_end};

static struct kube_lister *new_lister(struct fixture *fixture, size_t column_count,
                                      const char *label_selector)
{
    return kube_lister_new(fixture->script.kube,
                           &(struct kube_lister_options){.resource = &agents,
                                                         .namespace_name = "ns",
                                                         .label_selector = label_selector,
                                                         .columns = columns,
                                                         .column_count = column_count},
                           &events, fixture);
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    script_init(&fixture->script, handle, fixture);
    fixture->zero_us = sim_process_elapsed_us(fixture->script.ctl);
    fixture->lister = new_lister(fixture, 1, NULL);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    kube_lister_free(fixture->lister);
    script_release(&fixture->script);
    free(fixture->accept);
    free(fixture->page);
    free(fixture);
    return 0;
}

static void list(struct fixture *fixture, const struct script_reply *replies, size_t count,
                 double until_s)
{
    fixture->replies = replies;
    fixture->reply_count = count;
    fixture->next = 0;
    kube_lister_start(fixture->lister);
    script_run(&fixture->script, until_s);
}

static void test_pages(void **state)
{
    static const struct script_reply replies[] = {
        SLOW(
            TABLE(VERSION("8") "," CONTINUE("a+/&="), ROW("a", "Pending") "," ROW("bad", "x") ",7"),
            3000),
        OK(TABLE(VERSION("9") "," CONTINUE(""), ROW("b", "Running"))),
    };
    struct fixture *fixture = *state;

    list(fixture, replies, ARRAY_SIZE(replies), 1);
    script_check(&fixture->script,
                 "0.000 " GET_TABLE "\n0.003 item a \"Pending\"\n0.003 item bad \"x\"\n"
                 "0.003 " GET_TABLE "&continue=a%2B%2F%26%3D\n0.003 item b \"Running\"\n"
                 "0.003 ok at 9: 2 items, 2 malformed, 2 pages, table, sent 0, 200\n");
    assert_string_equal(fixture->accept, "application/json;as=Table;g=meta.k8s.io;v=v1");
}

static void test_label_selector(void **state)
{
    static const struct script_reply replies[] = {OK(LIST(VERSION("9"), ""))};
    struct fixture *fixture = *state;

    kube_lister_free(fixture->lister);
    fixture->lister = new_lister(fixture, 0, "job-name=a,b!=c");
    list(fixture, replies, ARRAY_SIZE(replies), 1);
    script_check(&fixture->script,
                 "0.000 GET " PATH "?limit=20&labelSelector=job-name%3Da%2Cb%21%3Dc\n"
                 "0.000 ok at 9: 0 items, 0 malformed, 1 pages, full, sent 0, 200\n");
    assert_string_equal(fixture->accept, "application/json");
}

/* RULES 4.3: a 410 in the middle restarts the listing */
static void test_gone_in_the_middle(void **state)
{
    static const struct script_reply replies[] = {
        SLOW(TABLE(CONTINUE("x"), ROW("a", "Pending")), 1000000),
        REFUSE(410, "{\"reason\":\"Expired\",\"message\":\"old\"}"),
        OK(TABLE(VERSION("9"), ROW("b", "Running"))),
    };
    struct fixture *fixture = *state;

    list(fixture, replies, ARRAY_SIZE(replies), 2);
    script_check(&fixture->script,
                 "0.000 " GET_TABLE "\n1.000 item a \"Pending\"\n"
                 "1.000 " GET_TABLE "&continue=x\n1.000 restart\n1.000 " GET_TABLE
                 "\n1.000 item b \"Running\"\n"
                 "1.000 ok at 9: 1 items, 0 malformed, 1 pages, table, sent 1000, 200\n");
}

static void test_gone_for_ever(void **state)
{
    static const struct script_reply replies[] = {
        OK(TABLE(CONTINUE("x"), "")), REFUSE(410, NULL),
        OK(TABLE(CONTINUE("x"), "")), REFUSE(410, NULL),
        OK(TABLE(CONTINUE("x"), "")), REFUSE(410, NULL),
        OK(TABLE(CONTINUE("x"), "")), REFUSE(410, NULL),
        OK(TABLE(VERSION("9"), "")),
    };
    struct fixture *fixture = *state;

    list(fixture, replies, ARRAY_SIZE(replies), 2);
    assert_int_equal(fixture->next, 8);
    assert_non_null(strstr(buffer_text(&fixture->script.told), "failed at : 0 items"));
    assert_non_null(strstr(buffer_text(&fixture->script.told), "410: GET " PATH ": 410\n"));
}

#define AGAIN TABLE(CONTINUE("again"), ROW("a", "1"))
#define BARE_AGAIN TABLE(CONTINUE("again"), "")
#define MORE TABLE(CONTINUE("x%zu"), ROW("a", "1"))
#define BARE TABLE(CONTINUE("x%zu"), "")

/* A server whose pages never end: which brake holds, after how many requests. */
static void test_endless(void **state)
{
    static const struct {
        const char *name, *first, *then; /* %zu: the page's number */
        int64_t delay_us;
        size_t want_requests;
    } cases[] = {
        {"the same token",          AGAIN,      AGAIN,      0,        2   },
        {"the same token, no item", BARE_AGAIN, BARE_AGAIN, 0,        2   },
        {"no items",                MORE,       BARE,       0,        3   },
        {"no items from the start", BARE,       BARE,       0,        2   },
        {"too many pages",          MORE,       MORE,       0,        1000},
        {"too slow",                MORE,       MORE,       20000000, 15  },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        fixture->endless_first = cases[i].first;
        fixture->endless_then = cases[i].then;
        fixture->endless_delay_us = cases[i].delay_us;
        list(fixture, NULL, 0, 1000);
        if (fixture->next != cases[i].want_requests ||
            !text_ends_with(buffer_text(&fixture->script.told),
                            "200: list agents: pages without end\n"))
            fail_msg("%s: %zu requests", cases[i].name, fixture->next);
        tear_down(&own);
    }
}

/* RULES 4.3, Fallback: what makes a listing begin again with full objects */
static void test_fallback(void **state)
{
    static const struct {
        const char *name;
        struct script_reply first;
    } cases[] = {
        {"406",        REFUSE(406, NULL)},
        {"a plain list",            OK(LIST(VERSION("3"),         ITEM("a")))},
        {"no such columns", OK(NO_COLUMNS)  },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct script_reply replies[] = {cases[i].first, OK(LIST(VERSION("9"), ITEM("z")))};
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        list(fixture, replies, ARRAY_SIZE(replies), 1);
        if (!text_equal(buffer_text(&fixture->script.told),
                        "0.000 " GET_TABLE "\n0.000 restart\n0.000 GET " PATH "?limit=20\n"
                        "0.000 item z, 25 bytes\n"
                        "0.000 ok at 9: 1 items, 0 malformed, 1 pages, full, sent 0, 200\n"))
            fail_msg("%s: %s", cases[i].name, buffer_text(&fixture->script.told));
        tear_down(&own);
    }
}

/* and for how long it stays so */
static void test_table_again(void **state)
{
    static const struct script_reply once[] = {REFUSE(406, NULL), OK(LIST(VERSION("1"), ""))};
    static const struct script_reply full[] = {OK(LIST(VERSION("2"), ""))};
    static const struct script_reply table[] = {OK(TABLE(VERSION("3"), ""))};
    struct fixture *fixture = *state;

    list(fixture, once, ARRAY_SIZE(once), 599.999);
    buffer_clear(&fixture->script.told);
    list(fixture, full, ARRAY_SIZE(full), 600);
    script_check(&fixture->script,
                 "599.999 GET " PATH "?limit=20\n"
                 "599.999 ok at 2: 0 items, 0 malformed, 1 pages, full, sent 599999, 200\n");
    list(fixture, table, ARRAY_SIZE(table), 601);
    script_check(&fixture->script,
                 "600.000 " GET_TABLE "\n"
                 "600.000 ok at 3: 0 items, 0 malformed, 1 pages, table, sent 600000, 200\n");
}

/* A page of size bytes, items and blanks. */
static char *make_page(const char *body, size_t size)
{
    char *page = xmemdup(NULL, 0);
    size_t body_size = strlen(body);

    page = xrealloc(page, size + 1);
    memcpy(page, body, body_size);
    memset(page + body_size, ' ', size - body_size);
    page[size] = '\0';
    return page;
}

static void test_page_size_follows(void **state)
{
    char *big = make_page(LIST(CONTINUE("x"), ITEM("a") "," ITEM("b")), 8 * 1024 * 1024);
    char *small = make_page(LIST(CONTINUE("y"), ITEM("c")), 64 * 1024);
    const struct script_reply replies[] = {
        REFUSE(406, NULL),
        OK(big),
        OK(small),
        OK(LIST(VERSION("9"), "")),
    };
    struct fixture *fixture = *state;

    list(fixture, replies, ARRAY_SIZE(replies), 1);
    script_check(&fixture->script,
                 "0.000 " GET_TABLE "\n0.000 restart\n0.000 GET " PATH "?limit=20\n"
                 "0.000 item a, 25 bytes\n0.000 item b, 25 bytes\n"
                 "0.000 GET " PATH "?limit=1&continue=x\n0.000 item c, 25 bytes\n"
                 "0.000 GET " PATH "?limit=64&continue=y\n"
                 "0.000 ok at 9: 3 items, 0 malformed, 3 pages, full, sent 0, 200\n");
    free(big);
    free(small);
}

/* The cap: a Table past it falls back, a page of full objects is asked for again with fewer. */
static void test_past_the_cap(void **state)
{
    char *huge = make_page(LIST(VERSION("1"), ""), KUBE_RESPONSE_BYTES_MAX + 1);
    const struct script_reply replies[] = {
        OK(huge),
        OK(huge),
        OK(huge),
        OK(huge),
    };
    struct fixture *fixture = *state;

    list(fixture, replies, ARRAY_SIZE(replies), 1);
    assert_true(
        text_starts_with(buffer_text(&fixture->script.told),
                         "0.000 " GET_TABLE "\n0.000 restart\n0.000 GET " PATH "?limit=20\n"
                         "0.000 GET " PATH "?limit=5\n0.000 GET " PATH "?limit=1\n"
                         "0.000 failed at : 0 items, 0 malformed, 0 pages, full, sent 0, 200: "
                         "GET " PATH ": too large"));
    free(huge);
}

static void test_failures(void **state)
{
    static const struct {
        struct script_reply reply;
        const char *want;
    } cases[] = {
        {REFUSE(500, "{\"reason\":\"InternalError\",\"message\":\"x\"}"),
         "500: GET " PATH ": 500 InternalError: x"                                                     },
        {REFUSE(410, NULL),                                                    "410: GET " PATH ": 410"},
        {OK("{}"),   "200: list agents: neither a Table nor a list"          },
        {OK(TABLE("\"x\":1",      "")), "200: list agents: the last page has no resourceVersion"                        },
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        list(fixture, &cases[i].reply, 1, 0);
        if (strstr(buffer_text(&fixture->script.told), cases[i].want) == NULL ||
            strstr(buffer_text(&fixture->script.told), "failed") == NULL)
            fail_msg("want %s, got %s", cases[i].want, buffer_text(&fixture->script.told));
        buffer_clear(&fixture->script.told);
    }
}

/* Whatever a callback does to its own lister. */
static void test_stops(void **state)
{
    static const struct script_reply replies[] = {
        OK(TABLE(CONTINUE("x"), ROW("a", "1") "," ROW("b", "2"))),
        REFUSE(410, NULL),
        OK(TABLE(VERSION("9"), ROW("c", "3"))),
    };
    static const struct {
        const char *at;
        enum stop how;
        const char *want; /* the end of the story */
    } cases[] = {
        {"a",       STOP,          "item a \"1\"\n"},
        {"a",       STOP_FREE,     "item a \"1\"\n"},
        {"b",       STOP_FREE_ALL, "item b \"2\"\n"},
        {"restart", STOP,          "restart\n"     },
        {"restart", STOP_FREE_ALL, "restart\n"     },
        {"end",     STOP,          "200\n"         },
        {"end",     STOP_FREE_ALL, "200\n"         },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        fixture->stop_at = cases[i].at;
        fixture->stop_how = cases[i].how;
        list(fixture, replies, ARRAY_SIZE(replies), 100);
        if (!text_ends_with(buffer_text(&fixture->script.told), cases[i].want))
            fail_msg("%s %d: %s", cases[i].at, (int)cases[i].how,
                     buffer_text(&fixture->script.told));
        tear_down(&own);
    }
}

static void test_start_again_within(void **state)
{
    static const struct script_reply replies[] = {
        OK(TABLE(CONTINUE("x"), ROW("a", "1") "," ROW("b", "2"))),
        OK(TABLE(VERSION("9"), ROW("c", "3"))),
        OK(TABLE(VERSION("10"), ROW("d", "4"))),
    };
    struct fixture *fixture = *state;

    fixture->stop_at = "a";
    fixture->stop_how = STOP_AND_START;
    fixture->again = true;
    list(fixture, replies, ARRAY_SIZE(replies), 1);
    script_check(&fixture->script,
                 "0.000 " GET_TABLE "\n0.000 item a \"1\"\n0.000 " GET_TABLE
                 "\n0.000 item c \"3\"\n"
                 "0.000 ok at 9: 1 items, 0 malformed, 1 pages, table, sent 0, 200\n"
                 "0.000 " GET_TABLE "\n0.000 item d \"4\"\n"
                 "0.000 ok at 10: 1 items, 0 malformed, 1 pages, table, sent 0, 200\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_pages),         TEST(test_label_selector),      TEST(test_gone_in_the_middle),
        TEST(test_gone_for_ever), cmocka_unit_test(test_endless), cmocka_unit_test(test_fallback),
        TEST(test_table_again),   TEST(test_page_size_follows),   TEST(test_past_the_cap),
        TEST(test_failures),      cmocka_unit_test(test_stops),   TEST(test_start_again_within),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
