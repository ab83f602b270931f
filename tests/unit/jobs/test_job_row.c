/* A Job as a row of a Table (RULES 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/jobs/job_row.h"

#define NEW_COLUMNS                                                                                \
    "\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":\"Status\"},{\"name\":\"Completions\"}]" \
    ","
#define OLD_COLUMNS "\"columnDefinitions\":[{\"name\":\"Name\"},{\"name\":\"Completions\"}],"
#define ROW(cells) "\"rows\":[{\"cells\":[" cells "],\"object\":{\"metadata\":{}}}]"

static const struct row {
    const char *name;
    const char *first; /* Table that came before, or NULL */
    const char *table;
    bool read;
    bool ended;
} rows[] = {
    {"complete", NULL, "{" NEW_COLUMNS ROW("\"j\",\"Complete\",\"1/1\"") "}", true, true},
    {"failed", NULL, "{" NEW_COLUMNS ROW("\"j\",\"Failed\",\"0/1\"") "}", true, true},
    {"running", NULL, "{" NEW_COLUMNS ROW("\"j\",\"Running\",\"0/1\"") "}", true, false},
    {"decided, not reached", NULL, "{" NEW_COLUMNS ROW("\"j\",\"SuccessCriteriaMet\",\"1/1\"") "}",
     true, false},
    {"before 1.31, complete", NULL, "{" OLD_COLUMNS ROW("\"j\",\"1/1\"") "}", true, true},
    {"before 1.31, running", NULL, "{" OLD_COLUMNS ROW("\"j\",\"0/1\"") "}", true, false},
    {"columns named by the first Table", "{" NEW_COLUMNS ROW("\"j\",\"Running\",\"0/1\"") "}",
     "{\"columnDefinitions\":null," ROW("\"j\",\"Complete\",\"1/1\"") "}", true, true},
    {"columns never named", NULL, "{" ROW("\"j\",\"Complete\",\"1/1\"") "}", true, false},
    {"a status that is no text", NULL, "{" NEW_COLUMNS ROW("\"j\",{},\"1/1\"") "}", true, false},
    {"fewer cells than columns", NULL, "{" NEW_COLUMNS ROW("\"j\"") "}", true, false},
    {"a column without a name", NULL,
     "{\"columnDefinitions\":[7,{},{\"name\":\"Status\"}]," ROW("1,2,\"Failed\"") "}", true, true},
    {"a bookmark", NULL, "{" NEW_COLUMNS "\"rows\":[]}", false, false},
    {"rows null", NULL, "{\"rows\":null}", false, false},
    {"a row that is no object", NULL, "{\"rows\":[1]}", false, false},
    {"no cells", NULL, "{\"rows\":[{\"object\":{\"metadata\":{}}}]}", false, false},
    {"no object", NULL, "{\"rows\":[{\"cells\":[]}]}", false, false},
    {"no metadata", NULL, "{\"rows\":[{\"cells\":[],\"object\":{}}]}", false, false},
    {"a Job as it is", NULL, "{\"metadata\":{},\"status\":{}}", false, false},
};

static struct json_slice slice(const char *text)
{
    return (struct json_slice){text, strlen(text)};
}

static void test_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct job_columns columns = JOB_COLUMNS_INIT;
        struct job_row row = {0};
        bool read;

        if (rows[i].first != NULL)
            assert_true(job_row_read(slice(rows[i].first), &columns, &row));
        row = (struct job_row){0};
        read = job_row_read(slice(rows[i].table), &columns, &row);
        if (read != rows[i].read || (read && row.ended != rows[i].ended))
            fail_msg("%s: %sread, %sended", rows[i].name, read ? "" : "not ",
                     row.ended ? "" : "not ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
