/* AgentSpawners: defaults, what is read, and what makes one unusable (RULES 0, 1.4, 13.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/kinds/spawner.h"
#include "tests/unit/rows.h"

#define TEXT_MAX 4096
#define MIDNIGHT_US (INT64_C(1790812800) * 1000000) /* 2026-10-01T00:00:00Z */

static bool read_text(const char *text, struct spawner **ret_spawner, struct error *err)
{
    struct json_object *ignored = NULL;

    assert_true(json_parse(text, strlen(text), TEXT_MAX, &ignored, err));
    json_object_put(ignored);
    return spawner_read((struct json_slice){text, strlen(text)}, ret_spawner, err);
}

static bool read_parts(const char *metadata, const char *spec, const char *status,
                       struct spawner **ret_spawner, struct error *err)
{
    struct buffer text = BUFFER_INIT(TEXT_MAX);
    bool ok;

    buffer_append_format(&text,
                         "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\"%s},"
                         "\"spec\":%s,\"status\":%s}",
                         metadata, spec, status);
    ok = read_text(buffer_text(&text), ret_spawner, err);
    buffer_release(&text);
    return ok;
}

static const struct row {
    const char *name;
    const char *metadata; /* what is added to name, uid and resourceVersion */
    const char *spec;
    const char *status;
    const char *want; /* as describe() writes it */
} rows[] = {
    {"1.4: defaults",                  "",                                                "{}",                                        "{}",                                                    ""                   },
    {"1.4: nulls are absent",          "",                                                "null",                                      "null",                                                  ""                   },
    {"1.4: members that are null",     "",
     "{\"schedule\":null,\"github\":null,\"parameters\":null,\"suspend\":null}",                                                       "{\"recentDeliveries\":null}",                           ""                   },
    {"1.4: stationRef",                "",                                                "{\"stationRef\":\"review\"}",               "{}",                                                    "station=review "    },
    {"1.4: schedule",                  "",                                                "{\"schedule\":\"0 3 * * *\"}",              "{}",                                                    "schedule=0 3 * * * "},
    {"1.4: github",                    "",
     "{\"github\":{\"secretRef\":\"k\",\"events\":[\"b\",\"a\"],\"label\":\"L\","
     "\"repository\":\"O/R\"}}",                                                                                                       "{}",                                                    "github=k,L,O/R,b,a "},
    {"1.4: github without its parts",  "",                                                "{\"github\":{}}",                           "{}",                                                    "github=,, "         },
    {"1.4: parameters in their order", "",                                                "{\"parameters\":{\"b\":\"1\",\"a\":\"\"}}", "{}",
     "b:1 a: "                                                                                                                                                                                                       },
    {"1.4: Forbid",                    "",                                                "{\"concurrencyPolicy\":\"Forbid\"}",        "{}",                                                    "forbid "            },
    {"1.4: Allow",                     "",                                                "{\"concurrencyPolicy\":\"Allow\"}",         "{}",                                                    ""                   },
    {"1.4: unknown policy is Allow",   "",                                                "{\"concurrencyPolicy\":\"forbid\"}",        "{}",                                                    ""                   },
    {"1.4: Replace is unknown",        "",                                                "{\"concurrencyPolicy\":\"Replace\"}",       "{}",                                                    ""                   },
    {"1.4: suspend",                   "",                                                "{\"suspend\":true}",                        "{}",                                                    "suspend "           },
    {"1.4: suspend false",             "",                                                "{\"suspend\":false}",                       "{}",                                                    ""                   },
    {"1.4: lastScheduleTime",          "",                                                "{}",                                        "{\"lastScheduleTime\":\"2026-10-01T00:00:00Z\"}",
     "slot=0 "                                                                                                                                                                                                       },
    {"1.4: of another zone",           "",                                                "{}",                                        "{\"lastScheduleTime\":\"2026-10-01T02:00:01+02:00\"}",
     "slot=1 "                                                                                                                                                                                                       },
    {"1.4: a time that is none",       "",                                                "{}",                                        "{\"lastScheduleTime\":\"now\"}",                        ""                   },
    {"1.4: lastAgent",                 "",                                                "{}",                                        "{\"lastAgent\":\"n-1\"}",                               "last=n-1 "          },
    {"13.6: recentDeliveries",         "",                                                "{}",                                        "{\"recentDeliveries\":[\"0123456789abcdef:1\",\"x\"]}",
     "0123456789abcdef:1 x "                                                                                                                                                                                         },
    {"1.4: a deletionTimestamp",       ",\"deletionTimestamp\":\"2026-10-01T00:00:00Z\"", "{}",                                        "{}",
     "deleting "                                                                                                                                                                                                     },
    {"1.4: creationTimestamp",         ",\"creationTimestamp\":\"2026-10-01T00:01:00Z\"", "{}",                                        "{}",
     "created=60 "                                                                                                                                                                                                   },
    {"1.4: generation",                ",\"generation\":3",                               "{}",                                        "{}",                                                    "generation=3 "      },
};

static void describe_github(const struct spawner_github *github, struct buffer *into)
{
    buffer_append_format(into, "github=%s,%s,%s", github->secret, github->label,
                         github->repository);
    for (size_t i = 0; i < github->events.count; i++)
        buffer_append_format(into, ",%s", github->events.items[i]);
    buffer_append_char(into, ' ');
}

static void describe_text(const char *name, const char *text, struct buffer *into)
{
    if (text[0] != '\0')
        buffer_append_format(into, "%s=%s ", name, text);
}

static void describe_time(const char *name, int64_t at_us, struct buffer *into)
{
    if (at_us != AGENT_NO_TIME)
        buffer_append_format(into, "%s=%lld ", name, (long long)((at_us - MIDNIGHT_US) / 1000000));
}

/* What is not as it is by default. */
static void describe(const struct spawner *spawner, struct buffer *into)
{
    describe_text("station", spawner->station, into);
    describe_text("schedule", spawner->schedule, into);
    if (spawner->github != NULL)
        describe_github(spawner->github, into);
    for (size_t i = 0; i < spawner->parameter_count; i++)
        buffer_append_format(into, "%s:%s ", spawner->parameters[i].name,
                             spawner->parameters[i].value);
    buffer_append_text(into, spawner->forbid ? "forbid " : "");
    buffer_append_text(into, spawner->suspend ? "suspend " : "");
    describe_time("slot", spawner->last_schedule_at_us, into);
    describe_text("last", spawner->last_agent, into);
    for (size_t i = 0; i < spawner->deliveries.count; i++)
        buffer_append_format(into, "%s ", spawner->deliveries.items[i]);
    buffer_append_text(into, spawner->deleting ? "deleting " : "");
    describe_time("created", spawner->created_at_us, into);
    if (spawner->generation != 0)
        buffer_append_format(into, "generation=%lld ", (long long)spawner->generation);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct buffer got = BUFFER_INIT(TEXT_MAX);
    struct spawner *spawner = NULL;
    struct error err = ERROR_INIT;

    if (!read_parts(row->metadata, row->spec, row->status, &spawner, &err))
        fail_msg("%s", err.text);
    describe(spawner, &got);
    assert_string_equal(buffer_text(&got), row->want);
    assert_string_equal(spawner->name, "n");
    assert_string_equal(spawner->uid, "u");
    assert_string_equal(spawner->resource_version, "7");
    buffer_release(&got);
    spawner_free(spawner);
}

static const struct unusable {
    const char *name;
    const char *text;
} unusables[] = {
    {"0: no metadata",   "{\"spec\":{}}"                                                         },
    {"0: no object",     "[]"                                                                    },
    {"0: no uid",        "{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"7\"}}"             },
    {"0: an empty name", "{\"metadata\":{\"name\":\"\",\"uid\":\"u\",\"resourceVersion\":\"7\"}}"},
    {"0: no version",    "{\"metadata\":{\"name\":\"n\",\"uid\":\"u\"}}"                         },
};

static void check_unusable(void **state)
{
    const struct unusable *row = *state;
    struct spawner *spawner = NULL;
    struct error err = ERROR_INIT;

    assert_false(read_text(row->text, &spawner, &err));
    assert_null(spawner);
    assert_int_equal(err.kind, ERROR_INVALID);
}

/* A spec or a status with a member of another type. */
static const struct mistyped {
    const char *name;
    const char *spec;
    const char *status;
} mistypeds[] = {
    {"0: spec",              "[]",                                     "{}"                               },
    {"0: status",            "{}",                                     "\"\""                             },
    {"0: stationRef",        "{\"stationRef\":5}",                     "{}"                               },
    {"0: schedule",          "{\"schedule\":true}",                    "{}"                               },
    {"0: github",            "{\"github\":true}",                      "{}"                               },
    {"0: github.secretRef",  "{\"github\":{\"secretRef\":{}}}",        "{}"                               },
    {"0: github.events",     "{\"github\":{\"events\":\"issues\"}}",   "{}"                               },
    {"0: one of the events", "{\"github\":{\"events\":[\"a\",null]}}", "{}"                               },
    {"0: parameters",        "{\"parameters\":[]}",                    "{}"                               },
    {"0: one parameter",     "{\"parameters\":{\"a\":\"b\",\"c\":1}}", "{}"                               },
    {"0: concurrencyPolicy", "{\"concurrencyPolicy\":1}",              "{}"                               },
    {"0: suspend",           "{\"suspend\":\"true\"}",                 "{}"                               },
    {"0: lastScheduleTime",  "{}",                                     "{\"lastScheduleTime\":1790812800}"},
    {"0: recentDeliveries",  "{}",                                     "{\"recentDeliveries\":{}}"        },
    {"0: one delivery",      "{}",                                     "{\"recentDeliveries\":[1]}"       },
};

static void check_mistyped(void **state)
{
    const struct mistyped *row = *state;
    struct spawner *spawner = NULL;
    struct error err = ERROR_INIT;

    assert_false(read_parts("", row->spec, row->status, &spawner, &err));
    assert_null(spawner);
    assert_int_equal(err.kind, ERROR_INVALID);
}

int main(void)
{
    return ROWS_RUN(rows, check_row) + ROWS_RUN(unusables, check_unusable) +
           ROWS_RUN(mistypeds, check_mistyped);
}
