#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_status.h"

static struct kube_status read_status(const char *json)
{
    struct kube_status status;

    kube_status_read((struct json_slice){json, strlen(json)}, &status);
    return status;
}

static void test_whole(void **state)
{
    struct kube_status status = read_status(
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"too "
        "many \\\"x\\\"\",\"reason\":\"TooManyRequests\",\"details\":{\"name\":\"a\",\"kind\":"
        "\"jobs\",\"retryAfterSeconds\":5},\"code\":429}");

    (void)state;
    assert_int_equal(status.code, 429);
    assert_string_equal(status.reason, "TooManyRequests");
    assert_string_equal(status.message, "too many \"x\"");
    assert_string_equal(status.details_name, "a");
    assert_string_equal(status.details_kind, "jobs");
    assert_int_equal(status.retry_after_s, 5);
    kube_status_release(&status);
}

static void test_hostile(void **state)
{
    static const char *const texts[] = {
        "[]",
        "null",
        "\"Status\"",
        "{}",
        "{\"code\":\"410\",\"reason\":7,\"message\":null}",
        "{\"details\":[]}",
        "{\"details\":{\"name\":{},\"retryAfterSeconds\":-1}}",
        "{\"code\":1e3}",
        "{\"code\":99999999999999999999999999}",
        "{\"message\":\"a\\u0000b\"}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct kube_status status = read_status(texts[i]);

        if (status.code != 0 || status.reason != NULL || status.message != NULL ||
            status.details_name != NULL || status.details_kind != NULL || status.retry_after_s != 0)
            fail_msg("%s: something was read", texts[i]);
        kube_status_release(&status);
    }
}

/* Both sides of the limit, and no cut through a character. */
static void test_long_message(void **state)
{
    static const struct {
        size_t size;
        bool cut;
    } cases[] = {
        {KUBE_STATUS_TEXT_SIZE - 1, false},
        {KUBE_STATUS_TEXT_SIZE,     true }
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *json = xcalloc(1, cases[i].size + 32);
        struct kube_status status;
        size_t at = strlen(strcpy(json, "{\"message\":\""));

        for (size_t k = 0; k < cases[i].size; k++)
            json[at + k] = "\xc3\xa4"[k % 2];
        if (cases[i].size % 2 == 1)
            json[at + cases[i].size - 1] = 'x';
        strcpy(json + at + cases[i].size, "\"}");
        status = read_status(json);
        assert_true(strlen(status.message) < KUBE_STATUS_TEXT_SIZE);
        assert_true(text_is_utf8(status.message, strlen(status.message)));
        assert_int_equal(text_ends_with(status.message, "..."), cases[i].cut);
        kube_status_release(&status);
        free(json);
    }
}

static void test_kind(void **state)
{
    static const struct {
        unsigned http;
        const char *reason;
        enum error_kind want;
    } cases[] = {
        {200, NULL,            ERROR_NONE       },
        {201, NULL,            ERROR_NONE       },
        {302, NULL,            ERROR_MALFORMED  },
        {400, "BadRequest",    ERROR_INVALID    },
        {401, NULL,            ERROR_DENIED     },
        {403, "Forbidden",     ERROR_DENIED     },
        {404, "NotFound",      ERROR_NOT_FOUND  },
        {406, NULL,            ERROR_INVALID    },
        {408, NULL,            ERROR_UNAVAILABLE},
        {409, "AlreadyExists", ERROR_EXISTS     },
        {409, "Conflict",      ERROR_CONFLICT   },
        {409, NULL,            ERROR_CONFLICT   },
        {410, "Expired",       ERROR_GONE       },
        {413, NULL,            ERROR_TOO_LARGE  },
        {422, "Invalid",       ERROR_INVALID    },
        {429, NULL,            ERROR_UNAVAILABLE},
        {500, NULL,            ERROR_UNAVAILABLE},
        {504, NULL,            ERROR_UNAVAILABLE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct kube_status status = {.reason = xstrdup(cases[i].reason)};

        if (kube_status_kind(cases[i].http, &status) != cases[i].want)
            fail_msg("%u %s", cases[i].http, text_or(cases[i].reason, ""));
        kube_status_release(&status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_long_message),
        cmocka_unit_test(test_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
