/* scenario - runs scenarios: main() of the runner. */
#include "controller/base/attributes.h"
#include "scenarios/commands/commands.h"

static const struct command *const commands[] = {
    &command_run,     &command_list,  &command_check,  &command_explain, &command_faults,
    &command_explore, &command_merge, &command_shrink, &command_sweep,
};

int main(int argc, char **argv)
{
    return command_main(commands, ARRAY_SIZE(commands), argc, argv);
}
