#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/kube/list_wire.h"

static const char *const columns[] = {"Phase", "Station"};

#define META "\"metadata\":{\"resourceVersion\":\"9\"}"
#define DEFINITIONS                                                                                \
    "\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":\"Station\"},{\"name\":\"Age\"},"        \
    "{\"name\":\"Phase\"}]"
#define TABLE(rows) "{\"kind\":\"Table\"," META "," DEFINITIONS ",\"rows\":" rows "}"
#define OBJECT(name) "\"object\":{\"metadata\":{\"name\":\"" name "\"}}"

/* A page told in one line: "form: item|item|..." with '!' for a malformed one. */
static void tell(const char *json, struct buffer *out)
{
    static const char *const forms[] = {"table", "columns missing", "plain", "malformed"};
    struct json_slice body = {json, strlen(json)};
    struct error err = ERROR_INIT;
    struct list_page page;
    struct kube_item item;
    enum list_page_form form;
    enum list_page_item step;

    if (!json_check(json, strlen(json), strlen(json), &err))
        fail_msg("the test's own JSON: %s", err.text);
    form = list_page_open(body, columns, ARRAY_SIZE(columns), &page);
    buffer_append_format(out, "%s:", forms[form]);
    while ((form == LIST_PAGE_TABLE || form == LIST_PAGE_PLAIN) &&
           (step = list_page_next(&page, &item)) != LIST_ITEM_NONE) {
        char *name;

        if (step == LIST_ITEM_MALFORMED) {
            buffer_append_text(out, " !");
            continue;
        }
        name = json_slice_text(json_slice_get(item.metadata, "name"));
        buffer_append_format(out, " %s", name);
        free(name);
        if (item.cells != NULL)
            buffer_append_format(out, "(%.*s,%.*s)", (int)item.cells[0].size, item.cells[0].bytes,
                                 (int)item.cells[1].size, item.cells[1].bytes);
        else
            assert_int_equal(item.object.bytes[0], '{');
    }
    list_page_release(&page);
}

static const struct row {
    const char *name;
    const char *json;
    const char *want;
} rows[] = {
    {"cells by name, in the wanted order",
     TABLE("[{\"cells\":[\"a\",\"s1\",\"5m\",\"Running\"]," OBJECT(
         "a") "},{\"cells\":[\"b\",\"s2\","
              "\"5m\",null]," OBJECT("b") "}]"),
     "table: a(\"Running\",\"s1\") b(null,\"s2\")"                                                                                          },
    {"no rows",                                   TABLE("[]"),                                                            "table:"          },
    {"rows are null",                             TABLE("null"),                                                          "table:"          },
    {"malformed rows are skipped, the rest kept",
     TABLE("[7,{},{\"cells\":[1,2,3,4]},{\"cells\":[1,2,3]," OBJECT("c") "},{\"cells\":{}," OBJECT(
         "d") "},{\"cells\":[1,2,3,4],\"object\":null},{\"cells\":[1,2,3,4],\"object\":"
              "{\"metadata\":[]}},{\"cells\":[1,2,3,4]," OBJECT(
                  "") "},{\"cells\":[1,2,3,4],\"object\""
                      ":{\"metadata\":{\"name\":5}}},{\"cells\":[1,2,3,4]," OBJECT("z") "}]"),
     "table: ! ! ! ! ! ! ! ! ! z(4,2)"                                                                                                      },
    {"more cells than columns",                   TABLE("[{\"cells\":[1,2,3,4,5,6]," OBJECT("a") "}]"),
     "table: a(4,2)"                                                                                                                        },
    {"a column missing",
     "{\"kind\":\"Table\"," META ",\"columnDefinitions\":[{\"name\":\"Phase\"}],\"rows\":[]}",
     "columns missing:"                                                                                                                     },
    {"no definitions",                            "{\"kind\":\"Table\"," META ",\"rows\":[]}",                            "columns missing:"},
    {"definitions are null",                      "{\"kind\":\"Table\"," META ",\"columnDefinitions\":null,\"rows\":[]}",
     "columns missing:"                                                                                                                     },
    {"odd definitions",
     "{\"kind\":\"Table\"," META ",\"columnDefinitions\":[null,3,{},{\"name\":7},{\"name\":"
     "\"Phase\"},{\"name\":\"Phase\"},{\"name\":\"Station\"}],\"rows\":[{\"cells\":[0,1,2,3,4,5,6]"
     "," OBJECT("a") "}]}",
     "table: a(4,6)"                                                                                                                        },
    {"a list",
     "{\"kind\":\"AgentList\"," META ",\"items\":[{\"metadata\":{\"name\":\"a\"}},"
     "{\"metadata\":null},\"x\",{\"metadata\":{\"name\":\"b\"}}]}",                                                       "plain: a ! ! b"  },
    {"a list without kind",                       "{" META ",\"items\":[]}",                                              "plain:"          },
    {"items are null",                            "{" META ",\"items\":null}",                                            "plain:"          },
    {"a Table in name only",                      "{\"kind\":\"Table\"," META ",\"items\":[]}",                           "malformed:"      },
    {"no metadata",                               "{\"items\":[]}",                                                       "malformed:"      },
    {"metadata of another type",                  "{\"metadata\":[],\"items\":[]}",                                       "malformed:"      },
    {"no items",                                  "{" META "}",                                                           "malformed:"      },
    {"items of another type",                     "{" META ",\"items\":{}}",                                              "malformed:"      },
};

static void test_pages(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buffer out = BUFFER_INIT(10000);

        tell(rows[i].json, &out);
        if (strcmp(buffer_text(&out), rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, buffer_text(&out));
        buffer_release(&out);
    }
}

static void test_texts(void **state)
{
    static const struct {
        const char *json, *version, *token;
    } cases[] = {
        {"{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",                        "9",  NULL},
        {"{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"\"},\"items\":[]}",      "9",  NULL},
        {"{\"metadata\":{\"resourceVersion\":\"\",\"continue\":\"a\\/b=\"},\"items\":[]}", NULL,
         "a/b="                                                                                      },
        {"{\"metadata\":{\"resourceVersion\":9,\"continue\":9},\"items\":[]}",             NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct json_slice body = {cases[i].json, strlen(cases[i].json)};
        struct list_page page;

        assert_int_equal(list_page_open(body, columns, 2, &page), LIST_PAGE_PLAIN);
        assert_int_equal(page.resource_version == NULL, cases[i].version == NULL);
        if (cases[i].version != NULL)
            assert_string_equal(page.resource_version, cases[i].version);
        assert_int_equal(page.continue_token == NULL, cases[i].token == NULL);
        if (cases[i].token != NULL)
            assert_string_equal(page.continue_token, cases[i].token);
        list_page_release(&page);
    }
}

/* A wanted column is found at the last position that is looked at, and not behind it. */
static void test_many_columns(void **state)
{
    static const struct {
        size_t before;
        enum list_page_form want;
    } cases[] = {
        {LIST_TABLE_COLUMNS_MAX - 2, LIST_PAGE_TABLE          },
        {LIST_TABLE_COLUMNS_MAX - 1, LIST_PAGE_COLUMNS_MISSING}
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct buffer json = BUFFER_INIT(100000);
        struct list_page page;

        buffer_append_text(&json, "{\"kind\":\"Table\"," META ",\"columnDefinitions\":[");
        for (size_t k = 0; k < cases[i].before; k++)
            buffer_append_text(&json, "{\"name\":\"x\"},");
        buffer_append_text(&json, "{\"name\":\"Phase\"},{\"name\":\"Station\"}],\"rows\":[]}");
        assert_int_equal(
            list_page_open((struct json_slice){json.bytes, json.size}, columns, 2, &page),
            cases[i].want);
        list_page_release(&page);
        buffer_release(&json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_many_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
