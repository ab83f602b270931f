#include "tests/model/census.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const line_types[5] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};

void census_answer(struct census *census, const struct ask *ask, int code, size_t bytes)
{
    census->answers[ask->verb][code < CENSUS_CODES ? code : 0]++;
    census->of_kind[ask->kind - kinds]++;
    census->bytes += bytes;
}

void census_line(struct census *census, const char *type)
{
    for (size_t i = 0; i < 5; i++)
        if (strcmp(line_types[i], type) == 0)
            census->lines[i]++;
}

void census_print(const struct census *census)
{
    printf("%" PRIu64 " worlds, %" PRIu64 " operations, %" PRIu64 " bytes of answers compared\n",
           census->worlds, census->steps, census->bytes);
    for (int verb = 0; verb < VERB_COUNT; verb++) {
        printf("  %-12s", verb_name((enum verb)verb));
        for (int code = 0; code < CENSUS_CODES; code++)
            if (census->answers[verb][code] > 0)
                printf(" %d: %" PRIu64, code, census->answers[verb][code]);
        printf("\n");
    }
    printf("  %-12s", "watch lines");
    for (size_t i = 0; i < 5; i++)
        printf(" %s: %" PRIu64, line_types[i], census->lines[i]);
    printf("\n  %-12s", "kinds");
    for (size_t i = 0; i < KIND_COUNT; i++)
        printf(" %s: %" PRIu64, kinds[i].plural, census->of_kind[i]);
    printf("\n");
}

/* What must happen at least once in so many steps. */
static const struct {
    enum verb verb;
    int code;
    uint64_t per_steps;
} wanted[] = {
    {VERB_GET,        200, 100  },
    {VERB_GET,        404, 100  },
    {VERB_GET,        500, 20000},
    {VERB_GET,        504, 20000},
    {VERB_LIST,       200, 50   },
    {VERB_LIST,       400, 500  },
    {VERB_LIST,       410, 1000 },
    {VERB_LIST,       422, 1000 },
    {VERB_LIST,       500, 2000 },
    {VERB_LIST,       504, 2000 },
    {VERB_WATCH,      200, 100  },
    {VERB_WATCH,      400, 20000},
    {VERB_WATCH,      422, 2000 },
    {VERB_WATCH,      500, 10000},
    {VERB_CREATE,     201, 50   },
    {VERB_CREATE,     400, 500  },
    {VERB_CREATE,     403, 500  },
    {VERB_CREATE,     404, 500  },
    {VERB_CREATE,     409, 100  },
    {VERB_CREATE,     422, 200  },
    {VERB_CREATE,     500, 5000 },
    {VERB_UPDATE,     200, 100  },
    {VERB_UPDATE,     201, 1000 },
    {VERB_UPDATE,     400, 1000 },
    {VERB_UPDATE,     404, 500  },
    {VERB_UPDATE,     409, 500  },
    {VERB_UPDATE,     422, 500  },
    {VERB_MERGE,      200, 200  },
    {VERB_MERGE,      400, 20000},
    {VERB_MERGE,      404, 500  },
    {VERB_MERGE,      409, 2000 },
    {VERB_MERGE,      422, 1000 },
    {VERB_PATCH,      200, 500  },
    {VERB_PATCH,      404, 500  },
    {VERB_PATCH,      422, 500  },
    {VERB_DELETE,     200, 100  },
    {VERB_DELETE,     403, 20000},
    {VERB_DELETE,     404, 200  },
    {VERB_DELETE,     409, 2000 },
    {VERB_DELETE,     422, 2000 },
    {VERB_DELETE_ALL, 200, 500  },
    {VERB_DELETE_ALL, 400, 50000},
    {VERB_DELETE_ALL, 405, 10000},
    {VERB_DELETE,     202, 5000 },
};

bool census_is_full(const struct census *census)
{
    bool full = true;

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uint64_t least = census->steps / wanted[i].per_steps;
        uint64_t got = census->answers[wanted[i].verb][wanted[i].code];

        if (got >= least)
            continue;
        printf("too few: %s answered %d %" PRIu64 " times, not %" PRIu64 "\n",
               verb_name(wanted[i].verb), wanted[i].code, got, least);
        full = false;
    }
    for (size_t i = 0; i < 5; i++) {
        if (census->lines[i] >= census->steps / 5000)
            continue;
        printf("too few: %" PRIu64 " lines %s\n", census->lines[i], line_types[i]);
        full = false;
    }
    return full;
}
