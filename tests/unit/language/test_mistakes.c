/* A newcomer's mistakes: each file of tests/language/mistakes gets exactly one message, the one in
 * its first line. Its second line is for tests/language/schema. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/scenario.h"

#define FOLDER "tests/language/mistakes"
#define FILE_BYTES_MAX 65536
/** As many are promised. */
#define MISTAKES_MIN 60

static void read_file(const char *name, struct buffer *bytes)
{
    char *path = xprintf(FOLDER "/%s", name);
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t size;

    if (file == NULL)
        fail_msg("%s: cannot be opened", path);
    while ((size = fread(piece, 1, sizeof(piece), file)) > 0)
        buffer_append(bytes, piece, size);
    (void)fclose(file);
    free(path);
}

static void check_file(const char *name)
{
    struct buffer bytes = BUFFER_INIT(FILE_BYTES_MAX);
    struct buffer report = BUFFER_INIT(FILE_BYTES_MAX);
    struct problems problems = {0};
    struct scenario *scenario;
    char *wanted;

    read_file(name, &bytes);
    if (!text_starts_with(buffer_text(&bytes), "# "))
        fail_msg("%s: says no message in its first line", name);
    wanted = xprintf("%s:%.*s\n", name, (int)strcspn(bytes.bytes + 2, "\n"), bytes.bytes + 2);
    scenario = scenario_read(name, bytes.bytes, bytes.size, &problems);
    problems_append(&problems, name, &report);
    if (strcmp(buffer_text(&report), wanted) != 0)
        fail_msg("%s\nsaid:   %swanted: %s", name, buffer_text(&report), wanted);
    assert_null(scenario);
    free(wanted);
    problems_release(&problems);
    buffer_release(&report);
    buffer_release(&bytes);
}

static int is_yaml(const struct dirent *entry)
{
    return text_ends_with(entry->d_name, ".yaml");
}

static void test_each_mistake_gets_its_message(void **state)
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_yaml, alphasort);

    (void)state;
    assert_true(count >= MISTAKES_MIN);
    for (int i = 0; i < count; i++) {
        check_file(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_mistake_gets_its_message)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
