/* The disk of a host. */
#include "tests/unit/sim/fixture.h"

struct disk {
    struct sim *sim;
    struct sim_process *process;
    struct runtime *rt;
    struct error err;
};

static void disk_init(struct disk *disk)
{
    *disk = (struct disk){.sim = new_world(1)};
    disk->process = new_process(disk->sim, "ctl-0", NULL);
    disk->rt = sim_process_runtime(disk->process);
}

static void check_content(struct disk *disk, const char *path, const char *want)
{
    struct buffer bytes = BUFFER_INIT(1000);

    if (!runtime_read_file(disk->rt, path, &bytes, &disk->err))
        fail_msg("%s", disk->err.text);
    assert_string_equal(buffer_text(&bytes), want);
    buffer_release(&bytes);
}

static enum error_kind read_error(struct disk *disk, const char *path, size_t size_max)
{
    struct buffer bytes = BUFFER_INIT(size_max);
    bool ok = runtime_read_file(disk->rt, path, &bytes, &disk->err);

    buffer_release(&bytes);
    return ok ? ERROR_NONE : disk->err.kind;
}

static void test_write_and_read(void **state)
{
    struct file_info info;
    struct disk disk;

    (void)state;
    disk_init(&disk);
    sim_file_make_directory(disk.process, "/data/deep");
    assert_true(sim_run_until(disk.sim, US_PER_SECOND));
    assert_true(runtime_write_file(disk.rt, "/data/deep/a", "one", 3, true, &disk.err));
    assert_true(runtime_write_file(disk.rt, "/data//deep/./a", "other", 5, true, &disk.err));
    check_content(&disk, "/data/deep/a", "other");
    assert_true(runtime_stat_file(disk.rt, "/data/deep/a", &info, &disk.err));
    assert_int_equal(info.size, 5);
    assert_int_equal(info.changed_at_us, START_US + US_PER_SECOND);
    assert_false(info.directory);
    assert_true(runtime_stat_file(disk.rt, "/data", &info, &disk.err));
    assert_true(info.directory);
    sim_process_restart(disk.process);
    disk.rt = sim_process_runtime(disk.process);
    check_content(&disk, "data/x/../deep/a", "other");
    assert_true(runtime_remove_file(disk.rt, "/data/deep/a", &disk.err));
    assert_int_equal(read_error(&disk, "/data/deep/a", 10), ERROR_NOT_FOUND);
    sim_free(disk.sim);
}

static void test_errors(void **state)
{
    struct disk disk;

    (void)state;
    disk_init(&disk);
    sim_file_put(disk.process, "/d/f", "12345", 5);
    assert_int_equal(read_error(&disk, "/nothing", 10), ERROR_NOT_FOUND);
    assert_int_equal(read_error(&disk, "/d", 10), ERROR_IO);
    assert_int_equal(read_error(&disk, "/d/f", 4), ERROR_TOO_LARGE);
    assert_int_equal(read_error(&disk, "/d/f", 5), ERROR_NONE);
    assert_false(runtime_write_file(disk.rt, "/no/where", "x", 1, false, &disk.err));
    assert_int_equal(disk.err.kind, ERROR_NOT_FOUND);
    assert_false(runtime_remove_file(disk.rt, "/nothing", &disk.err));
    assert_int_equal(disk.err.kind, ERROR_NOT_FOUND);
    sim_file_break(disk.process, "/d/f", ERROR_DENIED);
    assert_int_equal(read_error(&disk, "/d/f", 10), ERROR_DENIED);
    sim_file_break(disk.process, "/d/f", ERROR_NONE);
    assert_int_equal(read_error(&disk, "/d/f", 10), ERROR_NONE);
    sim_free(disk.sim);
}

static void test_full_disk(void **state)
{
    struct disk disk;

    (void)state;
    disk_init(&disk);
    sim_process_set_disk_size(disk.process, 10);
    assert_true(runtime_write_file(disk.rt, "/a", "12345", 5, false, &disk.err));
    assert_true(runtime_write_file(disk.rt, "/b", "12345", 5, false, &disk.err));
    assert_false(runtime_write_file(disk.rt, "/c", "1", 1, false, &disk.err));
    assert_int_equal(disk.err.kind, ERROR_IO);
    assert_false(runtime_write_file(disk.rt, "/a", "123", 3, false, &disk.err));
    check_content(&disk, "/a", "12345"); /* the old content is whole */
    sim_free(disk.sim);
}

static void test_list(void **state)
{
    struct disk disk;
    char **names;
    size_t count;

    (void)state;
    disk_init(&disk);
    sim_file_put(disk.process, "/d/b", "", 0);
    sim_file_put(disk.process, "/d/a/deep", "", 0);
    sim_file_put(disk.process, "/da", "", 0);
    assert_true(runtime_list_files(disk.rt, "/d/", &names, &count, &disk.err));
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    free(names[0]);
    free(names[1]);
    free(names);
    assert_false(runtime_list_files(disk.rt, "/nothing", &names, &count, &disk.err));
    assert_int_equal(disk.err.kind, ERROR_NOT_FOUND);
    assert_false(runtime_list_files(disk.rt, "/da", &names, &count, &disk.err));
    assert_int_equal(disk.err.kind, ERROR_IO);
    sim_files_remove_all(disk.process);
    assert_true(runtime_list_files(disk.rt, "/", &names, &count, &disk.err));
    assert_int_equal(count, 0);
    free(names);
    sim_free(disk.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_list),
    };

    return cmocka_run_group_tests_name("sim/files", tests, NULL, NULL);
}
