/* cron - what it costs to read a schedule, and to find a slot.
 *
 * Times are told, those of this machine as it is now. What is asserted is counted: how many
 * instructions the dearest single call takes, by callgrind, under which this program runs itself
 * once more. Ends 1 when one takes more than it may. Run from the top of the tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/spawner/cron.h"

#define ROUNDS 200
/* A few for each character; and some forty months, each a few dozen. */
#define PARSE_COUNT_MAX 2000
#define SLOT_COUNT_MAX 3500
/* Instants around 2100, which has no 29 February: two a year. */
#define INSTANTS 100
#define INSTANT_FIRST_US (INT64_C(2840140800) * US_PER_SECOND) /* 2060 */
#define INSTANT_STEP_US (183 * US_PER_DAY)
/* The first so many of the schedules are such as people write: averages are of these. */
#define USUAL 11
/* Where only single calls count. */
#define INSTANT_STRIDE 5

/* As people write them; then those whose slots are furthest away; then what is none. */
static const char *const schedules[] = {
    "* * * * *",      "*/15 * * * *", "0 * * * *",    "0 3 * * *",      "30 2 * * 1",
    "0 9-17 * * 1-5", "0 9 1 * 1",    "0 0 1 1 *",    "5,35 */2 * * *", "0 0 1,15 * *",
    "0 0 31 * *",     "0 0 29 2 *",   "0 0 29 2 */7", "59 23 29 2 */7", "0 0 29,31 2,12 */7",
    "60 * * * *",     "0 0 30 2 *",   "0 22-2 * * *",
};

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Their sum, so that no call is left out. */
static unsigned long parse_all(void)
{
    unsigned long sum = 0;
    struct cron cron;
    struct cron_fault fault;

    for (size_t i = 0; i < ARRAY_SIZE(schedules); i++)
        sum += cron_parse(schedules[i], &cron, &fault) ? cron.months : fault.offset;
    return sum;
}

typedef bool slot_fn(const struct cron *cron, int64_t at_us, int64_t *ret_slot_us);

static size_t find_all(slot_fn *find, size_t schedule_count, size_t stride, uint64_t *sum)
{
    size_t calls = 0;

    for (size_t i = 0; i < schedule_count; i++) {
        struct cron cron;
        struct cron_fault fault;
        int64_t slot_us = 0;

        if (!cron_parse(schedules[i], &cron, &fault))
            continue;
        for (size_t j = 0; j < INSTANTS; j += stride, calls++)
            if (find(&cron, INSTANT_FIRST_US + (int64_t)j * INSTANT_STEP_US, &slot_us))
                *sum += (uint64_t)slot_us;
    }
    return calls;
}

/* The dearest call of one schedule, as the least of its times: what is beyond that is the machine.
 */
static double slowest_ns(slot_fn *find)
{
    double slowest = 0;

    for (size_t i = 0; i < ARRAY_SIZE(schedules) * INSTANTS; i++) {
        int64_t at_us = INSTANT_FIRST_US + (int64_t)(i % INSTANTS) * INSTANT_STEP_US;
        int64_t least = INT64_MAX;
        int64_t slot_us = 0;
        struct cron cron;
        struct cron_fault fault;

        if (!cron_parse(schedules[i / INSTANTS], &cron, &fault))
            continue;
        for (int round = 0; round < 20; round++) {
            int64_t begun = now_ns();

            for (int call = 0; call < 50; call++)
                if (!find(&cron, at_us, &slot_us))
                    exit(1);
            if (now_ns() - begun < least)
                least = now_ns() - begun;
        }
        if ((double)least / 50 > slowest)
            slowest = (double)least / 50;
    }
    return slowest;
}

/* The average of a call in the quickest of the rounds. */
static double average_ns(slot_fn *find, uint64_t *sum)
{
    double least = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        int64_t begun = now_ns();
        size_t calls = find == NULL ? ARRAY_SIZE(schedules) : find_all(find, USUAL, 1, sum);
        double each;

        if (find == NULL)
            *sum += parse_all();
        each = (double)(now_ns() - begun) / (double)calls;
        least = each < least ? each : least;
    }
    return least;
}

static void tell_times(void)
{
    uint64_t sum = 0;

    printf("cron     parse    %6.1f ns on average\n", average_ns(NULL, &sum));
    printf("cron     next     %6.1f ns on average, %6.1f ns the slowest\n",
           average_ns(cron_next, &sum), slowest_ns(cron_next));
    printf("cron     latest   %6.1f ns on average, %6.1f ns the slowest (sum %u)\n",
           average_ns(cron_latest, &sum), slowest_ns(cron_latest), (unsigned)sum % 10);
}

/* --- counted --- */

static bool read_count(const char *directory, unsigned dump, double *ret_count)
{
    char *path = xprintf("%s/count.%u", directory, dump);
    FILE *file = fopen(path, "r");
    char line[4096];

    *ret_count = 0;
    if (file != NULL) {
        while (fgets(line, sizeof(line), file) != NULL)
            if (text_starts_with(line, "totals: "))
                *ret_count = strtod(line + strlen("totals: "), NULL);
        fclose(file);
        remove(path);
    }
    free(path);
    return file != NULL;
}

/* Every call of a function counted on its own. */
static bool count(const char *program, const char *function, double max)
{
    char directory[] = "/tmp/bench-cron-XXXXXX";
    char *command;
    double most = 0;
    double sum = 0;
    double one;
    unsigned calls = 0;

    if (mkdtemp(directory) == NULL)
        return false;
    command = xprintf("valgrind -q --tool=callgrind --callgrind-out-file=%s/count "
                      "--zero-before=%s --dump-after=%s --toggle-collect=%s %s %s",
                      directory, function, function, function, program, function);
    if (system(command) != 0)
        fprintf(stderr, "cron: cannot count with valgrind\n");
    free(command);
    while (read_count(directory, calls + 1, &one)) {
        calls++;
        sum += one;
        most = one > most ? one : most;
    }
    command = xprintf("rm -rf %s", directory);
    if (system(command) != 0)
        fprintf(stderr, "cron: cannot clean up\n");
    free(command);
    printf("cron     %-12s %6.0f instructions on average of %u, %6.0f the most, may be %.0f: %s\n",
           function, calls > 0 ? sum / calls : 0, calls, most, max,
           calls > 0 && most <= max ? "ok" : "MISSED");
    return calls > 0 && most <= max;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    bool good;

    if (argc > 1) { /* to be counted */
        sum = text_equal(argv[1], "cron_parse")
                  ? parse_all()
                  : find_all(text_equal(argv[1], "cron_next") ? cron_next : cron_latest,
                             ARRAY_SIZE(schedules), INSTANT_STRIDE, &sum);
        return sum == 0;
    }
    tell_times();
    good = count(argv[0], "cron_parse", PARSE_COUNT_MAX);
    good = count(argv[0], "cron_next", SLOT_COUNT_MAX) && good;
    return count(argv[0], "cron_latest", SLOT_COUNT_MAX) && good ? 0 : 1;
}
