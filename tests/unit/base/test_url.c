/* URLs, percent encoding and query strings. */
#include "controller/base/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

static const struct {
    const char *text;
    bool tls;
    const char *host; /* NULL: refused */
    unsigned port;
    const char *target;
} rows[] = {
    {"https://api.example:6443/apis?limit=5", true,  "api.example",    6443,  "/apis?limit=5"},
    {"https://h",                             true,  "h",              443,   "/"            },
    {"http://h",                              false, "h",              80,    "/"            },
    {"HTTP://Api.Example",                    false, "api.example",    80,    "/"            },
    {"http://h:",                             false, "h",              80,    "/"            },
    {"http://h:65535/",                       false, "h",              65535, "/"            },
    {"http://h:65536/",                       false, NULL,             0,     NULL           },
    {"http://h:00080/",                       false, "h",              80,    "/"            },
    {"http://h:0/",                           false, NULL,             0,     NULL           },
    {"http://h:1a/",                          false, NULL,             0,     NULL           },
    {"http://h:-1/",                          false, NULL,             0,     NULL           },
    {"http://h?a=b",                          false, "h",              80,    "/?a=b"        },
    {"http://h#f",                            false, "h",              80,    "/"            },
    {"http://h/a#f?x",                        false, "h",              80,    "/a"           },
    {"http://h/a%2Fb/../c",                   false, "h",              80,    "/a%2Fb/../c"  },
    {"http://h/a@b:c",                        false, "h",              80,    "/a@b:c"       },
    {"http://127.0.0.1:8080",                 false, "127.0.0.1",      8080,  "/"            },
    {"http://[::1]:8080/x",                   false, "::1",            8080,  "/x"           },
    {"http://[2001:DB8::1]",                  false, "2001:db8::1",    80,    "/"            },
    {"http://[::ffff:1.2.3.4]/",              false, "::ffff:1.2.3.4", 80,    "/"            },
    {"http://[::1/",                          false, NULL,             0,     NULL           },
    {"http://[]/",                            false, NULL,             0,     NULL           },
    {"http://[host]/",                        false, NULL,             0,     NULL           },
    {"http://[abc]/",                         false, NULL,             0,     NULL           },
    {"http://[::1]x/",                        false, NULL,             0,     NULL           },
    {"http://::1/",                           false, NULL,             0,     NULL           },
    {"http://a_b.c-d~/",                      false, "a_b.c-d~",       80,    "/"            },
    {"http://user@h/",                        false, NULL,             0,     NULL           },
    {"http://user:password@h/",               false, NULL,             0,     NULL           },
    {"http://h%41/",                          false, NULL,             0,     NULL           },
    {"http://h\\x/",                          false, NULL,             0,     NULL           },
    {"http:///x",                             false, NULL,             0,     NULL           },
    {"http://",                               false, NULL,             0,     NULL           },
    {"http://:80/",                           false, NULL,             0,     NULL           },
    {"http:/h",                               false, NULL,             0,     NULL           },
    {"//h/",                                  false, NULL,             0,     NULL           },
    {"h/",                                    false, NULL,             0,     NULL           },
    {"ftp://h/",                              false, NULL,             0,     NULL           },
    {"unix:///run/x",                         false, NULL,             0,     NULL           },
    {"",                                      false, NULL,             0,     NULL           },
    {" http://h/",                            false, NULL,             0,     NULL           },
    {"http://h/a b",                          false, NULL,             0,     NULL           },
    {"http://h/\t",                           false, NULL,             0,     NULL           },
    {"http://h/\r\nX: y",                     false, NULL,             0,     NULL           },
    {"http://h/\x7f",                         false, NULL,             0,     NULL           },
    {"http://h/\xc3\xa9",                     false, NULL,             0,     NULL           },
};

static void test_parsing(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct url url = {0};
        struct error err = ERROR_INIT;
        bool ok = url_parse(rows[i].text, &url, &err);

        if (ok != (rows[i].host != NULL))
            fail_msg("%s: %s", rows[i].text, ok ? "is taken" : err.text);
        if (ok && (url.tls != rows[i].tls || url.port != rows[i].port ||
                   !text_equal(url.host, rows[i].host) || !text_equal(url.target, rows[i].target)))
            fail_msg("%s: got %d %s %u %s", rows[i].text, url.tls, url.host, url.port, url.target);
        if (!ok && (err.kind != ERROR_MALFORMED || url.host != NULL || url.target != NULL))
            fail_msg("%s: not a clean refusal", rows[i].text);
        url_release(&url);
    }
}

static void test_host_limit(void **state)
{
    char text[7 + 256 + 1] = "http://";
    struct url url;

    (void)state;
    memset(text + 7, 'a', 255);
    assert_true(url_parse(text, &url, NULL));
    url_release(&url);
    text[7 + 255] = 'a';
    assert_false(url_parse(text, &url, NULL));
}

static void test_encoding(void **state)
{
    struct buffer buffer = BUFFER_INIT(1000);

    (void)state;
    url_append_encoded(&buffer, "aZ09-._~ /?&=+%\"\xc3\xa9\n");
    assert_string_equal(buffer_text(&buffer), "aZ09-._~%20%2F%3F%26%3D%2B%25%22%C3%A9%0A");
    buffer_release(&buffer);
}

static const struct {
    const char *text;
    bool plus_is_space;
    const char *want;
} decode_rows[] = {
    {"",          false, ""        },
    {"a%20b",     false, "a b"     },
    {"a+b",       false, "a+b"     },
    {"a+b",       true,  "a b"     },
    {"%2b%2B",    true,  "++"      },
    {"%c3%A9",    false, "\xc3\xa9"},
    {"%ff",       false, "\xff"    },
    {"%25%32%30", false, "%20"     },
    {"%",         false, NULL      },
    {"%4",        false, NULL      },
    {"a%4",       false, NULL      },
    {"%4g",       false, NULL      },
    {"%g4",       false, NULL      },
    {"%%41",      false, NULL      },
    {"%00",       false, NULL      },
    {"a%00b",     false, NULL      },
};

static void test_decoding(void **state)
{
    char *text;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(decode_rows); i++) {
        text = url_decode(decode_rows[i].text, strlen(decode_rows[i].text),
                          decode_rows[i].plus_is_space);
        if (!text_equal(text, decode_rows[i].want))
            fail_msg("%s: got %s", decode_rows[i].text, text_or(text, "(none)"));
        free(text);
    }
    text = url_decode("%41%42", 3, false); /* only as far as the size says */
    assert_string_equal(text, "A");
    free(text);
    assert_null(url_decode("a\0b", 3, false));
}

static const struct {
    const char *query;
    const char *name;
    bool ok;
    const char *want; /* NULL: absent */
} query_rows[] = {
    {NULL,        "a",   true,  NULL   },
    {"",          "a",   true,  NULL   },
    {"a=1",       "a",   true,  "1"    },
    {"a=1&a=2",   "a",   true,  "1"    },
    {"b=1&a=2",   "a",   true,  "2"    },
    {"b=1",       "a",   true,  NULL   },
    {"ab=1",      "a",   true,  NULL   },
    {"a",         "a",   true,  ""     },
    {"a=",        "a",   true,  ""     },
    {"=1",        "",    true,  "1"    },
    {"a=b=c",     "a",   true,  "b=c"  },
    {"&&a=1&&",   "a",   true,  "1"    },
    {"a=x+y%20z", "a",   true,  "x y z"},
    {"%61=1",     "a",   true,  "1"    },
    {"a+b=1",     "a b", true,  "1"    },
    {"A=1",       "a",   true,  NULL   },
    {"a=1;b=2",   "b",   true,  NULL   },
    {"a=%zz",     "a",   false, NULL   },
    {"a=1&b=%",   "a",   false, NULL   },
    {"%=1",       "a",   false, NULL   },
    {"a=%00",     "a",   false, NULL   },
};

static void test_queries(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(query_rows); i++) {
        char *value = NULL;
        bool ok = url_query_get(query_rows[i].query, query_rows[i].name, &value);

        if (ok != query_rows[i].ok || !text_equal(value, query_rows[i].want))
            fail_msg("%s: %d, got %s", query_rows[i].query, ok, text_or(value, "(none)"));
        assert_int_equal(url_query_is_whole(query_rows[i].query), query_rows[i].ok);
        free(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsing),  cmocka_unit_test(test_host_limit),
        cmocka_unit_test(test_encoding), cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_queries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
