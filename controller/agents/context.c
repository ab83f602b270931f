#include "controller/agents/context.h"

void context_log_failure(const struct agent_context *context, const char *message, const char *kind,
                         const char *name, const struct error *err)
{
    const struct log_field fields[] = {LOG_TEXT(kind, name), LOG_TEXT("error", err->text)};
    const struct log_record record = {LOG_WARN, message, fields, ARRAY_SIZE(fields)};

    runtime_log(context->rt, &record);
}
