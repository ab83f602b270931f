/* What plain scalars mean. */
#include "controller/base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *scalar;
    const char *want; /* as JSON */
} rows[] = {
    {"null",                 "null"                   },
    {"Null",                 "null"                   },
    {"NULL",                 "null"                   },
    {"~",                    "null"                   },
    {"nULL",                 "\"nULL\""               },
    {"true",                 "true"                   },
    {"True",                 "true"                   },
    {"TRUE",                 "true"                   },
    {"false",                "false"                  },
    {"FALSE",                "false"                  },
    {"tRUE",                 "\"tRUE\""               },
    {"yes",                  "\"yes\""                },
    {"off",                  "\"off\""                },
    {"0",                    "0"                      },
    {"-0",                   "0"                      },
    {"+5",                   "5"                      },
    {"-17",                  "-17"                    },
    {"9223372036854775807",  "9223372036854775807"    },
    {"-9223372036854775808", "-9223372036854775808"   },
    {"18446744073709551615", "18446744073709551615"   },
    {"18446744073709551616", "1.8446744073709552e+19" },
    {"-9223372036854775809", "-9.223372036854776e+18" },
    {"0x1F",                 "31"                     },
    {"0xffffffffffffffff",   "18446744073709551615"   },
    {"0x10000000000000000",  "\"0x10000000000000000\""},
    {"0xg",                  "\"0xg\""                },
    {"0x",                   "\"0x\""                 },
    {"0o17",                 "15"                     },
    {"0o8",                  "\"0o8\""                },
    {"0644",                 "420"                    },
    {"00",                   "0"                      },
    {"0899",                 "899"                    },
    {"1_000",                "\"1_000\""              },
    {"1.5",                  "1.5"                    },
    {"2.50",                 "2.50"                   },
    {"1.",                   "1.0"                    },
    {".5",                   "0.5"                    },
    {"-.5",                  "-0.5"                   },
    {"+1.5",                 "1.5"                    },
    {"1e3",                  "1e3"                    },
    {"1E+3",                 "1E+3"                   },
    {"1.e3",                 "1000.0"                 },
    {"1e",                   "\"1e\""                 },
    {"1e+",                  "\"1e+\""                },
    {"e3",                   "\"e3\""                 },
    {".",                    "\".\""                  },
    {"+",                    "\"+\""                  },
    {"1e999",                "\"1e999\""              },
    {".inf",                 "\".inf\""               },
    {"-.Inf",                "\"-.Inf\""              },
    {".nan",                 "\".nan\""               },
    {"1.2.3",                "\"1.2.3\""              },
    {"1-2",                  "\"1-2\""                },
    {"2024-02-29",           "\"2024-02-29\""         },
    {"12:30:45",             "\"12:30:45\""           },
    {"5m",                   "\"5m\""                 },
    {"a",                    "\"a\""                  },
    {"'1'",                  "\"1\""                  },
    {"\"null\"",             "\"null\""               },
    {"''",                   "\"\""                   },
};

static void test_scalars(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct yaml_document *document;
        struct json_object *value;
        struct error err = ERROR_INIT;
        char *text;

        if (!yaml_parse(rows[i].scalar, strlen(rows[i].scalar), SIZE_MAX, &document, NULL, NULL,
                        &err))
            fail_msg("%s: %s", rows[i].scalar, err.text);
        value = yaml_to_json(yaml_root(document));
        text = json_to_text(value, NULL);
        if (strcmp(text, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].scalar, text);
        free(text);
        json_object_put(value);
        yaml_free(document);
    }
    assert_null(yaml_to_json(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
