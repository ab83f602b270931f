/* Static tokens, the CSV of a token file, and the header that shows a token (WIRE.md A1). */
#include "fakeapi/access/token_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "fakeapi/access/bearer.h"

static void append_user(struct buffer *text, const struct access_user *user)
{
    buffer_append_format(text, "%s %s ", access_user_name(user),
                         user->uid == NULL ? "-" : user->uid);
    words_append_quoted(text, &user->groups);
}

static void test_load(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        const char *token; /* looked for; NULL: the file is refused */
        const char *want;  /* its user, "" for nobody; or the error */
    } rows[] = {
        {"three columns",            "t,bob,1",                  "t",  "bob 1 []"                                         },
        {"a newline at the end",     "t,bob,1\n",                "t",  "bob 1 []"                                         },
        {"CRLF",                     "t,bob,1\r\nu,eve,2\r\n",   "u",  "eve 2 []"                                         },
        {"quoted groups",            "t,bob,1,\"a,b\"\n",        "t",  "bob 1 [\"a\" \"b\"]"                              },
        {"one group, unquoted",      "t,bob,1,a\n",              "t",  "bob 1 [\"a\"]"                                    },
        {"blanks between",           "t, bob, 1, \"a, b\"\n",    "t",  "bob 1 [\"a\" \"b\"]"                              },
        {"comments and empty lines", "# who\n\n\nt,bob,1\n",     "t",  "bob 1 []"                                         },
        {"a doubled quote",          "t,\"b\"\"ob\",1\n",        "t",  "b\"ob 1 []"                                       },
        {"a newline in quotes",      "t,\"b\nob\",1\nu,eve,2\n", "u",  "eve 2 []"                                         },
        {"nobody's token",           "t,bob,1\n",                "tt", ""                                                 },
        {"tokens have a case",       "t,bob,1\n",                "T",  ""                                                 },
        {"no lines",                 "",                         "t",  ""                                                 },
        {"the empty token",          "t,bob,1\n",                "",   ""                                                 },
        {"two columns",              "t,bob\n",                  NULL, "line 1: want at least 3 columns: token, user, uid"},
        {"an empty token in it",     "t,a,1\n,bob,1\n",          NULL, "line 2: an empty token"                           },
        {"an empty user",            "t,,1\n",                   NULL, "line 1: the user is empty"                        },
        {"a token twice",            "t,a,1\n#\nt,b,2\n",        NULL, "line 3: the token is another's already"           },
        {"a quote that stays open",  "t,a,1\nu,\"b,2\n",         NULL, "line 2: a quote is not closed"                    },
        {"text behind a quote",      "t,\"a\"b,1\n",             NULL, "line 1: text behind a closing quote"              },
        {"a quote in the middle",    "t,a\"b,1\n",               NULL, "line 1: a quote in the middle of a field"         },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct token_table *table = token_table_new();
        struct error err = ERROR_INIT;
        struct buffer got = BUFFER_INIT(1024);
        const struct access_user *user;
        bool ok = token_table_load(table, rows[i].text, strlen(rows[i].text), &err);

        if (!ok)
            buffer_append_text(&got, err.text);
        user = rows[i].token == NULL
                   ? NULL
                   : token_table_find(table, rows[i].token, strlen(rows[i].token));
        if (user != NULL)
            append_user(&got, user);
        if (ok != (rows[i].token != NULL) || strcmp(buffer_text(&got), rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, buffer_text(&got));
        buffer_release(&got);
        token_table_free(table);
    }
}

static void test_errors_hide_tokens(void **state)
{
    static const char text[] = "verysecret,bob\n";
    struct token_table *table = token_table_new();
    struct error err = ERROR_INIT;

    (void)state;
    assert_false(token_table_load(table, text, strlen(text), &err));
    assert_null(strstr(err.text, "verysecret"));
    token_table_free(table);
}

static void test_long_tokens(void **state)
{
    struct token_table *table = token_table_new();
    struct error err = ERROR_INIT;
    struct access_user user = access_user_named("bob", NULL);
    char *token = xcalloc(1, TOKEN_BYTES_MAX + 2);

    (void)state;
    memset(token, 'x', TOKEN_BYTES_MAX + 1);
    assert_false(token_table_add(table, token, &user, &err));
    token[TOKEN_BYTES_MAX] = '\0';
    user = access_user_named("bob", NULL);
    assert_true(token_table_add(table, token, &user, &err));
    assert_non_null(token_table_find(table, token, TOKEN_BYTES_MAX));
    free(token);
    token_table_free(table);
}

static void test_bearer(void **state)
{
    static const struct {
        const char *header;
        const char *want; /* NULL: none */
    } rows[] = {
        {NULL,             NULL },
        {"",               NULL },
        {"Bearer",         NULL },
        {"Bearer ",        NULL },
        {"Bearer  abc",    NULL },
        {"Bearer abc",     "abc"},
        {"bearer abc",     "abc"},
        {"BEARER abc",     "abc"},
        {" Bearer abc",    "abc"},
        {"Bearer abc def", "abc"},
        {"Basic YTpi",     NULL },
        {"Bearerabc",      NULL },
        {"Bearers abc",    NULL },
        {"Beare r",        NULL },
        {"Bearer\tabc",    NULL },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *token = NULL;
        size_t size = 0;
        bool found = bearer_find(rows[i].header, &token, &size);

        if (found != (rows[i].want != NULL) ||
            (found && (size != strlen(rows[i].want) || memcmp(token, rows[i].want, size) != 0)))
            fail_msg("%s: found %d", rows[i].header, found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_errors_hide_tokens),
        cmocka_unit_test(test_long_tokens),
        cmocka_unit_test(test_bearer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
