#include "controller/kube/kube_backoff.h"

#include "controller/base/time.h"

static int64_t ceiling_s(unsigned failures)
{
    int64_t ceiling = KUBE_BACKOFF_BASE_S;

    for (unsigned i = 0; i < failures && ceiling < KUBE_BACKOFF_CEILING_S; i++)
        ceiling *= 2;
    return ceiling < KUBE_BACKOFF_CEILING_S ? ceiling : KUBE_BACKOFF_CEILING_S;
}

int64_t kube_backoff_us(unsigned failures, uint64_t random)
{
    int64_t spread = ceiling_s(failures == 0 ? 1 : failures) - KUBE_BACKOFF_BASE_S;

    return (KUBE_BACKOFF_BASE_S + (int64_t)(random % (uint64_t)(spread + 1))) * US_PER_SECOND;
}
