/* Scenario files: what they become, and what is said about every mistake in them. */
#include "scenarios/language/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

#define PATH "suites/first/run.yaml"
#define REPORT_BYTES_MAX 65536

static struct scenario *read_good(const char *text)
{
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, text, strlen(text), &problems);

    problems_append(&problems, PATH, &report);
    if (scenario == NULL)
        fail_msg("%s", buffer_text(&report));
    assert_int_equal(report.size, 0);
    buffer_release(&report);
    problems_release(&problems);
    return scenario;
}

/* --- good files --- */

static void test_a_short_file_has_defaults(void **state)
{
    struct scenario *scenario = read_good("description: A run succeeds.\n"
                                          "steps:\n"
                                          "- apply: {kind: Agent, name: hello}\n");

    (void)state;
    assert_string_equal(scenario->name, "first/run");
    assert_int_equal(scenario->seed, 1);
    assert_int_equal(scenario->controllers->replicas, 2);
    assert_int_equal(scenario->controllers->stagger_us, US_PER_SECOND);
    assert_int_equal(scenario->duration_us, US_PER_DAY);
    assert_int_equal(scenario->settle_us, 45 * US_PER_MINUTE);
    assert_int_equal(scenario->objects.count, 2);
    assert_string_equal(scenario->objects.items[0].target.kind, "AgentDefinition");
    assert_string_equal(scenario->objects.items[1].target.name, "station");
    assert_int_equal(scenario->step_count, 1);
    assert_int_equal(scenario->steps[0].action, STEP_APPLY);
    assert_int_equal(scenario->steps[0].at_us, -1);
    assert_int_equal(scenario->steps[0].place.line, 3);
    assert_int_equal(scenario->steps[0].place.column, 3);
    scenario_free(scenario);
}

static void test_short_forms_are_filled_in(void **state)
{
    static const char want[] =
        "{\"apiVersion\":\"agents.re-cinq.com/v1beta1\",\"kind\":\"Agent\",\"metadata\":"
        "{\"name\":\"hello\",\"namespace\":\"ai-agents\",\"labels\":{\"team\":\"a\"}},"
        "\"spec\":{\"taskId\":\"7\",\"stationRef\":\"station\"}}";
    struct scenario *scenario = read_good("description: x\n"
                                          "steps:\n"
                                          "- apply:\n"
                                          "    kind: Agent\n"
                                          "    name: hello\n"
                                          "    labels: {team: a}\n"
                                          "    spec: {taskId: '7'}\n");
    char *text = json_to_text(scenario->steps[0].objects.items[0].tree, NULL);

    (void)state;
    assert_string_equal(text, want);
    free(text);
    scenario_free(scenario);
}

static void test_own_station_replaces_the_default(void **state)
{
    struct scenario *scenario =
        read_good("description: x\n"
                  "objects:\n"
                  "- {kind: Station, name: station, spec: {agentDefRef: recipe, template: {}}}\n"
                  "expect:\n"
                  "- {kind: Station, name: station}\n");

    (void)state;
    assert_int_equal(scenario->objects.count, 2);
    assert_string_equal(scenario->objects.items[0].target.kind, "Station");
    assert_string_equal(scenario->objects.items[1].target.kind, "AgentDefinition");
    scenario_free(scenario);
}

static void test_generators_count(void **state)
{
    struct scenario *scenario =
        read_good("description: x\n"
                  "defaults: false\n"
                  "objects:\n"
                  "- kind: Agent\n"
                  "  name: run-{index}\n"
                  "  count: 12\n"
                  "  spec: {parameters: {n: 'no. {index} of 12', b: '<{bytes:5}>', "
                  "c: '{bytes:x}'}}\n"
                  "expect:\n"
                  "- {kind: Agent, count: 12}\n");
    const struct manifest *last = &scenario->objects.items[11];

    (void)state;
    assert_int_equal(scenario->objects.count, 12);
    assert_string_equal(scenario->objects.items[0].target.name, "run-01");
    assert_string_equal(last->target.name, "run-12");
    assert_string_equal(json_text(json_walk(last->tree, "spec", "parameters", "n", NULL)),
                        "no. 12 of 12");
    assert_string_equal(json_text(json_walk(last->tree, "spec", "parameters", "b", NULL)),
                        "<abcde>");
    assert_string_equal(json_text(json_walk(last->tree, "spec", "parameters", "c", NULL)),
                        "{bytes:x}");
    assert_string_equal(json_text(json_walk(last->tree, "metadata", "name", NULL)), "run-12");
    scenario_free(scenario);
}

static void test_every_step(void **state)
{
    struct scenario *scenario = read_good(
        "description: x\n"
        "steps:\n"
        "- {apply: {kind: Agent, name: a}, answer: 409, note: a note}\n"
        "- patch: {kind: Agent, name: a, merge: {spec: {taskId: b}}}\n"
        "- patch: {kind: Agent, name: a, status: true, json: [{op: remove, path: /status}]}\n"
        "- delete: {kind: Job, name: a, propagation: Foreground}\n"
        "- {wait: {kind: Agent, name: a, status: {phase: Running}}, within: 5m}\n"
        "- assert: [{kind: Job, count: 1}]\n"
        "- {error: {kind: Job, count: 2}, at: 30s}\n"
        "- {always: {kind: Job}, for: 1m}\n"
        "- {never: {kind: Job, name: /x/}, for: 1m}\n"
        "- advance: 1h\n"
        "- crash: leader\n"
        "- start: [ctl-0, ctl-1]\n"
        "- pause: ctl-0\n"
        "- resume: ctl-0\n"
        "- restart: ctl-1\n"
        "- terminate: standby\n"
        "- partition: [ctl-0, api]\n"
        "- halfOpen: [api, ctl-0]\n"
        "- strand: [api, ctl-0]\n"
        "- heal: all\n"
        "- heal: [api, ctl-0]\n"
        "- slow: {between: [ctl-0, api], latency: 2s}\n"
        "- clock: {of: ctl-1, jump: -1h}\n"
        "- fault: {name: f, match: {verb: list}, do: {status: 500}}\n"
        "- lift: [f]\n"
        "- compact: true\n"
        "- kill: {of: leader, among: 100, back: 2s}\n"
        "- kill: {of: ctl-1, among: 1}\n");

    (void)state;
    for (size_t i = 1; i < scenario->step_count; i++)
        assert_string_not_equal(step_action_name(scenario->steps[i].action), "nothing");
    assert_int_equal(scenario->steps[0].answer.code, 409);
    assert_int_equal(scenario->steps[6].at_us, 30 * US_PER_SECOND);
    assert_int_equal(scenario->steps[11].processes.count, 2);
    assert_int_equal(scenario->steps[19].processes.count, 0);
    assert_int_equal(scenario->steps[22].clock->jump_us, -US_PER_HOUR);
    assert_int_equal(scenario->steps[23].faults.count, 1);
    assert_string_equal(scenario->steps[26].kill->of, "leader");
    assert_int_equal(scenario->steps[26].kill->among, 100);
    assert_int_equal(scenario->steps[26].kill->back_us, 2 * US_PER_SECOND);
    assert_int_equal(scenario->steps[27].kill->back_us, -1);
    scenario_free(scenario);
}

static void test_faults_of_processes(void **state)
{
    struct scenario *scenario =
        read_good("description: x\n"
                  "faults:\n"
                  "- {match: {peer: ctl-0, verb: create, resource: jobs}, when: {nth: 1},\n"
                  "   do: {crash: ctl-0}}\n"
                  "- {match: {verb: patch}, do: {pause: leader, for: 20s, moment: answered}, "
                  "optional: true}\n"
                  "- {match: {verb: delete}, do: {late: 25s}}\n"
                  "steps:\n"
                  "- advance: 1s\n");

    (void)state;
    assert_int_equal(scenario->faults.count, 3);
    assert_int_equal(scenario->faults.items[2].kind, FAULT_LATE);
    assert_int_equal(scenario->faults.items[2].amount, 25 * US_PER_SECOND);
    assert_null(scenario->faults.items[2].process);
    assert_int_equal(scenario->faults.items[0].kind, FAULT_CRASH);
    assert_int_equal(scenario->faults.items[0].moment, MOMENT_APPLIED);
    assert_int_equal(scenario->faults.items[0].rule.nth, 1);
    assert_string_equal(scenario->faults.items[0].process, "ctl-0");
    assert_int_equal(scenario->faults.items[1].kind, FAULT_PAUSE);
    assert_int_equal(scenario->faults.items[1].for_us, 20 * US_PER_SECOND);
    assert_int_equal(scenario->faults.items[1].moment, MOMENT_ANSWERED);
    assert_true(scenario->faults.items[1].optional);
    scenario_free(scenario);
}

/* --- mistakes --- */

#define GOOD "description: x\n"
#define WHOLE "expect: [{kind: Job}]\n"
#define STEP GOOD "steps:\n- "

static const struct mistake {
    const char *text;
    const char *report; /* without the path; lines end in \n */
} mistakes[] = {
  /* the file */
    {"",                                                                                               "1:1: the file is empty\n"                                              },
    {"- a\n",                                                                                          "1:1: a scenario must be a mapping of keys to values, not a list\n"     },
    {"steps: []\n",
     "1:1: a scenario needs a 'description': What happens and what must hold, in a sentence or "
     "two.\n"                                                                                                                                                                  },
    {GOOD "steps: []\n",                                                                               "1:1: a scenario needs 'steps' or 'expect'\n"                           },
    {GOOD,                                                                                             "1:1: a scenario needs 'steps' or 'expect'\n"                           },
    {GOOD "stpes:\n- advance: 1s\n",
     "2:1: unknown key 'stpes' in a scenario; did you mean 'steps'?\n"                                                                                                         },
    {GOOD "seed: many\nexpect: [{kind: Job}]\n",                                                       "2:7: 'seed' must be an integer, not 'many'\n"                          },
    {GOOD "seed: -1\nexpect: [{kind: Job}]\n",                                                         "2:7: 'seed' must be at least 0\n"                                      },
    {GOOD "tags: first\nexpect: [{kind: Job}]\n",
     "2:7: 'tags' must be a list of texts such as [one, two], not 'first'\n"                                                                                                   },
    {GOOD "defaults: yes\nexpect: [{kind: Job}]\n",
     "2:11: 'defaults' must be true or false, not 'yes'\n"                                                                                                                     },
    {GOOD "settle: 30\nexpect: [{kind: Job}]\n",
     "2:9: 'settle' must be a duration such as 30s or 1h30m, not '30'; did you mean '30s'?\n"                                                                                  },
    {GOOD "duration: soon\nexpect: [{kind: Job}]\n",
     "2:11: 'duration' must be a duration such as 30s or 1h30m, not 'soon'\n"                                                                                                  },
    {GOOD "duration: -5s\nexpect: [{kind: Job}]\n",                                                    "2:11: 'duration' must be at least 0s\n"                                },
    {"description:\nexpect: [{kind: Job}]\n",                                                          "1:1: 'description' must be a text, not nothing\n"                      },
    {"description: [a]\nexpect: [{kind: Job}]\n",
     "1:14: 'description' must be a text, not a list\n"                                                                                                                        },
 /* controllers */
    {GOOD "controllers: {replicas: 10}\nexpect: [{kind: Job}]\n",
     "2:25: 'replicas' must be at most 9\n"                                                                                                                                    },
    {GOOD "controllers: {replica: 1}\nexpect: [{kind: Job}]\n",
     "2:15: unknown key 'replica' in controllers; did you mean 'replicas'?\n"                                                                                                  },
    {GOOD "controllers: {settings: [a]}\nexpect: [{kind: Job}]\n",
     "2:25: 'settings' must be a mapping of names to values, not a list\n"                                                                                                     },
    {GOOD "controllers: {settings: {A: [b]}}\nexpect: [{kind: Job}]\n",
     "2:29: 'A' must be a single value, not a list\n"                                                                                                                          },
    {GOOD "controllers: {clocks: [{of: ctl-5, skew: 1h}]}\nexpect: [{kind: Job}]\n",
     "2:24: there is no ctl-5 with 2 replicas\n"                                                                                                                               },
    {GOOD "controllers: {clocks: {of: ctl-1}}\nexpect: [{kind: Job}]\n",
     "2:23: expected a list, found a mapping; begin each item with '- '\n"                                                                                                     },
    {GOOD "controllers: {clocks: [{skew: 1h}]}\nexpect: [{kind: Job}]\n",
     "2:24: a clock needs a 'of': Whose clock.\n"                                                                                                                              },
 /* pods */
    {GOOD "pods: [{run: 5s}]\nexpect: [{kind: Job}]\n",
     "2:9: unknown key 'run' in a pod's script; did you mean 'runs'?\n"                                                                                                        },
    {GOOD "pods: [{exit: 256}]\nexpect: [{kind: Job}]\n",                                              "2:15: 'exit' must be at most 255\n"                                    },
 /* objects */
    {GOOD "objects: [{name: a}]\nexpect: [{kind: Job}]\n",
     "2:11: an object needs a 'kind', such as kind: Agent\n"                                                                                                                   },
    {GOOD "objects: [{kind: Agnet, name: a}]\nexpect: [{kind: Job}]\n",
     "2:18: unknown kind 'Agnet'; did you mean 'Agent'?\n"                                                                                                                     },
    {GOOD "objects: [{kind: Agent}]\nexpect: [{kind: Job}]\n",
     "2:11: an object needs a 'name', such as name: hello\n"                                                                                                                   },
    {GOOD "objects: [{kind: Agent, name: a, spce: {}}]\nexpect: [{kind: Job}]\n",
     "2:34: unknown field 'spce' of kind Agent; did you mean 'spec'?\n"                                                                                                        },
    {GOOD "objects: [{kind: Agent, name: a, count: 3}]\nexpect: [{kind: Job}]\n",
     "2:11: the name of a generated object needs '{index}', as in 'run-{index}'\n"                                                                                             },
    {GOOD "objects: [{kind: Agent, name: 'a{index}', count: 0}]\nexpect: [{kind: Job}]\n",
     "2:50: 'count' must be at least 1\n"                                                                                                                                      },
    {GOOD "objects: [a]\nexpect: [{kind: Job}]\n",                                                     "2:11: an object must be a mapping, not 'a'\n"                          },
 /* steps */
    {STEP "fault: {do: {late: 5s, moment: sent}}\n",                                                   "3:26: 'moment' does not go with 'late'\n"                              },
    {STEP "fault: {do: {late: 5s, for: 5s}}\n",                                                        "3:26: 'for' does not go with 'late'\n"                                 },
    {STEP "fault: {do: {late: soon}}\n",                                                               "3:22: 'late' must be a duration "                                      },
    {STEP "kill: {of: ctl-0}\n",                                                                       "3:9: a kill needs a 'among': "                                         },
    {STEP "kill: {among: 5}\n",                                                                        "3:9: a kill needs a 'of': Which process.\n"                            },
    {STEP "kill: {of: ctl-0, among: 0}\n",                                                             "3:28: 'among' must be at least 1\n"                                    },
    {STEP "kill: {of: ctl-0, among: 10000001}\n",                                                      "3:28: 'among' must be at most 10000000\n"                              },
    {STEP "kill: {of: ctl-0, among: 5, in: 2s}\n",                                                     "3:31: unknown key 'in' in a kill"                                      },
    {STEP "kill: {of: ctl-5, among: 5}\n",                                                             "3:9: there is no ctl-5 with 2 replicas\n"                              },
    {STEP "kill: {of: api, among: 5}\n",                                                               "3:9: the API server cannot end like that here; "                       },
    {STEP "kill: {of: nobody, among: 5}\n",                                                            "3:9: unknown process 'nobody'"                                         },
    {STEP "{}\n",                                                                                      "3:3: a step needs one of its actions, such as apply, patch or delete\n"},
    {STEP "{note: a}\n",                                                                               "3:3: a step needs one of its actions, such as apply, patch or delete\n"},
    {STEP "{wiat: {kind: Job}}\n",                                                                     "3:4: unknown key 'wiat' in a step; did you mean 'wait'?\n"             },
    {STEP "{crash: ctl-0, start: ctl-0}\n",
     "3:18: a step does one thing: 'crash' and 'start' cannot stand together\n"                                                                                                },
    {GOOD "steps:\n  crash: ctl-0\n",
     "3:3: expected a list, found a mapping; begin each item with '- '\n"                                                                                                      },
    {STEP "{crash: ctl0}\n",                                                                           "3:11: unknown process 'ctl0'; did you mean 'ctl-0'?\n"                 },
    {STEP "{terminate: api}\n",
     "3:3: the API server cannot end like that here; crash, restart or pause it\n"                                                                                             },
    {STEP "{restart: [ctl-0, user]}\n",                                                                "3:3: nothing can happen to the user\n"                                 },
    {STEP "{crash: ctl-2}\n",                                                                          "3:3: there is no ctl-2 with 2 replicas\n"                              },
    {STEP "{crash: leadr}\n",                                                                          "3:11: unknown process 'leadr'; did you mean 'leader'?\n"               },
    {STEP "{advance: 5}\n",
     "3:13: 'advance' must be a duration such as 30s or 1h30m, not '5'; did you mean '5s'?\n"                                                                                  },
    {STEP "{advance: 5s, within: 3s}\n",                                                               "3:25: only a wait has a 'within'\n"                                    },
    {STEP "{advance: 5s, for: 3s}\n",                                                                  "3:22: only always and never have a 'for'\n"                            },
    {STEP "{advance: 5s, answer: 200}\n",
     "3:25: only apply, patch, delete and send have an 'answer'\n"                                                                                                             },
    {STEP "{advance: 5s, optional: true}\n",                                                           "3:27: 'advance' cannot be optional\n"                                  },
    {STEP "{advance: 5s, at: 3s}\n",                                                                   "3:21: 'advance' cannot have a time of its own\n"                       },
    {STEP "{never: {kind: Job}}\n",                                                                    "3:3: 'never' needs a 'for': how long it must hold\n"                   },
    {STEP "{compact: true, at: 25h}\n",
     "3:3: this step comes after the scenario's 'duration' of 24h; make that longer\n"                                                                                         },
    {STEP "{partition: [ctl-0]}\n",
     "3:15: a link is between two processes, such as [ctl-0, api]\n"                                                                                                           },
    {STEP "{partition: [api, api]}\n",                                                                 "3:15: a link is between two different processes\n"                     },
    {STEP "{slow: {latency: 5s}}\n",                                                                   "3:10: a link needs a 'between': The two ends; both ways are "
                                     "alike.\n"                                                                                            },
    {STEP "{lift: [f]}\n",                                                                             "3:3: no fault is named 'f'\n"                                          },
    {STEP "{patch: {kind: Agent, name: a}}\n",                                                         "3:11: a patch needs either 'merge' or 'json'\n"                        },
    {STEP "{patch: {kind: Agent, merge: {}}}\n",                                                       "3:11: a patch needs a 'name': The object's "
                                                 "name.\n"                                                                     },
    {STEP "{delete: {kind: Agent, name: a, propagation: Forward}}\n",
     "3:48: 'propagation' cannot be 'Forward'; known are Background, Foreground, Orphan\n"                                                                                     },
    {STEP "{delete: {kind: Agent, name: a, propagation: Foregruond}}\n",
     "3:48: 'propagation' cannot be 'Foregruond'; did you mean 'Foreground'?\n"                                                                                                },
    {STEP "{patch: {kind: Agent, name: a, merge: {spec: {tsakId: b}}}}\n",
     "3:49: kind Agent has no field 'spec.tsakId'; did you mean 'taskId'?\n"                                                                                                   },
 /* names that nothing has */
    {GOOD "faults: [{match: {peer: ctl-9}, do: {refuse: true}}]\n" WHOLE,
     "2:25: no process is called 'ctl-9'; there are ctl-0 and so on, user, leader and standby\n"                                                                               },
    {GOOD
     "controllers: {replicas: 1}\nfaults: [{match: {peer: ctl-1*}, do: {refuse: true}}]\n" WHOLE,
     "3:25: no process is called 'ctl-1*'"                                                                                                                                     },
    {GOOD "faults: [{match: {resource: jobz}, do: {refuse: true}}]\n" WHOLE,
     "2:29: there is no resource 'jobz'; did you mean 'jobs'?\n"                                                                                                               },
    {GOOD "faults: [{match: {resource: [jobs, 'agents/stat?']}, do: {refuse: true}}]\n" WHOLE,
     "2:29: there is no resource 'agents/stat?'"                                                                                                                               },
    {STEP "{fault: {match: {resource: jobz}, do: {crash: ctl-0}}}\n",
     "3:30: there is no resource 'jobz'"                                                                                                                                       },
    {GOOD "objects: [{kind: Agent, name: a, spec: {stationReff: x}}]\n" WHOLE,
     "2:41: kind Agent has no field 'spec.stationReff'; did you mean 'stationRef'?\n"                                                                                          },
    {GOOD
     "objects: [{kind: Agent, name: a, spec: {parameters: {any: x}, provider: {x: y}}}]\n" WHOLE,
     "2:63: kind Agent has no field 'spec.provider'"                                                                                                                           },
    {GOOD "objects:\n- {kind: Agent, name: a}\n- {kind: Agent, name: b}\n"
          "- {kind: Agent, name: a}\n- {kind: Agent, name: a, namespace: other}\n" WHOLE,
     "5:3: Agent 'a' is there already, at line 3\n"                                                                                                                            },
    {GOOD "objects: [{kind: Agent, name: 'r-{index}', count: 3}, {kind: Agent, name: r-3}]\n" WHOLE,
     "2:55: Agent 'r-3' is there already, at line 2\n"                                                                                                                         },
 /* expectations */
    {GOOD "expect: [{kind: Agent, status: {phse: Failed}}]\n",
     "2:33: kind Agent has no field 'status.phse'; did you mean 'phase'?\n"                                                                                                    },
    {GOOD "expect: [{kind: Agent, status: {phase: Suceeded}}]\n",
     "2:40: 'status.phase' of kind Agent is never 'Suceeded'; did you mean 'Succeeded'?\n"                                                                                     },
    {GOOD "expect: [{kind: Agent, status: {phase: '= Done'}}]\n",
     "2:40: 'status.phase' of kind Agent is never 'Done'"                                                                                                                      },
    {GOOD "expect: []\n",                                                                              "2:9: an empty list expects nothing\n"                                  },
    {GOOD "expect: [{kind: Agent, sttaus: {}}]\n",
     "2:24: kind Agent has no 'sttaus'; did you mean 'status'?\n"                                                                                                              },
    {GOOD "expect: [{kind: Station, status: {}}]\n",                                                   "2:26: kind Station has no 'status'"                                    },
    {GOOD "expect: [{kind: Job, absent: false}]\n",
     "2:30: 'absent' can only be true; leave it out otherwise\n"                                                                                                               },
    {GOOD "expect: [{kind: Job, absent: true, count: 3}]\n",
     "2:30: 'absent' and 'count' cannot stand together\n"                                                                                                                      },
    {GOOD "expect: [{kind: Job, count: few}]\n",
     "2:29: a count must be a number or a comparison such as \">= 2\", not 'few'\n"                                                                                            },
    {GOOD "expect: [{kind: Job, name: [a]}]\n",
     "2:28: a name must be a text or a /pattern/, not a list\n"                                                                                                                },
    {GOOD "expect: [Job]\n",                                                                           "2:10: what is expected of an object must be a mapping, not 'Job'\n"    },
 /* faults */
    {GOOD "faults: [{do: {crash: ctl-9}}]\nexpect: [{kind: Job}]\n",
     "2:10: there is no ctl-9 with 2 replicas\n"                                                                                                                               },
    {GOOD "faults: [{do: {crash: ctl-0, pause: ctl-1}}]\nexpect: [{kind: Job}]\n",
     "2:30: a fault does one thing: 'crash' and 'pause' cannot stand "
     "together\n"                                                                                                                                                              },
    {GOOD "faults: [{do: {crash: ctl-0, moment: later}}]\nexpect: [{kind: Job}]\n",
     "2:38: 'moment' cannot be 'later'; known are sent, applied, answered\n"                                                                                                   },
    {GOOD "faults: [{do: {cut: [ctl-0, api], for: 0s}}]\n" WHOLE,
     "2:40: 'for' must be at least 1µs\n"                                                                                                                                     },
    {GOOD "faults: [{do: {cut: [ctl-0]}}]\n" WHOLE,
     "2:21: a link is between two processes, such as [ctl-0, api]\n"                                                                                                           },
    {GOOD "faults: [{do: {cut: [ctl-0, ctl-0]}}]\n" WHOLE,
     "2:21: a link is between two different processes\n"                                                                                                                       },
    {GOOD "faults: [{do: {cut: [ctl-0, ctl-7]}}]\n" WHOLE,
     "2:10: there is no ctl-7 with 2 replicas\n"                                                                                                                               },
    {GOOD "faults: [{do: {latency: [ctl-0, api]}}]\n" WHOLE,
     "2:15: 'latency' needs a 'by' beside it\n"                                                                                                                                },
    {GOOD "faults: [{do: {latency: [ctl-0, api], by: -1s}}]\n" WHOLE,
     "2:43: bytes cannot arrive before they are sent\n"                                                                                                                        },
    {GOOD "faults: [{do: {pieces: [ctl-0, api], bytes: 0}}]\n" WHOLE,
     "2:45: 'bytes' must be at least 1; cut the link if nothing is to get through\n"                                                                                           },
    {GOOD "faults: [{do: {clock_drift: ctl-0, ppm: 500001}}]\n" WHOLE,
     "2:41: 'ppm' must be at most 500000\n"                                                                                                                                    },
    {GOOD "faults: [{do: {clock_skew: api, by: 1s}}]\n" WHOLE,
     "2:10: the API server cannot end like that here; crash, restart or pause it\n"                                                                                            },
    {GOOD "faults: [{do: {crash: user}}]\n" WHOLE,                                                     "2:10: nothing can happen to the user\n"                                },
    {GOOD "faults: [{do: {strand: [ctl-0, api], for: 3s}}]\n" WHOLE,
     "2:38: 'for' does not go with 'strand'\n"                                                                                                                                 },
    {GOOD "faults: [{when: {until: 5s}, do: {restart: ctl-0}}]\n" WHOLE,
     "2:10: 'restart' is over at once: it has no 'until'\n"                                                                                                                    },
    {GOOD "faults: [{when: {until: 5s}, do: {crash: ctl-0, for: 2s}}]\n" WHOLE,
     "2:10: either 'for' or 'until' says how long it lasts\n"                                                                                                                  },
    {GOOD "faults: [{do: {crash: ctl-0, moment: sent}}]\n" WHOLE,
     "2:38: a 'moment' is one of a request; say with 'match' of which\n"                                                                                                       },
    {GOOD "faults: [{match: {verb: create}, do: {swallow_event: true}}]\n" WHOLE,
     "2:25: swallow_event never happens to a 'create'; it is for events of a watch\n"                                                                                          },
    {GOOD "faults: [{do: {reason: Gone}}]\n" WHOLE,
     "2:15: a fault needs an action; 'scenario faults' lists them\n"                                                                                                           },
    {GOOD "faults: [{do: {terminate: ctl-0, bytes: 3}}]\n" WHOLE,
     "2:34: 'bytes' does not go with 'terminate'\n"                                                                                                                            },
    {GOOD "faults: [{do: {crush: ctl-0}}]\n" WHOLE,
     "2:16: unknown key 'crush' in a fault; did you mean 'crash'?\n"                                                                                                           },
    {GOOD "faults: [{do: {rewind: 0}}]\n" WHOLE,
     "2:24: 'rewind' must be a number of revisions from 1, or a duration such as 30s\n"                                                                                        },
    {GOOD "faults: [{do: {rewind: soon}}]\n" WHOLE,
     "2:24: 'rewind' must be a number of revisions from 1, or a duration such as 30s\n"                                                                                        },
    {GOOD "faults: [crash]\nexpect: [{kind: Job}]\n",
     "2:10: a fault must be a mapping of 'match', 'when' and 'do', not 'crash'\n"                                                                                              },
 /* all of them at once, in the order of the file */
    {GOOD "seed: x\nstepz: 1\nexpect: [{kind: Agnet}]\n",
     "2:7: 'seed' must be an integer, not 'x'\n"
     "3:1: unknown key 'stepz' in a scenario; did you mean 'steps'?\n"
     "4:17: unknown kind 'Agnet'; did you mean 'Agent'?\n"                                                                                                                     },
};

/** The report with the path taken off each line. */
static char *report_of(const char *text)
{
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct buffer bare = BUFFER_INIT(REPORT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, text, strlen(text), &problems);
    const char *line;
    size_t size;

    if ((scenario == NULL) != (problems.count > 0))
        fail_msg("a scenario and problems: %s", text);
    problems_append(&problems, PATH, &report);
    for (line = buffer_text(&report); *line != '\0'; line += size) {
        size = strcspn(line, "\n") + 1;
        if (!text_starts_with(line, PATH ":"))
            fail_msg("no path in front: %s", line);
        buffer_append(&bare, line + strlen(PATH ":"), size - strlen(PATH ":"));
    }
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&report);
    return buffer_take(&bare, &size);
}

static void test_mistakes(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
        const struct mistake *mistake = &mistakes[i];
        char *report = report_of(mistake->text);

        /* what is not a whole line is the beginning of one */
        if (text_ends_with(mistake->report, "\n") ? strcmp(report, mistake->report) != 0
                                                  : !text_starts_with(report, mistake->report)) {
            print_error("%s\ngave:   %s\nwanted: %s\n", mistake->text, report, mistake->report);
            wrong++;
        }
        free(report);
    }
    assert_int_equal(wrong, 0);
}

static void test_too_many_problems_are_counted(void **state)
{
    struct buffer text = BUFFER_INIT(REPORT_BYTES_MAX);
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);

    (void)state;
    buffer_append_text(&text, GOOD "expect: [{kind: Job}]\n");
    for (int i = 0; i < PROBLEMS_MAX + 7; i++)
        buffer_append_format(&text, "zz%d: 1\n", i);
    assert_null(scenario_read(PATH, text.bytes, text.size, &problems));
    assert_int_equal(problems.count, PROBLEMS_MAX);
    problems_append(&problems, PATH, &report);
    assert_true(text_ends_with(buffer_text(&report), PATH ": and 7 more\n"));
    problems_release(&problems);
    buffer_release(&report);
    buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_short_file_has_defaults),
        cmocka_unit_test(test_short_forms_are_filled_in),
        cmocka_unit_test(test_own_station_replaces_the_default),
        cmocka_unit_test(test_generators_count),
        cmocka_unit_test(test_every_step),
        cmocka_unit_test(test_faults_of_processes),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_too_many_problems_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
