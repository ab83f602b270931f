/* checks - what the steps and the claims of a scenario came to, one by one.
 *
 * All of them are known before the run begins, so that a report says also what was not reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/verdict.h"
#include "scenarios/world/parts.h"

#define NAME_BYTES_MAX ((size_t)4096)
/** Checks that every run has: what is told in the end. */
#define AT_THE_END 2

/** What one check is about. */
struct watched_check {
    const struct step *step;  /* NULL: at the end */
    struct claim *claim;      /* as it is planned; NULL: none, or all of the step */
    size_t index;             /* of the claim */
    const struct step *taken; /* the step with its values, once it is taken */
    int64_t began_real_us;
};

struct check_book {
    struct checks checks;
    struct watched_check *about; /* of each */
    size_t last;                 /* the first of what is told in the end */
    int64_t (*real_us)(void);    /* may be NULL */
};

/* --- names --- */

static void append_targets(const struct step *step, struct buffer *name)
{
    const struct manifests *objects = &step->objects;

    if (step->patch != NULL)
        buffer_append_format(name, ": %s %s", step->patch->target.kind, step->patch->target.name);
    if (step->deletion != NULL)
        buffer_append_format(name, ": %s %s", step->deletion->target.kind,
                             step->deletion->target.name);
    if (objects->count > 0)
        buffer_append_format(name, ": %s %s", objects->items[0].target.kind,
                             text_or(objects->items[0].target.name, ""));
    if (objects->count > 1)
        buffer_append_format(name, " and %zu more", objects->count - 1);
}

static void append_subject(const struct step *step, struct buffer *name)
{
    char text[TIME_TEXT_SIZE];

    append_targets(step, name);
    for (size_t i = 0; i < step->processes.count; i++)
        buffer_append_format(name, "%s %s", i == 0 ? ":" : "", step->processes.items[i]);
    for (size_t i = 0; i < step->lifted.count; i++)
        buffer_append_format(name, "%s %s", i == 0 ? ":" : "", step->lifted.items[i]);
    if (step->action == STEP_ADVANCE && step->advance_us >= 0) { /* else it is bound later */
        duration_format(step->advance_us, text);
        buffer_append_format(name, ": %s", text);
    }
}

/** Of the cleanup, not of the steps. */
static bool is_cleanup(const struct scenario *scenario, const struct step *step)
{
    for (size_t i = 0; i < scenario->cleanup_count; i++) {
        if (step == &scenario->cleanup[i])
            return true;
    }
    return false;
}

/** "03 wait: Agent hello", or "03.2 wait: Agent hello" where there are several claims. */
static char *name_of(const struct world *world, const struct step *step,
                     const struct claims *claims, size_t index)
{
    struct buffer name = BUFFER_INIT(NAME_BYTES_MAX);
    char *text;

    if (step == NULL)
        buffer_append_text(&name, "expect");
    else if (is_cleanup(world->scenario, step))
        buffer_append_format(&name, "cleanup %zu", (size_t)(step - world->scenario->cleanup) + 1);
    else
        buffer_append_format(&name, "%02zu", (size_t)(step - world->scenario->steps) + 1);
    if (claims != NULL && claims->count > 1)
        buffer_append_format(&name, step == NULL ? " %zu" : ".%zu", index + 1);
    if (step != NULL)
        buffer_append_format(&name, " %s", step_action_name(step->action));
    if (claims != NULL) {
        buffer_append_text(&name, ": ");
        claim_append_subject(&claims->items[index], &name);
    } else {
        append_subject(step, &name);
    }
    text = xstrdup(buffer_text(&name));
    buffer_release(&name);
    return text;
}

/* --- the plan --- */

/** Takes ownership of name. */
static void plan(struct check_book *book, char *name, unsigned line, struct watched_check about)
{
    struct checks *checks = &book->checks;
    bool at_the_end = about.step == NULL && about.claim == NULL;

    if (checks->count >= CHECKS_MAX - AT_THE_END && !at_the_end) {
        checks->left_out++;
        free(name);
        return;
    }
    checks->items = xrealloc(checks->items, (checks->count + 1) * sizeof(*checks->items));
    book->about = xrealloc(book->about, (checks->count + 1) * sizeof(*book->about));
    book->about[checks->count] = about;
    checks->items[checks->count++] = (struct check){
        .verdict = CHECK_NOT_REACHED, .name = name, .line = line, .begun_us = -1, .ended_us = -1};
}

static void plan_claims(struct world *world, const struct step *step, const struct claims *claims)
{
    for (size_t i = 0; i < claims->count; i++)
        plan(world->checks, name_of(world, step, claims, i), claims->items[i].place.line,
             (struct watched_check){.step = step, .claim = &claims->items[i], .index = i});
}

static void plan_step(struct world *world, const struct step *step)
{
    if (step->claims.count > 0)
        plan_claims(world, step, &step->claims);
    else
        plan(world->checks, name_of(world, step, NULL, 0), step->place.line,
             (struct watched_check){.step = step});
}

/** Behind all others: the first that failed is the run's own. */
static void plan_cleanup(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    size_t first = world->checks->checks.count;

    for (size_t i = scenario->cleanup_count; i > 0; i--)
        plan_step(world, &scenario->cleanup[i - 1]);
    for (size_t i = first; i < world->checks->checks.count; i++)
        world->checks->checks.items[i].cleanup = true;
}

void checks_start(struct world *world, int64_t (*real_us)(void))
{
    const struct scenario *scenario = world->scenario;

    world->checks = xcalloc(1, sizeof(*world->checks));
    world->checks->real_us = real_us;
    for (size_t i = 0; i < scenario->step_count; i++)
        plan_step(world, &scenario->steps[i]);
    plan_claims(world, NULL, &scenario->expect);
    world->checks->last = world->checks->checks.count;
    plan(world->checks, xstrdup("rest: everything ends and comes to rest"), 0,
         (struct watched_check){0});
    plan(world->checks, xstrdup("invariants: all of them hold"), 0, (struct watched_check){0});
    plan_cleanup(world);
}

/* --- while it runs --- */

static int64_t real_now(const struct check_book *book)
{
    return book->real_us == NULL ? 0 : book->real_us();
}

/** Of the step, or where it is NULL of what is expected at the end. */
static bool is_of(const struct watched_check *about, const struct step *step)
{
    if (step != NULL && step->origin != NULL)
        step = step->origin;
    return about->step == step && (step != NULL || about->claim != NULL);
}

void checks_begin(struct world *world, const struct step *step)
{
    struct check_book *book = world->checks;

    for (size_t i = 0; book != NULL && i < book->checks.count; i++) {
        struct check *check = &book->checks.items[i];

        if (!is_of(&book->about[i], step))
            continue;
        book->about[i].taken = step;
        check->begun_us = sim_now_us(world->sim);
        book->about[i].began_real_us = real_now(book);
    }
}

void checks_end(struct world *world, const struct step *step)
{
    struct check_book *book = world->checks;

    for (size_t i = 0; book != NULL && i < book->checks.count; i++) {
        struct check *check = &book->checks.items[i];

        if (!is_of(&book->about[i], step) || check->begun_us < 0 || check->ended_us >= 0)
            continue;
        check->ended_us = sim_now_us(world->sim);
        check->real_us = real_now(book) - book->about[i].began_real_us;
        check->verdict = CHECK_PASSED;
    }
}

/* --- the judgement --- */

static bool is_denied(const struct step *step)
{
    return step != NULL && (step->action == STEP_ERROR || step->action == STEP_NEVER);
}

static bool claim_is_right(struct world *world, const struct watched_check *about)
{
    const struct claims *claims =
        about->step == NULL ? bindings_fill_expect(world) : &about->taken->claims;
    struct claims one = {about->claim, 1};

    if (about->index < claims->count)
        one.items = &claims->items[about->index];
    return is_denied(about->step) ? claims_fail(world, &one, NULL) : claims_hold(world, &one, NULL);
}

/** The step of that line that began last; NULL: none did. */
static const struct step *step_at(const struct check_book *book, unsigned line)
{
    const struct step *found = NULL;
    int64_t begun_us = -1;

    for (size_t i = 0; i < book->checks.count; i++) {
        const struct step *step = book->about[i].step;

        if (step != NULL && step->place.line == line && book->checks.items[i].begun_us > begun_us) {
            found = step;
            begun_us = book->checks.items[i].begun_us;
        }
    }
    return found;
}

/** Marks what of a step (NULL: of what is expected at the end) does not hold; how many. */
static size_t fail_step(struct world *world, const struct step *step)
{
    struct check_book *book = world->checks;
    size_t failed = 0;

    for (size_t i = 0; i < book->checks.count; i++) {
        struct check *check = &book->checks.items[i];

        if (!is_of(&book->about[i], step) || check->begun_us < 0)
            continue;
        check->ended_us = sim_now_us(world->sim);
        check->real_us = real_now(book) - book->about[i].began_real_us;
        check->verdict = CHECK_PASSED;
        if (book->about[i].claim == NULL || !claim_is_right(world, &book->about[i])) {
            check->verdict = CHECK_FAILED;
            failed++;
        }
    }
    return failed;
}

/** The line that a message such as "line 12: ..." blames; 0: none. */
static unsigned line_of(const char *reason)
{
    unsigned line = 0;

    return sscanf(reason, "line %u:", &line) == 1 ? line : 0;
}

/** What is told in the end: 0, that all comes to rest; 1, that the invariants hold. */
static void set_last(struct world *world, size_t which, enum check_verdict verdict)
{
    struct checks *checks = &world->checks->checks;
    struct check *check = &checks->items[world->checks->last + which];

    check->verdict = verdict;
    check->begun_us = 0;
    check->ended_us = sim_now_us(world->sim);
}

static void blame(struct world *world)
{
    unsigned line = line_of(world->reason);
    const struct step *step = line == 0 ? NULL : step_at(world->checks, line);
    bool at_end = text_starts_with(text_or(world->identity, ""), "expect: ");

    if (at_end)
        set_last(world, 0, CHECK_PASSED);
    if ((step == NULL && !at_end) || fail_step(world, step) == 0)
        set_last(world, 0, CHECK_FAILED);
}

void checks_judge(struct world *world)
{
    if (world->checks == NULL)
        return;
    if (invariants_violation(world->invariants) != NULL) {
        set_last(world, 1, CHECK_FAILED);
    } else {
        set_last(world, 1, CHECK_PASSED);
        if (world->reason == NULL)
            set_last(world, 0, CHECK_PASSED);
        else
            blame(world);
    }
}

void checks_fail(struct world *world, const struct step *step)
{
    struct check_book *book = world->checks;

    if (book == NULL || fail_step(world, step) > 0)
        return;
    for (size_t i = 0; i < book->checks.count; i++) {
        if (is_of(&book->about[i], step))
            book->checks.items[i].verdict = CHECK_FAILED;
    }
}

char *checks_cleanup_name(const struct world *world, const struct step *step)
{
    return name_of(world, step, step->claims.count == 1 ? &step->claims : NULL, 0);
}

void checks_take(struct world *world, struct checks *ret_checks)
{
    if (world->checks == NULL)
        return;
    *ret_checks = world->checks->checks;
    world->checks->checks = (struct checks){0};
}

void checks_free(struct world *world)
{
    if (world->checks == NULL)
        return;
    checks_release(&world->checks->checks);
    free(world->checks->about);
    free(world->checks);
    world->checks = NULL;
}

void checks_forgive(struct checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->items[i].verdict == CHECK_FAILED)
            checks->items[i].verdict = CHECK_PASSED;
    }
}

void checks_release(struct checks *checks)
{
    for (size_t i = 0; i < checks->count; i++)
        free(checks->items[i].name);
    free(checks->items);
    *checks = (struct checks){0};
}
