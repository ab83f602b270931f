/* YAML texts as trees: what is taken, with its positions, and what is refused where. */
#include "controller/base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

#define TEXT(literal) (literal), sizeof(literal) - 1

static const struct {
    const char *name;
    const char *text;
    size_t size;
    const char *want; /* as JSON */
} taken_rows[] = {
    {"nothing",                        TEXT(""),                                                               "null"                                 },
    {"a comment alone",                TEXT("# x\n"),                                                          "null"                                 },
    {"a document of nothing",          TEXT("---\n...\n"),                                                     "null"                                 },
    {"a scalar",                       TEXT("abc"),                                                            "\"abc\""                              },
    {"a mapping",                      TEXT("a: 1\nb: x\n"),                                                   "{\"a\":1,\"b\":\"x\"}"                },
    {"nested",                         TEXT("a:\n  b:\n  - c\n  -   d: e\n"),                                  "{\"a\":{\"b\":[\"c\",{\"d\":\"e\"}]}}"},
    {"sequences in sequences",         TEXT("- - a\n  - b\n-\n  - c\n"),                                       "[[\"a\",\"b\"],[\"c\"]]"              },
    {"empty values",                   TEXT("a:\nb: ~\nc: null\nd: \"\"\n"),
     "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}"                                                                                                  },
    {"empty items",                    TEXT("-\n- x\n-\n"),                                                    "[null,\"x\",null]"                    },
    {"one document between markers",   TEXT("--- \na: 1\n...\n"),                                              "{\"a\":1}"                            },
    {"empty documents around it",      TEXT("---\n---\na: 1\n---\n"),                                          "{\"a\":1}"                            },
    {"comments",                       TEXT("# x\na: 1 # y\n# z\nb: c#d\n"),                                   "{\"a\":1,\"b\":\"c#d\"}"              },
    {"byte order mark",
     TEXT("\xef\xbb\xbf"
          "a: 1"),
     "{\"a\":1}"                                                                                                                                      },
    {"CR LF",                          TEXT("a: 1\r\nb: |\r\n  x\r\n  y\r\n"),                                 "{\"a\":1,\"b\":\"x\\ny\\n\"}"         },
    {"CR alone",                       TEXT("a: 1\rb: 2\r"),                                                   "{\"a\":1,\"b\":2}"                    },
    {"no line end at the end",         TEXT("a:\n- b"),                                                        "{\"a\":[\"b\"]}"                      },
    {"tab as separation",              TEXT("a:\t1\nb: 2\t# c\n"),                                             "{\"a\":1,\"b\":2}"                    },
    {"blank lines and spaces",         TEXT("\n  \na: 1\n\n   \n\nb: 2\n\n"),                                  "{\"a\":1,\"b\":2}"                    },
    {"plain over lines",               TEXT("a: b\n  c\n\n  d\n"),                                             "{\"a\":\"b c\\nd\"}"                  },
    {"flow",                           TEXT("{a: [1, x, {b: c}], 'd': \"e\",}"),
     "{\"a\":[1,\"x\",{\"b\":\"c\"}],\"d\":\"e\"}"                                                                                                    },
    {"flow over lines",                TEXT("a: [\n  1,\n  2,\n  ]\n"),                                        "{\"a\":[1,2]}"                        },
    {"flow closed at the margin",      TEXT("a: [\n  1\n]\nb: {\n}\n"),                                        "{\"a\":[1],\"b\":{}}"                 },
    {"flow with comments",             TEXT("a: [1, # x\n  2] # y\n"),                                         "{\"a\":[1,2]}"                        },
    {"single pairs in flow",           TEXT("[a: b, c]"),                                                      "[{\"a\":\"b\"},\"c\"]"                },
    {"keys alone in flow",             TEXT("{a, b: }"),                                                       "{\"a\":null,\"b\":null}"              },
    {"JSON",                           TEXT("{\"a\":\"b, ? c\",\"d\":[1,{\"e\":null}],\"f\":\"\\u00e9\\/\"}"),
     "{\"a\":\"b, ? c\",\"d\":[1,{\"e\":null}],\"f\":\"\xc3\xa9/\"}"                                                                                  },
    {"JSON with tabs",                 TEXT("{\n\t\"a\": [\n\t\t1\n\t]\n}\n"),                                 "{\"a\":[1]}"                          },
    {"single quotes",                  TEXT("a: 'it''s \\n'"),                                                 "{\"a\":\"it's \\\\n\"}"               },
    {"double quotes",                  TEXT("a: \"\\t\\\"\\\\\\x41\\u20ac\\U0001F600\\e\""),
     "{\"a\":\"\\t\\\"\\\\A\xe2\x82\xac\xf0\x9f\x98\x80\\u001b\"}"                                                                                    },
    {"double quotes, surrogates",      TEXT("\"\\ud83d\\ude00\""),                                             "\"\xf0\x9f\x98\x80\""                 },
    {"double quotes over lines",       TEXT("a: \"b\n  c\\\n  d\n\n  e\""),                                    "{\"a\":\"b cd\\ne\"}"                 },
    {"single quotes over lines",       TEXT("a: 'b\n  c'"),                                                    "{\"a\":\"b c\"}"                      },
    {"quoted numbers are strings",     TEXT("a: '1'\nb: \"true\"\n"),                                          "{\"a\":\"1\",\"b\":\"true\"}"         },
    {"single quotes, many",            TEXT("''''''''''''''''''"),                                             "\"''''''''\""                         },
    {"single quotes, folded",          TEXT("a: 'b \t\n  c\n\n \n  d\r\n  e'"),                                "{\"a\":\"b c\\n\\nd e\"}"             },
    {"single quotes, lines only",      TEXT("a: '\n'\nb: '\n\n'\nc: ' \n d'\n"),
     "{\"a\":\" \",\"b\":\"\\n\",\"c\":\" d\"}"                                                                                                       },
    {"double quotes over CR LF",       TEXT("a: \"b\r\n  c\r\n\r\n d\"\r\n"),                                  "{\"a\":\"b c\\nd\"}"                  },
    {"literal",                        TEXT("a: |\n  b\n   c\n\n  d\n"),                                       "{\"a\":\"b\\n c\\n\\nd\\n\"}"         },
    {"literal, stripped",              TEXT("a: |-\n  b\n\n"),                                                 "{\"a\":\"b\"}"                        },
    {"literal, kept",                  TEXT("a: |+\n  b\n\nc: 1\n"),                                           "{\"a\":\"b\\n\\n\",\"c\":1}"          },
    {"literal, with an indent",        TEXT("a: |2\n    b\n"),                                                 "{\"a\":\"  b\\n\"}"                   },
    {"literal number is a string",     TEXT("a: |-\n  1\n"),                                                   "{\"a\":\"1\"}"                        },
    {"folded",                         TEXT("a: >\n  b\n  c\n\n  d\n"),                                        "{\"a\":\"b c\\nd\\n\"}"               },
    {"literal at the top",             TEXT("--- |\nx\ny\n"),                                                  "\"x\\ny\\n\""                         },
    {"literal holds anything",         TEXT("a: |\n  ? b\n  &c *d !e %f\n  # g\n"),
     "{\"a\":\"? b\\n&c *d !e %f\\n# g\\n\"}"                                                                                                         },
    {"'? ' in quotes and comments",    TEXT("# ? x\na: \"? b\" # ? y\nc: '? '\n"),
     "{\"a\":\"? b\",\"c\":\"? \"}"                                                                                                                   },
    {"'? ' in plain text",             TEXT("a: who ? me\nb: who? me\n"),
     "{\"a\":\"who ? me\",\"b\":\"who? me\"}"                                                                                                         },
    {"'? ' and a control's escape",    TEXT("a: \"? \\x1f\""),                                                 "{\"a\":\"? \\u001f\"}"                },
    {"'?' that begins a word",         TEXT("a: ?x\n"),                                                        "{\"a\":\"?x\"}"                       },
    {"'%' inside a line",              TEXT("a: 5%\nb: \"%\"\n"),                                              "{\"a\":\"5%\",\"b\":\"%\"}"           },
    {"marks of C1 and DEL",            TEXT("a: \"\x7f\xc2\x85\""),                                            "{\"a\":\"\x7f\xc2\x85\"}"             },
    {"keys quoted and not",            TEXT("\"a b\": 1\n'c': 2\nd e: 3\n"),                                   "{\"a b\":1,\"c\":2,\"d e\":3}"        },
    {"quoted empty key",               TEXT("\"\": 1\n"),                                                      "{\"\":1}"                             },
    {"quoted merge key",               TEXT("\"<<\": 1\n"),                                                    "{\"<<\":1}"                           },
    {"same key in different mappings", TEXT("a: {a: 1}\nb: {a: 1}\n"),
     "{\"a\":{\"a\":1},\"b\":{\"a\":1}}"                                                                                                              },
    {"sequence at its key's indent",   TEXT("a:\n- b\nc: d\n"),                                                "{\"a\":[\"b\"],\"c\":\"d\"}"          },
    {"colon inside words",             TEXT("a: b:c\nhttp://x: y\n"),                                          "{\"a\":\"b:c\",\"http://x\":\"y\"}"   },
};

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(taken_rows); i++) {
        struct yaml_document *document = NULL;
        struct json_object *value;
        struct error err = ERROR_INIT;
        char *copy = xcalloc(taken_rows[i].size, 1);
        char *text;

        memcpy(copy, taken_rows[i].text, taken_rows[i].size);
        if (!yaml_parse(copy, taken_rows[i].size, SIZE_MAX, &document, NULL, NULL, &err))
            fail_msg("%s: %s", taken_rows[i].name, err.text);
        free(copy);
        value = yaml_to_json(yaml_root(document));
        text = json_to_text(value, NULL);
        if (strcmp(text, taken_rows[i].want) != 0)
            fail_msg("%s: got %s", taken_rows[i].name, text);
        free(text);
        json_object_put(value);
        yaml_free(document);
    }
}

/* Pieces repeated 0 to 40 times inside scalars of each style. */
static const struct {
    const char *name;
    const char *before;
    const char *piece;
    const char *behind;
    const char *want_before;
    const char *want_piece;
    const char *want_behind;
    bool folded; /* the first piece is a space instead */
} repeated_rows[] = {
    {"quotes",                         "'",        "''",    "'",    "",    "'",    "",    false},
    {"quotes in words",                "'",        "a'' ",  "'",    "",    "a' ",  "",    false},
    {"escapes",                        "\"",       "\\n",   "\"",   "",    "\n",   "",    false},
    {"numbered escapes",               "\"",       "\\x41", "\"",   "",    "A",    "",    false},
    {"escaped line ends",              "\"",       "\\\n",  "\"",   "",    "",     "",    false},
    {"lines in double quotes",         "\"x\n",    "\n",    "y\"",  "x",   "\n",   "y",   true },
    {"lines in single quotes",         "'x\n",     "\n",    "y'",   "x",   "\n",   "y",   true },
    {"lines in plain text",            "x\n",      "\n",    " y",   "x",   "\n",   "y",   true },
    {"lines before a literal",         "|\n",      "\n",    " x\n", "",    "\n",   "x\n", false},
    {"lines in a literal",             "|\n x\n",  "\n",    " y\n", "x\n", "\n",   "y\n", false},
    {"lines behind a literal",         "|\n x\n",  "\n",    "",     "x\n", "",     "",    false},
    {"lines behind one kept",          "|+\n x\n", "\n",    "",     "x\n", "\n",   "",    false},
    {"spaces behind one kept",         "|+\n x\n", "  \n",  "",     "x\n", " \n",  "",    false},
    {"lines behind one stripped",      "|-\n x\n", "\n",    "",     "x",   "",     "",    false},
    {"lines in a folded one",          ">\n x\n",  "\n",    " y\n", "x",   "\n",   "y\n", true },
    {"lines behind a folded one kept", ">+\n x\n", "\n",    "",     "x\n", "\n",   "",    false},
    {"more indented lines",            ">\n x\n",  "  y\n", "",     "x\n", " y\n", "",    false},
};

static void check_repeated(size_t row, unsigned count)
{
    struct buffer text = BUFFER_INIT(1000);
    struct buffer want = BUFFER_INIT(1000);
    struct yaml_document *document;
    struct error err = ERROR_INIT;
    const char *got;

    buffer_append_text(&text, repeated_rows[row].before);
    buffer_append_text(&want, repeated_rows[row].want_before);
    for (unsigned i = 0; i < count; i++) {
        buffer_append_text(&text, repeated_rows[row].piece);
        buffer_append_text(&want, repeated_rows[row].want_piece);
    }
    if (repeated_rows[row].folded && count == 0)
        buffer_append_text(&want, " ");
    buffer_append_text(&text, repeated_rows[row].behind);
    buffer_append_text(&want, repeated_rows[row].want_behind);
    if (!yaml_parse(text.bytes, text.size, SIZE_MAX, &document, NULL, NULL, &err))
        fail_msg("%s, %u times: %s", repeated_rows[row].name, count, err.text);
    got = yaml_root(document)->text;
    if (strcmp(got, buffer_text(&want)) != 0)
        fail_msg("%s, %u times: got %s", repeated_rows[row].name, count, got);
    yaml_free(document);
    buffer_release(&text);
    buffer_release(&want);
}

static void test_repeated(void **state)
{
    (void)state;
    for (size_t row = 0; row < ARRAY_SIZE(repeated_rows); row++) {
        for (unsigned count = 0; count <= 40; count++)
            check_repeated(row, count);
    }
}

static const struct {
    const char *name;
    const char *text;
    size_t size;
    const char *want;
} refused_rows[] = {
  /* what libfyaml 0.7.12 hangs on, crashes on or resolves */
    {"'%' and an invalid byte",      TEXT("%\xff"),                      "line 1, column 2: not UTF-8"                         },
    {"'%' and a byte cut short",     TEXT("%FOO\xc3"),                   "line 1, column 5: not UTF-8"                         },
    {"'%' and a valid line",         TEXT("%YAML 1.2\n---\na: 1\n"),
     "line 1, column 1: lines that begin with '%' are not taken"                                                               },
    {"'%' on a later line",          TEXT("a: \"\n% x\"\n"),
     "line 2, column 1: lines that begin with '%' are not taken"                                                               },
    {"'%' behind a mark",            TEXT("\xef\xbb\xbf%\n"),
     "line 1, column 1: lines that begin with '%' are not taken"                                                               },
    {"'%' behind CR",                TEXT("a: 1\r%x"),
     "line 2, column 1: lines that begin with '%' are not taken"                                                               },
    {"'? ' key",                     TEXT("? a\n: b\n"),                 "line 1, column 1: '? ' keys are not taken"           },
    {"'?' alone",                    TEXT("?"),                          "line 1, column 1: '? ' keys are not taken"           },
    {"'?' and a line end",           TEXT("?\n"),                        "line 1, column 1: '? ' keys are not taken"           },
    {"'?' and a tab",                TEXT("?\ta"),                       "line 1, column 1: '? ' keys are not taken"           },
    {"'? ' of many",                 TEXT("? ? ? a"),                    "line 1, column 1: '? ' keys are not taken"           },
    {"'? ' indented",                TEXT("a:\n  ? b\n"),                "line 2, column 3: '? ' keys are not taken"           },
    {"'? ' in a sequence",           TEXT("- ? a\n"),                    "line 1, column 3: '? ' keys are not taken"           },
    {"'? ' in a flow mapping",       TEXT("{? a: b}"),                   "line 1, column 2: '? ' keys are not taken"           },
    {"'? ' in a flow sequence",      TEXT("[a, ? b]"),                   "line 1, column 5: '? ' keys are not taken"           },
    {"'?' and a bracket",            TEXT("[?]"),                        "line 1, column 2: '? ' keys are not taken"           },
    {"'? ' behind a key",            TEXT("a: ? b"),                     "line 1, column 4: '? ' keys are not taken"           },
    {"'? ' behind a block scalar",   TEXT("a: |\n  b\n? c\n"),
     "line 3, column 1: '? ' keys are not taken"                                                                               },
    {"'? ' as plain text goes on",   TEXT("a: b\n  ? c\n"),
     "line 2, column 3: '? ' keys are not taken"                                                                               },
    {"an alias bomb",                TEXT("a: &a [x,x]\nb: [*a,*a]\n"),  "line 1, column 7: anchors are not taken"             },
    {"an anchor on a scalar",        TEXT("a: &x 1\n"),                  "line 1, column 7: anchors are not taken"             },
    {"an anchor on a mapping",       TEXT("a: &x {}\n"),                 "line 1, column 7: anchors are not taken"             },
    {"an anchor on nothing",         TEXT("&x\n"),                       "line 1, column 1: anchors are not taken"             },
    {"an alias",                     TEXT("a:\n- *x\n"),                 "line 2, column 3: aliases are not taken"             },
    {"an alias as a key",            TEXT("*x : 1\n"),                   "line 1, column 1: aliases are not taken"             },
    {"duplicate keys",               TEXT("a: 1\nb: 2\na: 3\n"),         "line 3, column 1: key 'a' for the second time"       },
    {"duplicate keys, one quoted",   TEXT("{a: 1, \"\\x61\": 2}"),
     "line 1, column 8: key 'a' for the second time"                                                                           },
    {"duplicate keys below",         TEXT("- x:\n    k: 1\n    k: 1\n"),
     "line 3, column 5: key 'k' for the second time"                                                                           },
    {"two documents",                TEXT("a: 1\n---\nb: 2\n"),          "line 3, column 1: a second document"                 },
    {"two scalar documents",         TEXT("--- a\n--- b\n"),             "line 2, column 5: a second document"                 },
    {"tags",                         TEXT("!!str a: 1\n"),               "line 1, column 7: tags are not taken"                },
    {"tag on a sequence",            TEXT("a: !x [1]\n"),                "line 1, column 7: tags are not taken"                },
    {"the tag that is none",         TEXT("a: ! b\n"),                   "line 1, column 6: tags are not taken"                },
    {"merge key",                    TEXT("a:\n  <<: {b: c}\n"),         "line 2, column 3: merge keys are not taken"          },
    {"no key",                       TEXT(": x\n"),                      "line 1, column 1: a mapping without a key"           },
    {"a sequence as a key",          TEXT("[a]: b\n"),                   "line 1, column 1: a key that is not a scalar"        },
    {"a mapping as a key",           TEXT("{{a: b}: c}\n"),              "line 1, column 2: a key that is not a scalar"        },
 /* bytes */
    {"NUL",                          TEXT("a: \0b"),                     "line 1, column 4: a control character"               },
    {"NUL as an escape",             TEXT("a: \"x\\0\""),                "line 1, column 4: a NUL"                             },
    {"escape character",             TEXT("a: 1\nb: \x1b[0m"),           "line 2, column 4: a control character"               },
    {"the gate's own stand-in",      TEXT("a: \x1f"),                    "line 1, column 4: a control character"               },
    {"not UTF-8",                    TEXT("a: \xc3\xa9\xff"),            "line 1, column 5: not UTF-8"                         },
    {"a surrogate",                  TEXT("a: \xed\xa0\x80"),            "line 1, column 4: not UTF-8"                         },
    {"UTF-16",
     TEXT("\xff\xfe"
          "a\0"),
     "line 1, column 1: not UTF-8"                                                                                             },
 /* grammar */
    {"tab as indentation",           TEXT("a:\n\tb: 1\n"),               "line 2, column 1: a tab in the indentation"          },
    {"space and tab as indentation", TEXT("a:\n  \tb: 1\n"),
     "line 2, column 3: a tab in the indentation"                                                                              },
    {"keys not aligned",             TEXT("a:\n  b: 1\n c: 2\n"),        NULL                                                  },
    {"mapping on one line",          TEXT("a: b: c\n"),
     "line 1, column 5: invalid nested block mapping on the same line"                                                         },
    {"sequence on a key's line",     TEXT("a: - b\n"),
     "line 1, column 4: block sequence on the same line as a mapping key"                                                      },
    {"no closing quote",             TEXT("a: \"b\nc: d\n"),             NULL                                                  },
    {"no closing bracket",           TEXT("a: [1, 2\n"),                 NULL                                                  },
    {"one bracket too many",         TEXT("a: [1]]\n"),                  NULL                                                  },
    {"text behind a quote",          TEXT("\xc3\xa9: \"x\" \"y\"\n"),
     "line 1, column 8: invalid trailing content after double-quoted scalar"                                                   },
    {"unknown escape",               TEXT("a: \"\\z\"\n"),
     "line 1, column 5: invalid escape 'z' in double-quoted string"                                                            },
    {"reserved sign",                TEXT("a: @b\n"),                    "line 1, column 4: plain scalar cannot start with '@'"},
    {"block scalar's indent 0",      TEXT("a: |0\n  b\n"),               NULL                                                  },
    {"two flow mappings",            TEXT("{}{}"),                       NULL                                                  },
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused_rows); i++) {
        struct yaml_document *document = NULL;
        struct error err = ERROR_INIT;
        char *copy = xcalloc(refused_rows[i].size, 1);
        char position[64];
        unsigned line = 0;
        unsigned column = 0;

        memcpy(copy, refused_rows[i].text, refused_rows[i].size);
        if (yaml_parse(copy, refused_rows[i].size, SIZE_MAX, &document, &line, &column, &err))
            fail_msg("%s: is taken", refused_rows[i].name);
        free(copy);
        assert_null(document);
        if (err.kind != ERROR_MALFORMED ||
            (refused_rows[i].want != NULL && strcmp(err.text, refused_rows[i].want) != 0))
            fail_msg("%s: %s", refused_rows[i].name, err.text);
        snprintf(position, sizeof(position), "line %u, column %u: ", line, column);
        if (strncmp(err.text, position, strlen(position)) != 0)
            fail_msg("%s: %s, but %s", refused_rows[i].name, err.text, position);
    }
}

static void test_positions(void **state)
{
    static const char text[] = "# first\n"
                               "a: 1\n"
                               "\"b\":\n"
                               "  - 'x'\n"
                               "  - \xc3\xa9: {c: \"d\"}\n"
                               "e:\n";
    struct yaml_document *document;
    const struct yaml_node *root;
    const struct yaml_node *list;
    const struct yaml_node *flow;

    (void)state;
    assert_true(yaml_parse(text, sizeof(text) - 1, SIZE_MAX, &document, NULL, NULL, NULL));
    root = yaml_root(document);
    assert_int_equal(root->kind, YAML_MAPPING);
    assert_int_equal(root->line, 2);
    assert_int_equal(root->column, 1);
    assert_int_equal(root->member_count, 3);
    assert_int_equal(root->members[1].key_line, 3);
    assert_int_equal(root->members[1].key_column, 1);
    assert_true(yaml_get(root, "a")->plain);
    assert_int_equal(yaml_get(root, "a")->column, 4);
    list = yaml_get(root, "b");
    assert_int_equal(list->kind, YAML_SEQUENCE);
    assert_int_equal(list->line, 4);
    assert_int_equal(list->column, 3);
    assert_null(list->members[0].key);
    assert_false(list->members[0].value->plain);
    assert_int_equal(list->members[0].value->column, 5);
    flow = yaml_get(list->members[1].value, "\xc3\xa9");
    assert_int_equal(flow->line, 5);
    assert_int_equal(flow->column, 8); /* in characters */
    assert_int_equal(yaml_get(flow, "c")->column, 12);
    assert_string_equal(yaml_get(root, "e")->text, "");
    assert_int_equal(yaml_get(root, "e")->line, 6);
    assert_null(yaml_get(root, "absent"));
    assert_null(yaml_get(list, "a"));
    assert_null(yaml_get(NULL, "a"));
    yaml_free(document);
    yaml_free(NULL);
}

static const struct {
    const char *text;
    const char *want; /* each document as JSON, in angle brackets */
} stream_rows[] = {
    {"",                                          ""                      },
    {"---\n---\n# x\n---\n",                      ""                      },
    {"a: 1\n",                                    "<{\"a\":1}>"           },
    {"a: 1\n---\nb: 2\n",                         "<{\"a\":1}><{\"b\":2}>"},
    {"--- a\n---\n--- b\n...\n---\nc\n",          "<\"a\"><\"b\"><\"c\">" },
    {"---\nnull\n---\n~\n",                       "<null><null>"          },
    {"a: |\n  --- \n---\nb: |\n  ...\n...\nc: 1",
     "<{\"a\":\"--- \\n\"}><{\"b\":\"...\\n\"}><{\"c\":1}>"               },
    {"a: 1\n---\na: 1\n",                         "<{\"a\":1}><{\"a\":1}>"},
};

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(stream_rows); i++) {
        struct buffer got = BUFFER_INIT(10000);
        struct yaml_document **documents;
        struct error err = ERROR_INIT;
        size_t count;

        if (!yaml_parse_stream(stream_rows[i].text, strlen(stream_rows[i].text), SIZE_MAX,
                               &documents, &count, NULL, NULL, &err))
            fail_msg("%s: %s", stream_rows[i].text, err.text);
        for (size_t k = 0; k < count; k++) {
            struct json_object *value = yaml_to_json(yaml_root(documents[k]));

            buffer_append_char(&got, '<');
            json_append(&got, value);
            buffer_append_char(&got, '>');
            json_object_put(value);
            yaml_free(documents[k]);
        }
        if (strcmp(buffer_text(&got), stream_rows[i].want) != 0)
            fail_msg("%s: got %s", stream_rows[i].text, buffer_text(&got));
        free(documents);
        buffer_release(&got);
    }
}

static void test_broken_stream(void **state)
{
    static const char text[] = "a: 1\n---\nb: [\n---\nc: 1\n";
    struct yaml_document **documents = NULL;
    size_t count = 99;
    unsigned line = 0;

    (void)state;
    assert_false(
        yaml_parse_stream(text, sizeof(text) - 1, SIZE_MAX, &documents, &count, &line, NULL, NULL));
    assert_null(documents);
    assert_int_equal(count, 99);
    assert_true(line >= 3);
}

static void append_block_nested(struct buffer *buffer, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        buffer_append_format(buffer, "%*sa:\n", (int)i, "");
}

static void append_repeated(struct buffer *buffer, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_append_text(buffer, text);
}

static void assert_parses(const struct buffer *text, bool wanted, enum error_kind kind)
{
    struct yaml_document *document;
    struct error err = ERROR_INIT;
    bool ok = yaml_parse(text->bytes, text->size, SIZE_MAX, &document, NULL, NULL, &err);

    if (ok != wanted)
        fail_msg("%.40s...: %s", text->bytes, ok ? "is taken" : err.text);
    if (ok)
        yaml_free(document);
    else
        assert_int_equal(err.kind, kind);
}

static void test_depth_limit(void **state)
{
    (void)state;
    for (unsigned depth = YAML_DEPTH_MAX; depth <= YAML_DEPTH_MAX + 1; depth++) {
        bool fits = depth == YAML_DEPTH_MAX;
        struct buffer text = BUFFER_INIT(100000);

        append_repeated(&text, "[", depth);
        append_repeated(&text, "]", depth);
        assert_parses(&text, fits, ERROR_TOO_LARGE);
        buffer_clear(&text);
        append_repeated(&text, "{a: ", depth);
        append_repeated(&text, "}", depth);
        assert_parses(&text, fits, ERROR_TOO_LARGE);
        buffer_clear(&text);
        append_repeated(&text, "- ", depth);
        assert_parses(&text, fits, ERROR_TOO_LARGE);
        buffer_clear(&text);
        append_block_nested(&text, depth);
        assert_parses(&text, fits, ERROR_TOO_LARGE);
        buffer_release(&text);
    }
}

static const struct {
    const char *piece; /* a hundred thousand of them */
    bool taken;
    enum error_kind kind;
} bomb_rows[] = {
    {"[",         false, ERROR_TOO_LARGE},
    {"{",         false, ERROR_TOO_LARGE},
    {"{a:",       false, ERROR_TOO_LARGE},
    {"[{a: ",     false, ERROR_TOO_LARGE},
    {"- ",        false, ERROR_TOO_LARGE},
    {"- [\n",     false, ERROR_TOO_LARGE},
    {"? ",        false, ERROR_MALFORMED},
    {"\"",        false, ERROR_MALFORMED},
    {"'",         true,  ERROR_NONE     },
    {"[]",        false, ERROR_MALFORMED},
    {"a: ",       false, ERROR_MALFORMED},
    {"&a ",       false, ERROR_MALFORMED},
    {"!a ",       false, ERROR_MALFORMED},
    {"*a ",       false, ERROR_MALFORMED},
    {"|\n",       false, ERROR_MALFORMED},
    {"- a\n",     true,  ERROR_NONE     },
    {"-\n",       true,  ERROR_NONE     },
    {"--- \n",    true,  ERROR_NONE     },
    {"--- a\n",   false, ERROR_MALFORMED},
    {"#\n",       true,  ERROR_NONE     },
    {" #",        true,  ERROR_NONE     },
    {"\n",        false, ERROR_TOO_LARGE},
    {"\r",        false, ERROR_TOO_LARGE},
    {" ",         false, ERROR_TOO_LARGE},
    {"- |\n x\n", true,  ERROR_NONE     },
    {"a b\n",     true,  ERROR_NONE     },
    {"...\n",     true,  ERROR_NONE     },
};

static void test_bombs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bomb_rows); i++) {
        struct buffer text = BUFFER_INIT(1 << 20);

        append_repeated(&text, bomb_rows[i].piece, 100000);
        assert_parses(&text, bomb_rows[i].taken, bomb_rows[i].kind);
        buffer_release(&text);
    }
}

static void test_blank_lines_limit(void **state)
{
    static const char *const befores[] = {"a: |+\n  x\n", "a: \"x\n", "a: x\n", "# x\n"};
    static const char *const behinds[] = {"  y\n", "  y\"\n", "  y\n", "# y\n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(befores); i++) {
        for (unsigned count = YAML_BLANK_LINES_MAX; count <= YAML_BLANK_LINES_MAX + 1; count++) {
            struct buffer text = BUFFER_INIT(10000);

            buffer_append_text(&text, befores[i]);
            append_repeated(&text, " \n", count);
            buffer_append_text(&text, behinds[i]);
            assert_parses(&text, count == YAML_BLANK_LINES_MAX, ERROR_TOO_LARGE);
            buffer_release(&text);
        }
    }
}

static void test_blanks_limit(void **state)
{
    static const char *const befores[] = {"a:", "- ", "a: \"x", "a: |\n  x", "# x", ""};
    static const char *const behinds[] = {"x\n", "x\n", "x\"\n", "x\n", "x\n", "# x\n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(befores); i++) {
        for (unsigned count = YAML_BLANKS_MAX; count <= YAML_BLANKS_MAX + 1; count++) {
            struct buffer text = BUFFER_INIT(10000);

            buffer_append_text(&text, befores[i]);
            append_repeated(&text, " ", i == 1 ? count - 1 : count);
            buffer_append_text(&text, behinds[i]);
            assert_parses(&text, count == YAML_BLANKS_MAX, ERROR_TOO_LARGE);
            buffer_release(&text);
        }
    }
}

static void test_many_keys(void **state)
{
    struct buffer text = BUFFER_INIT(1 << 22);

    (void)state;
    for (int i = 0; i < 50000; i++)
        buffer_append_format(&text, "key-%d: %d\n", i, i);
    assert_parses(&text, true, ERROR_NONE);
    buffer_append_text(&text, "key-25000: again\n");
    assert_parses(&text, false, ERROR_MALFORMED);
    buffer_release(&text);
}

static void test_size_limit(void **state)
{
    struct yaml_document *document;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(yaml_parse("a: 1", 4, 4, &document, NULL, NULL, &err));
    yaml_free(document);
    assert_false(yaml_parse("a: 1", 4, 3, &document, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_string_equal(err.text, "line 1, column 1: more than 3 bytes");
    assert_true(yaml_parse(NULL, 0, 0, &document, NULL, NULL, &err));
    assert_null(yaml_root(document));
    yaml_free(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_broken_stream),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_blanks_limit),
        cmocka_unit_test(test_blank_lines_limit),
        cmocka_unit_test(test_size_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
