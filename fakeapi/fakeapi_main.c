/* main() of fakeapi. */
#include "controller/runtime/live.h"
#include "fakeapi/fakeapi.h"

int main(int argc, char **argv)
{
    return live_main(&fakeapi_program, NULL, argc, argv);
}
