/* targets - see targets.h. */
#include "scenarios/language/targets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/schemas.h"

/** Longest names of hosts and of people. */
#define HOST_NAME_BYTES_MAX 253
#define PERSON_NAME_BYTES_MAX 40
#define PATH_BYTES_MAX 4096
/** Room for any API group. */
#define GROUP_SIZE 256

static bool unknown_kind(struct reader *reader, const struct yaml_node *node, const char *kind)
{
    const char *names[64];
    size_t count = 0;

    for (size_t i = 0; i < kind_count() && count < ARRAY_SIZE(names); i++)
        names[count++] = kind_at(i)->name;
    reader_problem(reader, node, "unknown kind '%s'%s", kind,
                   suggestion(reader, kind, names, count));
    return false;
}

/** A kind that only its file knows: its plural by the usual rule. */
static void guess(struct reader *reader, const struct target_texts *texts, struct target *target)
{
    const char *slash = strchr(texts->api_version, '/');
    char group[GROUP_SIZE];
    char *plural = arena_format(reader->arena, "%ss", texts->kind);

    kind_group_of(texts->api_version, group, sizeof(group));
    for (char *letter = plural; *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    target->group = arena_text(reader->arena, group);
    target->version = arena_text(reader->arena, slash == NULL ? texts->api_version : slash + 1);
    target->plural = plural;
    target->namespace = text_or(texts->namespace, SCENARIO_NAMESPACE);
}

/** The value of the key, where its node is a mapping that has it. */
static const struct yaml_node *text_or_node(const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = node->kind == YAML_MAPPING ? yaml_get(node, key) : NULL;

    return value == NULL ? node : value;
}

bool target_resolve(struct reader *reader, const struct yaml_node *node,
                    const struct target_texts *texts, struct target *ret_target)
{
    const struct kind *kind = texts->kind == NULL ? NULL : kind_find(texts->kind);
    struct target target = {.kind = texts->kind, .name = texts->name};

    if (texts->kind == NULL) {
        reader_problem(reader, node, "an object needs a 'kind', such as kind: Agent");
        return false;
    }
    if (kind == NULL && texts->api_version == NULL)
        return unknown_kind(reader, text_or_node(node, "kind"), texts->kind);
    if (kind == NULL) {
        guess(reader, texts, &target);
    } else {
        const char *slash = texts->api_version == NULL ? NULL : strchr(texts->api_version, '/');

        target.group = kind->group;
        target.version = kind->version;
        if (texts->api_version != NULL)
            target.version = slash == NULL ? texts->api_version : slash + 1;
        target.plural = kind->plural;
        target.namespace = kind->namespaced ? text_or(texts->namespace, SCENARIO_NAMESPACE) : "";
    }
    *ret_target = target;
    return true;
}

/* --- processes --- */

static bool is_replica(const char *name)
{
    return text_starts_with(name, "ctl-") && isdigit((unsigned char)name[4]) && name[5] == '\0';
}

bool process_name_is_host(const char *name)
{
    char *text = xprintf("http://%s/", name);
    struct error err = ERROR_INIT;
    struct url url;
    bool ok = strchr(name, '.') != NULL && strpbrk(name, ":/@[ ") == NULL &&
              strlen(name) <= HOST_NAME_BYTES_MAX && url_parse(text, &url, &err);

    free(text);
    if (ok)
        url_release(&url);
    return ok;
}

bool process_name_is_free(const char *name)
{
    static const char *const taken[] = {"api", "user", "leader", "standby", "github", "localhost"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

    for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
        if (strcmp(taken[i], name) == 0)
            return false;
    }
    return *name != '\0' && strspn(name, letters) == strlen(name) &&
           strlen(name) <= PERSON_NAME_BYTES_MAX && !text_starts_with(name, "ctl-");
}

bool process_name_check(struct reader *reader, const struct yaml_node *node, const char *name)
{
    static const char *const known[] = {"api", "user", "leader", "standby", "ctl-0", "ctl-1"};

    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (strcmp(known[i], name) == 0)
            return true;
    }
    if (is_replica(name) || process_name_is_host(name)) /* whether it is there is seen later */
        return true;
    reader_problem(reader, node, "unknown process '%s'%s", name,
                   suggestion(reader, name, known, ARRAY_SIZE(known)));
    return false;
}

void read_process_names(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct process_names *names = field;
    size_t count = node->kind == YAML_SEQUENCE ? node->member_count : 1;

    names->items = arena_alloc(reader->arena, count * sizeof(*names->items));
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *item = node->kind == YAML_SEQUENCE ? node->members[i].value : node;
        char *name = read_text(reader, item, "the name of a process");

        if (name != NULL && process_name_check(reader, item, name))
            names->items[names->count++] = name;
    }
}

void read_process_pair(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct process_names *names = field;

    if (node->kind != YAML_SEQUENCE || node->member_count != 2) {
        reader_problem(reader, node, "a link is between two processes, such as [ctl-0, api]");
        return;
    }
    read_process_names(reader, node, field);
    if (names->count == 2 && strcmp(names->items[0], names->items[1]) == 0)
        reader_problem(reader, node, "a link is between two different processes");
}

void read_json(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct json_object *value = reader_own(reader, yaml_to_json(node));

    memcpy(field, &value, sizeof(value));
}

const char *field_hint(struct reader *reader, const char *kind, const char *written,
                       const char *const *known, size_t known_count)
{
    const char *parent = schemas_parent_of(reader, kind, written);
    size_t size = strcspn(written, ".");

    if (written[size] == '.')
        return arena_format(reader->arena, "; write %.*s: {%s: ...}", (int)size, written,
                            written + size + 1);
    if (parent != NULL)
        return arena_format(reader->arena, "; write %s: {%s: ...}", parent, written);
    return suggestion(reader, written, known, known_count);
}

void read_operations(struct reader *reader, const struct yaml_node *node, void *field)
{
    if (node->kind == YAML_SEQUENCE)
        read_json(reader, node, field);
    else
        reader_problem(reader, node,
                       "'json' is a list of operations; write [{op: replace, path: /spec/model, "
                       "value: small}], or 'merge' for a part of the object");
}

void patch_check(struct reader *reader, const struct yaml_node *merge, const char *kind)
{
    for (size_t i = 0; merge != NULL && merge->kind == YAML_MAPPING && i < merge->member_count; i++)
        schemas_check(reader, kind, &merge->members[i], SCHEMAS_MANIFEST);
}

char *target_path(const struct target *target, const char *name, bool status, const char *query)
{
    struct buffer path = BUFFER_INIT(PATH_BYTES_MAX);
    size_t size;

    if (*target->group == '\0')
        buffer_append_format(&path, "/api/%s", target->version);
    else
        buffer_append_format(&path, "/apis/%s/%s", target->group, target->version);
    if (*target->namespace != '\0')
        buffer_append_format(&path, "/namespaces/%s", target->namespace);
    buffer_append_format(&path, "/%s", target->plural);
    if (name != NULL) {
        buffer_append_char(&path, '/');
        url_append_encoded(&path, name);
    }
    buffer_append_format(&path, "%s%s", status ? "/status" : "", query);
    return buffer_take(&path, &size);
}

char *delete_query(const struct delete_action *deletion)
{
    static const char *const policies[] = {"Background", "Foreground", "Orphan"};

    return deletion->propagation < 0
               ? xstrdup("")
               : xprintf("?propagationPolicy=%s", policies[deletion->propagation]);
}
