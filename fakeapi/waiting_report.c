/* waiting_report - what the cluster's actors still wait for. */
#include "fakeapi/waiting_report.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* "jobs.batch". free() it. */
static char *resource_name(const struct waiting_step *step)
{
    return step->group[0] == '\0' ? xstrdup(step->plural)
                                  : xprintf("%s.%s", step->plural, step->group);
}

static void format_due(const struct waiting_step *step, struct runtime *rt,
                       char text[TIME_TEXT_SIZE])
{
    int64_t now_us = runtime_elapsed_us(rt);
    int64_t wall_us = runtime_wall_us(rt);

    time_format_micro(wall_us + (step->due_elapsed_us - now_us), text);
}

static struct json_object *step_to_json(const struct waiting_step *step, struct runtime *rt)
{
    struct json_object *tree = json_object_new_object();
    char *resource = resource_name(step);
    char due[TIME_TEXT_SIZE];

    format_due(step, rt, due);
    json_set_text(tree, "actor", step->actor);
    json_set_text(tree, "step", step->step);
    json_set_text(tree, "resource", resource);
    if (step->namespace != NULL)
        json_set_text(tree, "namespace", step->namespace);
    json_set_text(tree, "name", step->name);
    json_set_text(tree, "due", due);
    free(resource);
    return tree;
}

struct json_object *waiting_report_to_json(const struct cluster *cluster, struct runtime *rt)
{
    struct json_object *list = json_object_new_array();
    struct waiting *waiting;

    if (cluster == NULL)
        return list;
    waiting = cluster_waiting(cluster);
    for (size_t i = 0; i < waiting_count(waiting); i++)
        json_add(list, step_to_json(waiting_at(waiting, i), rt));
    waiting_free(waiting);
    return list;
}

static void log_step(const struct waiting_step *step, struct runtime *rt, struct runtime *log)
{
    char *resource = resource_name(step);
    char *object = xprintf("%s%s%s/%s", resource, step->namespace == NULL ? "" : "/",
                           text_or(step->namespace, ""), step->name);
    char due[TIME_TEXT_SIZE];
    struct log_field fields[] = {LOG_TEXT("actor", step->actor), LOG_TEXT("step", step->step),
                                 LOG_TEXT("object", object), LOG_TEXT("due", due)};
    struct log_record record = {LOG_INFO, "still waiting at the end", fields, ARRAY_SIZE(fields)};

    format_due(step, rt, due);
    runtime_log(log, &record);
    free(object);
    free(resource);
}

static bool comes_by_itself(const struct waiting_step *step)
{
    return strcmp(step->actor, cluster_actor_name(CLUSTER_EVENTS)) == 0 ||
           strcmp(step->actor, cluster_actor_name(CLUSTER_QUOTA)) == 0;
}

void waiting_report_log(const struct cluster *cluster, struct runtime *rt, struct runtime *log)
{
    int64_t count = 0;
    struct waiting *waiting;

    if (cluster == NULL)
        return;
    waiting = cluster_waiting(cluster);
    for (size_t i = 0; i < waiting_count(waiting); i++) {
        if (comes_by_itself(waiting_at(waiting, i)))
            continue;
        if (count++ < WAITING_LINES_MAX)
            log_step(waiting_at(waiting, i), rt, log);
    }
    if (count > WAITING_LINES_MAX) {
        struct log_field fields[] = {LOG_NUMBER("more", count - WAITING_LINES_MAX)};
        struct log_record record = {LOG_INFO, "still waiting at the end", fields,
                                    ARRAY_SIZE(fields)};

        runtime_log(log, &record);
    }
    waiting_free(waiting);
}
