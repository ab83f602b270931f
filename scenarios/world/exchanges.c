/* exchanges - see exchanges.h. */
#include "scenarios/world/exchanges.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct exchange_info *exchanges_find(const struct exchanges *exchanges, uint64_t id)
{
    struct exchange_info *info;

    HASH_FIND(hh, exchanges->items, &id, sizeof(id), info);
    return info;
}

struct exchange_info *exchanges_add(struct exchanges *exchanges, struct exchange_info info)
{
    struct exchange_info *item = xcalloc(1, sizeof(*item));

    *item = info;
    HASH_ADD(hh, exchanges->items, id, sizeof(item->id), item);
    return item;
}

static void forget(struct exchanges *exchanges, struct exchange_info *info)
{
    HASH_DEL(exchanges->items, info);
    free(info->client);
    free(info->user_agent);
    free(info->method);
    free(info->target);
    free(info->body);
    free(info);
}

void exchanges_settle(struct exchanges *exchanges, struct exchange_info *info)
{
    if (info->client_done && (info->server_done || !info->arrived))
        forget(exchanges, info);
}

void exchanges_release(struct exchanges *exchanges)
{
    while (exchanges->items != NULL)
        forget(exchanges, exchanges->items);
}

const char *exchange_verb(const struct exchange_info *info)
{
    static const struct {
        const char *method;
        const char *one;
        const char *many;
    } verbs[] = {
        {"POST",   "create", "create"          },
        {"PUT",    "update", "update"          },
        {"PATCH",  "patch",  "patch"           },
        {"DELETE", "delete", "deletecollection"},
        {"GET",    "get",    "list"            },
    };
    bool one = info->path.name[0] != '\0';

    if (info->path.watch)
        return "watch";
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        if (strcmp(verbs[i].method, info->method) == 0)
            return one ? verbs[i].one : verbs[i].many;
    }
    return "";
}
