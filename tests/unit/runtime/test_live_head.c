/* Heads of answers, as libcurl hands them over line by line (RFC 9112, 4 to 6). */
#include "controller/base/text.h"
#include "controller/runtime/live_client.h"
#include "tests/unit/rows.h"

#define OK "HTTP/1.1 200 OK\r\n"

static const struct row {
    const char *name;
    const char *head;
    unsigned want; /* status; 0: refused or not whole */
    const char *headers;
} rows[] = {
    {"a whole head",                  OK "A: 1\r\nB: 2\r\n\r\n",                                    200, "A=1|B=2|"         },
    {"no reason",                     "HTTP/1.1 204\r\n\r\n",                                       204, ""                 },
    {"an empty reason",               "HTTP/1.1 204 \r\n\r\n",                                      204, ""                 },
    {"HTTP/1.0",                      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n",               200, "Content-Length=2|"},
    {"bare line feeds",               "HTTP/1.1 200 OK\nA: 1\n\n",                                  200, "A=1|"             },
    {"the least status",              "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",              200, ""                 },
    {"the largest status",            "HTTP/1.1 599 X\r\n\r\n",                                     599, ""                 },
    {"interim headers are forgotten", "HTTP/1.1 103 E\r\nA: 1\r\n\r\n" OK "B: 2\r\n\r\n",           200,
     "B=2|"                                                                                                                 },
    {"interim lengths do not count",
     "HTTP/1.1 103 E\r\nContent-Length: 1\r\n\r\n" OK "Content-Length: 2\r\n\r\n",                  200,
     "Content-Length=2|"                                                                                                    },
    {"a value is trimmed",            OK "A:\t a b \t\r\n\r\n",                                     200, "A=a b|"           },
    {"an empty value",                OK "A:\r\n\r\n",                                              200, "A=|"              },
    {"a colon in a value",            OK "A: b:c\r\n\r\n",                                          200, "A=b:c|"           },
    {"chunks, in any case",           OK "transfer-encoding: Chunked\r\n\r\n",                      200,
     "transfer-encoding=Chunked|"                                                                                           },
    {"the longest length",            OK "Content-Length: 999999999999999999\r\n\r\n",              200,
     "Content-Length=999999999999999999|"                                                                                   },
    {"only interim",                  "HTTP/1.1 100 Continue\r\n\r\n",                              0,   NULL               },
    {"no end",                        OK "A: 1\r\n",                                                0,   NULL               },
    {"another protocol",              "HTTP/1.1 101 Switching\r\n\r\n" OK "\r\n",                   0,   NULL               },
    {"a status below 100",            "HTTP/1.1 099 X\r\n\r\n",                                     0,   NULL               },
    {"a status above 599",            "HTTP/1.1 600 X\r\n\r\n",                                     0,   NULL               },
    {"a status of four digits",       "HTTP/1.1 2000 X\r\n\r\n",                                    0,   NULL               },
    {"a status of two digits",        "HTTP/1.1 20 X\r\n\r\n",                                      0,   NULL               },
    {"a status with a letter",        "HTTP/1.1 20x X\r\n\r\n",                                     0,   NULL               },
    {"HTTP/2",                        "HTTP/2 200\r\n\r\n",                                         0,   NULL               },
    {"HTTP/2.0",                      "HTTP/2.0 200 OK\r\n\r\n",                                    0,   NULL               },
    {"HTTP/11",                       "HTTP/11 200 OK\r\n\r\n",                                     0,   NULL               },
    {"two spaces",                    "HTTP/1.1  200 OK\r\n\r\n",                                   0,   NULL               },
    {"a header first",                "A: 1\r\n\r\n",                                               0,   NULL               },
    {"two lengths",                   OK "Content-Length: 2\r\nContent-Length: 3\r\n\r\n",          0,   NULL               },
    {"the same length twice",         OK "Content-Length: 2\r\ncontent-length: 2\r\n\r\n",          0,   NULL               },
    {"length and chunks",             OK "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 0,   NULL               },
    {"chunks and length",             OK "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n", 0,   NULL               },
    {"another coding",                OK "Transfer-Encoding: gzip, chunked\r\n\r\n",                0,   NULL               },
    {"chunks of HTTP/1.0",            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",      0,   NULL               },
    {"a length with a sign",          OK "Content-Length: +2\r\n\r\n",                              0,   NULL               },
    {"a length in hex",               OK "Content-Length: 0x2\r\n\r\n",                             0,   NULL               },
    {"a list of lengths",             OK "Content-Length: 2, 2\r\n\r\n",                            0,   NULL               },
    {"no length in it",               OK "Content-Length:\r\n\r\n",                                 0,   NULL               },
    {"a length past all",             OK "Content-Length: 9999999999999999999\r\n\r\n",             0,   NULL               },
    {"a space before the colon",      OK "A : 1\r\n\r\n",                                           0,   NULL               },
    {"a name with a space",           OK "A B: 1\r\n\r\n",                                          0,   NULL               },
    {"no name",                       OK ": 1\r\n\r\n",                                             0,   NULL               },
    {"no colon",                      OK "A\r\n\r\n",                                               0,   NULL               },
    {"a folded line",                 OK "A: 1\r\n B: 2\r\n\r\n",                                   0,   NULL               },
    {"a carriage return within",      OK "A: 1\rB: 2\r\n\r\n",                                      0,   NULL               },
    {"a control character",           OK "A: \x01\r\n\r\n",                                         0,   NULL               },
    {"a second status line",          OK "HTTP/1.1 201 Created\r\n\r\n",                            0,   NULL               },
};

static bool take_all(struct live_exchange *exchange, const char *head, size_t size)
{
    const char *end = head + size;

    while (head < end) {
        const char *next = (const char *)memchr(head, '\n', (size_t)(end - head)) + 1;

        if (!live_head_line(exchange, head, (size_t)(next - head)))
            return false;
        head = next;
    }
    return exchange->head_ready;
}

static struct buffer told(const struct live_exchange *exchange)
{
    struct buffer told = BUFFER_INIT(EXCHANGE_HEADER_BYTES_MAX);
    const char *at = buffer_text(&exchange->head_bytes);

    for (size_t i = 0; i < exchange->header_count; i++) {
        const char *value = at + strlen(at) + 1;

        buffer_append_format(&told, "%s=%s|", at, value);
        at = value + strlen(value) + 1;
    }
    return told;
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct live_exchange exchange = {.head_bytes = BUFFER_INIT(EXCHANGE_HEADER_BYTES_MAX)};
    struct buffer got;

    if (take_all(&exchange, row->head, strlen(row->head))) {
        got = told(&exchange);
        assert_int_equal(exchange.status, row->want);
        assert_string_equal(buffer_text(&got), row->headers);
        buffer_release(&got);
    } else {
        assert_int_equal(0, row->want);
    }
    buffer_release(&exchange.head_bytes);
}

static void test_nul(void **state)
{
    static const char head[] = OK "A: 1\0B: 2\r\n\r\n";
    struct live_exchange exchange = {.head_bytes = BUFFER_INIT(EXCHANGE_HEADER_BYTES_MAX)};

    (void)state;
    assert_false(take_all(&exchange, head, sizeof(head) - 1));
    buffer_release(&exchange.head_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nul)};
    int failed = ROWS_RUN(rows, check_row);

    failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
