/* Properties of fault rules: a file is taken whole or not at all, and a refusal says where. */
#include <assert.h>
#include <string.h>

#include "fakeapi/faults/faults.h"
#include "fuzz/harness.h"

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct faults *faults = faults_new();
    struct fault_call call = {.verb = "list", .resource = "agents", .random = size};
    struct fault_effect effect;
    struct error err = ERROR_INIT;

    if (faults_load(faults, bytes, size, &err)) {
        for (int i = 0; i < 3; i++) {
            faults_decide(faults, &call, &effect);
            assert(effect.delay_us >= 0 && (effect.action == FAULT_NONE) == (effect.rule == NULL));
            call.since_start_us = faults_next_edge_us(faults, call.since_start_us);
        }
    } else {
        assert(faults_count(faults) == 0 && err.text[0] != '\0');
    }
    faults_free(faults);
    return 0;
}
