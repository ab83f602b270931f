#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "controller/kube/watch_wire.h"

#define OBJECT "\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}"

/* RULES 4.4, the paragraph "Per line" */
static const struct row {
    const char *line;
    enum watch_line want;
    enum kube_event_type type;
    const char *version;
    int64_t code;
} rows[] = {
    {"{\"type\":\"ADDED\"," OBJECT "}",                                           WATCH_LINE_EVENT,     KUBE_ADDED,    "5",  0  },
    {"{\"type\":\"MODIFIED\"," OBJECT "}",                                        WATCH_LINE_EVENT,     KUBE_MODIFIED, "5",  0  },
    {"{\"type\":\"DELETED\"," OBJECT "}",                                         WATCH_LINE_EVENT,     KUBE_DELETED,  "5",  0  },
    {"{\"type\":\"BOOKMARK\"," OBJECT "}",                                        WATCH_LINE_EVENT,     KUBE_BOOKMARK, "5",  0  },
    {"{\"type\":\"SOMEDAY\"," OBJECT "}",                                         WATCH_LINE_EVENT,     KUBE_OTHER,    "5",  0  },
    {"{" OBJECT ",\"type\":\"ADDED\"}",                                           WATCH_LINE_EVENT,     KUBE_ADDED,    "5",  0  },
    {"  {\"type\":\"ADDED\"," OBJECT "} ",                                        WATCH_LINE_EVENT,     KUBE_ADDED,    "5",  0  },
    {"{\"type\":\"ADDED\",\"object\":{}}",                                        WATCH_LINE_EVENT,     KUBE_ADDED,    NULL, 0  },
    {"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"\"}}}", WATCH_LINE_EVENT,
     KUBE_ADDED,                                                                                                       NULL, 0  },
    {"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":5}}}",    WATCH_LINE_EVENT,
     KUBE_ADDED,                                                                                                       NULL, 0  },
    {"{\"type\":\"ADDED\",\"object\":{\"metadata\":7}}",                          WATCH_LINE_EVENT,     KUBE_ADDED,    NULL, 0  },
    {"{\"type\":\"ERROR\",\"object\":{\"code\":410,\"reason\":\"Expired\"}}",     WATCH_LINE_ERROR,
     KUBE_OTHER,                                                                                                       NULL, 410},
    {"{\"type\":\"ERROR\",\"object\":{}}",                                        WATCH_LINE_ERROR,     KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ERROR\",\"object\":null}",                                      WATCH_LINE_ERROR,     KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ERROR\"}",                                                      WATCH_LINE_ERROR,     KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\"}",                                                      WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\",\"object\":[]}",                                        WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\",\"object\":null}",                                      WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":7," OBJECT "}",                                                   WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{" OBJECT "}",                                                              WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\"," OBJECT,                                               WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\"," OBJECT "}{}",                                         WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"{\"type\":\"ADDED\",\"type\":\"DELETED\"," OBJECT "}",                      WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL,
     0                                                                                                                          },
    {"[]",                                                                        WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"null",                                                                      WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"",                                                                          WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {" ",                                                                         WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
    {"HTTP/1.1 502 Bad Gateway",                                                  WATCH_LINE_MALFORMED, KUBE_OTHER,    NULL, 0  },
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        struct watch_line_content content;
        enum watch_line got = watch_line_decode(row->line, strlen(row->line), &content);

        if (got != row->want || (got == WATCH_LINE_EVENT && content.type != row->type) ||
            !text_equal(content.resource_version, row->version) || content.status.code != row->code)
            fail_msg("%s: got %d, type %d, version %s", row->line, (int)got, (int)content.type,
                     text_or(content.resource_version, "none"));
        if (got == WATCH_LINE_EVENT)
            assert_int_equal(content.object.bytes[0], '{');
        watch_line_release(&content);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
