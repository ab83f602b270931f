/* actor_keys - the tables that describe actors: pods, chores, servers, senders, rivals. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/runtime/runtime.h"
#include "scenarios/language/targets.h"

/** Longest path of a request. */
#define PATH_BYTES_MAX 4096
/** Most writes of a rival. */
#define RIVAL_TIMES_MAX 100000

/* --- pods --- */

static const char *const endings[] = {
    [POD_EXITS] = "exit",
    [POD_HANGS] = "hang",
    [POD_OUT_OF_MEMORY] = "oom",
    [POD_EVICTED] = "evict",
    [POD_IMAGE_PULL_FAILS] = "image-pull",
    [POD_NEVER_SCHEDULED] = "unschedulable",
    [POD_NODE_LOST] = "node-lost",
    [POD_NODE_LOST + 1] = NULL,
};

static const struct key pod_keys[] = {
    KEY("agent", VALUE_TEXT, struct pod_script, agent,
        "Which Agents' pods: a name, with * for any text.", .fallback = "*", .example = "run-*"),
    KEY("first", VALUE_INTEGER, struct pod_script, first,
        "Only so many pods, the first ones; 0 means all.", .fallback = "0", .example = "1"),
    KEY("starts", VALUE_DURATION, struct pod_script, starts_us,
        "How long it takes from being scheduled to running.", .fallback = "0s", .example = "5s"),
    KEY("runs", VALUE_DURATION, struct pod_script, runs_us, "How long it runs.", .fallback = "1s",
        .example = "30s"),
    KEY("stops", VALUE_DURATION, struct pod_script, stops_us,
        "How long it takes to end when told to, if its grace period lasts that long.",
        .fallback = "0s", .example = "10s"),
    KEY("exit", VALUE_INTEGER, struct pod_script, exit_code, "The exit code of its container.",
        .fallback = "0", .example = "3", .also = "exitCode code", .minimum = 0, .maximum = 255),
    KEY("ending", VALUE_CHOICE, struct pod_script, ending,
        "How it ends: by itself (exit), never (hang), out of memory (oom), taken down by its node "
        "(evict), without having started (image-pull, unschedulable), or, when it has run, with a "
        "node that goes silent (node-lost).",
        .choices = endings, .fallback = "exit", .example = "oom"),
    KEY("recovers", VALUE_DURATION, struct pod_script, recovers_us,
        "How long after that the image can be pulled, a node takes it or its node is back; it goes "
        "on from there and ends by itself.",
        .unless = "never", .example = "2m"),
    KEY("nodeGone", VALUE_DURATION, struct pod_script, node_gone_us,
        "How long after a node-lost the node is taken out of the cluster, and its pod with it.",
        .unless = "never", .example = "10m"),
    KEY("log", VALUE_TEXT, struct pod_script, log,
        "What its container writes: lines but the last at the start, the last at its end.",
        .unless = "nothing", .example = "\"all tests pass\\n\""),
    KEY("logEvery", VALUE_DURATION, struct pod_script, log_every_us,
        "How long from one line of the log to the next; the last one comes at the end.",
        .fallback = "0s", .example = "2s"),
    KEY("logLate", VALUE_DURATION, struct pod_script, log_late_us,
        "How long after its end the last line of its log can be read.", .fallback = "0s",
        .example = "5s"),
    KEY("logGone", VALUE_FLAG, struct pod_script, log_gone,
        "Once it has ended, nobody can read its log.", .fallback = "false", .example = "true"),
    KEY("statusMissing", VALUE_FLAG, struct pod_script, status_missing,
        "Once it has ended, it says nothing of its containers.", .fallback = "false",
        .example = "true"),
    KEY("container", VALUE_TEXT, struct pod_script, container, "Which container all that is about.",
        .unless = "agent", .example = "sidecar"),
    KEY("othersRun", VALUE_DURATION, struct pod_script, others_run_us,
        "How long its other containers run on after that one.", .fallback = "0s", .example = "20s"),
    KEY("othersExit", VALUE_INTEGER, struct pod_script, others_exit, "The exit code of those.",
        .fallback = "0", .example = "1", .minimum = 0, .maximum = 255),
    KEY("failures", VALUE_INTEGER, struct pod_script, failures,
        "Where its policy starts the container again: so many runs exit as said, and then one with "
        "0; 0 means that all do.",
        .fallback = "0", .example = "2"),
};

static void check_pod(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct pod_script *pod = item;
    bool obstacle = pod->ending == POD_IMAGE_PULL_FAILS || pod->ending == POD_NEVER_SCHEDULED ||
                    pod->ending == POD_NODE_LOST;

    if (pod->recovers_us >= 0 && !obstacle)
        reader_problem(reader, yaml_get(node, "recovers"),
                       "a pod recovers from 'ending: image-pull', 'unschedulable' or 'node-lost', "
                       "not from '%s'",
                       endings[pod->ending]);
    if (pod->node_gone_us >= 0 && pod->ending != POD_NODE_LOST)
        reader_problem(reader, yaml_get(node, "nodeGone"),
                       "'nodeGone' goes with 'ending: node-lost'");
    if (pod->log_gone && pod->log_late_us > 0)
        reader_problem(reader, yaml_get(node, "logLate"),
                       "a log that is gone ('logGone') is never late");
}

const struct key_table pod_table = {
    .what = "a pod's script",
    .keys = pod_keys,
    .key_count = ARRAY_SIZE(pod_keys),
    .size = sizeof(struct pod_script),
    .check = check_pod,
};

/* --- chores --- */

static const char *const switches[] = {[CHORE_OFF] = "off", [CHORE_ON] = "on", NULL};

#define SWITCH(word, field, text)                                                                  \
    KEY(word, VALUE_CHOICE, struct chores, field, text, .choices = switches,                       \
        .unless = "as it is: on at the start", .example = "off")

static const struct key chores_keys[] = {
    SWITCH("jobController", job_controller,
           "Makes pods of Jobs and writes their status; off, the scenario plays its part by "
           "patches of the status."),
    SWITCH("kubelet", kubelet, "Runs pods; off, the scenario writes their status."),
    SWITCH("collector", collector, "Collects what has lost its owner."),
    SWITCH("ttl", ttl, "Deletes Jobs that have ended when their ttlSecondsAfterFinished is over."),
    SWITCH("namespaces", namespaces,
           "Empties namespaces that are deleted; off, they are terminating for as long, and "
           "creates in them are refused."),
    SWITCH("quota", quota, "Refuses creates beyond a ResourceQuota and counts what is used."),
    SWITCH("disruption", disruption, "Keeps the status of PodDisruptionBudgets."),
    KEY("collectorDelay", VALUE_DURATION, struct chores, collector_delay_us,
        "How long the collector takes from a change to what it leads to.",
        .unless = "as it is: 500ms at the start", .example = "1m"),
    KEY("ttlAfter", VALUE_DURATION, struct chores, ttl_after_us,
        "Jobs with a ttlSecondsAfterFinished are deleted so long after their end, whatever it "
        "says.",
        .unless = "as it is: as Jobs say at the start", .example = "5s"),
    KEY("storage", VALUE_DURATION, struct chores, storage_us,
        "How long the API server's storage takes to write anything.",
        .unless = "as it is: no time at the start", .example = "800ms"),
};

static void check_chores(struct reader *reader, const struct yaml_node *node, void *item)
{
    (void)item;
    if (node->member_count == 0)
        reader_problem(reader, node, "'cluster' needs one of its keys, such as {ttl: off}");
}

const struct key_table chores_table = {
    .what = "the cluster",
    .keys = chores_keys,
    .key_count = ARRAY_SIZE(chores_keys),
    .size = sizeof(struct chores),
    .check = check_chores,
};

/* --- bodies --- */

/** A text as it is, anything else as JSON. */
static void read_body(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct json_object *tree;
    char *text;
    char *kept;

    if (node->kind == YAML_SCALAR) {
        kept = read_text(reader, node, "a body");
    } else {
        tree = yaml_to_json(node);
        text = json_to_text(tree, NULL);
        kept = arena_text(reader->arena, text);
        free(text);
        (void)json_object_put(tree);
    }
    memcpy(field, &kept, sizeof(kept));
}

static void check_path(struct reader *reader, const struct yaml_node *node, const char *path)
{
    if (path != NULL && (*path != '/' || strlen(path) > PATH_BYTES_MAX))
        reader_problem(reader, yaml_get(node, "path"), "a path begins with '/'");
}

static void check_headers(struct reader *reader, const struct settings *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct http_header header = {headers->items[i].name, headers->items[i].value};
        const char *fault = http_header_fault(&header);

        if (fault != NULL)
            problems_add(reader->problems, headers->items[i].place, "%s", fault);
    }
}

/* --- servers --- */

static const struct key answer_keys[] = {
    KEY("method", VALUE_TEXT, struct server_answer, method, "To requests of this method.",
        .unless = "of any", .example = "POST"),
    KEY("path", VALUE_TEXT, struct server_answer, path,
        "To requests of this path, without its query; with * for any text.", .unless = "of any",
        .example = "/v1/*"),
    KEY("nth", VALUE_INTEGER, struct server_answer, nth,
        "Only to the n-th of those requests, from 1.", .fallback = "0", .example = "1"),
    KEY("status", VALUE_INTEGER, struct server_answer, status, "The status of the answer.",
        .fallback = "200", .example = "503", .minimum = 200, .maximum = 599),
    KEY("headers", VALUE_SETTINGS, struct server_answer, headers, "Headers of the answer.",
        .unless = "none", .example = "{Retry-After: \"30\"}"),
    KEY("body", VALUE_CUSTOM, struct server_answer, body, "The answer's body.", .read = read_body,
        .shape = "a text, or a value that is sent as JSON", .form = FORM_VALUE, .unless = "none",
        .example = "{id: batch-1}"),
    KEY("delay", VALUE_DURATION, struct server_answer, delay_us, "The answer comes so much later.",
        .fallback = "0s", .example = "20s"),
    KEY("drop", VALUE_FLAG, struct server_answer, drop,
        "The request is taken, and the connection breaks instead of an answer.",
        .fallback = "false", .example = "true"),
};

static void check_answer(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct server_answer *answer = item;

    check_headers(reader, &answer->headers);
    if (answer->drop && (yaml_get(node, "status") != NULL || yaml_get(node, "body") != NULL))
        reader_problem(reader, node, "an answer that is dropped has no status and no body");
}

static const struct key_table answer_table = {
    .what = "a server's answer",
    .keys = answer_keys,
    .key_count = ARRAY_SIZE(answer_keys),
    .size = sizeof(struct server_answer),
    .check = check_answer,
};

static const struct key server_keys[] = {
    KEY("host", VALUE_TEXT, struct server, host,
        "The name of its host, with a dot; links and faults know it by that name.",
        .required = true, .example = "hooks.example"),
    KEY("port", VALUE_INTEGER, struct server, port, "Where it listens, in plain HTTP.",
        .fallback = "80", .example = "8080", .minimum = 1, .maximum = 65535),
    KEY("answers", VALUE_LIST, struct server, answers,
        "What it answers: the first that fits; 404 where none does.", .unless = "200 to all",
        .example = "[{method: POST, path: /in, status: 202}]",
        .count_offset = offsetof(struct server, answer_count), .table = &answer_table),
};

static void check_server(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct server *server = item;

    if (!process_name_is_host(server->host))
        reader_problem(reader, yaml_get(node, "host"),
                       "'%s' is no name of a host such as hooks.example", server->host);
}

const struct key_table server_table = {
    .what = "a server",
    .keys = server_keys,
    .key_count = ARRAY_SIZE(server_keys),
    .size = sizeof(struct server),
    .check = check_server,
};

/* --- senders of webhooks --- */

static const struct key send_keys[] = {
    KEY("to", VALUE_TEXT, struct send_action, to,
        "Whom the request goes to: a process, a role or a server.", .required = true,
        .example = "ctl-0"),
    KEY("port", VALUE_INTEGER, struct send_action, port, "The port there, in plain HTTP.",
        .unless = "a server's own; 80", .example = "8081", .minimum = 1, .maximum = 65535),
    KEY("method", VALUE_TEXT, struct send_action, method, "The request's method.",
        .fallback = "POST", .example = "GET"),
    KEY("path", VALUE_TEXT, struct send_action, path, "The request's path, and its query.",
        .fallback = "/", .example = "/webhooks/github"),
    KEY("event", VALUE_TEXT, struct send_action, event,
        "What GitHub calls the event: the request gets the headers of its webhooks.",
        .unless = "it is no webhook of GitHub's", .example = "issues"),
    KEY("delivery", VALUE_TEXT, struct send_action, delivery,
        "The id of the delivery (X-GitHub-Delivery).", .unless = "none",
        .example = "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
    KEY("redelivers", VALUE_TEXT, struct send_action, redelivers,
        "Sends the delivery of this id again, as it was; an earlier 'send' has it.",
        .unless = "it is a new one", .example = "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
    KEY("body", VALUE_CUSTOM, struct send_action, body, "The request's body.", .read = read_body,
        .shape = "a text, or a value that is sent as JSON", .form = FORM_VALUE, .unless = "none",
        .example = "{action: labeled}"),
    KEY("secret", VALUE_TEXT, struct send_action, secret,
        "What the body is signed with (X-Hub-Signature-256, HMAC-SHA256); no log line may hold it.",
        .unless = "it is not signed", .example = "it-is-a-secret"),
    KEY("headers", VALUE_SETTINGS, struct send_action, headers,
        "More headers; one of a name that is there already takes its place.", .unless = "none",
        .example = "{X-Hub-Signature-256: sha256=00}"),
    KEY("noAnswer", VALUE_FLAG, struct send_action, no_answer,
        "No answer comes: the connection breaks, or the ten seconds that GitHub waits are over.",
        .fallback = "false", .example = "true"),
};

static const char *const redelivery_keys[] = {"method", "path",   "event",  "delivery",
                                              "body",   "secret", "headers"};

static void check_send(struct reader *reader, const struct yaml_node *node, void *item)
{
    const struct send_action *send = item;

    if (!process_name_is_host(send->to))
        (void)process_name_check(reader, yaml_get(node, "to"), send->to);
    check_path(reader, node, send->path);
    check_headers(reader, &send->headers);
    for (size_t i = 0; send->redelivers != NULL && i < ARRAY_SIZE(redelivery_keys); i++) {
        if (yaml_get(node, redelivery_keys[i]) != NULL)
            reader_problem(reader, yaml_get(node, redelivery_keys[i]),
                           "a redelivery is as the delivery was: it has no '%s' of its own",
                           redelivery_keys[i]);
    }
    if (send->delivery != NULL && send->event == NULL)
        reader_problem(reader, yaml_get(node, "delivery"), "a 'delivery' needs an 'event'");
}

const struct key_table send_table = {
    .what = "a request that is sent",
    .keys = send_keys,
    .key_count = ARRAY_SIZE(send_keys),
    .size = sizeof(struct send_action),
    .check = check_send,
};

/* --- rivals --- */

static const struct key rival_keys[] = {
    KEY("name", VALUE_TEXT, struct rival, name, "What it is called; also its host's name.",
        .required = true, .example = "labeller"),
    KEY("kind", VALUE_TEXT, struct rival, kind, "The kind of the objects that it writes to.",
        .required = true, .example = "Agent"),
    KEY("apiVersion", VALUE_TEXT, struct rival, api_version,
        "Of a kind that the language does not know.", .unless = "the kind's own",
        .example = "batch/v1"),
    KEY("namespace", VALUE_TEXT, struct rival, namespace, "The objects' namespace.",
        .unless = SCENARIO_NAMESPACE, .example = "other"),
    KEY("object", VALUE_TEXT, struct rival, object, "Which objects: a name, with * for any text.",
        .fallback = "*", .example = "run-*"),
    KEY("status", VALUE_FLAG, struct rival, status, "It writes the status subresource.",
        .fallback = "false", .example = "true"),
    KEY("merge", VALUE_CUSTOM, struct rival, merge,
        "What it wants: a JSON merge patch. {n} in a text is the number of the write.",
        .read = read_json, .shape = "a part of the object", .form = FORM_MAPPING,
        .unless = "a 'json' is needed", .example = "{metadata: {labels: {team: a}}}"),
    KEY("json", VALUE_CUSTOM, struct rival, json,
        "What it does: a JSON patch; where a 'test' in it fails, nothing. {n} likewise.",
        .read = read_operations, .shape = "a list of operations", .form = FORM_LIST,
        .unless = "a 'merge' is needed", .example = "[{op: remove, path: /metadata/finalizers}]"),
    KEY("every", VALUE_DURATION, struct rival, every_us,
        "It writes at this pace, whatever the objects are like.",
        .unless = "at each change after which an object is not as it wants", .example = "10s",
        .minimum = 1000, .maximum = INT64_C(365) * 24 * 3600 * 1000000),
    KEY("after", VALUE_DURATION, struct rival, after_us, "How long after a change it writes.",
        .fallback = "10ms", .example = "1s"),
    KEY("times", VALUE_INTEGER, struct rival, times,
        "At most so many writes, over all objects; with the last step it ends in any case.",
        .fallback = "100", .example = "20", .minimum = 1, .maximum = RIVAL_TIMES_MAX),
};

static bool mentions_number(struct json_object *merge)
{
    char *text = json_to_text(merge, NULL);
    bool found = strstr(text, "{n}") != NULL;

    free(text);
    return found;
}

static void check_rival(struct reader *reader, const struct yaml_node *node, void *item)
{
    struct rival *rival = item;
    const struct target_texts texts = {rival->kind, rival->api_version, rival->namespace, NULL};
    struct target target;

    if ((rival->merge == NULL) == (rival->json == NULL))
        reader_problem(reader, node, "a rival needs either 'merge' or 'json'");
    if (rival->merge != NULL && rival->every_us < 0 && mentions_number(rival->merge))
        reader_problem(reader, yaml_get(node, "merge"),
                       "with {n} a rival needs an 'every': an object would never be as it wants");
    if (rival->json != NULL && rival->every_us < 0)
        reader_problem(reader, node,
                       "with a 'json' a rival needs an 'every': nobody can tell whether an object "
                       "is as it wants");
    if (yaml_get(node, "after") != NULL && rival->every_us >= 0)
        reader_problem(reader, yaml_get(node, "after"), "'after' and 'every' do not go together");
    if (!process_name_is_free(rival->name))
        reader_problem(reader, yaml_get(node, "name"),
                       "'%s' is no name for a process of its own: letters, digits and '-'",
                       rival->name);
    if (!target_resolve(reader, node, &texts, &target))
        return;
    rival->group = target.group;
    rival->version = target.version;
    rival->plural = target.plural;
    rival->namespace = (char *)(uintptr_t)target.namespace;
    patch_check(reader, yaml_get(node, "merge"), rival->kind);
}

const struct key_table rival_table = {
    .what = "a rival",
    .keys = rival_keys,
    .key_count = ARRAY_SIZE(rival_keys),
    .size = sizeof(struct rival),
    .check = check_rival,
};
