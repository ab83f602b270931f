/* actor_rules - see actor_rules.h. */
#include "scenarios/language/actor_rules.h"

#include <fnmatch.h>
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/language/targets.h"

const struct server *actors_find_server(const struct scenario *scenario, const char *host)
{
    for (size_t i = 0; i < scenario->server_count; i++) {
        if (text_equal(scenario->servers[i].host, host))
            return &scenario->servers[i];
    }
    return NULL;
}

bool actors_have_peer(const struct scenario *scenario, const char *pattern)
{
    for (size_t i = 0; i < scenario->rival_count; i++) {
        if (fnmatch(pattern, text_or(scenario->rivals[i].name, ""), 0) == 0)
            return true;
    }
    for (size_t i = 0; i < scenario->step_count; i++) {
        if (scenario->steps[i].as != NULL && fnmatch(pattern, scenario->steps[i].as, 0) == 0)
            return true;
    }
    return false;
}

/* --- names: one that is not there has been told already --- */

static void check_servers(struct reader *reader, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->server_count; i++) {
        const struct server *server = &scenario->servers[i];

        if (server->host != NULL && actors_find_server(scenario, server->host) != server)
            problems_add(reader->problems, server->place, "there is a server '%s' already",
                         server->host);
    }
}

static void check_rivals(struct reader *reader, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->rival_count; i++) {
        const struct rival *rival = &scenario->rivals[i];

        if (rival->name == NULL)
            continue;
        for (size_t j = 0; j < i; j++) {
            if (text_equal(scenario->rivals[j].name, rival->name))
                problems_add(reader->problems, rival->place, "there is a rival '%s' already",
                             rival->name);
        }
        for (size_t j = 0; j < scenario->step_count; j++) {
            if (text_equal(scenario->steps[j].as, rival->name))
                problems_add(reader->problems, scenario->steps[j].place,
                             "'%s' is a rival, and no person", rival->name);
        }
    }
}

/* --- requests --- */

/** Of a name with a dot. */
static void check_host(struct reader *reader, const struct scenario *scenario, struct place place,
                       const char *name)
{
    const char *known = scenario->server_count > 0 ? scenario->servers[0].host : NULL;

    if (name == NULL || strchr(name, '.') == NULL || actors_find_server(scenario, name) != NULL)
        return;
    problems_add(reader->problems, place, "there is no server '%s'%s", name,
                 suggestion(reader, name, &known, known != NULL ? 1 : 0));
}

static const struct send_action *find_delivery(const struct scenario *scenario, size_t before,
                                               const char *id)
{
    for (size_t i = 0; i < before; i++) {
        if (scenario->steps[i].send != NULL && text_equal(scenario->steps[i].send->delivery, id))
            return scenario->steps[i].send;
    }
    return NULL;
}

static void check_send(struct reader *reader, const struct scenario *scenario, size_t index)
{
    struct send_action *send = scenario->steps[index].send;

    check_host(reader, scenario, send->place, send->to);
    if (send->redelivers == NULL)
        return;
    send->original = find_delivery(scenario, index, send->redelivers);
    if (send->original == NULL)
        problems_add(reader->problems, send->place, "no step before this one sends a delivery '%s'",
                     send->redelivers);
}

static void check_link(struct reader *reader, const struct scenario *scenario, struct place place,
                       const struct process_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        check_host(reader, scenario, place, names->items[i]);
}

static void check_claims(struct reader *reader, const struct scenario *scenario,
                         const struct claims *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];

        if (claim->server != NULL && strchr(claim->server, '.') == NULL)
            problems_add(reader->problems, claim->place, "there is no server '%s'", claim->server);
        check_host(reader, scenario, claim->place, claim->server);
    }
}

static void check_step(struct reader *reader, const struct scenario *scenario,
                       const struct step *step)
{
    check_claims(reader, scenario, &step->claims);
    check_link(reader, scenario, step->place, &step->processes);
    if (step->link != NULL)
        check_link(reader, scenario, step->link->place, &step->link->between);
}

void actors_check(struct reader *reader, struct scenario *scenario)
{
    check_servers(reader, scenario);
    check_rivals(reader, scenario);
    check_claims(reader, scenario, &scenario->expect);
    for (size_t i = 0; i < scenario->link_count; i++)
        check_link(reader, scenario, scenario->links[i].place, &scenario->links[i].between);
    for (size_t i = 0; i < scenario->step_count; i++) {
        const struct step *step = &scenario->steps[i];

        check_step(reader, scenario, step);
        if (step->send != NULL)
            check_send(reader, scenario, i);
        for (size_t j = 0; step->meddle != NULL && j < step->meddle->step_count; j++)
            check_step(reader, scenario, &step->meddle->steps[j]);
    }
}
