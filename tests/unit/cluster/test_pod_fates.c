/* What scripts make of pods that go wrong for a while, just before and just after each change. */
#include "controller/base/memory.h"
#include "tests/unit/cluster/cluster_world.h"
#include "tests/unit/rows.h"

#define GONE "(gone)"

/** What holds so many milliseconds after the pod was made. */
struct moment {
    int64_t at_ms;
    const char *texts;
};

/* A pod is bound after 10 ms. */
static const struct row {
    const char *name;
    const char *annotations;
    const char *containers;
    struct moment moments[5];
} rows[] = {
    {"an image that can be pulled in the end",
     "'fakeapi/ending':'image-pull','fakeapi/recover-seconds':'60','fakeapi/run-seconds':'5',"
     "'fakeapi/exit-code':'3'",                                                              NULL,
     {{60005, "'reason':'ImagePullBackOff'|'phase':'Pending'"},
      {60015, "'phase':'Running'|'state':{'running'"},
      {65005, "'phase':'Running'"},
      {65015, "'phase':'Failed'|'exitCode':3"}}                                         },
    {"an image that is never pulled",
     "'fakeapi/ending':'image-pull'",                                                        NULL,
     {{3600000, "'reason':'ImagePullBackOff'"}}                                         },
    {"a node that takes it in the end",
     "'fakeapi/ending':'unschedulable','fakeapi/recover-seconds':'30'",                      NULL,
     {{30005, "'reason':'Unschedulable'|'phase':'Pending'"},
      {30015, "'phase':'Running'|'nodeName':'node-0'"},
      {31015, "'phase':'Succeeded'"}}                                                   },
    {"a node that is back before its pods are given up",
     "'fakeapi/ending':'node-lost','fakeapi/recover-seconds':'200','fakeapi/exit-code':'4'", NULL,
     {{1015, "'phase':'Running'|'status':'False','type':'Ready'"},
      {201005, "'phase':'Running'"},
      {201015, "'phase':'Failed'|'exitCode':4"},
      {400000, "'phase':'Failed'"}}                                                     },
    {"a node that is back when its pods are given up: they go",
     "'fakeapi/ending':'node-lost','fakeapi/recover-seconds':'400'",                         NULL,
     {{301015, "'deletionTimestamp'|'reason':'DeletionByTaintManager'"},
      {401005, "'phase':'Running'|'deletionTimestamp'"},
      {401015, GONE}}                                                                   },
    {"a node that is taken out",
     "'fakeapi/ending':'node-lost','fakeapi/node-gone-seconds':'400'",                       NULL,
     {{401005, "'phase':'Running'|'deletionTimestamp'"}, {401015, GONE}}                },
    {"a node that is taken out at once",
     "'fakeapi/ending':'node-lost','fakeapi/node-gone-seconds':'40'",                        NULL,
     {{41005, "'phase':'Running'"}, {41015, GONE}, {302000, GONE}}                      },
    {"a helper that runs on after the main container",
     "'fakeapi/others-run-seconds':'9'",                                                     "{'name':'agent','image':'i:1'},{'name':'helper','image':'i:1'}",
     {{1015, "'phase':'Running'|'exitCode':0"},
      {10005, "'phase':'Running'"},
      {10015, "'phase':'Succeeded'"}}                                                   },
    {"a helper that fails",
     "'fakeapi/others-run-seconds':'9','fakeapi/others-exit-code':'2'",                      "{'name':'agent','image':'i:1'},{'name':'helper','image':'i:1'}",
     {{10015, "'phase':'Failed'|'exitCode':0|'exitCode':2"}}                            },
    {"a helper that ends badly at the same moment",
     "'fakeapi/others-exit-code':'2'",                                                       "{'name':'agent','image':'i:1'},{'name':'helper','image':'i:1'}",
     {{1005, "'phase':'Running'"}, {1015, "'phase':'Failed'|'exitCode':0|'exitCode':2"}}},
    {"alone there is nobody to outlive it",
     "'fakeapi/others-run-seconds':'9','fakeapi/others-exit-code':'2'",                      NULL,
     {{1015, "'phase':'Succeeded'"}}                                                    },
};

static void check(struct cluster_world *world, const struct row *row)
{
    char *json = xprintf("{'metadata':{'name':'p','annotations':{%s}},'spec':{'restartPolicy':"
                         "'Never','containers':[%s]}}",
                         row->annotations,
                         row->containers == NULL ? "{'name':'c','image':'i:1'}" : row->containers);
    int64_t now_ms = 0;

    cluster_world_create(world, "pods", json);
    free(json);
    for (size_t i = 0; i < ARRAY_SIZE(row->moments) && row->moments[i].texts != NULL; i++) {
        const struct moment *moment = &row->moments[i];
        const struct store_object *pod;

        cluster_world_run(world, (moment->at_ms - now_ms) * 1000);
        now_ms = moment->at_ms;
        pod = cluster_world_get(world, "pods", "p");
        if (strcmp(moment->texts, GONE) == 0)
            assert_null(pod);
        else
            cluster_world_expect(pod, moment->texts);
    }
}

static void test_row(void **state)
{
    void *world;

    cluster_world_new(&world);
    check(world, *state);
    cluster_world_free(&world);
}

int main(void)
{
    return ROWS_RUN(rows, test_row);
}
