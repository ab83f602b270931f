/* random - random operations against the server and against the model, which must agree.
 *
 * Many short worlds, each with a server of its own. Where one differs, its steps are left out one
 * by one while it still differs, and what remains is printed with how to play it again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/model/world.h"

/* Most worlds, and most steps of each. */
#define COUNT_MAX 1000000

struct options {
    uint64_t seed;
    size_t worlds;
    size_t steps;
    char *only; /* numbers of steps, with commas between */
    bool told;
    bool not_shrunk; /* a failing world is not made smaller */
};

static const char usage[] =
    "usage: random [--seed N] [--worlds N] [--steps N] [--only STEP,STEP,...] [--tell]\n"
    "       [--no-shrink]\n";

/* --- shrinking --- */

static bool fails(const struct plan *plan, size_t *ret_taken)
{
    char *why = NULL;
    bool good = world_play(plan, NULL, &why, ret_taken);

    free(why);
    return !good;
}

/* Leaves out as many steps as it can; steps[] becomes what remains. */
static void shrink(struct plan *plan, size_t *steps)
{
    size_t *fewer = calloc(plan->step_count + 1, sizeof(*fewer));
    struct plan attempt = *plan;

    attempt.told = false;
    attempt.steps = fewer;
    for (size_t chunk = (plan->step_count + 1) / 2; chunk > 0; chunk /= 2) {
        for (size_t at = 0; at < plan->step_count;) {
            size_t size = plan->step_count - at < chunk ? plan->step_count - at : chunk;
            size_t taken;

            memcpy(fewer, steps, at * sizeof(*fewer));
            memcpy(fewer + at, steps + at + size, (plan->step_count - at - size) * sizeof(*fewer));
            attempt.step_count = plan->step_count - size;
            if (fails(&attempt, &taken)) {
                plan->step_count = taken;
                memcpy(steps, fewer, taken * sizeof(*fewer));
            } else {
                at += size;
            }
        }
    }
    free(fewer);
}

static void report(struct plan *plan, size_t *steps, size_t taken, char *why)
{
    size_t before = plan->step_count = taken;

    printf("seed %" PRIu64 ", step %zu:\n%s\n", plan->seed, steps[taken - (taken > 0)], why);
    free(why);
    shrink(plan, steps);
    plan->told = true;
    printf("\nthe same in %zu of these %zu steps:\n", plan->step_count, before);
    (void)world_play(plan, NULL, &why, &taken);
    printf("%s\n\nagain: --seed %" PRIu64 " --only ", why == NULL ? "(it passes now)" : why,
           plan->seed);
    for (size_t i = 0; i < plan->step_count; i++)
        printf("%s%zu", i > 0 ? "," : "", steps[i]);
    printf(" --tell\n");
    free(why);
}

/* --- the runs --- */

static bool play(const struct options *options, uint64_t seed, struct census *census)
{
    size_t *steps = calloc(options->steps + 1, sizeof(*steps));
    struct plan plan = {.seed = seed, .steps = steps, .told = options->told};
    size_t taken = 0;
    char *why = NULL;
    bool good;

    if (options->only != NULL) {
        const char *at = options->only;
        char *end;

        for (; plan.step_count < options->steps && *at != '\0'; at = *end == ',' ? end + 1 : end)
            steps[plan.step_count++] = strtoull(at, &end, 10);
    } else {
        for (; plan.step_count < options->steps; plan.step_count++)
            steps[plan.step_count] = plan.step_count;
    }
    good = world_play(&plan, census, &why, &taken);
    if (!good && (options->only != NULL || options->not_shrunk))
        printf("%s\n", why);
    else if (!good) {
        report(&plan, steps, taken, why);
        why = NULL;
    }
    free(why);
    free(steps);
    return good;
}

/* A whole number and nothing else, from least to most. */
static bool read_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_number)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    *ret_number = strtoull(text, &end, 10);
    return *end == '\0' && *ret_number >= least && *ret_number <= most;
}

static bool read_count(const char *text, size_t *ret_count)
{
    uint64_t count;

    if (!read_number(text, 1, COUNT_MAX, &count))
        return false;
    *ret_count = count;
    return true;
}

/* Numbers with a comma between each two. */
static bool is_list(const char *text)
{
    for (;; text++) {
        size_t digits = strspn(text, "0123456789");

        text += digits;
        if (digits == 0 || *text != ',')
            return digits > 0 && *text == '\0';
    }
}

static bool read_value(const char *flag, char *value, struct options *options)
{
    if (strcmp(flag, "--seed") == 0)
        return read_number(value, 0, UINT64_MAX - COUNT_MAX, &options->seed);
    if (strcmp(flag, "--worlds") == 0)
        return read_count(value, &options->worlds);
    if (strcmp(flag, "--steps") == 0)
        return read_count(value, &options->steps);
    if (strcmp(flag, "--only") == 0) {
        options->only = value;
        return is_list(value);
    }
    return false;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool *flag = strcmp(argv[i], "--tell") == 0        ? &options->told
                     : strcmp(argv[i], "--no-shrink") == 0 ? &options->not_shrunk
                                                           : NULL;

        if (flag != NULL) {
            *flag = true;
            continue;
        }
        if (value == NULL)
            return false;
        if (!read_value(argv[i++], value, options))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.seed = 1, .worlds = 100, .steps = 1000};
    struct census *census = calloc(1, sizeof(*census));
    clock_t started = clock();
    bool good = true;

    if (!read_options(argc, argv, &options)) {
        (void)fputs(usage, stderr);
        free(census);
        return 2;
    }
    if (options.only != NULL)
        options.worlds = 1;
    for (size_t i = 0; i < options.worlds && good; i++)
        good = play(&options, options.seed + i, census);
    census_print(census);
    printf("%.1f s of processor time\n", (double)(clock() - started) / CLOCKS_PER_SEC);
    if (good && options.only == NULL)
        good = census_is_full(census);
    free(census);
    return good ? 0 : 1;
}
