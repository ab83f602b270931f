#include "fakeapi/cluster/kubelet_script.h"

#include <string.h>

#include "tests/unit/cluster/quoted.h"

static struct kubelet_script annotated(const char *annotations)
{
    struct kubelet_script script = KUBELET_SCRIPT_INIT;
    struct json_object *tree = quoted(annotations);

    kubelet_script_annotate(&script, tree);
    json_object_put(tree);
    return script;
}

static void test_default(void **state)
{
    struct kubelet_script script = annotated("{}");

    (void)state;
    assert_int_equal(script.start_us, 0);
    assert_int_equal(script.run_us, KUBELET_RUN_DEFAULT);
    assert_int_equal(script.exit_code, 0);
    assert_int_equal(script.ending, KUBELET_EXITS);
    assert_null(script.log);
    assert_int_equal(script.recover_us, KUBELET_NEVER);
    assert_int_equal(script.node_gone_us, KUBELET_NEVER);
}

static void test_annotations(void **state)
{
    struct kubelet_script script =
        annotated("{'fakeapi/start-seconds':'0.25','fakeapi/run-seconds':'60',"
                  "'fakeapi/stop-seconds':'2','fakeapi/exit-code':'255',"
                  "'fakeapi/log':'a\\nb','fakeapi/container':'main','fakeapi/ending':'evict',"
                  "'fakeapi/log-gone':'true','fakeapi/status-missing':'true',"
                  "'fakeapi/ready-seconds':'3','fakeapi/init-seconds':'4',"
                  "'fakeapi/init-exit-code':'5','fakeapi/fail-times':'6',"
                  "'fakeapi/termination-message':'bye','fakeapi/recover-seconds':'7',"
                  "'fakeapi/node-gone-seconds':'8','fakeapi/log-every-seconds':'9',"
                  "'fakeapi/log-late-seconds':'10','fakeapi/others-run-seconds':'11',"
                  "'fakeapi/others-exit-code':'12'}");

    (void)state;
    assert_int_equal(script.start_us, 250000);
    assert_int_equal(script.run_us, 60000000);
    assert_int_equal(script.stop_us, 2000000);
    assert_int_equal(script.exit_code, 255);
    assert_string_equal(script.log, "a\nb");
    assert_string_equal(script.container, "main");
    assert_int_equal(script.ending, KUBELET_EVICTED);
    assert_true(script.log_gone);
    assert_true(script.status_missing);
    assert_int_equal(script.ready_us, 3000000);
    assert_int_equal(script.init_us, 4000000);
    assert_int_equal(script.init_exit_code, 5);
    assert_int_equal(script.fail_times, 6);
    assert_string_equal(script.message, "bye");
    assert_int_equal(script.recover_us, 7000000);
    assert_int_equal(script.node_gone_us, 8000000);
    assert_int_equal(script.log_every_us, 9000000);
    assert_int_equal(script.log_late_us, 10000000);
    assert_int_equal(script.others_run_us, 11000000);
    assert_int_equal(script.others_exit_code, 12);
    kubelet_script_release(&script);
}

/* What is no value is passed over. */
static void test_no_values(void **state)
{
    static const char *const rows[] = {
        "{'fakeapi/run-seconds':'soon'}",      "{'fakeapi/run-seconds':'-1'}",
        "{'fakeapi/run-seconds':'315360001'}", "{'fakeapi/run-seconds':'1.2.3'}",
        "{'fakeapi/run-seconds':''}",          "{'fakeapi/exit-code':'256'}",
        "{'fakeapi/exit-code':'-1'}",          "{'fakeapi/exit-code':'x'}",
        "{'fakeapi/ending':'unheard-of'}",     "{'fakeapi/run-seconds':5}",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kubelet_script script = annotated(rows[i]);

        if (script.run_us != KUBELET_RUN_DEFAULT || script.exit_code != 0 ||
            script.ending != KUBELET_EXITS)
            fail_msg("%s: taken", rows[i]);
        kubelet_script_release(&script);
    }
}

static void test_longest(void **state)
{
    struct kubelet_script script = annotated("{'fakeapi/run-seconds':'315360000'}");

    (void)state;
    assert_int_equal(script.run_us, KUBELET_SECONDS_MAX * INT64_C(1000000));
    kubelet_script_release(&script);
}

static void test_log_times(void **state)
{
    static const struct {
        const char *annotations;
        const char *want;
    } rows[] = {
        {"{'fakeapi/log':'ab','fakeapi/log-times':'3'}",             "ababab"  },
        {"{'fakeapi/log':'ab','fakeapi/log-times':'1'}",             "ab"      },
        {"{'fakeapi/log':'ab','fakeapi/log-times':'0'}",             "ab"      },
        {"{'fakeapi/log':'','fakeapi/log-times':'3'}",               ""        },
        {"{'fakeapi/log-times':'3'}",                                NULL      },
        {"{'fakeapi/log':'12345678','fakeapi/log-times':'1048577'}", "12345678"}, /* too long */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kubelet_script script = annotated(rows[i].annotations);

        if (script.log != rows[i].want &&
            (script.log == NULL || rows[i].want == NULL || strcmp(script.log, rows[i].want) != 0))
            fail_msg("%s: got %s", rows[i].annotations, script.log);
        kubelet_script_release(&script);
    }
}

static void test_longest_log(void **state)
{
    struct kubelet_script script =
        annotated("{'fakeapi/log':'12345678','fakeapi/log-times':'1048576'}");

    (void)state;
    assert_int_equal(strlen(script.log), KUBELET_SCRIPT_LOG_BYTES_MAX);
    kubelet_script_release(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),   cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_no_values), cmocka_unit_test(test_longest),
        cmocka_unit_test(test_log_times), cmocka_unit_test(test_longest_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
