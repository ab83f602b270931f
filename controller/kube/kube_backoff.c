#include "controller/kube/kube_backoff.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
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

bool kube_backoff_is_at_cap(unsigned failures)
{
    return ceiling_s(failures) == KUBE_BACKOFF_CEILING_S;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
static bool read_date(const char *text, int64_t *ret_at_us)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char month[4] = "";
    const char *found;
    char *rfc3339;
    bool ok;

    if (strlen(text) != 29 || strcmp(text + 25, " GMT") != 0 || memcmp(text + 3, ", ", 2) != 0)
        return false;
    memcpy(month, text + 8, 3);
    found = strstr(months, month);
    if (found == NULL || (found - months) % 3 != 0)
        return false;
    rfc3339 = xprintf("%.4s-%02d-%.2sT%.8sZ", text + 12, (int)(found - months) / 3 + 1, text + 5,
                      text + 17);
    ok = time_parse(rfc3339, ret_at_us);
    free(rfc3339);
    return ok;
}

int64_t kube_retry_after_us(const char *header, int64_t wall_us)
{
    int64_t seconds;
    int64_t at_us;

    if (header == NULL)
        return 0;
    if (text_to_int64(header, &seconds)) {
        at_us =
            seconds < KUBE_BACKOFF_CEILING_S ? seconds * US_PER_SECOND : KUBE_RETRY_AFTER_MAX_US;
        return at_us > 0 ? at_us : 0;
    }
    if (!read_date(header, &at_us) || at_us <= wall_us)
        return 0;
    return at_us - wall_us < KUBE_RETRY_AFTER_MAX_US ? at_us - wall_us : KUBE_RETRY_AFTER_MAX_US;
}

int64_t kube_pause_us(unsigned failures, int64_t retry_after_us, uint64_t random)
{
    int64_t backoff_us = kube_backoff_us(failures, random);

    if (retry_after_us <= 0)
        return backoff_us;
    retry_after_us += (int64_t)((random >> 32) % (uint64_t)KUBE_RETRY_AFTER_SPREAD_US);
    return retry_after_us > backoff_us ? retry_after_us : backoff_us;
}
