/* The spawned Agent: its name and the object (RULES 8.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/spawner/spawn.h"
#include "tests/unit/rows.h"

#define LONG_NAME "quarterly-cross-repository-dependency-audit-for-platform-team"
#define TEXT_MAX 8192

static const struct name_row {
    const char *name;
    const char *spawner;
    int64_t minute;       /* of a slot; or */
    const char *delivery; /* an id */
    const char *want;
} name_rows[] = {
    {"8.4: the sheet's example",  "nightly-story", 29870100, NULL,                                   "nightly-story-29870100"},
    {"8.4: a long one",           LONG_NAME,       29870100, NULL,
     "quarterly-cross-repository-dependency-audit-for-platfo-3c536ac0"                                                       },
    {"8.4: a delivery",           "hook",          0,        "72d3162e-cc78",                        "hook-72d3162e-cc78"    },
    {"8.5: an id with capitals",  "hook",          0,        "72D3162E-Z",                           "hook-72d3162e-z"       },
    {"8.5: long with a delivery", LONG_NAME,       0,        "72d3162e-cc78-11e3-81ab-4c9367dc0958",
     "quarterly-cross-repository-dependency-audit-for-platfo-16c119a1"                                                       },
    {"8.5: long, with capitals",  LONG_NAME,       0,        "72D3162E-CC78-11E3-81AB-4C9367DC0958",
     "quarterly-cross-repository-dependency-audit-for-platfo-16c119a1"                                                       },
};

static void check_name(void **state)
{
    const struct name_row *row = *state;
    char got[SAFE_NAME_SIZE];

    if (row->delivery == NULL)
        spawn_slot_name(row->spawner, row->minute, got);
    else
        spawn_delivery_name(row->spawner, row->delivery, got);
    assert_string_equal(got, row->want);
}

static char word_a[] = "a";
static char word_empty[] = "";
static struct agent_parameter words[] = {
    {word_a, word_empty}
};

#define OWNER(name)                                                                                \
    "\"ownerReferences\":[{\"apiVersion\":\"agents.re-cinq.com/v1beta1\","                         \
    "\"kind\":\"AgentSpawner\",\"name\":\"" name "\",\"uid\":\"u-1\",\"controller\":true,"         \
    "\"blockOwnerDeletion\":true}]}"
#define HEAD "{\"apiVersion\":\"agents.re-cinq.com/v1beta1\",\"kind\":\"Agent\",\"metadata\":"

static const struct object_row {
    const char *name;
    char *spawner;
    const char *delivery;
    const char *repo;
    size_t parameter_count;
    const char *want;
} object_rows[] = {
    {"8.4: scheduled",                  (char[]){"nightly"},             NULL,   NULL,  1,
     HEAD "{\"name\":\"x\",\"labels\":{\"agents.re-cinq.com/spawner\":\"nightly\"},"
          "\"annotations\":{\"agents.re-cinq.com/slot\":\"29870100\"}," OWNER(
              "nightly") ",\"spec\":{\"stationRef\":\"s\",\"parameters\":{\"a\":\"\"}}}"},
    {"8.4: by a webhook",               (char[]){"hook"},                "ID-1", "o/r", 1,
     HEAD "{\"name\":\"x\",\"labels\":{\"agents.re-cinq.com/spawner\":\"hook\","
          "\"agents.re-cinq.com/github-delivery\":\"ID-1\"}," OWNER(
              "hook") ",\"spec\":{\"stationRef\":\"s\",\"targetRepo\":\"o/"
                      "r\",\"parameters\":{\"a\":\"\"}}}"                               },
    {"8.4: with nothing",               (char[]){"hook"},                "1",    "",    0,
     HEAD "{\"name\":\"x\",\"labels\":{\"agents.re-cinq.com/spawner\":\"hook\","
          "\"agents.re-cinq.com/github-delivery\":\"1\"}," OWNER(
              "hook") ",\"spec\":{\"stationRef\":\"s\"}}"                               },
    {"8.4: a name that no label holds", (char[]){LONG_NAME "-29870100"}, "1",    NULL,  0,
     HEAD "{\"name\":\"x\",\"labels\":{\"agents.re-cinq.com/spawner\":"
          "\"quarterly-cross-repository-dependency-audit-for-platfo-3c536ac0\","
          "\"agents.re-cinq.com/github-delivery\":\"1\"}," OWNER(
              LONG_NAME "-29870100") ",\"spec\":{\"stationRef\":\"s\"}}"                },
};

static void check_object(void **state)
{
    const struct object_row *row = *state;
    struct spawner spawner = {
        .name = row->spawner, .uid = (char[]){"u-1"}, .station = (char[]){"s"}};
    struct spawn spawn = {
        .spawner = &spawner,
        .name = "x",
        .delivery = row->delivery,
        .slot_minute = 29870100,
        .target_repo = row->repo,
        .parameters = words,
        .parameter_count = row->parameter_count,
    };
    struct buffer got = BUFFER_INIT(TEXT_MAX);

    spawn_write(&spawn, &got);
    assert_string_equal(buffer_text(&got), row->want);
    buffer_release(&got);
}

int main(void)
{
    return ROWS_RUN(name_rows, check_name) + ROWS_RUN(object_rows, check_object);
}
