#include "controller/agent_controller.h"
#include "controller/runtime/live.h"

int main(int argc, char **argv)
{
    return live_main(&agent_controller_program, live_client(), argc, argv);
}
