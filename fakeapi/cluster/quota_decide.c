/* quota_decide - names, numbers and limits of quotas.
 *
 * Source: k8s.io/apiserver plugin/pkg/admission/resourcequota, CheckRequest. */
#include "fakeapi/cluster/quota_decide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

static void add(struct quota_charges *charges, const char *name, int64_t count)
{
    struct quota_charge *charge = &charges->items[charges->count];

    if (count == 0)
        return;
    charges->count++;
    snprintf(charge->name, sizeof(charge->name), "%s", name);
    charge->count = count;
}

static int64_t count_of(const struct json_object *list)
{
    return json_is(list, json_type_array) ? (int64_t)json_object_array_length(list) : 0;
}

static void add_service(struct quota_charges *charges, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    const char *type = text_or(json_get_text(spec, "type"), "");
    bool balances = strcmp(type, "LoadBalancer") == 0;

    add(charges, "services.loadbalancers", balances);
    if (balances || strcmp(type, "NodePort") == 0)
        add(charges, "services.nodeports", count_of(json_get(spec, "ports")));
}

struct quota_charges quota_charges_of(const char *group, const char *plural,
                                      const struct json_object *tree)
{
    static const char *const aliases[] = {"configmaps",     "persistentvolumeclaims",
                                          "pods",           "replicationcontrollers",
                                          "resourcequotas", "secrets",
                                          "services"};
    struct quota_charges charges = {.count = 0};
    char name[320];

    snprintf(name, sizeof(name), "count/%s%s%s", plural, group[0] == '\0' ? "" : ".", group);
    add(&charges, name, 1);
    for (size_t i = 0; group[0] == '\0' && i < ARRAY_SIZE(aliases); i++)
        if (strcmp(aliases[i], plural) == 0)
            add(&charges, plural, 1);
    if (group[0] == '\0' && strcmp(plural, "services") == 0)
        add_service(&charges, tree);
    return charges;
}

bool quota_parse(const char *text, int64_t *ret_count)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } suffixes[] = {
        {"k",  1000                },
        {"M",  1000000             },
        {"G",  1000000000          },
        {"Ki", 1024                },
        {"Mi", 1024 * 1024         },
        {"Gi", 1024LL * 1024 * 1024},
    };
    size_t size = strspn(text, "0123456789");
    char digits[20];
    int64_t number;

    if (size == 0 || size >= sizeof(digits))
        return false;
    memcpy(digits, text, size);
    digits[size] = '\0';
    if (!text_to_int64(digits, &number))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(suffixes) && text[size] != '\0'; i++) {
        if (strcmp(text + size, suffixes[i].suffix) != 0)
            continue;
        *ret_count =
            number > INT64_MAX / suffixes[i].factor ? INT64_MAX : number * suffixes[i].factor;
        return true;
    }
    *ret_count = number;
    return text[size] == '\0';
}

/* The number under a name; false when the quota does not say one. */
static bool read_count(const struct json_object *list, const char *name, int64_t *ret_count)
{
    const struct json_object *value = json_get(list, name);
    const char *text = json_text(value);

    if (json_is(value, json_type_int)) {
        *ret_count = json_object_get_int64(value);
        return true;
    }
    return text != NULL && quota_parse(text, ret_count);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct quota_charge *)a)->name, ((const struct quota_charge *)b)->name);
}

/* "a=1,b=2" of what is too much, each as the quota has it, or (list NULL) as it is charged. */
static void append_list(struct buffer *text, const char *what, const struct json_object *list,
                        const struct quota_charges *over)
{
    buffer_append_format(text, "%s: ", what);
    for (size_t i = 0; i < over->count; i++) {
        const struct quota_charge *charge = &over->items[i];
        int64_t number = 0;
        const char *shown = json_get_text(list, charge->name);

        buffer_append_format(text, "%s%s=", i == 0 ? "" : ",", charge->name);
        if (list == NULL)
            buffer_append_format(text, "%" PRId64, charge->count);
        else if (shown != NULL)
            buffer_append_text(text, shown);
        else
            buffer_append_format(text, "%" PRId64,
                                 read_count(list, charge->name, &number) ? number : 0);
    }
}

char *quota_excess(const struct json_object *hard, const struct json_object *used,
                   const struct quota_charges *charges)
{
    struct buffer text = BUFFER_INIT(16 * 1024);
    struct quota_charges over = {.count = 0};

    for (size_t i = 0; i < charges->count; i++) {
        const struct quota_charge *charge = &charges->items[i];
        int64_t limit;
        int64_t there = 0;

        if (!read_count(hard, charge->name, &limit))
            continue;
        if (!read_count(used, charge->name, &there))
            there = 0;
        if (there > limit - charge->count)
            over.items[over.count++] = *charge;
    }
    if (over.count == 0)
        return NULL;
    qsort(over.items, over.count, sizeof(over.items[0]), compare);
    append_list(&text, "requested", NULL, &over);
    append_list(&text, ", used", used, &over);
    append_list(&text, ", limited", hard, &over);
    return buffer_take(&text, NULL);
}
