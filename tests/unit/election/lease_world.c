#include "tests/unit/election/lease_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* What a real one says where there is no Lease. */
#define MISSING "{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}"

/* --- the server --- */

static void new_version(struct lease_world *world)
{
    struct json_object *metadata = json_ensure_object(world->lease, "metadata");
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)++world->version);
    json_set_text(metadata, "name", "agent-controller");
    json_set_text(metadata, "resourceVersion", text);
}

void lease_world_put(struct lease_world *world, const char *spec)
{
    struct json_object *parsed = NULL;

    assert_true(json_parse(spec, strlen(spec), 10000, &parsed, NULL));
    json_object_put(world->lease);
    world->lease = json_object_new_object();
    json_set(world->lease, "spec", parsed);
    new_version(world);
}

static const char *spec_text(const struct lease_world *world, const char *key)
{
    return text_or(json_get_text(json_get(world->lease, "spec"), key), "");
}

static void merge_spec(struct lease_world *world, struct json_object *patch)
{
    struct json_object *spec = json_ensure_object(world->lease, "spec");
    struct json_object_iterator at, end;
    struct json_object *changes = json_get(patch, "spec");

    at = json_object_iter_begin(changes);
    end = json_object_iter_end(changes);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(spec, json_object_iter_peek_name(&at),
                 json_copy(json_object_iter_peek_value(&at)));
    new_version(world);
}

static unsigned write_lease(struct lease_world *world, const char *method, const char *body)
{
    struct json_object *parsed = NULL;
    unsigned status = 409;

    assert_true(json_parse(body, strlen(body), 10000, &parsed, NULL));
    if (text_equal(method, "POST") && world->lease == NULL) {
        lease_world_put(world, "{}");
        merge_spec(world, parsed);
        status = 201;
    } else if (text_equal(method, "PATCH") && world->lease != NULL &&
               text_equal(json_get_text(json_get(parsed, "metadata"), "resourceVersion"),
                          json_get_text(json_get(world->lease, "metadata"), "resourceVersion"))) {
        merge_spec(world, parsed);
        status = 200;
    }
    json_object_put(parsed);
    if (status == 409)
        return status;
    world->writes++;
    if (strcmp(spec_text(world, "renewTime"), world->last_renew) <= 0)
        world->disordered++;
    snprintf(world->last_renew, sizeof(world->last_renew), "%s", spec_text(world, "renewTime"));
    return status;
}

/* "PATCH 200 ours, 3 transitions" */
static void tell(struct lease_world *world, const char *method, unsigned status)
{
    const char *holder = spec_text(world, "holderIdentity");

    if (world->silent)
        return;
    if (world->election != NULL && text_equal(holder, election_identity(world->election)))
        holder = "ours";
    script_tell(&world->script, "%s %u %s, %lld transitions", method, status,
                holder[0] == '\0' ? "nobody" : holder,
                (long long)json_get_int64(json_get(world->lease, "spec"), "leaseTransitions", 0));
}

static char *make_lie(const struct lease_world *world)
{
    const char *mark = strstr(world->lie, "%s");

    if (mark == NULL)
        return xstrdup(world->lie);
    return xprintf("%.*s%s%s", (int)(mark - world->lie), world->lie,
                   world->lie_ours ? election_identity(world->election) : "somebody", mark + 2);
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct lease_world *world = arg;
    bool faulty = text_equal(request->method, world->fault_method);
    bool reading = text_equal(request->method, "GET");

    if (world->first_target == NULL)
        world->first_target = xstrdup(request->target);
    reply->delay_us = world->delay_us;
    if (reading)
        reply->status = world->lease == NULL ? 404 : 200;
    else if (!faulty || world->fault_applies)
        reply->status = write_lease(world, request->method, request->body);
    free(world->body);
    world->body = reply->status < 300 ? json_to_text(world->lease, NULL) : NULL;
    if (world->lie != NULL && !reading && reply->status < 300) {
        free(world->body);
        world->body = make_lie(world);
    }
    reply->body = reply->status == 404 ? MISSING : world->body;
    if (faulty) {
        reply->silent = world->fault_status == 0;
        reply->status = world->fault_status;
        reply->body = NULL;
    }
    tell(world, request->method, reply->status);
}

/* --- the candidate --- */

static void on_gain(void *arg)
{
    struct lease_world *world = arg;

    script_tell(&world->script, "gain");
    if (world->free_on_gain) {
        election_free(world->election);
        world->election = NULL;
    }
}

static void on_lose(void *arg)
{
    struct lease_world *world = arg;

    script_tell(&world->script, "lose");
    if (world->free_on_lose) {
        election_free(world->election);
        world->election = NULL;
    }
}

void lease_world_on_stopped(void *arg)
{
    struct lease_world *world = arg;

    script_tell(&world->script, "stopped");
}

int lease_world_set_up(void **state)
{
    struct lease_world *world = xcalloc(1, sizeof(*world));

    script_init(&world->script, handle, world);
    world->script.quiet = true;
    world->version = 100;
    *state = world;
    return 0;
}

int lease_world_tear_down(void **state)
{
    struct lease_world *world = *state;

    election_free(world->election);
    script_release(&world->script);
    json_object_put(world->lease);
    free(world->body);
    free(world->first_target);
    free(world);
    return 0;
}

void lease_world_start(struct lease_world *world)
{
    world->election = election_new(world->script.rt, world->script.kube,
                                   &(struct election_options){.namespace_name = "ns",
                                                              .host_name = "ctl-0",
                                                              .on_gain = on_gain,
                                                              .on_lose = on_lose,
                                                              .arg = world});
}

bool lease_world_leads(const struct lease_world *world)
{
    return election_is_leader(world->election, sim_process_elapsed_us(world->script.ctl));
}
