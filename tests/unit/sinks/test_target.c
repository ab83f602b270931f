#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/sinks/target.h"

static void test_urls(void **state)
{
    static const struct {
        const char *name;
        const char *url;
        const char *label; /* NULL: refused */
    } rows[] = {
        {"https",                       "https://hooks.example/services/T0/SECRET", "https://hooks.example:443"},
        {"http with a port",            "http://sink:8080/x?token=SECRET",          "http://sink:8080"         },
        {"IPv6",                        "https://[fd00::1]:8443/",                  "https://[fd00::1]:8443"   },
        {"host in capitals",            "HTTPS://Hooks.Example",                    "https://hooks.example:443"},
        {"file",                        "file:///etc/passwd",                       NULL                       },
        {"ftp",                         "ftp://sink/",                              NULL                       },
        {"javascript",                  "javascript:alert(1)",                      NULL                       },
        {"no scheme",                   "sink:8080/x",                              NULL                       },
        {"user info",                   "https://user:SECRET@sink/",                NULL                       },
        {"user info that hides a host", "https://good.example:443@evil/",           NULL                       },
        {"a second header line",        "https://sink/\r\nX: y",                    NULL                       },
        {"space",                       "https://sink/SECRET x",                    NULL                       },
        {"not ASCII",                   "https://s\xc3\xadnk/",                     NULL                       },
        {"port past its range",         "https://sink:65536/SECRET",                NULL                       },
        {"empty",                       "",                                         NULL                       },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error err = ERROR_INIT;
        struct target *target = NULL;
        bool taken = target_new(rows[i].url, NULL, 0, &target, &err);

        if (taken != (rows[i].label != NULL) ||
            (taken && !text_equal(target->label, rows[i].label)))
            fail_msg("%s: %s", rows[i].name, taken ? target->label : err.text);
        if (strstr(err.text, "SECRET") != NULL)
            fail_msg("%s: told: %s", rows[i].name, err.text);
        target_unref(target);
    }
}

static void test_url_limit(void **state)
{
    (void)state;
    for (size_t more = 0; more <= 1; more++) {
        char *url = xcalloc(TARGET_URL_BYTES_MAX + more + 1, 1);
        struct error err = ERROR_INIT;
        struct target *target = NULL;

        memset(url, 'x', TARGET_URL_BYTES_MAX + more);
        memcpy(url, "http://a/", 9);
        assert_int_equal(target_new(url, NULL, 0, &target, &err), more == 0);
        assert_int_equal(err.kind, more == 0 ? ERROR_NONE : ERROR_TOO_LARGE);
        target_unref(target);
        free(url);
    }
}

/* The largest of all is still what queues reckon with. */
static void test_size(void **state)
{
    struct buffer block = BUFFER_INIT(HEADER_BLOCK_BYTES_MAX);
    char url[TARGET_URL_BYTES_MAX + 1] = "https://";
    struct target *target;
    struct error err = ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < HEADER_BLOCK_COUNT_MAX; i++)
        buffer_append_format(&block, "X: %0*d\n",
                             (int)(HEADER_BLOCK_BYTES_MAX / HEADER_BLOCK_COUNT_MAX) - 4, 0);
    memset(url + 8, 'h', 255);
    memset(url + 8 + 255, '/', TARGET_URL_BYTES_MAX - 8 - 255);
    if (!target_new(url, block.bytes, block.size, &target, &err))
        fail_msg("%s", err.text);
    assert_int_equal(target->headers.count, HEADER_BLOCK_COUNT_MAX);
    assert_true(target->size <= TARGET_BYTES_MAX);
    assert_true(target->size > TARGET_URL_BYTES_MAX + block.size - HEADER_BLOCK_COUNT_MAX);
    target_unref(target);
    buffer_release(&block);
}

static void test_references(void **state)
{
    static const char headers[] = "A: 1";
    struct target *target;

    (void)state;
    if (!target_new("http://sink", headers, strlen(headers), &target, NULL))
        fail_msg("refused");
    assert_ptr_equal(target_ref(target), target);
    target_unref(target);
    assert_string_equal(target->headers.headers[0].value, "1");
    target_unref(target);
    target_unref(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_url_limit),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_references),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
