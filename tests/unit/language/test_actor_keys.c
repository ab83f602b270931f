/* Pods, chores, servers, senders and rivals of a scenario: what is read, and every mistake. */
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/scenario.h"
#include "tests/unit/rows.h"

#define PATH "suites/first/run.yaml"
#define REPORT_BYTES_MAX 65536
#define HEAD "description: x\nexpect: [{kind: Agent, count: 0}]\n"

/** Each line of the report without its path. free() it. */
static char *report_of(const char *text)
{
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);

    scenario_free(scenario_read(PATH, text, strlen(text), &problems));
    problems_append(&problems, "", &report);
    problems_release(&problems);
    return buffer_take(&report, &(size_t){0});
}

static const struct row {
    const char *name;
    const char *text;
    const char *report; /* "": there is no mistake */
} rows[] = {
    {"an ending that recovers",                 HEAD "pods: [{ending: node-lost, recovers: 1m, nodeGone: 5m}]\n",
     ""                                                                                                                                                                                                                     },
    {"no ending to recover from",               HEAD "pods: [{ending: oom, recovers: 1m}]\n",
     ":3:32: a pod recovers from 'ending: image-pull', 'unschedulable' or 'node-lost', not from "
     "'oom'\n"                                                                                                                                                                                                              },
    {"a node that was not lost",                HEAD "pods: [{ending: image-pull, nodeGone: 1m}]\n",
     ":3:39: 'nodeGone' goes with 'ending: node-lost'\n"                                                                                                                                                                    },
    {"a log that is gone and late",             HEAD "pods: [{logGone: true, logLate: 1m}]\n",
     ":3:33: a log that is gone ('logGone') is never late\n"                                                                                                                                                                },
    {"the highest exit code of others",         HEAD "pods: [{othersExit: 255}]\n",                                             ""                                                                                          },
    {"more than that",                          HEAD "pods: [{othersExit: 256}]\n",
     ":3:21: 'othersExit' must be at most 255\n"                                                                                                                                                                            },
    {"a chore is off",                          HEAD "cluster: {jobController: off, ttlAfter: 5s}\n",                           ""                                                                                          },
    {"a chore that is neither on nor off",      HEAD "cluster: {ttl: false}\n",
     ":3:16: 'ttl' cannot be 'false'; known are off, on\n"                                                                                                                                                                  },
    {"no chore",                                HEAD "cluster: {}\n",
     ":3:10: 'cluster' needs one of its keys, such as {ttl: off}\n"                                                                                                                                                         },
    {"a chore misspelt",                        "description: x\nsteps: [{cluster: {colector: off}}]\n",
     ":2:20: unknown key 'colector' in the cluster; did you mean 'collector'?\n"                                                                                                                                            },
    {"a host without a dot",                    HEAD "servers: [{host: hooks}]\n",
     ":3:18: 'hooks' is no name of a host such as hooks.example\n"                                                                                                                                                          },
    {"a host that is an address",               HEAD "servers: [{host: \"a.b:80\"}]\n",
     ":3:18: 'a.b:80' is no name of a host such as hooks.example\n"                                                                                                                                                         },
    {"a port too high",                         HEAD "servers: [{host: a.b, port: 65536}]\n",
     ":3:29: 'port' must be at most 65535\n"                                                                                                                                                                                },
    {"the same server twice",                   HEAD "servers: [{host: a.b}, {host: a.b}]\n",
     ":3:24: there is a server 'a.b' already\n"                                                                                                                                                                             },
    {"an answer that is dropped",               HEAD "servers: [{host: a.b, answers: [{drop: true, body: x}]}]\n",
     ":3:33: an answer that is dropped has no status and no body\n"                                                                                                                                                         },
    {"a header of the runtime's",
     HEAD "servers: [{host: a.b, answers: [{headers: {\"a b\": x}}]}]\n",
     ":3:44: header name with a forbidden character\n"                                                                                                                                                                      },
    {"requests to a server",
     "description: x\nservers: [{host: a.b}]\n"
     "expect: [{server: a.b, headers: {X-Y: z}, body: {n: \">= 1\"}}]\n",                                                       ""                                                                                          },
    {"requests to no server",
     "description: x\nservers: [{host: a.b}]\n"
     "expect: [{server: a.bc, count: 0}]\n",                                                                                    ":3:10: there is no server 'a.bc'; did you mean 'a.b'?\n"                                   },
    {"what no request has",
     "description: x\nservers: [{host: a.b}]\n"
     "expect: [{server: a.b, boddy: {}}]\n",                                                                                    ":3:24: a request has no 'boddy'; did you mean 'body'?\n"                                   },
    {"a request to nobody",                     "description: x\nsteps: [{send: {to: a.b}}]\n",
     ":2:16: there is no server 'a.b'\n"                                                                                                                                                                                    },
    {"a request to an unknown process",         "description: x\nsteps: [{send: {to: cntl-0}}]\n",
     ":2:21: unknown process 'cntl-0'; did you mean 'ctl-0'?\n"                                                                                                                                                             },
    {"a path that is none",                     "description: x\nsteps: [{send: {to: ctl-0, path: hook}}]\n",
     ":2:34: a path begins with '/'\n"                                                                                                                                                                                      },
    {"a delivery of nothing",                   "description: x\nsteps: [{send: {to: ctl-0, delivery: a}}]\n",
     ":2:38: a 'delivery' needs an 'event'\n"                                                                                                                                                                               },
    {"a redelivery",
     "description: x\nsteps:\n"
     "- send: {to: ctl-0, event: push, delivery: a, body: {}}\n"
     "- send: {to: ctl-0, redelivers: a}\n",                                                                                    ""                                                                                          },
    {"a redelivery of what comes later",
     "description: x\nsteps:\n"
     "- send: {to: ctl-0, redelivers: a}\n"
     "- send: {to: ctl-0, event: push, delivery: a}\n",                                                                         ":3:9: no step before this one sends a delivery 'a'\n"                                      },
    {"a redelivery that is changed",
     "description: x\nsteps:\n"
     "- send: {to: ctl-0, event: push, delivery: a}\n"
     "- send: {to: ctl-0, redelivers: a, body: {}}\n",                                                                          ":4:42: a redelivery is as the delivery was: it has no 'body' of its own\n"                 },
    {"a rival",                                 HEAD "rivals: [{name: a, kind: Agent, merge: {metadata: {labels: {b: c}}}}]\n", ""                                                                                          },
    {"a rival that wants nothing",              HEAD "rivals: [{name: a, kind: Agent}]\n",
     ":3:10: a rival needs either 'merge' or 'json'\n"                                                                                                                                                                      },
    {"a rival that cannot tell",                HEAD "rivals: [{name: a, kind: Agent, json: []}]\n",
     ":3:10: with a 'json' a rival needs an 'every': nobody can tell whether an object is as it "
     "wants\n"                                                                                                                                                                                                              },
    {"a rival that is never content",
     HEAD "rivals: [{name: a, kind: Agent, merge: {metadata: {labels: {b: \"{n}\"}}}}]\n",
     ":3:40: with {n} a rival needs an 'every': an object would never be as it wants\n"                                                                                                                                     },
    {"a rival with a name of ours",             HEAD "rivals: [{name: ctl-7, kind: Job, merge: {}}]\n",
     ":3:17: 'ctl-7' is no name for a process of its own: letters, digits and '-'\n"                                                                                                                                        },
    {"a rival with a typo",
     HEAD "rivals: [{name: a, kind: Agent, merge: {spec: {stationReff: b}}}]\n",                                                ":3:48: "                                                                                   },
    {"a rival without bounds",                  HEAD "rivals: [{name: a, kind: Job, merge: {}, times: 100001}]\n",
     ":3:49: 'times' must be at most 100000\n"                                                                                                                                                                              },
    {"two rivals of one name",
     HEAD "rivals: [{name: a, kind: Job, merge: {}}, {name: a, kind: Job, merge: {}}]\n",
     ":3:43: there is a rival 'a' already\n"                                                                                                                                                                                },
    {"people have names",
     "description: x\nsteps:\n"
     "- {delete: {kind: Agent, name: a}, as: alice, answer: 404}\n"
     "- fault: {match: {peer: alice}, do: {status: 403}}\n",                                                                    ""                                                                                          },
    {"a name that is somebody's",
     "description: x\nsteps:\n"
     "- {delete: {kind: Agent, name: a}, as: api}\n",                                                                           ":3:40: 'api' is no name for a person: letters, digits and '-'\n"                           },
    {"who does nothing",                        "description: x\nsteps: [{advance: 1s, as: bob}]\n",
     ":2:27: only apply, patch and delete have an 'as'\n"                                                                                                                                                                   },
    {"none of our kinds",                       "description: x\nsteps: [{uninstall: Job}]\n",
     ":2:9: 'Job' is none of our kinds; known are Agent, AgentDefinition, AgentSpawner, Station\n"                                                                                                                          },
    {"a server does not crash",                 "description: x\nservers: [{host: a.b}]\nsteps: [{crash: a.b}]\n",
     ":3:9: a server cannot end here; partition or pause it, or let it drop requests\n"                                                                                                                                     },
    {"a server can be far away",
     "description: x\nservers: [{host: a.b}]\nsteps: [{partition: [ctl-0, a.b]}]\n",                                            ""                                                                                          },
    {"a meddle",
     "description: x\nsteps:\n"
     "- meddle:\n"
     "    match: {peer: ctl-0, verb: patch}\n"
     "    moment: answered\n"
     "    steps: [{delete: {kind: Agent, name: a}, as: alice}, {crash: ctl-0}]\n",                                              ""                                                                                          },
    {"a meddle of nothing",
     "description: x\nsteps: [{meddle: {match: {peer: ctl-0}, steps: []}}]\n",                                                  ":2:48: a meddle needs steps\n"                                                             },
    {"a meddle that waits",
     "description: x\nsteps: [{meddle: {match: {peer: ctl-0}, steps: [{advance: 1s}]}}]\n",                                     ":2:49: in a meddle nothing can 'advance': it is one moment\n"                              },
    {"a meddle in operations",
     "description: x\nsteps: [{meddle: {match: {peer: ctl-0}, "
     "steps: [{patch: {kind: Job, name: a, json: []}}]}}]\n",                                                                   ":2:49: in a meddle a patch is a 'merge', not a 'json'\n"                                   },
    {"a meddle with somebody who is not there",
     "description: x\nsteps: [{meddle: {match: {peer: ctl-7}, steps: [{crash: ctl-0}]}}]\n",                                    ":2:18: no process is called 'ctl-7'; there are ctl-0 and so on, user, leader and standby\n"},
    {"a meddle that ends the API server",
     "description: x\nsteps: [{meddle: {match: {verb: get}, steps: [{terminate: api}]}}]\n",                                    ":2:47: the API server cannot end like that here; crash, restart or pause it\n"             },
    {"a meddle at no request",                  "description: x\nsteps: [{meddle: {steps: [{crash: ctl-0}]}}]\n",
     ":2:18: a meddle needs a 'match': Which requests, as of a fault.\n"                                                                                                                                                    },
    {"a denial",
     "description: x\nsteps:\n"
     "- deny: {match: {verb: create, resource: jobs}, for: 1m}\n"
     "- deny: {match: {}, by: webhook, message: no, code: 400, webhook: a.b}\n",                                                ""                                                                                          },
    {"a code that lets all in",
     "description: x\nsteps: [{deny: {match: {}, by: webhook, code: 399}}]\n",                                                  ":2:47: 'code' must be at least 400\n"                                                      },
    {"a denial in two voices",                  "description: x\nsteps: [{deny: {match: {}, message: no}}]\n",
     ":2:37: 'message' does not go with 'by: rbac'\n"                                                                                                                                                                       },
    {"a denial of an unknown resource",
     "description: x\nsteps: [{deny: {match: {resource: jubs}}}]\n",                                                            ":2:16: there is no resource 'jubs'; did you mean 'jobs'?\n"                                },
    {"a link to no server",                     "description: x\nsteps: [{partition: [ctl-0, a.b]}]\n",
     ":2:9: there is no server 'a.b'\n"                                                                                                                                                                                     },
};

static void test_row(void **state)
{
    const struct row *row = *state;
    char *report = report_of(row->text);
    bool right = *row->report == '\0' || text_ends_with(row->report, "\n")
                     ? strcmp(report, row->report) == 0
                     : text_starts_with(report, row->report);

    if (!right)
        print_error("gave:   %s\nwanted: %s\n", report, row->report);
    free(report);
    assert_true(right);
}

int main(void)
{
    return ROWS_RUN(rows, test_row);
}
