/* Properties of scenario files: any bytes are taken or refused with a place for each mistake, the
 * same way twice; what is taken is written as a file that is taken too, and can be linted.
 *
 * What stands behind the first line "%%" is what the file includes, whatever it calls it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fuzz/harness.h"
#include "scenarios/language/lint.h"
#include "scenarios/language/schemas.h"
#include "scenarios/search/document.h"

/** A matrix makes as many scenarios of one input: longer ones are only slow. */
#define BYTES_MAX 4096
#define SEPARATOR "\n%%\n"

struct input {
    const char *text;
    size_t size;
    const char *included; /* NULL: there is nothing to include */
    size_t included_size;
};

static struct input split(const uint8_t *bytes, size_t size)
{
    struct input input = {.text = (const char *)bytes, .size = size};
    size_t separator = strlen(SEPARATOR);

    for (size_t i = 0; i + separator <= size; i++) {
        if (memcmp(bytes + i, SEPARATOR, separator) == 0) {
            input.size = i + 1;
            input.included = input.text + i + separator;
            input.included_size = size - i - separator;
            break;
        }
    }
    return input;
}

static bool read_included(void *arg, const char *path, struct buffer *bytes, struct error *err)
{
    const struct input *input = arg;

    if (input->included == NULL)
        return error_set(err, ERROR_NOT_FOUND, "%s: no such file", path);
    buffer_append(bytes, input->included, input->included_size);
    return true;
}

static void check_problems(const struct problems *problems)
{
    assert(problems->count > 0);
    for (size_t i = 0; i < problems->count; i++) {
        assert(problems->items[i].place.line >= 1 && problems->items[i].place.column >= 1);
        assert(problems->items[i].text[0] != '\0');
    }
}

/** All that it filled in stands in it. */
static void check_reads_back(const struct schemas *schemas, const struct scenario *scenario)
{
    struct buffer text = BUFFER_INIT(SCENARIO_BYTES_MAX);
    struct json_object *tree = document_of(scenario->root);
    struct problems problems = {0};
    struct error err = ERROR_INIT;
    struct scenario *again;

    document_append(&text, tree, NULL);
    if (buffer_check(&text, &err)) {
        again =
            scenario_read_with(schemas, "suites/x/again.yaml", text.bytes, text.size, &problems);
        assert(again != NULL);
        assert(again->step_count == scenario->step_count);
        assert(again->objects.count == scenario->objects.count);
        scenario_free(again);
    }
    problems_release(&problems);
    (void)json_object_put(tree);
    buffer_release(&text);
}

/** Read once: they are the CRDs, the same for every input. */
static const struct schemas *the_schemas(void)
{
    static struct schemas *schemas;

    if (schemas == NULL)
        schemas = schemas_new();
    return schemas;
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct input input = split(bytes, size < BYTES_MAX ? size : BYTES_MAX);
    const struct scenario_files files = {read_included, &input, size % 2 == 1};
    const struct schemas *schemas = the_schemas();
    struct problems problems = {0};
    struct problems warnings = {0};
    struct scenario **items = NULL;
    size_t count = 0;

    if (!scenario_read_all(schemas, "suites/x/y.yaml", input.text, input.size, &files, &problems,
                           &items, &count)) {
        check_problems(&problems);
    } else {
        assert(count >= 1 && count <= SCENARIO_VARIANTS_MAX && problems.count == 0);
        for (size_t i = 0; i < count; i++) {
            lint(items[i], &warnings);
            if (i == 0)
                check_reads_back(schemas, items[i]);
            scenario_free(items[i]);
        }
        free(items);
    }
    problems_release(&warnings);
    problems_release(&problems);
    return 0;
}
