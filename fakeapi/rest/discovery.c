/* discovery - which kinds there are, in the old documents and the aggregated one (D5 to D16). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/groups.h"

/* Largest document. */
#define DOCUMENT_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* --- what a kind is --- */

static struct json_object *texts(const char *const *items, size_t count)
{
    struct json_object *array = json_object_new_array();

    for (size_t i = 0; i < count; i++)
        json_add(array, json_object_new_string(items[i]));
    return array;
}

/* D8, D9 */
static struct json_object *verbs_of(const struct kind *kind)
{
    static const char *const builtin[] = {"create", "delete", "deletecollection", "get",
                                          "list",   "patch",  "update",           "watch"};
    static const char *const no_collection[] = {"create", "delete", "get",  "list",
                                                "patch",  "update", "watch"};
    static const char *const custom[] = {"delete", "deletecollection", "get",    "list",
                                         "patch",  "create",           "update", "watch"};
    static const char *const review[] = {"create"};
    static const char *const ending[] = {"delete", "deletecollection", "get", "list", "watch"};

    if (!kind_row_is_stored(kind->row))
        return texts(review, ARRAY_SIZE(review));
    if (kind->row == NULL && kind->terminating)
        return texts(ending, ARRAY_SIZE(ending));
    if (kind->row == NULL)
        return texts(custom, ARRAY_SIZE(custom));
    if (kind->flags & KIND_NO_COLLECTION)
        return texts(no_collection, ARRAY_SIZE(no_collection));
    return texts(builtin, ARRAY_SIZE(builtin));
}

/* Most subresources of one kind. */
#define SUBRESOURCES_MAX 5

struct subresource_row {
    const char *name;
    const char *verbs[3];
    size_t verb_count;
    /* of its bodies; NULL: as the resource's */
    const char *group;
    const char *version;
    const char *kind;
};

static const struct subresource_row status_row = {
    "status", {"get", "patch", "update"},
     3
};
static const struct subresource_row log_row = {"log", {"get"}, 1};
static const struct subresource_row binding_row = {"binding", {"create"}, 1, "", "v1", "Binding"};
static const struct subresource_row eviction_row = {"eviction", {"create"}, 1,
                                                    "policy",   "v1",       "Eviction"};
static const struct subresource_row finalize_row = {"finalize", {"update"}, 1};
static const struct subresource_row scale_row = {
    "scale", {"get", "patch", "update"},
     3, "autoscaling", "v1", "Scale"
};
static const struct subresource_row token_row = {"token", {"create"},    1, "authentication.k8s.io",
                                                 "v1",    "TokenRequest"};

/* In the order of their names; how many there are. */
static size_t subresources_of(const struct group_entry *entry,
                              const struct subresource_row *rows[SUBRESOURCES_MAX])
{
    size_t count = 0;

    if (entry->kind->flags & KIND_LOG) {
        rows[count++] = &binding_row;
        rows[count++] = &eviction_row;
    }
    if (entry->kind->flags & KIND_FINALIZE)
        rows[count++] = &finalize_row;
    if (entry->kind->flags & KIND_LOG)
        rows[count++] = &log_row;
    if (entry->kind->flags & KIND_TOKEN)
        rows[count++] = &token_row;
    if (entry->version->scale.spec_path != NULL)
        rows[count++] = &scale_row;
    if (entry->version->status)
        rows[count++] = &status_row;
    return count;
}

static void set_names(struct json_object *resource, const struct kind *kind)
{
    if (kind->short_name_count > 0)
        json_set(resource, "shortNames",
                 texts((const char *const *)kind->short_names, kind->short_name_count));
    if (kind->category_count > 0)
        json_set(resource, "categories",
                 texts((const char *const *)kind->categories, kind->category_count));
}

/* --- the old documents (D6, D7) --- */

static void set_version_hash(struct json_object *resource, const struct group_entry *entry)
{
    uint8_t digest[SHA256_SIZE];
    char *text = xprintf("%s/%s/%s", entry->kind->group, entry->version->name, entry->kind->kind);
    char *encoded;

    digest_sha256(text, strlen(text), digest);
    encoded = base64_encode(digest, 8, false);
    json_set_text(resource, "storageVersionHash", encoded);
    free(encoded);
    free(text);
}

static struct json_object *legacy_resource(const struct group_entry *entry, const char *name,
                                           const char *singular)
{
    struct json_object *resource = json_object_new_object();

    json_set_text(resource, "name", name);
    json_set_text(resource, "singularName", singular);
    json_set_bool(resource, "namespaced", entry->kind->namespaced);
    json_set_text(resource, "kind", entry->kind->kind);
    return resource;
}

static void add_legacy(struct json_object *list, const struct group_entry *entry)
{
    const struct kind *kind = entry->kind;
    struct json_object *resource = legacy_resource(entry, kind->plural, kind->singular);
    const struct subresource_row *rows[SUBRESOURCES_MAX];
    size_t count = subresources_of(entry, rows);

    json_set(resource, "verbs", verbs_of(kind));
    set_names(resource, kind);
    if (kind_row_is_stored(kind->row))
        set_version_hash(resource, entry);
    json_add(list, resource);
    for (size_t i = 0; i < count; i++) {
        char *name = xprintf("%s/%s", kind->plural, rows[i]->name);

        resource = legacy_resource(entry, name, "");
        if (rows[i]->kind != NULL)
            json_set_text(resource, "kind", rows[i]->kind);
        if (rows[i]->kind != NULL && rows[i]->group[0] != '\0') {
            json_set_text(resource, "group", rows[i]->group);
            json_set_text(resource, "version", rows[i]->version);
        }
        json_set(resource, "verbs", texts(rows[i]->verbs, rows[i]->verb_count));
        json_add(list, resource);
        free(name);
    }
}

static struct json_object *resource_list(const struct group_entry *entries, size_t first,
                                         size_t end)
{
    struct json_object *document = json_object_new_object();
    struct json_object *list = json_object_new_array();

    json_set_text(document, "kind", "APIResourceList");
    if (entries[first].kind->group[0] != '\0')
        json_set_text(document, "apiVersion", "v1");
    json_set_text(document, "groupVersion", entries[first].version->api_version);
    for (size_t i = first; i < end; i++)
        add_legacy(list, &entries[i]);
    json_set(document, "resources", list);
    return document;
}

static struct json_object *group_version(const struct kind_version *version)
{
    struct json_object *object = json_object_new_object();

    json_set_text(object, "groupVersion", version->api_version);
    json_set_text(object, "version", version->name);
    return object;
}

/* The members of a group's document; the first of its entries is the preferred version's. */
static void fill_group(struct json_object *group, const struct group_entry *entries, size_t first,
                       size_t end)
{
    struct json_object *versions = json_object_new_array();

    json_set_text(group, "name", entries[first].kind->group);
    for (size_t i = first; i < end; i = groups_version_end(entries, end, i))
        json_add(versions, group_version(entries[i].version));
    json_set(group, "versions", versions);
    json_set(group, "preferredVersion", group_version(entries[first].version));
}

static struct json_object *group_document(const struct group_entry *entries, size_t first,
                                          size_t end)
{
    struct json_object *document = json_object_new_object();

    json_set_text(document, "kind", "APIGroup");
    json_set_text(document, "apiVersion", "v1");
    fill_group(document, entries, first, end);
    return document;
}

static struct json_object *group_list(const struct group_entry *entries, size_t count)
{
    struct json_object *document = json_object_new_object();
    struct json_object *groups = json_object_new_array();
    size_t first = groups_group_end(entries, count, 0); /* behind core */

    json_set_text(document, "kind", "APIGroupList");
    json_set_text(document, "apiVersion", "v1");
    while (first < count) {
        size_t end = groups_group_end(entries, count, first);
        struct json_object *group = json_object_new_object();

        fill_group(group, entries, first, end);
        json_add(groups, group);
        first = end;
    }
    json_set(document, "groups", groups);
    return document;
}

static struct json_object *core_versions(const struct call *call)
{
    static const char *const versions[] = {"v1"};
    struct json_object *document = json_object_new_object();
    struct json_object *addresses = json_object_new_array();
    struct json_object *address = json_object_new_object();

    json_set_text(document, "kind", "APIVersions");
    json_set(document, "versions", texts(versions, ARRAY_SIZE(versions)));
    json_set_text(address, "clientCIDR", "0.0.0.0/0");
    json_set_text(address, "serverAddress", text_or(call_header(call, "Host"), "localhost"));
    json_add(addresses, address);
    json_set(document, "serverAddressByClientCIDRs", addresses);
    return document;
}

/* --- the aggregated document (D10 to D13) --- */

static struct json_object *response_kind(const struct group_entry *entry)
{
    struct json_object *kind = json_object_new_object();
    bool custom = entry->kind->row == NULL;

    json_set_text(kind, "group", custom ? entry->kind->group : "");
    json_set_text(kind, "version", custom ? entry->version->name : "");
    json_set_text(kind, "kind", entry->kind->kind);
    return kind;
}

static struct json_object *own_kind(const struct subresource_row *row)
{
    struct json_object *kind = json_object_new_object();

    json_set_text(kind, "group", row->group);
    json_set_text(kind, "version", row->version);
    json_set_text(kind, "kind", row->kind);
    return kind;
}

static struct json_object *aggregated_resource(const struct group_entry *entry)
{
    struct json_object *resource = json_object_new_object();
    struct json_object *subresources = json_object_new_array();
    const struct subresource_row *rows[SUBRESOURCES_MAX];
    size_t count = subresources_of(entry, rows);

    json_set_text(resource, "resource", entry->kind->plural);
    json_set(resource, "responseKind", response_kind(entry));
    json_set_text(resource, "scope", entry->kind->namespaced ? "Namespaced" : "Cluster");
    json_set_text(resource, "singularResource", entry->kind->singular);
    json_set(resource, "verbs", verbs_of(entry->kind));
    set_names(resource, entry->kind);
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_new_object();

        json_set_text(item, "subresource", rows[i]->name);
        json_set(item, "responseKind",
                 rows[i]->kind == NULL ? response_kind(entry) : own_kind(rows[i]));
        json_set(item, "verbs", texts(rows[i]->verbs, rows[i]->verb_count));
        json_add(subresources, item);
    }
    if (count > 0)
        json_set(resource, "subresources", subresources);
    else
        json_object_put(subresources);
    return resource;
}

static struct json_object *aggregated_version(const struct group_entry *entries, size_t first,
                                              size_t end)
{
    struct json_object *version = json_object_new_object();
    struct json_object *resources = json_object_new_array();

    json_set_text(version, "version", entries[first].version->name);
    for (size_t i = first; i < end; i++)
        json_add(resources, aggregated_resource(&entries[i]));
    json_set(version, "resources", resources);
    json_set_text(version, "freshness", "Current");
    return version;
}

static struct json_object *aggregated_group(const struct group_entry *entries, size_t first,
                                            size_t end)
{
    struct json_object *group = json_object_new_object();
    struct json_object *metadata = json_object_new_object();
    struct json_object *versions = json_object_new_array();

    if (entries[first].kind->group[0] != '\0')
        json_set_text(metadata, "name", entries[first].kind->group);
    json_object_object_add(metadata, "creationTimestamp", NULL);
    json_set(group, "metadata", metadata);
    while (first < end) {
        size_t version_end = groups_version_end(entries, end, first);

        json_add(versions, aggregated_version(entries, first, version_end));
        first = version_end;
    }
    json_set(group, "versions", versions);
    return group;
}

static struct json_object *aggregated(const struct group_entry *entries, size_t first, size_t end,
                                      const char *version)
{
    struct json_object *document = json_object_new_object();
    struct json_object *items = json_object_new_array();
    char *api_version = xprintf("apidiscovery.k8s.io/%s", version);

    json_set_text(document, "kind", "APIGroupDiscoveryList");
    json_set_text(document, "apiVersion", api_version);
    json_set(document, "metadata", json_object_new_object());
    while (first < end) {
        size_t group_end = groups_group_end(entries, end, first);

        json_add(items, aggregated_group(entries, first, group_end));
        first = group_end;
    }
    json_set(document, "items", items);
    free(api_version);
    return document;
}

static void answer_aggregated(struct call *call, const struct json_object *document,
                              const char *version)
{
    struct buffer body = BUFFER_INIT(DOCUMENT_BYTES_MAX);
    uint8_t digest[SHA256_SIZE];
    char hex[SHA256_HEX_SIZE];
    char *etag;
    char *type =
        xprintf("application/json;g=apidiscovery.k8s.io;v=%s;as=APIGroupDiscoveryList", version);
    bool same;

    json_append(&body, document);
    buffer_append_char(&body, '\n');
    digest_sha256(body.bytes, body.size, digest);
    digest_hex(digest, sizeof(digest), hex);
    etag = xprintf("\"%s\"", hex);
    for (char *at = etag; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'f')
            *at = (char)(*at - ('a' - 'A'));
    same = text_equal(call_header(call, "If-None-Match"), etag);
    {
        const struct http_header headers[] = {
            {"ETag",          etag    },
            {"Vary",          "Accept"},
            {"Cache-Control", "public"},
            {"Content-Type",  type    }
        };

        if (same)
            call_answer_bytes(call, 304, headers, 3, NULL, 0);
        else
            call_answer_bytes(call, 200, headers, ARRAY_SIZE(headers), body.bytes, body.size);
    }
    free(etag);
    free(type);
    buffer_release(&body);
}

/* --- paths --- */

/* The first entry of that group (and version); count when there is none. */
static size_t find_entry(const struct group_entry *entries, size_t count, const char *group,
                         const char *version)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].kind->group, group) == 0 &&
            (version == NULL || strcmp(entries[i].version->name, version) == 0))
            return i;
    return count;
}

/* /api or /apis, in the form that the client likes best. */
static void answer_root(struct call *call, const struct group_entry *entries, size_t count,
                        bool core)
{
    const struct accept_offer offer = {.discovery = true};
    struct accept accept;
    struct json_object *document;
    size_t core_end = groups_group_end(entries, count, 0);

    if (!call_accept(call, &offer, &accept))
        return;
    if (accept.form == FORM_DISCOVERY) {
        document =
            aggregated(entries, core ? 0 : core_end, core ? core_end : count, accept.version);
        answer_aggregated(call, document, accept.version);
    } else {
        document = core ? core_versions(call) : group_list(entries, count);
        call_answer_tree(call, 200, &accept, NULL, document);
    }
    json_object_put(document);
}

static void answer_part(struct call *call, const struct group_entry *entries, size_t count,
                        const char *group, const char *version)
{
    const struct accept_offer offer = {0};
    struct rest_status status = {0};
    struct accept accept;
    struct json_object *document;
    size_t first = find_entry(entries, count, group, version);

    if (first == count && kinds_is_builtin(call->rest->kinds, group)) {
        rest_status_no_resource(&status);
        call_fail(call, &status);
        return;
    }
    if (first == count) {
        call_answer_no_path(call);
        return;
    }
    if (!call_accept(call, &offer, &accept))
        return;
    document = version == NULL
                   ? group_document(entries, first, groups_group_end(entries, count, first))
                   : resource_list(entries, first, groups_version_end(entries, count, first));
    call_answer_tree(call, 200, &accept, NULL, document);
    json_object_put(document);
}

bool call_discovery(struct call *call)
{
    char *const *words = call->route.segments;
    size_t word_count = call->route.segment_count;
    bool core = word_count > 0 && strcmp(words[0], "api") == 0;
    size_t count;
    struct group_entry *entries;

    if (word_count == 0 || word_count > 3 || (!core && strcmp(words[0], "apis") != 0) ||
        (core && word_count > 2))
        return false;
    entries = groups_list(call->rest->kinds, &count);
    if (word_count == 1)
        answer_root(call, entries, count, core);
    else if (core)
        answer_part(call, entries, count, "", words[1]);
    else
        answer_part(call, entries, count, words[1], word_count == 3 ? words[2] : NULL);
    free(entries);
    return true;
}
