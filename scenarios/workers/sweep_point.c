/* sweep_point - see sweep_point.h. */
#include "scenarios/workers/sweep_point.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/search/document.h"
#include "scenarios/search/fold.h"

void sweep_point_append(const struct scenario *scenario, const struct sweep_point *point,
                        struct buffer *text)
{
    struct json_object *tree = document_of(scenario->root);
    char *what = point_describe(point->site, point->kind, point->nth);
    char *comment =
        xprintf("%s, point %" PRIu64 " of its sweep:\n%s\n", scenario->name, point->number, what);

    point_put(tree, point_fault(point->site, point->kind, point->nth));
    document_append(text, tree, comment);
    (void)json_object_put(tree);
    free(comment);
    free(what);
}

char *sweep_point_path(const char *directory, const struct scenario *scenario,
                       const struct sweep_point *point)
{
    char *path = xprintf("%s/%s-%" PRIu64 ".yaml", directory, scenario->name, point->number);

    for (char *at = path + strlen(directory) + 1; *at != '\0'; at++) {
        if (*at == '/')
            *at = '-';
    }
    return path;
}

struct finding {
    const struct scenario *scenario;
    struct fold *fold;
    uint64_t wanted;
    uint64_t number;
    bool found;
    struct buffer *text;
};

static void on_site(void *arg, struct world *world, const struct site *site)
{
    struct finding *finding = arg;
    const struct fault_kind *kinds[POINTS_KINDS_MAX];
    size_t count = points_at(site, kinds);
    uint64_t nth = fold_add(finding->fold, site);

    for (size_t i = 0; i < count; i++) {
        const struct sweep_point point = {++finding->number, site, kinds[i], nth};

        if (finding->number != finding->wanted)
            continue;
        sweep_point_append(finding->scenario, &point, finding->text);
        finding->found = true;
        world_stop(world);
        return;
    }
}

bool sweep_point_find(const struct scenario *scenario, const struct world_kit *kit, uint64_t number,
                      struct buffer *text, struct error *err)
{
    struct finding finding = {
        .scenario = scenario, .fold = fold_new(), .wanted = number, .text = text};
    const struct world_probe probe = {.on_site = on_site, .arg = &finding};
    const struct world_options options = {
        .kit = kit, .seed = (uint64_t)scenario->seed, .probe = &probe};
    struct outcome outcome;

    world_run(scenario, &options, &outcome);
    if (finding.number < number)
        (void)error_set(err, ERROR_NOT_FOUND, "%s has %" PRIu64 " point%s, and no number %" PRIu64,
                        scenario->name, finding.number, text_plural(finding.number), number);
    outcome_release(&outcome);
    fold_free(finding.fold);
    return finding.found;
}
