/* Files of scenarios are found and read, reports are written whole or not at all. */
#include "scenarios/workers/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/memory.h"

static int set_up(void **state)
{
    char *folder = xstrdup("/tmp/scenario-files-XXXXXX");

    *state = folder;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static const char *const made[] = {"/b/two.yaml", "/b/one.yaml", "/a.yaml", "/notes.txt",
                                   "/b/.hidden.yaml"};

static int tear_down(void **state)
{
    char *folder = *state;
    char *path;

    for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
        path = xprintf("%s%s", folder, made[i]);
        (void)unlink(path);
        free(path);
    }
    path = xprintf("%s/b", folder);
    (void)rmdir(path);
    free(path);
    (void)rmdir(folder);
    free(folder);
    return 0;
}

static void test_a_folder_is_made_with_those_above(void **state)
{
    static const char *const parts[] = {"/new/er/est", "/new/er", "/new"};
    const char *folder = *state;
    struct error err = ERROR_INIT;
    char *path = xprintf("%s%s", folder, parts[0]);
    char *file = xprintf("%s/file", path);
    char *below = xprintf("%s/below", file);

    assert_true(file_prepare_folder("file", &err)); /* in this one */
    assert_true(file_prepare_folder(file, &err));
    assert_true(folder_prepare(path, &err)); /* it is there */
    assert_true(folder_check(path));
    assert_true(file_write(file, "x", 1, &err));
    assert_false(folder_prepare(file, &err));
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_false(folder_prepare(below, &err));
    assert_non_null(strstr(err.text, "Not a directory"));
    assert_int_equal(unlink(file), 0);
    free(below);
    free(file);
    free(path);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        path = xprintf("%s%s", folder, parts[i]);
        assert_int_equal(rmdir(path), 0);
        free(path);
    }
}

static void test_files_are_found_in_order(void **state)
{
    static const char *const want[] = {"/a.yaml", "/b/one.yaml", "/b/two.yaml"};
    const char *folder = *state;
    struct paths paths = {0};
    struct error err = ERROR_INIT;
    char *path = xprintf("%s/b", folder);

    assert_int_equal(mkdir(path, 0755), 0);
    free(path);
    for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
        path = xprintf("%s%s", folder, made[i]);
        assert_true(file_write(path, "x", 1, &err));
        free(path);
    }
    assert_true(paths_add(&paths, folder, &err));
    assert_int_equal(paths.count, ARRAY_SIZE(want));
    for (size_t i = 0; i < ARRAY_SIZE(want); i++)
        assert_string_equal(paths.items[i] + strlen(folder), want[i]);
    path = xprintf("%s/notes.txt", folder);
    assert_true(paths_add(&paths, path, &err)); /* named itself, it is taken */
    free(path);
    assert_int_equal(paths.count, 4);
    assert_false(paths_add(&paths, "/nowhere/at/all", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_string_equal(err.text, "/nowhere/at/all: No such file or directory");
    paths_release(&paths);
}

static void test_what_is_written_can_be_read(void **state)
{
    char *path = xprintf("%s/a.yaml", (const char *)*state);
    struct buffer bytes = BUFFER_INIT(5);
    struct error err = ERROR_INIT;

    assert_true(file_write(path, "first", 5, &err));
    assert_true(file_write(path, "again", 5, &err));
    assert_true(file_read(path, &bytes, &err));
    assert_string_equal(buffer_text(&bytes), "again");
    buffer_clear(&bytes);
    assert_true(file_write(path, "longer", 6, &err));
    assert_false(file_read(path, &bytes, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    buffer_release(&bytes);
    free(path);
}

static void test_a_full_disk_is_an_error(void **state)
{
    struct error err = ERROR_INIT;

    (void)state;
    assert_false(file_write("/dev/full", "x", 1, &err));
    assert_int_equal(err.kind, ERROR_IO);
    assert_string_equal(err.text, "/dev/full: No space left on device");
    assert_false(file_write("/nowhere/report.xml", "x", 1, &err));
    assert_string_equal(err.text, "/nowhere/report.xml: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_folder_is_made_with_those_above, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_files_are_found_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_written_can_be_read, set_up, tear_down),
        cmocka_unit_test(test_a_full_disk_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
