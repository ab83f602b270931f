/* The Job of a run around its pod (RULES 2.2), and recipes that make no Job. */
#include "tests/unit/jobs/order.h"

#include "controller/base/text.h"

#define PLAIN "{'spec':{'containers':[{'name':'agent'}]}}"

static const struct part_row {
    const char *row;
    const char *station; /* beside the template */
    const char *path;    /* in the Job; "" for all of it without spec.template */
    const char *want;
} parts[] = {
    {"all of the Job around its template", "'deadlineMinutes':1,", "",
     "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'agent-job-run-1','namespace':'ns',"
     "'ownerReferences':[{'apiVersion':'agents.re-cinq.com/v1beta1','kind':'Agent','name':'run-1',"
     "'uid':'u-1','controller':true,'blockOwnerDeletion':true}]},'spec':{"
     "'ttlSecondsAfterFinished':3600,'activeDeadlineSeconds':60,'backoffLimit':0}}"},
    {"kept for an hour", "", "spec.ttlSecondsAfterFinished", "3600"},
    {"never tried twice", "", "spec.backoffLimit", "0"},
    {"owned by the Agent", "", "metadata.ownerReferences[run-1]",
     "{'apiVersion':'agents.re-cinq.com/v1beta1','kind':'Agent','name':'run-1','uid':'u-1',"
     "'controller':true,'blockOwnerDeletion':true}"},
    {"the deadline unless said", "", "spec.activeDeadlineSeconds", "1800"},
    {"a deadline of 1 minute", "'deadlineMinutes':1,", "spec.activeDeadlineSeconds", "60"},
    {"a deadline of 0 counts as 1", "'deadlineMinutes':0,", "spec.activeDeadlineSeconds", "60"},
    {"a deadline below 0 counts as 1", "'deadlineMinutes':-7,", "spec.activeDeadlineSeconds", "60"},
    {"a deadline of INT32_MAX does not wrap", "'deadlineMinutes':2147483647,",
     "spec.activeDeadlineSeconds", "128849018820"},
    {"a deadline of INT64_MAX does not wrap", "'deadlineMinutes':9223372036854775807,",
     "spec.activeDeadlineSeconds", "9223372036854720"},
    {"no labels on the Job", "", "metadata.labels", ""},
    {"no annotations on the Job", "", "metadata.annotations", ""},
};

static struct json_object *build(const char *station, const char *recipe, const char *agent,
                                 struct error *err)
{
    struct buffer text = BUFFER_INIT(ORDER_BYTES_MAX);
    struct job_order order;
    struct json_object *job = NULL;
    char *bytes = NULL;
    size_t size = 0;

    buffer_append_format(&text, "{%s'template':" PLAIN "}", station);
    order = order_make(recipe, agent, buffer_text(&text));
    if (job_build(&order, &bytes, &size, err) && !json_parse(bytes, size, 1 << 24, &job, err))
        fail_msg("the Job is no JSON: %s", err->text);
    free(bytes);
    order_release(&order);
    buffer_release(&text);
    return job;
}

static void test_part(void **state)
{
    const struct part_row *row = *state;
    struct error err = ERROR_INIT;
    struct buffer got = BUFFER_INIT(ORDER_BYTES_MAX);
    struct buffer want = BUFFER_INIT(ORDER_BYTES_MAX);
    struct json_object *job = build(row->station, NULL, NULL, &err);
    const struct json_object *found;

    if (job == NULL)
        fail_msg("2.2 %s: %s", row->row, err.text);
    json_object_object_del(json_get(job, "spec"), "template");
    found = order_at(job, row->path);
    if (found != NULL)
        json_append(&got, found);
    buffer_append_text(&want, row->want);
    order_unquote(want.bytes);
    if (strcmp(buffer_text(&got), buffer_text(&want)) != 0)
        fail_msg("2.2 %s: got %s", row->row, buffer_text(&got));
    json_object_put(job);
    buffer_release(&got);
    buffer_release(&want);
}

static const struct argv_row {
    const char *row;
    const char *recipe;
    const char *agent;
    const char *want; /* the command, or the error */
} argvs[] = {
    {"the Agent's model before the recipe's", "{'model':'gemini','prompt':'p'}",
     "{'model':'opencode/x'}",
     "['/agent/bin/ai-agent-supervisor','--','opencode','run','--format','json','--model','x','--',"
     "'p']"},
    {"the conversation is resumed and pinned",
     "{'model':'m','prompt':'p','resources':{'conversation':{'id':'I','pin':'P'}}}", "{}",
     "['/agent/bin/ai-agent-supervisor','--','claude','--print','--verbose','--output-format',"
     "'stream-json','--model','m','--settings','/agent/.claude/settings.json','--resume','I',"
     "'--fork-session','--session-id','P','--','p']"},
    {"the prompt is rendered", "{'model':'codex','prompt':'{a}{b}'}", "{'parameters':{'a':'x'}}",
     "['/agent/bin/"
     "ai-agent-supervisor','--','codex','exec','--json','--model','codex','--','x{b}']"},
    {"no variable comes into the prompt or the model", "{'prompt':'$(HOME){a}${a}'}",
     "{'model':'$(M)codex','parameters':{'a':'(GH_TOKEN)'}}",
     "['/agent/bin/ai-agent-supervisor','--','codex','exec','--json','--model','$$(M)codex','--',"
     "'$$(HOME)(GH_TOKEN)$$(GH_TOKEN)']"},
    {"a recipe's own command may name one",
     "{'model':'exec','tool_config':{'command':['sh','$(POD_NAME)']}}", "{}",
     "['/agent/bin/ai-agent-supervisor','--','sh','$(POD_NAME)','']"},
    {"no prompt is an empty one", "{'model':'codex'}", "{}",
     "['/agent/bin/ai-agent-supervisor','--','codex','exec','--json','--model','codex','--','']"},
    {"an exec recipe without a command", "{'model':'exec'}", "{}",
     "exec recipe needs tool_config.command (the argv to spawn)"},
    {"exec by the Agent's own model", "{'model':'claude'}", "{'model':'exec'}",
     "exec recipe needs tool_config.command (the argv to spawn)"},
};

static void test_argv(void **state)
{
    const struct argv_row *row = *state;
    struct error err = ERROR_INIT;
    struct buffer got = BUFFER_INIT(ORDER_BYTES_MAX);
    struct buffer want = BUFFER_INIT(ORDER_BYTES_MAX);
    struct json_object *job = build("", row->recipe, row->agent, &err);

    if (job == NULL)
        buffer_append_text(&got, err.text);
    else
        json_append(&got, order_at(job, "spec.template.spec.containers[agent].command"));
    buffer_append_text(&want, row->want);
    if (job != NULL)
        order_unquote(want.bytes);
    if (strcmp(buffer_text(&got), buffer_text(&want)) != 0)
        fail_msg("2.7 %s: got %s", row->row, buffer_text(&got));
    json_object_put(job);
    buffer_release(&got);
    buffer_release(&want);
}

int main(void)
{
    return ROWS_RUN(parts, test_part) + ROWS_RUN(argvs, test_argv);
}
