#include "scenarios/language/fault_kinds.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/text.h"

/** Largest "do". */
#define DEED_BYTES_MAX 4096

static const struct fault_kind kinds[] = {
  /* answers */
    {"refuse",                                               "refuse",        FAULT_AREA_ANSWER,        NULL,                                                   "{refuse: true}",                                                   FAULT_SITES_CALL                                                                                                },
    {"silent",                                               "silent",        FAULT_AREA_ANSWER,        NULL,                                                   "{silent: true}",                                                   FAULT_SITES_CALL                                                                                                },
    {"delay",                                                "delay",         FAULT_AREA_ANSWER,        NULL,                                                   "{delay: 5s}",                                                      FAULT_SITES_CALL                                                                                                },
    {"status",                                               "status",        FAULT_AREA_ANSWER,        NULL,                                                   "{status: 400, reason: BadRequest, message: no}",
     0                                                                                                                                                                                                                                                                                                                                              },
    {"status-401",                                           "status",        FAULT_AREA_ANSWER,        "401 Unauthorized: the token has expired.",
     "{status: 401}",                                                                                                                                                                                                               FAULT_SITES_CALL                                                                                                },
    {"status-403",                                           "status",        FAULT_AREA_ANSWER,        "403 Forbidden: the right was taken away.",
     "{status: 403, message: not allowed}",                                                                                                                                                                                         FAULT_SITES_CALL,                                                                                                 .final = true},
    {"status-409",                                                      "status",                                                          FAULT_AREA_ANSWER,                     "409 Conflict: somebody else wrote meanwhile.",
     "{status: 409}", FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH | FAULT_SITE_DELETE                                                                                                                                                                                                                                                                                                                                },
    {"status-422",                                                      "status",                                                          FAULT_AREA_ANSWER,                     "422 Invalid: the object is refused.",
     "{status: 422, message: not like this}",          FAULT_SITE_CREATE | FAULT_SITE_UPDATE | FAULT_SITE_PATCH,                                                                                                                                                                                                                                                                                                         .final = true},
    {"status-429",                                         "status",                                                        FAULT_AREA_ANSWER,                                                                     "429 TooManyRequests with a Retry-After.",
     "{status: 429, retry_after: 3}",                                                                     FAULT_SITES_CALL},
    {"status-500",                                      "status",                                                     FAULT_AREA_ANSWER,                                                                  "500 InternalError.",                                                                           "{status: 500}",
     FAULT_SITES_CALL                                                                                                                                                                                                                                                               },
    {"status-503",                                       "status",                                                      FAULT_AREA_ANSWER,                                                                   "503 ServiceUnavailable.",                                                                           "{status: 503}",
     FAULT_SITES_CALL},
    {"status-504",                                       "status",                                                      FAULT_AREA_ANSWER,                                                                   "504 Timeout: nobody knows what was done.",
     "{status: 504}",                                                                       FAULT_SITES_CALL                                                                                                                                                                                                                                              },
    {"drop_answer",                                      "drop_answer",                                                     FAULT_AREA_ANSWER,                                                                 NULL,                                                                     "{drop_answer: true}",
     FAULT_SITES_CALL},
    {"cut_at",                                       "cut_at",                                                      FAULT_AREA_ANSWER,                                                                       NULL,                                                                               "{cut_at: 100}",                                                                           FAULT_SITES_CALL                                                                                                                                                                                                                                                                                                                       },
    {"stale",                                      "stale",                                                     FAULT_AREA_ANSWER,                                                                       NULL,                                                                                 "{stale: {age: 10s}}",    FAULT_SITES_READ},
    {"html-200",                                      "html",                                                     FAULT_AREA_ANSWER,
     "A gateway answers 200 with a page of HTML; nothing is carried out.",                                                                               "{html: 200}",
     FAULT_SITES_CALL                                                                                                                                                                                                                                                                           },
    {"html-502",                                       "html",                                                      FAULT_AREA_ANSWER,
     "A gateway answers 502 with a page of HTML; nothing is carried out.",                                                                               "{html: 502}",
     FAULT_SITES_CALL                                                                                                                                                                                                                                                                           },
    {"html",                                       "html",                                                      FAULT_AREA_ANSWER,                                                                         NULL,                                                                                   "{html: 504}",                                                                               0},
    {"content_type",                                                     "content_type",                                                                    FAULT_AREA_ANSWER,                                                                               NULL,                                                                   "{content_type: text/plain}",
     FAULT_SITES_CALL                                                                                                                                                         },
    {"truncate",                                       "truncate",                                                      FAULT_AREA_ANSWER,                                                                     NULL,                                                                           "{truncate: 100}",                                                                       FAULT_SITES_CALL},
    {"slow_body",                                      "slow_body",                                                     FAULT_AREA_ANSWER,                                                                   NULL,                                                                         "{slow_body: 1ms}",FAULT_SITES_WHOLE                                                                                    },
 /* watches */
    {"close_watch",                                     "close_watch",                                                    FAULT_AREA_WATCH,                                                                NULL,                                                                     "{close_watch: true}",                                                                     FAULT_SITE_EVENT                             },
    {"stall_watch",                                      "stall_watch",                                                     FAULT_AREA_WATCH,                                                                 NULL,                                                                     "{stall_watch: true}",FAULT_SITE_EVENT             },
    {"swallow_event",                                      "swallow_event",                                                     FAULT_AREA_WATCH,                                                               NULL,                                                                 "{swallow_event: true}",
     FAULT_SITE_EVENT                                                                                                 },
    {"delay_event",                                       "delay_event",                                                      FAULT_AREA_WATCH,                                                                  NULL,                                                                     "{delay_event: 5s}",                                                                  FAULT_SITE_EVENT           },
    {"repeat_event",                                      "repeat_event",                                                     FAULT_AREA_WATCH,                                                                NULL,                                                                   "{repeat_event: true}",
     FAULT_SITE_EVENT                                 },
    {"gap",                                       "gap",                                                      FAULT_AREA_WATCH,                                                                          NULL,                                                                                     "{gap: 3}",                                                                                  FAULT_SITE_EVENT                                                                                   },
    {"error_event-410",                                      "error_event",                                                     FAULT_AREA_WATCH,
     "An ERROR event 410 Expired comes instead, and the watch ends.",                                                                 "{error_event: 410}",
     FAULT_SITE_EVENT                                                                                                                                                                                                                                                                                },
    {"error_event-410-bare",                                       "error_event",                                                      FAULT_AREA_WATCH,                                                         "The same without a reason.",
     "{error_event: 410, reason: \"\"}",                                                         FAULT_SITE_EVENT},
    {"error_event",                                      "error_event",                                                     FAULT_AREA_WATCH,                                                                 NULL,                                                                     "{error_event: 500}",           FAULT_SITE_EVENT                                                                                                                                                                                                                                                  },
    {"garbage_line",                                      "garbage_line",                                                     FAULT_AREA_WATCH,                                                                NULL,                                                                   "{garbage_line: true}",
     FAULT_SITE_EVENT},
    {"long_line",                                       "long_line",                                                      FAULT_AREA_WATCH,                                                                    NULL,                                                                         "{long_line: 5000000}",                                                                      0                                                                                                                                                                                                                                                             },
    {"half_line",                                                     "half_line",                                                                    FAULT_AREA_WATCH,                                                                                  NULL,                                                                         "{half_line: true}",FAULT_SITE_EVENT},
    {"no_bookmark",                                      "no_bookmark",                                                     FAULT_AREA_WATCH,                                                                 NULL,                                                                     "{no_bookmark: true}",                                                                                 0                                                                                                                                                                                                                                                                                                                                                                            },
 /* the way */
    {"late",                                                     "late",                                                                    FAULT_AREA_NETWORK,                                                                                       NULL,                                                                                   "{late: 25s}",FAULT_SITES_CALL},
 /* processes */
    {"crash",                                      "crash",                                                     FAULT_AREA_PROCESS,                                                                       NULL,                                                                                 "{crash: \"{peer}\"}",
     FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           .moments = true},
    {"restart", "restart", FAULT_AREA_PROCESS,                         NULL,                                                                       "{restart: \"{peer}\"}",
     FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER,.moments = true},
    {"terminate",                               "terminate",                  FAULT_AREA_PROCESS,                           NULL,                                                                                 "{terminate: \"{peer}\"}",
     FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER,                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             .moments = true},
    {"pause",                                                  "pause",                                        FAULT_AREA_PROCESS,                                            NULL,                                                                                   "{pause: \"{peer}\", for: 20s}",
     FAULT_SITES_CALL | FAULT_SITE_EVENT | FAULT_SITE_TIMER,.moments = true},
 /* the cluster */
    {"compact",                                    "compact",        FAULT_AREA_CLUSTER,NULL,                                                                                                    "{compact: true}",                                                                                                                                                       FAULT_SITES_CALL                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    },
};

size_t fault_kind_count(void)
{
    return ARRAY_SIZE(kinds);
}

const struct fault_kind *fault_kind_at(size_t index)
{
    return &kinds[index];
}

const struct fault_kind *fault_kind_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    }
    return NULL;
}

const struct fault_kind *fault_kind_of(const struct fault *fault)
{
    const struct fault_effect *effect = &fault->rule.effect;
    const struct fault_kind *kind;
    bool bare = effect->reason != NULL && *effect->reason == '\0';
    char name[64];

    if (fault->kind == FAULT_AT_API && effect->status != 0) {
        snprintf(name, sizeof(name), "%s-%u%s", fault->key, effect->status, bare ? "-bare" : "");
        kind = fault_kind_find(name);
        if (kind != NULL)
            return kind;
    }
    return fault_kind_find(fault->key);
}

static const struct {
    const char *name;
    const char *what;
} areas[] = {
    [FAULT_AREA_ANSWER] = {"answer",  "Requests and their answers, at the API server:"},
    [FAULT_AREA_WATCH] = {"watch",   "Events of watches, at the API server:"         },
    [FAULT_AREA_NETWORK] = {"network", "The way between two processes:"                },
    [FAULT_AREA_PROCESS] = {"process", "Processes:"                                    },
    [FAULT_AREA_CLOCK] = {"clock",   "Clocks of a process:"                          },
    [FAULT_AREA_DISK] = {"disk",    "Files of a process:"                           },
    [FAULT_AREA_CLUSTER] = {"cluster", "The API server as a whole:"                    },
};

const char *fault_area_name(enum fault_area area)
{
    return areas[area].name;
}

const char *fault_area_what(enum fault_area area)
{
    return areas[area].what;
}

unsigned fault_site_of_verb(const char *verb)
{
    static const struct {
        const char *verb;
        unsigned site;
    } sites[] = {
        {"get",              FAULT_SITE_GET   },
        {"list",             FAULT_SITE_LIST  },
        {"watch",            FAULT_SITE_WATCH },
        {"create",           FAULT_SITE_CREATE},
        {"update",           FAULT_SITE_UPDATE},
        {"patch",            FAULT_SITE_PATCH },
        {"delete",           FAULT_SITE_DELETE},
        {"deletecollection", FAULT_SITE_DELETE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(sites); i++) {
        if (text_equal(sites[i].verb, verb))
            return sites[i].site;
    }
    return FAULT_SITE_OTHER;
}

bool fault_kind_applies(const struct fault_kind *kind, unsigned site, const char *resource)
{
    (void)resource;
    return (kind->sites & site) != 0;
}

char *fault_kind_deed(const struct fault_kind *kind, const char *peer)
{
    static const char hole[] = "{peer}";
    struct buffer text = BUFFER_INIT(DEED_BYTES_MAX);
    const char *from = kind->example;
    const char *found;
    size_t size;

    while ((found = strstr(from, hole)) != NULL) {
        buffer_append(&text, from, (size_t)(found - from));
        buffer_append_text(&text, peer);
        from = found + strlen(hole);
    }
    buffer_append_text(&text, from);
    return buffer_take(&text, &size);
}
