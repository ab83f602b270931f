/* Webhook deliveries: path, signature, headers, payload, matching and parameters (RULES 8.5, 8.6).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/spawner/webhook_decide.h"
#include "tests/unit/rows.h"

#define TEXT_MAX (4 * 1024 * 1024)
#define KEY "It's a Secret to Everybody"
#define VECTOR "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
#define VECTOR_CAPITALS "757107EA0EB2509FC211221CCE984B8A37570B6D7586C22C46F4379C8B043E17"
#define ID "72d3162e-cc78-11e3-81ab-4c9367dc0958"
#define ID_HASH "9514e6751b793abb"

/* --- the path --- */

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A252 A63 A63 A63 A63

static const struct path {
    const char *name;
    const char *target;
    const char *want; /* the spawner, of namespace "ns"; NULL: refused */
} paths[] = {
    {"8.5: the path",               "/v1/namespaces/ns/agentspawners/on-issue/github",   "on-issue"},
    {"8.5: a name with dots",       "/v1/namespaces/ns/agentspawners/a.b-c.9/github",    "a.b-c.9" },
    {"8.5: a query does not count", "/v1/namespaces/ns/agentspawners/a/github?x=/y",     "a"       },
    {"8.5: 253 characters",         "/v1/namespaces/ns/agentspawners/" A252 "a/github",  A252 "a"  },
    {"8.5: 254 characters",         "/v1/namespaces/ns/agentspawners/" A252 "aa/github", NULL      },
    {"8.5: nothing",                "/",                                                 NULL      },
    {"8.5: another version",        "/v2/namespaces/ns/agentspawners/a/github",          NULL      },
    {"8.5: no name",                "/v1/namespaces/ns/agentspawners//github",           NULL      },
    {"8.5: no namespace",           "/v1/namespaces//agentspawners/a/github",            NULL      },
    {"8.5: a namespace with a dot", "/v1/namespaces/n.s/agentspawners/a/github",         NULL      },
    {"8.5: more behind it",         "/v1/namespaces/ns/agentspawners/a/github/",         NULL      },
    {"8.5: less",                   "/v1/namespaces/ns/agentspawners/a",                 NULL      },
    {"8.5: a query too early",      "/v1/namespaces/ns/agentspawners/a?/github",         NULL      },
    {"8.5: capitals",               "/v1/namespaces/ns/agentspawners/A/github",          NULL      },
    {"8.5: a dash at the front",    "/v1/namespaces/ns/agentspawners/-a/github",         NULL      },
    {"8.5: a dash at the end",      "/v1/namespaces/ns/agentspawners/a-/github",         NULL      },
    {"8.5: a dash before a dot",    "/v1/namespaces/ns/agentspawners/a-.b/github",       NULL      },
    {"8.5: a dash behind a dot",    "/v1/namespaces/ns/agentspawners/a.-b/github",       NULL      },
    {"8.5: two dots",               "/v1/namespaces/ns/agentspawners/a..b/github",       NULL      },
    {"8.5: dots alone",             "/v1/namespaces/ns/agentspawners/../github",         NULL      },
    {"8.5: encoded",                "/v1/namespaces/ns/agentspawners/%61/github",        NULL      },
    {"8.5: two slashes",            "//v1/namespaces/ns/agentspawners/a/github",         NULL      },
};

static void check_path(void **state)
{
    const struct path *row = *state;
    struct webhook_target got;

    assert_int_equal(webhook_target_read(row->target, &got), row->want != NULL);
    if (row->want == NULL)
        return;
    assert_string_equal(got.spawner, row->want);
    assert_string_equal(got.namespace_name, "ns");
}

/* --- a delivery and its spawner --- */

static struct spawner *spawner_of(const char *spec, const char *memory)
{
    char *text = xprintf("{\"metadata\":{\"name\":\"hook\",\"uid\":\"u\",\"resourceVersion\":\"1\"}"
                         ",\"spec\":%s,\"status\":{\"recentDeliveries\":%s}}",
                         spec, memory);
    struct spawner *spawner = NULL;
    struct error err = ERROR_INIT;

    assert_true(json_check(text, strlen(text), TEXT_MAX, &err));
    assert_true(spawner_read((struct json_slice){text, strlen(text)}, &spawner, &err));
    free(text);
    return spawner;
}

#define HEADERS_MAX 8

/* "Name: value\n" lines into headers, in place. */
static size_t split_headers(char *text, struct http_header headers[HEADERS_MAX])
{
    size_t count = 0;

    while (*text != '\0') {
        char *colon = strstr(text, ": ");
        char *end = strchr(text, '\n');

        assert_true(colon != NULL && end != NULL && count < HEADERS_MAX);
        *colon = '\0';
        *end = '\0';
        headers[count++] = (struct http_header){text, colon + 2};
        text = end + 1;
    }
    return count;
}

static void decide(const char *lines, const void *body, size_t body_size,
                   const struct spawner *spawner, struct buffer *got)
{
    static const char *const verdicts[] = {
        [WEBHOOK_UNSIGNED] = "unsigned",   [WEBHOOK_UNSUPPORTED] = "unsupported",
        [WEBHOOK_MALFORMED] = "malformed", [WEBHOOK_IGNORED] = "ignored",
        [WEBHOOK_DUPLICATE] = "duplicate", [WEBHOOK_CREATE] = "create",
    };
    struct http_header headers[HEADERS_MAX];
    char *copy = xstrdup(lines);
    const struct webhook_delivery delivery = {headers, split_headers(copy, headers), body,
                                              body_size};
    struct webhook_decision decision = {0};

    webhook_decide(&delivery, spawner, KEY, strlen(KEY), &decision);
    buffer_append_text(got, verdicts[decision.verdict]);
    if (decision.verdict == WEBHOOK_IGNORED)
        buffer_append_format(got, " %s", decision.reason);
    if (decision.agent[0] != '\0')
        buffer_append_format(got, " %s", decision.agent);
    if (decision.verdict == WEBHOOK_CREATE)
        buffer_append_format(got, " [%s]", decision.target_repo);
    for (size_t i = 0; i < decision.parameter_count; i++)
        buffer_append_format(got, " %s=%s", decision.parameters[i].name,
                             decision.parameters[i].value);
    webhook_decision_release(&decision);
    free(copy);
}

/* --- step 3 --- */

static const struct signature {
    const char *name;
    const char *headers;
    const char *body;
    bool holds;
} signatures[] = {
    {"8.5: GitHub's vector",         "X-Hub-Signature-256: sha256=" VECTOR "\n",          "Hello, World!",   true },
    {"8.5: the name in any case",    "x-hub-signature-256: sha256=" VECTOR "\n",          "Hello, World!",
     true                                                                                                         },
    {"8.5: digits in capitals",      "X-Hub-Signature-256: sha256=" VECTOR_CAPITALS "\n",
     "Hello, World!",                                                                                        true },
    {"8.5: another body",            "X-Hub-Signature-256: sha256=" VECTOR "\n",          "Hello, World?",   false},
    {"8.5: one byte more",           "X-Hub-Signature-256: sha256=" VECTOR "\n",          "Hello, World!\n", false},
    {"8.5: no body",                 "X-Hub-Signature-256: sha256=" VECTOR "\n",          "",                false},
    {"8.5: no signature",            "",                                                  "Hello, World!",   false},
    {"8.5: an empty one",            "X-Hub-Signature-256: \n",                           "Hello, World!",   false},
    {"8.5: no prefix",               "X-Hub-Signature-256: " VECTOR "\n",                 "Hello, World!",   false},
    {"8.5: another hash",            "X-Hub-Signature-256: sha1=" VECTOR "\n",            "Hello, World!",   false},
    {"8.5: the prefix in capitals",  "X-Hub-Signature-256: SHA256=" VECTOR "\n",          "Hello, World!",
     false                                                                                                        },
    {"8.5: a digit less",
     "X-Hub-Signature-256: "
     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e1\n",          "Hello, World!",   false},
    {"8.5: a digit more",            "X-Hub-Signature-256: sha256=" VECTOR "0\n",         "Hello, World!",   false},
    {"8.5: something behind it",     "X-Hub-Signature-256: sha256=" VECTOR " \n",         "Hello, World!",
     false                                                                                                        },
    {"8.5: the last digit differs",
     "X-Hub-Signature-256: "
     "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e16\n",         "Hello, World!",   false},
    {"8.5: the first digit differs",
     "X-Hub-Signature-256: "
     "sha256=657107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\n",         "Hello, World!",   false},
    {"8.5: no digit",
     "X-Hub-Signature-256: "
     "sha256=g57107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\n",         "Hello, World!",   false},
    {"8.5: two of them, the same",
     "X-Hub-Signature-256: sha256=" VECTOR "\nX-Hub-Signature-256: sha256=" VECTOR "\n",
     "Hello, World!",                                                                                        false},
    {"8.5: the older header",        "X-Hub-Signature: sha256=" VECTOR "\n",              "Hello, World!",   false},
};

static void check_signature(void **state)
{
    const struct signature *row = *state;
    struct spawner *spawner = spawner_of("{\"github\":{}}", "[]");
    struct buffer got = BUFFER_INIT(TEXT_MAX);

    decide(row->headers, row->body, strlen(row->body), spawner, &got);
    assert_string_equal(buffer_text(&got), row->holds ? "malformed" : "unsigned");
    buffer_release(&got);
    spawner_free(spawner);
}

/* --- steps 4 to 6a --- */

#define EVENT "X-GitHub-Event: issues\n"
#define DELIVERY "X-GitHub-Delivery: " ID "\n"
#define ANY "{\"github\":{\"secretRef\":\"k\",\"events\":[\"issues\"]}}"
#define GITHUB(more)                                                                               \
    "{\"github\":{\"secretRef\":\"k\",\"events\":[\"issues.opened\",\"ping\","                     \
    "\"issues.labeled\"]" more "}}"
#define MADE "create hook-" ID

static const struct row {
    const char *name;
    const char *headers; /* beside the signature */
    const char *body;
    const char *spec;
    const char *memory;
    const char *want;
} rows[] = {
    {"8.5: a delivery",                EVENT DELIVERY,                                                     "{}",                                                  ANY,                                             "[]",                  MADE " []"                                                                  },
    {"8.5: no event",                  DELIVERY,                                                           "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an empty event",            "X-GitHub-Event: \n" DELIVERY,                                      "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: two events",                EVENT EVENT DELIVERY,                                               "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: no delivery id",            EVENT,                                                              "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: two delivery ids",          EVENT DELIVERY DELIVERY,                                            "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an empty id",               EVENT "X-GitHub-Delivery: \n",                                      "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an id of one",              EVENT "X-GitHub-Delivery: Z\n",                                     "{}",                                                  ANY,                                             "[]",                  "create hook-z []"                                                          },
    {"8.5: an id that begins with -",  EVENT "X-GitHub-Delivery: -a\n",                                    "{}",                                                  ANY,                                             "[]",
     "malformed"                                                                                                                                                                                                                                                                                                      },
    {"8.5: an id that ends in -",      EVENT "X-GitHub-Delivery: a-\n",                                    "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an id with a dot",          EVENT "X-GitHub-Delivery: a.b\n",                                   "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an id of 63",               EVENT "X-GitHub-Delivery: " A63 "\n",                               "{}",                                                  ANY,                                             "[]",
     "create hook-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-83746886 []"                                                                                                                                                                                                                                      },
    {"8.5: an id of 64",               EVENT "X-GitHub-Delivery: " A63 "a\n",                              "{}",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: a form",                    EVENT DELIVERY "Content-Type: application/x-www-form-urlencoded\n",
     "payload=%7B%7D",                                                                                                                                            ANY,                                             "[]",                  "unsupported"                                                               },
    {"8.5: a form, with more said",
     EVENT DELIVERY "content-type: Application/X-WWW-Form-Urlencoded; charset=utf-8\n",                    "{}",                                                  ANY,
     "[]",                                                                                                                                                                                                                                "unsupported"                                                               },
    {"8.5: JSON said",                 EVENT DELIVERY "Content-Type: application/json\n",                  "{}",                                                  ANY,                                             "[]",
     MADE " []"                                                                                                                                                                                                                                                                                                       },

    {"8.5: no body",                   EVENT DELIVERY,                                                     "",                                                    ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an array",                  EVENT DELIVERY,                                                     "[]",                                                  ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: a text",                    EVENT DELIVERY,                                                     "\"{}\"",                                              ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: half an object",            EVENT DELIVERY,                                                     "{\"a\":",                                             ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: two objects",               EVENT DELIVERY,                                                     "{}{}",                                                ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: space around it",           EVENT DELIVERY,                                                     " \r\n\t{} \n",                                        ANY,                                             "[]",                  MADE " []"                                                                  },
    {"8.5: duplicate keys",            EVENT DELIVERY,                                                     "{\"action\":\"a\",\"action\":\"b\"}",                 ANY,                                             "[]",
     "malformed"                                                                                                                                                                                                                                                                                                      },
    {"8.5: duplicate keys inside",     EVENT DELIVERY,                                                     "{\"issue\":{\"title\":\"\",\"title\":\"\"}}",
     ANY,                                                                                                                                                                                                          "[]",                  "malformed"                                                                 },
    {"8.5: duplicate keys, escaped",   EVENT DELIVERY,                                                     "{\"action\":\"a\",\"\\u0061ction\":\"b\"}",
     ANY,                                                                                                                                                                                                          "[]",                  "malformed"                                                                 },
    {"8.5: invalid UTF-8",             EVENT DELIVERY,                                                     "{\"a\":\"\xff\"}",                                    ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: an overlong form",          EVENT DELIVERY,                                                     "{\"a\":\"\xc0\x80\"}",                                ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: a surrogate as UTF-8",      EVENT DELIVERY,                                                     "{\"a\":\"\xed\xa0\x80\"}",                            ANY,                                             "[]",
     "malformed"                                                                                                                                                                                                                                                                                                      },
    {"8.5: a byte order mark",         EVENT DELIVERY,                                                     "\xef\xbb\xbf{}",                                      ANY,                                             "[]",                  "malformed"                                                                 },
    {"8.5: half a surrogate pair",     EVENT DELIVERY,                                                     "{\"issue\":{\"title\":\"a\\ud800b\"}}",               ANY,
     "[]",                                                                                                                                                                                                                                MADE " [] issue_number= issue_title=a\xef\xbf\xbd"
          "b issue_body= issue_url="                                                                                                                                                                                                                                                                        },
    {"8.5: a surrogate pair",          EVENT DELIVERY,                                                     "{\"issue\":{\"title\":\"\\ud83d\\ude00\"}}",          ANY,
     "[]",                                                                                                                                                                                                                                MADE " [] issue_number= issue_title=\xf0\x9f\x98\x80 issue_body= issue_url="},
    {"8.5: an escaped NUL",            EVENT DELIVERY,                                                     "{\"issue\":{\"body\":\"a\\u0000b\\u0000\"}}",         ANY,
     "[]",                                                                                                                                                                                                                                MADE " [] issue_number= issue_title= issue_body=a\xef\xbf\xbd"
          "b\xef\xbf\xbd issue_url="                                                                                                                                                                                                                                                                        },
    {"8.5: a NUL in the action",       EVENT DELIVERY,                                                     "{\"action\":\"opened\\u0000\"}",                      GITHUB(""),                                      "[]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },
    {"8.5: a NUL in a key",            EVENT DELIVERY,                                                     "{\"a\\u0000\":1}",                                    ANY,                                             "[]",                  "malformed"                                                                 },

    {"8.5: suspended",                 EVENT DELIVERY,                                                     "{}",                                                  "{\"suspend\":true,\"github\":{\"events\":[]}}", "[]",
     "ignored suspended"                                                                                                                                                                                                                                                                                              },
    {"8.5: suspended, but no object",  EVENT DELIVERY,                                                     "[]",
     "{\"suspend\":true,\"github\":{\"events\":[]}}",                                                                                                                                                              "[]",                  "malformed"                                                                 },

    {"8.5: event and action",          EVENT DELIVERY,                                                     "{\"action\":\"opened\"}",                             GITHUB(""),                                      "[]",
     MADE " []"                                                                                                                                                                                                                                                                                                       },
    {"8.5: another action",            EVENT DELIVERY,                                                     "{\"action\":\"closed\"}",                             GITHUB(""),                                      "[]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },
    {"8.5: more of an action",         EVENT DELIVERY,                                                     "{\"action\":\"opened2\"}",                            GITHUB(""),                                      "[]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },
    {"8.5: in capitals",               EVENT DELIVERY,                                                     "{\"action\":\"Opened\"}",                             GITHUB(""),                                      "[]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },
    {"8.5: the event alone",           EVENT DELIVERY,                                                     "{\"action\":\"opened\"}",                             ANY,                                             "[]",                  "ignored event"                                                             },
    {"8.5: no action in the payload",  EVENT DELIVERY,                                                     "{}",                                                  GITHUB(""),                                      "[]",                  "ignored event"                                                             },
    {"8.5: an event without action",   "X-GitHub-Event: ping\n" DELIVERY,                                  "{}",                                                  GITHUB(""),                                      "[]",
     MADE " []"                                                                                                                                                                                                                                                                                                       },
    {"8.5: an empty action",           "X-GitHub-Event: ping\n" DELIVERY,                                  "{\"action\":\"\"}",                                   GITHUB(""),
     "[]",                                                                                                                                                                                                                                MADE " []"                                                                  },
    {"8.5: an action that is no text", "X-GitHub-Event: ping\n" DELIVERY,                                  "{\"action\":7}",
     GITHUB(""),                                                                                                                                                                                                   "[]",                  MADE " []"                                                                  },
    {"8.5: a longer event",            "X-GitHub-Event: pingpong\n" DELIVERY,                              "{}",                                                  GITHUB(""),                                      "[]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },

    {"8.5: the repository",            EVENT DELIVERY,
     "{\"action\":\"opened\",\"repository\":{\"full_name\":\"Octo/Hello\"}}",                                                                                     GITHUB(",\"repository\":\"octo/hellO\""),        "[]",                  MADE " [Octo/Hello] repo=Octo/Hello"                                        },
    {"8.5: another repository",        EVENT DELIVERY,
     "{\"action\":\"opened\",\"repository\":{\"full_name\":\"octo/hello2\"}}",                                                                                    GITHUB(",\"repository\":\"octo/hello\""),        "[]",                  "ignored repository"                                                        },
    {"8.5: no repository",             EVENT DELIVERY,                                                     "{\"action\":\"opened\"}",
     GITHUB(",\"repository\":\"octo/hello\""),                                                                                                                                                                     "[]",                  "ignored repository"                                                        },
    {"8.5: one that is no object",     EVENT DELIVERY,                                                     "{\"action\":\"opened\",\"repository\":[]}",
     GITHUB(",\"repository\":\"octo/hello\""),                                                                                                                                                                     "[]",                  "ignored repository"                                                        },

    {"8.5: a label of the issue",      EVENT DELIVERY,
     "{\"action\":\"opened\",\"issue\":{\"labels\":[{\"name\":\"x\"},{\"name\":\"go\"}]}}",                                                                       GITHUB(",\"label\":\"go\""),                     "[]",
     MADE " [] issue_number= issue_title= issue_body= issue_url="                                                                                                                                                                                                                                                     },
    {"8.5: no such label",             EVENT DELIVERY,
     "{\"action\":\"opened\",\"issue\":{\"labels\":[{\"name\":\"Go\"},5,{}]}}",                                                                                   GITHUB(",\"label\":\"go\""),                     "[]",                  "ignored label"                                                             },
    {"8.5: no labels",                 EVENT DELIVERY,                                                     "{\"action\":\"opened\",\"issue\":{}}",
     GITHUB(",\"label\":\"go\""),                                                                                                                                                                                  "[]",                  "ignored label"                                                             },
    {"8.5: no issue",                  EVENT DELIVERY,                                                     "{\"action\":\"opened\",\"label\":{\"name\":\"go\"}}",
     GITHUB(",\"label\":\"go\""),                                                                                                                                                                                  "[]",                  "ignored label"                                                             },
    {"8.5: the label just added",      EVENT DELIVERY,
     "{\"action\":\"labeled\",\"label\":{\"name\":\"go\"},\"issue\":{\"labels\":[]}}",                                                                            GITHUB(",\"label\":\"go\""),                     "[]",
     MADE " [] issue_number= issue_title= issue_body= issue_url="                                                                                                                                                                                                                                                     },
    {"8.5: another one added",         EVENT DELIVERY,
     "{\"action\":\"labeled\",\"label\":{\"name\":\"x\"},\"issue\":{\"labels\":[{\"name\":\"go\"}]}"
     "}",                                                                                                                                                         GITHUB(",\"label\":\"go\""),                     "[]",                  "ignored label"                                                             },
    {"8.5: added, but no issue",       EVENT DELIVERY,
     "{\"action\":\"labeled\",\"label\":{\"name\":\"go\"}}",                                                                                                      GITHUB(",\"label\":\"go\""),                     "[]",
     "ignored label"                                                                                                                                                                                                                                                                                                  },

    {"8.5: known",                     EVENT DELIVERY,                                                     "{}",                                                  ANY,                                             "[\"" ID_HASH ":1\"]", "duplicate hook-" ID                                                        },
    {"8.5: known, but not wanted",     EVENT DELIVERY,                                                     "{}",                                                  GITHUB(""),                                      "[\"" ID_HASH ":1\"]",
     "ignored event"                                                                                                                                                                                                                                                                                                  },

    {"8.6: an issue",                  EVENT DELIVERY,
     "{\"issue\":{\"number\":42,\"title\":\"T\",\"body\":\"B\\n\",\"html_url\":\"https://x/42\"},"
     "\"repository\":{\"full_name\":\"o/r\"}}",                                                                                                                   ANY,                                             "[]",
     MADE " [o/r] issue_number=42 issue_title=T issue_body=B\n issue_url=https://x/42 repo=o/r"                                                                                                                                                                                                                       },
    {"8.6: a body of null",            EVENT DELIVERY,                                                     "{\"issue\":{\"number\":1,\"body\":null}}",            ANY,                                             "[]",
     MADE " [] issue_number=1 issue_title= issue_body= issue_url="                                                                                                                                                                                                                                                    },
    {"8.6: a number that is none",     EVENT DELIVERY,                                                     "{\"issue\":{\"number\":1.5,\"title\":7}}",            ANY,
     "[]",                                                                                                                                                                                                                                MADE " [] issue_number= issue_title= issue_body= issue_url="                },
    {"8.6: the spawner's own",         EVENT DELIVERY,                                                     "{\"repository\":{\"full_name\":\"o/r\"}}",
     "{\"parameters\":{\"z\":\"1\",\"issue_title\":\"mine\",\"repo\":\"mine\"},"
     "\"github\":{\"events\":[\"issues\"]}}",                                                                                                                                                                      "[]",                  MADE " [o/r] z=1 issue_title=mine repo=o/r"                                 },
    {"8.6: the payload wins",          EVENT DELIVERY,                                                     "{\"issue\":{\"title\":\"T\"}}",
     "{\"parameters\":{\"issue_title\":\"mine\",\"issue_url\":\"mine\"},"
     "\"github\":{\"events\":[\"issues\"]}}",                                                                                                                                                                      "[]",                  MADE " [] issue_title=T issue_url= issue_number= issue_body="               },
    {"8.6: no credentials",            EVENT DELIVERY,                                                     "{}",
     "{\"parameters\":{\"git_credential\":\"c\",\"git_credential_url\":\"u\",\"git_credentials\":"
     "\"x\"},"
     "\"github\":{\"events\":[\"issues\"]}}",                                                                                                                                                                      "[]",                  MADE " [] git_credentials=x"                                                },
};

static char *signed_headers(const char *headers, const void *body, size_t size)
{
    uint8_t digest[SHA256_SIZE];
    char hex[SHA256_HEX_SIZE];

    digest_hmac_sha256(KEY, strlen(KEY), body, size, digest);
    digest_hex(digest, sizeof(digest), hex);
    return xprintf("%sX-Hub-Signature-256: sha256=%s\n", headers, hex);
}

static void check_signed(const char *headers, const void *body, size_t size, const char *spec,
                         const char *memory, const char *want)
{
    struct spawner *spawner = spawner_of(spec, memory);
    struct buffer got = BUFFER_INIT(TEXT_MAX);
    char *lines = signed_headers(headers, body, size);

    decide(lines, body, size, spawner, &got);
    assert_string_equal(buffer_text(&got), want);
    free(lines);
    buffer_release(&got);
    spawner_free(spawner);
}

static void check_row(void **state)
{
    const struct row *row = *state;

    check_signed(row->headers, row->body, strlen(row->body), row->spec, row->memory, row->want);
}

static void test_nul_in_the_body(void **state)
{
    static const char inside[] = "{\"a\":\"x\0y\"}";
    static const char behind[] = "{}\0{}";

    (void)state;
    check_signed(EVENT DELIVERY, inside, sizeof(inside) - 1, ANY, "[]", "malformed");
    check_signed(EVENT DELIVERY, behind, sizeof(behind) - 1, ANY, "[]", "malformed");
    check_signed(EVENT DELIVERY, behind, 3, ANY, "[]", "malformed");
}

/* A text of the issue that is as long as one may be, and one more; its quotes count. */
static void test_long_text(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        size_t size = WEBHOOK_TEXT_BYTES_MAX - 2 + more;
        struct buffer body = BUFFER_INIT(TEXT_MAX);
        char *spaces = xcalloc(size + 1, 1);

        memset(spaces, 'x', size);
        buffer_append_format(&body, "{\"repository\":{\"full_name\":\"%s\"}}", spaces);
        check_signed("X-GitHub-Event: other\n" DELIVERY, body.bytes, body.size, ANY, "[]",
                     more == 0 ? "ignored event" : "malformed");
        free(spaces);
        buffer_release(&body);
    }
}

static void test_deep_body(void **state)
{
    char deep[2 * JSON_DEPTH_MAX + 16] = "{\"a\":";

    (void)state;
    for (size_t i = 0; i < JSON_DEPTH_MAX; i++) {
        strcat(deep, "[");
    }
    for (size_t i = 0; i < JSON_DEPTH_MAX; i++)
        strcat(deep, "]");
    strcat(deep, "}");
    check_signed(EVENT DELIVERY, deep, strlen(deep), ANY, "[]", "malformed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nul_in_the_body),
        cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_deep_body),
    };

    return ROWS_RUN(paths, check_path) + ROWS_RUN(signatures, check_signature) +
           ROWS_RUN(rows, check_row) + cmocka_run_group_tests(tests, NULL, NULL);
}
