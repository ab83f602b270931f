#include "controller/agent_controller.h"
#include "controller/base/memory.h"
#include "controller/runtime/live.h"

int main(int argc, char **argv)
{
    memory_give_back();
    return live_main(&agent_controller_program, live_client(), argc, argv);
}
