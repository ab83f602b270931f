#include "controller/agent_controller_cron.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/spawner/cron.h"

static const char help[] =
    "usage: agent-controller cron 'EXPR' [--from TIME] [--count N | --latest]\n"
    "\n"
    "Prints the slots of a schedule of five fields, in UTC, as an AgentSpawner has it; or says "
    "why\n"
    "it is none, and ends with status 1.\n"
    "\n"
    "  --from TIME\n"
    "      Slots strictly after it, as 2026-10-17T13:20:00Z. Default: now.\n"
    "  --count N\n"
    "      How many, 1 to 10000. Default: 1.\n"
    "  --latest\n"
    "      Instead the latest slot at or before it, or none.\n";

struct question {
    const char *schedule; /* NULL until it is found */
    int64_t from_us;
    uint64_t count; /* 0 until it is given */
    bool latest;
    bool help;
};

static bool take_from(const char *value, struct question *question, struct error *err)
{
    return time_parse(value, &question->from_us) ||
           error_set(err, ERROR_USAGE,
                     "cron: --from must be a time such as 2026-10-17T13:20:00Z, got: \"%s\"",
                     value);
}

static bool take_count(const char *value, struct question *question, struct error *err)
{
    return (text_to_uint64(value, &question->count) && question->count >= 1 &&
            question->count <= CRON_COMMAND_SLOTS_MAX) ||
           error_set(err, ERROR_USAGE, "cron: --count must be a number from 1 to %d, got: \"%s\"",
                     CRON_COMMAND_SLOTS_MAX, value);
}

/* Whether argv[*at] is the flag, with its value behind '=' or in the next argument; *ret_value is
 * NULL when there is none. */
static bool is_flag(const char *flag, int argc, const char *const *argv, int *at,
                    const char **ret_value)
{
    size_t size = strlen(flag);

    if (!text_starts_with(argv[*at], flag) || (argv[*at][size] != '\0' && argv[*at][size] != '='))
        return false;
    if (argv[*at][size] == '=')
        *ret_value = argv[*at] + size + 1;
    else
        *ret_value = ++*at < argc ? argv[*at] : NULL;
    return true;
}

/* A schedule may begin with one '-', as a mistake that is worth an answer. */
static bool take(int argc, const char *const *argv, int *at, struct question *question,
                 struct error *err)
{
    const char *written = argv[*at];
    const char *value;

    if (text_equal(written, "--latest")) {
        question->latest = true;
        return true;
    }
    if (is_flag("--from", argc, argv, at, &value))
        return value != NULL ? take_from(value, question, err)
                             : error_set(err, ERROR_USAGE, "cron: --from needs a value");
    if (is_flag("--count", argc, argv, at, &value))
        return value != NULL ? take_count(value, question, err)
                             : error_set(err, ERROR_USAGE, "cron: --count needs a value");
    if (text_starts_with(written, "--"))
        return error_set(err, ERROR_USAGE, "cron: unknown argument '%s', see cron --help", written);
    if (question->schedule != NULL)
        return error_set(err, ERROR_USAGE, "cron: one schedule, in quotes; '%s' is more", written);
    question->schedule = written;
    return true;
}

static bool read_question(int argc, const char *const *argv, struct question *question,
                          struct error *err)
{
    for (int i = 2; i < argc; i++) {
        if (text_equal(argv[i], "--help")) {
            question->help = true;
            return true;
        }
        if (!take(argc, argv, &i, question, err))
            return false;
    }
    if (question->schedule == NULL)
        return error_set(err, ERROR_USAGE, "cron: wants a schedule, see cron --help");
    if (question->latest && question->count != 0)
        return error_set(err, ERROR_USAGE, "cron: --latest and --count do not go together");
    if (question->count == 0)
        question->count = 1;
    return true;
}

static void append_slot(struct buffer *into, int64_t slot_us)
{
    char text[TIME_TEXT_SIZE];

    time_format(slot_us, text);
    buffer_append_format(into, "%s\n", text);
}

static void answer(const struct question *question, const struct cron *cron, struct buffer *into)
{
    int64_t slot_us = question->from_us;

    if (question->latest) {
        if (cron_latest(cron, question->from_us, &slot_us))
            append_slot(into, slot_us);
        else
            buffer_append_text(into, "none\n");
        return;
    }
    for (uint64_t i = 0; i < question->count && cron_next(cron, slot_us, &slot_us); i++)
        append_slot(into, slot_us);
}

bool cron_command(struct runtime *rt, int argc, const char *const *argv, struct error *err)
{
    struct question question = {.from_us = runtime_wall_us(rt)};
    struct buffer said = BUFFER_INIT((size_t)CRON_COMMAND_SLOTS_MAX * TIME_TEXT_SIZE);
    struct cron cron;
    struct cron_fault fault;

    if (!read_question(argc, argv, &question, err))
        return false;
    if (question.help) {
        buffer_append_text(&said, help);
    } else if (cron_parse(question.schedule, &cron, &fault)) {
        answer(&question, &cron, &said);
    } else {
        cron_fault_describe(&fault, question.schedule, err);
        runtime_stop(rt, 1);
        return false;
    }
    if (said.size > 0) /* none where no slot is left before the year 10000 */
        runtime_print(rt, said.bytes, said.size);
    buffer_release(&said);
    runtime_stop(rt, 0);
    return true;
}
