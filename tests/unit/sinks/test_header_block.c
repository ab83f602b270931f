#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/sinks/header_block.h"
#include "tests/unit/rows.h"

#define OURS "header that is not for a sink to set"
#define NAME "header name with a forbidden character"
#define VALUE "header value with a forbidden character"

/* RULES 10.1. want: the headers as "Name=value|". */
static const struct row {
    const char *name;
    const char *block;
    size_t size; /* 0: of the text */
    const char *want;
    size_t fault_line; /* 0: none */
    const char *fault;
} rows[] = {
    {"missing value, no headers",           "",                           0,  "",                        0, NULL                  },
    {"one header",                          "Authorization: Bearer x",    0,  "Authorization=Bearer x|", 0, NULL                  },
    {"a block of lines",                    "A: 1\nB: 2\n",               0,  "A=1|B=2|",                0, NULL                  },
    {"blank lines dropped",                 "\n\nA: 1\n \t \n\nB: 2\n\n", 0,  "A=1|B=2|",                0, NULL                  },
    {"split at the first colon",            "X: a:b: c",                  0,  "X=a:b: c|",               0, NULL                  },
    {"both sides trimmed",                  " \tX \t:\t  a b \t",         0,  "X=a b|",                  0, NULL                  },
    {"no space behind the colon",           "X:1",                        0,  "X=1|",                    0, NULL                  },
    {"CRLF",                                "A: 1\r\nB: 2\r\n\r\n",       0,  "A=1|B=2|",                0, NULL                  },
    {"empty value",                         "X:",                         0,  "X=|",                     0, NULL                  },
    {"the same name twice",                 "X: 1\nX: 2",                 0,  "X=1|X=2|",                0, NULL                  },
    {"bytes above ASCII in a value",        "X: \xc3\xa9",                0,  "X=\xc3\xa9|",             0, NULL                  },
    {"missing colon",                       "A: 1\nBearer x\nB: 2",       0,  "A=1|B=2|",                2, "line without a colon"},
    {"empty name",                          ": 1",                        0,  "",                        1, NAME                  },
    {"space in the name",                   "X Y: 1",                     0,  "",                        1, NAME                  },
    {"name of other characters",            "X\xc3\xa9: 1",               0,  "",                        1, NAME                  },
    {"bare CR in the value",                "A: 1\rB: 2",                 0,  "",                        1, VALUE                 },
    {"two CR at the end",                   "A: 1\r\r\nB: 2",             0,  "B=2|",                    1, VALUE                 },
    {"bare CR in the name",                 "A\rB: 2",                    0,  "",                        1, NAME                  },
    {"NUL in the value",                    "A: 1\0B: 2",                 9,  "",                        1, "NUL in a header"     },
    {"NUL in the name",                     "A\0: 1\nB: 2",               10, "B=2|",                    1, "NUL in a header"     },
    {"NUL alone",                           "\0",                         1,  "",                        1, "NUL in a header"     },
    {"control character",                   "A: \x01\nB: \x7f",           0,  "",                        1, VALUE                 },
    {"tab within a value",                  "A: 1\t2",                    0,  "A=1\t2|",                 0, NULL                  },
    {"folded line is no header",            "A: 1\n B\n",                 0,  "A=1|",                    2, "line without a colon"},
    {"Host",                                "Host: other",                0,  "",                        1, OURS                  },
    {"Content-Length",                      "content-length: 0",          0,  "",                        1, OURS                  },
    {"Transfer-Encoding",                   "Transfer-Encoding: chunked", 0,  "",                        1, OURS                  },
    {"Content-Type",                        "CONTENT-TYPE: text/plain",   0,  "",                        1, OURS                  },
    {"Content-Encoding",                    "Content-Encoding: gzip",     0,  "",                        1, OURS                  },
    {"Accept-Encoding",                     "Accept-Encoding: gzip",      0,  "",                        1, OURS                  },
    {"Connection",                          "Connection: X-Key",          0,  "",                        1, OURS                  },
    {"Keep-Alive",                          "Keep-Alive: 5",              0,  "",                        1, OURS                  },
    {"Proxy-Connection",                    "Proxy-Connection: close",    0,  "",                        1, OURS                  },
    {"Proxy-Authorization",                 "Proxy-Authorization: x",     0,  "",                        1, OURS                  },
    {"TE",                                  "TE: trailers",               0,  "",                        1, OURS                  },
    {"Trailer",                             "Trailer: X",                 0,  "",                        1, OURS                  },
    {"Upgrade",                             "Upgrade: h2c",               0,  "",                        1, OURS                  },
    {"Expect",                              "Expect: 100-continue",       0,  "",                        1, OURS                  },
    {"User-Agent",                          "User-Agent: x",              0,  "",                        1, OURS                  },
    {"Host with space around",              " Host : other",              0,  "",                        1, OURS                  },
    {"a name that begins like one of ours", "Hosts: x",                   0,  "Hosts=x|",                0, NULL                  },
};

static char *told(const struct header_block *block)
{
    struct buffer told = BUFFER_INIT(HEADER_BLOCK_BYTES_MAX * 2);

    for (size_t i = 0; i < block->count; i++)
        buffer_append_format(&told, "%s=%s|", block->headers[i].name, block->headers[i].value);
    return buffer_take(&told, NULL);
}

static void check_rows(void **state)
{
    const struct row *row = *state;
    struct header_block block;
    char *got;

    header_block_read(row->block, row->size == 0 ? strlen(row->block) : row->size, &block);
    got = told(&block);
    if (strcmp(got, row->want) != 0 || block.fault_line != row->fault_line ||
        !text_equal(block.fault, row->fault))
        fail_msg("%s: got %s, line %zu: %s", row->name, got, block.fault_line,
                 text_or(block.fault, "-"));
    free(got);
    header_block_release(&block);
}

static void test_no_bytes(void **state)
{
    struct header_block block;

    (void)state;
    header_block_read(NULL, 0, &block);
    assert_int_equal(block.count, 0);
    assert_null(block.fault);
    header_block_release(&block);
}

static void test_faults_are_counted(void **state)
{
    static const char text[] = "one\nA: 1\n\ntwo\nHost: x\n";
    struct header_block block;

    (void)state;
    header_block_read(text, strlen(text), &block);
    assert_int_equal(block.count, 1);
    assert_int_equal(block.fault_count, 3);
    assert_int_equal(block.fault_line, 1);
    assert_string_equal(block.fault, "line without a colon");
    header_block_release(&block);
}

static void test_count_limit(void **state)
{
    for (size_t more = 0; more <= 1; more++) {
        struct buffer text = BUFFER_INIT(HEADER_BLOCK_BYTES_MAX);
        struct header_block block;

        (void)state;
        for (size_t i = 0; i < HEADER_BLOCK_COUNT_MAX + more; i++)
            buffer_append_format(&text, "X-%zu: 1\n", i);
        header_block_read(text.bytes, text.size, &block);
        assert_int_equal(block.count, HEADER_BLOCK_COUNT_MAX);
        assert_int_equal(block.fault_count, more);
        assert_int_equal(block.fault_line, more == 0 ? 0 : HEADER_BLOCK_COUNT_MAX + 1);
        header_block_release(&block);
        buffer_release(&text);
    }
}

static void test_size_limit(void **state)
{
    for (size_t more = 0; more <= 1; more++) {
        size_t size = HEADER_BLOCK_BYTES_MAX - 4 + more; /* beside "A: 1" */
        char *text = xcalloc(size + 6, 1);
        struct header_block block;

        (void)state;
        memcpy(text, "A: 1\nB: ", 8);
        memset(text + 8, 'x', size - 3);
        header_block_read(text, size + 5, &block);
        assert_int_equal(block.count, more == 0 ? 2 : 1);
        assert_int_equal(block.fault_count, more);
        assert_true(block.size <= HEADER_BLOCK_BYTES_MAX);
        header_block_release(&block);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_bytes),
        cmocka_unit_test(test_faults_are_counted),
        cmocka_unit_test(test_count_limit),
        cmocka_unit_test(test_size_limit),
    };

    return ROWS_RUN(rows, check_rows) + cmocka_run_group_tests(tests, NULL, NULL);
}
