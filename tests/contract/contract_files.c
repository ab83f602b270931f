/* contract_files - files of the server's process. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "tests/contract/contract.h"

static char *path_of(struct contract_world *world, const char *name)
{
    return xprintf("%s/%s", world->directory, name);
}

static void write_text(struct contract_world *world, const char *name, const char *text)
{
    struct error err = ERROR_INIT;
    char *path = path_of(world, name);

    if (!runtime_write_file(world->server, path, text, strlen(text), false, &err))
        fail_msg("%s", err.text);
    free(path);
}

static enum error_kind read_kind(struct contract_world *world, const char *name, size_t size_max)
{
    struct error err = ERROR_INIT;
    struct buffer bytes = BUFFER_INIT(size_max);
    char *path = path_of(world, name);
    bool ok = runtime_read_file(world->server, path, &bytes, &err);

    buffer_release(&bytes);
    free(path);
    assert_true(ok == (err.kind == ERROR_NONE));
    return err.kind;
}

static void what_is_written_is_read(struct contract_world *world)
{
    static const char content[] = "one\0two\nthree";
    struct buffer bytes = BUFFER_INIT(1000);
    struct error err = ERROR_INIT;
    char *path = path_of(world, "file");

    assert_true(runtime_write_file(world->server, path, content, sizeof(content), true, &err));
    buffer_append_text(&bytes, "before:");
    assert_true(runtime_read_file(world->server, path, &bytes, &err));
    assert_int_equal(bytes.size, 7 + sizeof(content));
    assert_memory_equal(bytes.bytes + 7, content, sizeof(content));
    buffer_release(&bytes);
    free(path);
}

static void writing_replaces(struct contract_world *world)
{
    struct buffer bytes = BUFFER_INIT(1000);
    struct error err = ERROR_INIT;
    char *path = path_of(world, "file");

    write_text(world, "file", "a long first content");
    write_text(world, "file", "second");
    assert_true(runtime_read_file(world->server, path, &bytes, &err));
    assert_string_equal(buffer_text(&bytes), "second");
    buffer_release(&bytes);
    free(path);
}

static void an_empty_file_is_one(struct contract_world *world)
{
    write_text(world, "empty", "");
    assert_int_equal(read_kind(world, "empty", 0), ERROR_NONE);
}

static void reading_has_a_limit(struct contract_world *world)
{
    write_text(world, "file", "12345");
    assert_int_equal(read_kind(world, "file", 5), ERROR_NONE);
    assert_int_equal(read_kind(world, "file", 4), ERROR_TOO_LARGE);
}

static void a_missing_file_is_not_found(struct contract_world *world)
{
    struct error err = ERROR_INIT;
    struct file_info info;
    char *path = path_of(world, "missing");

    assert_int_equal(read_kind(world, "missing", 10), ERROR_NOT_FOUND);
    assert_false(runtime_stat_file(world->server, path, &info, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    error_clear(&err);
    assert_false(runtime_remove_file(world->server, path, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_non_null(strstr(err.text, path)); /* says which */
    free(path);
}

static void a_missing_directory_is_not_found(struct contract_world *world)
{
    struct error err = ERROR_INIT;
    char **names = NULL;
    size_t count = 0;
    char *path = path_of(world, "missing");
    char *inside = path_of(world, "missing/file");

    assert_false(runtime_list_files(world->server, path, &names, &count, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    error_clear(&err);
    assert_false(runtime_write_file(world->server, inside, "x", 1, false, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    free(path);
    free(inside);
}

static void a_list_is_sorted_and_holds_nothing_else(struct contract_world *world)
{
    static const char *const written[] = {"b", "a.yaml", "c", "B", "a", "10", "9"};
    static const char *const want[] = {"10", "9", "B", "a", "a.yaml", "b", "c"};
    struct error err = ERROR_INIT;
    char **names = NULL;
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(written); i++)
        write_text(world, written[i], "x");
    assert_true(runtime_list_files(world->server, world->directory, &names, &count, &err));
    assert_int_equal(count, ARRAY_SIZE(want)); /* no file beside them is left */
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(names[i], want[i]);
        free(names[i]);
    }
    free(names);
}

static void a_file_is_as_old_as_its_content(struct contract_world *world)
{
    struct error err = ERROR_INIT;
    struct file_info info;
    int64_t before_us = runtime_wall_us(world->server);
    char *path = path_of(world, "file");
    int64_t after_us;

    write_text(world, "file", "123");
    after_us = runtime_wall_us(world->server);
    assert_true(runtime_stat_file(world->server, path, &info, &err));
    assert_int_equal(info.size, 3);
    assert_false(info.directory);
    /* file systems round, and the kernel stamps with a coarser clock */
    assert_true(info.changed_at_us >= before_us - US_PER_SECOND);
    assert_true(info.changed_at_us <= after_us + US_PER_SECOND);
    assert_true(runtime_stat_file(world->server, world->directory, &info, &err));
    assert_true(info.directory);
    free(path);
}

static void what_is_removed_is_gone(struct contract_world *world)
{
    struct error err = ERROR_INIT;
    char *path = path_of(world, "file");

    write_text(world, "file", "123");
    assert_true(runtime_remove_file(world->server, path, &err));
    assert_int_equal(read_kind(world, "file", 10), ERROR_NOT_FOUND);
    free(path);
}

static bool can_write(struct contract_world *world, const char *name)
{
    struct error err = ERROR_INIT;
    char *path = path_of(world, name);
    bool ok = runtime_try_file(world->server, path, &err);

    assert_true(ok == (err.kind == ERROR_NONE));
    free(path);
    return ok;
}

static void trying_a_file_changes_nothing(struct contract_world *world)
{
    struct error err = ERROR_INIT;
    char **names = NULL;
    size_t count = 0;

    write_text(world, "old", "content");
    assert_true(can_write(world, "old"));
    assert_true(can_write(world, "new"));
    assert_false(can_write(world, "missing/file"));
    assert_false(can_write(world, ""));
    assert_int_equal(read_kind(world, "old", 7), ERROR_NONE);
    assert_int_equal(read_kind(world, "new", 7), ERROR_NOT_FOUND);
    assert_true(runtime_list_files(world->server, world->directory, &names, &count, &err));
    assert_int_equal(count, 1);
    free(names[0]);
    free(names);
}

const struct contract_case contract_files[] = {
    {"file/what_is_written_is_read",                 what_is_written_is_read                },
    {"file/writing_replaces",                        writing_replaces                       },
    {"file/an_empty_file_is_one",                    an_empty_file_is_one                   },
    {"file/reading_has_a_limit",                     reading_has_a_limit                    },
    {"file/a_missing_file_is_not_found",             a_missing_file_is_not_found            },
    {"file/a_missing_directory_is_not_found",        a_missing_directory_is_not_found       },
    {"file/a_list_is_sorted_and_holds_nothing_else", a_list_is_sorted_and_holds_nothing_else},
    {"file/is_as_old_as_its_content",                a_file_is_as_old_as_its_content        },
    {"file/trying_a_file_changes_nothing",           trying_a_file_changes_nothing          },
    {"file/what_is_removed_is_gone",                 what_is_removed_is_gone                },
    {NULL,                                           NULL                                   },
};
