/* The store: writes and their preconditions, history, watches, snapshots, observers. */
#include "fakeapi/store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

/* A store with one resource, and what its callbacks saw. */
struct fixture {
    struct store *store;
    struct store_resource *pods;
    unsigned wakes;
    unsigned schedules;
    char seen[512]; /* "ADDED a 2;" for each observed change */
    bool write_when_told;
};

static void on_schedule(void *arg)
{
    struct fixture *fixture = arg;

    fixture->schedules++;
}

static void on_wake(void *arg)
{
    struct fixture *fixture = arg;

    fixture->wakes++;
}

static struct fixture *setup(size_t history_events_max)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));
    struct store_options options = {
        .history_events_max = history_events_max, .schedule = on_schedule, .schedule_arg = fixture};
    struct store_resource_options pods = {.group = "", .plural = "pods", .namespaced = true};

    fixture->store = store_new(&options);
    fixture->pods = store_add_resource(fixture->store, &pods);
    return fixture;
}

static void teardown(struct fixture *fixture)
{
    store_free(fixture->store);
    free(fixture);
}

static struct json_object *make(const char *namespace, const char *name, int64_t value)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *metadata = json_ensure_object(tree, "metadata");

    json_set_text(metadata, "name", name);
    json_set_text(metadata, "namespace", namespace);
    json_set_int64(tree, "value", value);
    return tree;
}

static void create(struct fixture *fixture, const char *namespace, const char *name, int64_t value)
{
    struct json_object *tree = make(namespace, name, value);

    assert_true(store_create(fixture->pods, tree, NULL, NULL));
    json_object_put(tree);
}

static void update(struct fixture *fixture, const char *namespace, const char *name, int64_t value)
{
    struct json_object *tree = make(namespace, name, value);

    assert_true(
        store_update(fixture->pods, store_get(fixture->pods, namespace, name), tree, NULL, NULL));
    json_object_put(tree);
}

static void remove_pod(struct fixture *fixture, const char *namespace, const char *name)
{
    assert_true(store_delete(fixture->pods, store_get(fixture->pods, namespace, name), NULL, NULL));
}

static void test_writes(void **state)
{
    struct fixture *fixture = setup(0);
    struct json_object *tree = make("a", "x", 1);
    const struct store_object *first = NULL;
    const struct store_object *second = NULL;
    struct error err = ERROR_INIT;
    uint64_t start = store_revision(fixture->store);
    uint64_t deletion = 0;

    (void)state;
    assert_true(start > 0);
    assert_true(store_create(fixture->pods, tree, &first, &err));
    assert_int_equal(first->revision, start + 1);
    assert_ptr_equal(store_get(fixture->pods, "a", "x"), first);
    assert_null(store_get(fixture->pods, "b", "x"));
    assert_false(store_create(fixture->pods, tree, &second, &err));
    assert_int_equal(err.kind, ERROR_EXISTS);

    assert_true(store_update(fixture->pods, first, tree, &second, &err));
    assert_ptr_equal(second, first); /* nothing changed: no revision, no event (S4) */
    assert_int_equal(store_revision(fixture->store), start + 1);

    store_object_ref(first);
    json_set_int64(tree, "value", 2);
    assert_true(store_update(fixture->pods, first, tree, &second, &err));
    assert_int_equal(second->revision, start + 2);
    json_set_int64(tree, "value", 3);
    assert_false(store_update(fixture->pods, first, tree, NULL, &err)); /* S3 */
    assert_int_equal(err.kind, ERROR_CONFLICT);
    assert_false(store_delete(fixture->pods, first, NULL, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    assert_true(store_delete(fixture->pods, second, &deletion, &err));
    assert_int_equal(deletion, start + 3); /* S5 */
    assert_false(store_update(fixture->pods, first, tree, NULL, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(store_resource_count(fixture->pods), 0);
    store_object_unref(first);
    json_object_put(tree);
    teardown(fixture);
}

/* The keys of a snapshot in order: "a/x a/y ". */
static char *keys_of(const struct store_snapshot *snapshot, const char *namespace)
{
    struct buffer text = BUFFER_INIT(1 << 16);
    size_t first;
    size_t end;
    size_t size;

    store_snapshot_range(snapshot, namespace, &first, &end);
    buffer_append_text(&text, "");
    for (size_t i = first; i < end; i++)
        buffer_append_format(&text, "%s ", store_snapshot_object(snapshot, i)->key);
    return buffer_take(&text, &size);
}

static void check_keys(const struct store_snapshot *snapshot, const char *namespace,
                       const char *want)
{
    char *got = keys_of(snapshot, namespace);

    assert_string_equal(got, want);
    free(got);
}

static void test_order_and_ranges(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_snapshot *snapshot;

    (void)state;
    create(fixture, "b", "x", 1);
    create(fixture, "a", "y", 1);
    create(fixture, "a-b", "x", 1);
    create(fixture, "a", "x", 1);
    create(fixture, "a0", "x", 1);
    snapshot = store_snapshot_new(fixture->pods);
    check_keys(snapshot, NULL, "a-b/x a/x a/y a0/x b/x "); /* bytewise (L2) */
    check_keys(snapshot, "a", "a/x a/y ");
    check_keys(snapshot, "a-b", "a-b/x ");
    check_keys(snapshot, "none", "");
    assert_int_equal(store_snapshot_find(snapshot, "a/x"), 1);
    assert_int_equal(store_snapshot_find(snapshot, "a/xx"), 2);
    store_snapshot_free(snapshot);
    teardown(fixture);
}

static void test_snapshot_at(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_snapshot *snapshot = NULL;
    struct error err = ERROR_INIT;
    uint64_t then;

    (void)state;
    create(fixture, "a", "kept", 1);
    create(fixture, "a", "changed", 1);
    create(fixture, "a", "gone", 1);
    then = store_revision(fixture->store);
    create(fixture, "a", "new", 1);
    update(fixture, "a", "changed", 2);
    update(fixture, "a", "changed", 3);
    remove_pod(fixture, "a", "gone");
    create(fixture, "a", "gone", 9);
    remove_pod(fixture, "a", "new");

    assert_true(store_snapshot_at(fixture->pods, then, &snapshot, &err));
    assert_int_equal(store_snapshot_revision(snapshot), then);
    check_keys(snapshot, NULL, "a/changed a/gone a/kept ");
    assert_non_null(strstr(store_snapshot_object(snapshot, 0)->bytes->data, "\"value\":1"));
    assert_non_null(strstr(store_snapshot_object(snapshot, 1)->bytes->data, "\"value\":1"));
    store_snapshot_free(snapshot);

    assert_false(
        store_snapshot_at(fixture->pods, store_revision(fixture->store) + 1, &snapshot, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    store_compact(fixture->store, then);
    assert_true(store_snapshot_at(fixture->pods, then, &snapshot, &err));
    store_snapshot_free(snapshot);
    store_compact(fixture->store, then + 1);
    assert_false(store_snapshot_at(fixture->pods, then, &snapshot, &err));
    assert_int_equal(err.kind, ERROR_GONE);
    teardown(fixture);
}

static void check_then(struct fixture *fixture, uint64_t revision, const char *want,
                       const char *value)
{
    struct store_snapshot *snapshot = NULL;
    struct error err = ERROR_INIT;

    assert_true(store_snapshot_at(fixture->pods, revision, &snapshot, &err));
    check_keys(snapshot, NULL, want);
    assert_non_null(strstr(store_snapshot_object(snapshot, 0)->bytes->data, value));
    store_snapshot_free(snapshot);
}

/* Far back, where the store keeps what it rebuilt: the same again and again, whatever is written,
 * and no other revision's state in its place. */
static void test_snapshot_far_back(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_snapshot *snapshot = NULL;
    struct error err = ERROR_INIT;
    uint64_t first;
    uint64_t second;

    (void)state;
    create(fixture, "a", "x", 1000);
    first = store_revision(fixture->store);
    create(fixture, "a", "y", 1);
    second = store_revision(fixture->store);
    for (int i = 0; i < 200; i++)
        update(fixture, "a", "x", 2000 + i);
    remove_pod(fixture, "a", "y");
    for (int round = 0; round < 3; round++) {
        check_then(fixture, first, "a/x ", "\"value\":1000");
        update(fixture, "a", "x", 3000 + round);
        check_then(fixture, first, "a/x ", "\"value\":1000");
        check_then(fixture, second, "a/x a/y ", "\"value\":1000");
        check_then(fixture, second + 1, "a/x a/y ", "\"value\":2000");
    }
    check_then(fixture, first, "a/x ", "\"value\":1000");
    store_compact(fixture->store, first);
    check_then(fixture, first, "a/x ", "\"value\":1000");
    store_compact(fixture->store, second);
    assert_false(store_snapshot_at(fixture->pods, first, &snapshot, &err));
    assert_int_equal(err.kind, ERROR_GONE);
    check_then(fixture, second, "a/x a/y ", "\"value\":1000");
    teardown(fixture);
}

/* Everything a watch has now: "ADDED a/x 2;MODIFIED a/x 3;", and how it stands after. */
static enum store_watch_next drain(struct store_watch *watch, char *text, size_t size)
{
    const struct store_event *event = NULL;
    enum store_watch_next next;

    text[0] = '\0';
    while ((next = store_watch_next(watch, &event)) == STORE_WATCH_EVENT) {
        size_t used = strlen(text);

        snprintf(text + used, size - used, "%s %s %llu;", store_change_name(event->change),
                 event->object->key, (unsigned long long)event->revision);
    }
    return next;
}

static void test_watch(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_watch *watch = NULL;
    struct store_watch *ahead = NULL;
    char text[256];

    (void)state;
    create(fixture, "a", "x", 1);
    create(fixture, "a", "y", 1);
    assert_true(store_watch_new(fixture->pods, 2, on_wake, fixture, &watch, NULL));
    assert_true(store_watch_new(fixture->pods, 5, on_wake, fixture, &ahead, NULL));
    assert_int_equal(store_watch_revision(watch), 2);
    assert_int_equal(drain(watch, text, sizeof(text)), STORE_WATCH_IDLE);
    assert_string_equal(text, "ADDED a/y 3;");
    assert_int_equal(fixture->wakes, 0);
    update(fixture, "a", "x", 2);
    assert_int_equal(fixture->wakes, 2);
    remove_pod(fixture, "a", "x");
    create(fixture, "b", "z", 1);
    assert_int_equal(drain(watch, text, sizeof(text)), STORE_WATCH_IDLE);
    assert_string_equal(text, "MODIFIED a/x 4;DELETED a/x 5;ADDED b/z 6;");
    assert_int_equal(store_watch_revision(watch), 6);
    assert_int_equal(drain(ahead, text, sizeof(text)), STORE_WATCH_IDLE);
    assert_string_equal(text, "ADDED b/z 6;"); /* W3: only what is later */
    assert_int_equal(store_watch_count(fixture->store), 2);
    store_watch_free(ahead);
    store_end_watches(fixture->store, NULL, false);
    assert_int_equal(drain(watch, text, sizeof(text)), STORE_WATCH_ENDED);
    store_watch_free(watch);
    assert_int_equal(store_watch_count(fixture->store), 0);
    teardown(fixture);
}

static void test_watch_falls_behind(void **state)
{
    struct fixture *fixture = setup(4);
    struct store_resource_options jobs = {.group = "batch", .plural = "jobs"};
    struct store_resource *quiet = store_add_resource(fixture->store, &jobs);
    struct store_watch *slow = NULL;
    struct store_watch *idle = NULL;
    struct store_watch *late = NULL;
    struct error err = ERROR_INIT;
    uint64_t start = store_revision(fixture->store);
    char text[256];

    (void)state;
    assert_true(store_watch_new(fixture->pods, start, on_wake, fixture, &slow, NULL));
    assert_true(store_watch_new(quiet, start, on_wake, fixture, &idle, NULL));
    for (int i = 0; i < 4; i++)
        create(fixture, "a", (const char *[]){"1", "2", "3", "4"}[i], i);
    assert_int_equal(store_oldest_revision(fixture->store), start);
    assert_true(store_watch_new(fixture->pods, start, on_wake, fixture, &late, NULL));
    store_watch_free(late);
    create(fixture, "a", "5", 5); /* the first event falls off */
    assert_int_equal(store_oldest_revision(fixture->store), start + 1);
    assert_int_equal(drain(slow, text, sizeof(text)), STORE_WATCH_ENDED);
    assert_false(store_watch_new(fixture->pods, start, on_wake, fixture, &late, &err));
    assert_int_equal(err.kind, ERROR_GONE);
    assert_string_equal(err.text, "too old resource version: 1 (2)");
    /* It missed nothing, so it goes on. */
    assert_int_equal(drain(idle, text, sizeof(text)), STORE_WATCH_IDLE);
    store_watch_free(slow);
    store_watch_free(idle);
    teardown(fixture);
}

static void test_compaction(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_watch *behind = NULL;
    struct store_watch *caught_up = NULL;
    uint64_t start = store_revision(fixture->store);
    char text[256];

    (void)state;
    create(fixture, "a", "x", 1);
    assert_true(store_watch_new(fixture->pods, start, on_wake, fixture, &behind, NULL));
    assert_true(store_watch_new(fixture->pods, start + 1, on_wake, fixture, &caught_up, NULL));
    store_compact(fixture->store, store_revision(fixture->store));
    assert_int_equal(drain(behind, text, sizeof(text)), STORE_WATCH_GONE);
    assert_int_equal(drain(caught_up, text, sizeof(text)), STORE_WATCH_IDLE);
    create(fixture, "a", "y", 1);
    assert_int_equal(drain(caught_up, text, sizeof(text)), STORE_WATCH_IDLE);
    assert_string_equal(text, "ADDED a/y 3;");
    store_watch_free(behind);
    store_watch_free(caught_up);
    teardown(fixture);
}

static void test_history_bytes(void **state)
{
    struct store_options options = {.history_bytes_max = 200};
    struct fixture fixture = {.store = store_new(&options)};
    struct store_resource_options pods = {.group = "", .plural = "pods", .namespaced = true};

    (void)state;
    fixture.pods = store_add_resource(fixture.store, &pods);
    create(&fixture, "a", "x", 1); /* 78 bytes each */
    create(&fixture, "a", "y", 1);
    assert_int_equal(store_oldest_revision(fixture.store), 1);
    create(&fixture, "a", "z", 1);
    assert_int_equal(store_oldest_revision(fixture.store), 2);
    store_free(fixture.store);
}

static void on_change(void *arg, const struct store_event *event)
{
    struct fixture *fixture = arg;
    size_t used = strlen(fixture->seen);

    snprintf(fixture->seen + used, sizeof(fixture->seen) - used, "%s %s %llu;",
             store_change_name(event->change), event->object->name,
             (unsigned long long)event->revision);
    if (fixture->write_when_told) {
        fixture->write_when_told = false;
        create(fixture, "a", "told", 1);
        used = strlen(fixture->seen);
        snprintf(fixture->seen + used, sizeof(fixture->seen) - used, "written;");
    }
}

static const struct store_observer observer = {on_change};

static void test_observers(void **state)
{
    struct fixture *fixture = setup(0);

    (void)state;
    create(fixture, "a", "before", 1);
    store_observe(fixture->store, &observer, fixture);
    create(fixture, "a", "x", 1);
    remove_pod(fixture, "a", "x");
    assert_string_equal(fixture->seen, ""); /* not inside the write */
    assert_int_equal(fixture->schedules, 1);
    fixture->write_when_told = true;
    store_deliver(fixture->store);
    assert_string_equal(fixture->seen, "ADDED x 3;written;DELETED x 4;ADDED told 5;");
    create(fixture, "a", "y", 1);
    assert_int_equal(fixture->schedules, 2);
    store_unobserve(fixture->store, &observer, fixture);
    store_deliver(fixture->store);
    assert_string_equal(fixture->seen, "ADDED x 3;written;DELETED x 4;ADDED told 5;");
    create(fixture, "a", "z", 1);
    assert_int_equal(fixture->schedules, 2);
    teardown(fixture);
}

static void test_resources(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_resource_options options = {.group = "x.io", .plural = "pods"};
    struct store_resource *custom = store_add_resource(fixture->store, &options);
    struct store_watch *watch = NULL;
    char text[64];

    (void)state;
    assert_ptr_equal(store_find_resource(fixture->store, "x.io", "pods"), custom);
    assert_ptr_equal(store_find_resource(fixture->store, "", "pods"), fixture->pods);
    assert_ptr_equal(store_resource_at(fixture->store, 1), custom);
    assert_null(store_resource_at(fixture->store, 2));
    assert_true(store_watch_new(custom, 1, on_wake, fixture, &watch, NULL));
    store_remove_resource(custom);
    assert_int_equal(fixture->wakes, 1);
    assert_null(store_find_resource(fixture->store, "x.io", "pods"));
    assert_int_equal(drain(watch, text, sizeof(text)), STORE_WATCH_ENDED);
    store_watch_free(watch);
    teardown(fixture);
}

/* The deletions that emptied a collection are seen by those who watched it. */
static void test_removal(void **state)
{
    struct fixture *fixture = setup(0);
    struct store_watch *watch = NULL;
    struct store_watch *slow = NULL;
    char text[64];

    (void)state;
    create(fixture, "a", "x", 1);
    assert_true(store_watch_new(fixture->pods, 2, on_wake, fixture, &watch, NULL));
    assert_true(store_watch_new(fixture->pods, 1, on_wake, fixture, &slow, NULL));
    remove_pod(fixture, "a", "x");
    store_remove_resource(fixture->pods);
    assert_int_equal(store_watch_count(fixture->store), 0);
    assert_int_equal(drain(watch, text, sizeof(text)), STORE_WATCH_ENDED);
    assert_string_equal(text, "DELETED a/x 3;");
    store_compact(fixture->store, 3);
    assert_int_equal(drain(slow, text, sizeof(text)), STORE_WATCH_ENDED);
    assert_string_equal(text, "");
    store_watch_free(watch);
    store_watch_free(slow);
    teardown(fixture);
}

static void test_set_fields(void **state)
{
    static const char *const paths[] = {"value"};
    struct fixture *fixture = setup(0);

    (void)state;
    create(fixture, "a", "x", 7);
    assert_int_equal(store_get(fixture->pods, "a", "x")->field_count, 0);
    store_resource_set_fields(fixture->pods, paths, 1);
    assert_string_equal(store_get(fixture->pods, "a", "x")->fields[0], "7");
    assert_int_equal(store_get(fixture->pods, "a", "x")->revision, 2);
    create(fixture, "a", "y", 8);
    assert_string_equal(store_get(fixture->pods, "a", "y")->fields[0], "8");
    teardown(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes),      cmocka_unit_test(test_order_and_ranges),
        cmocka_unit_test(test_snapshot_at), cmocka_unit_test(test_snapshot_far_back),
        cmocka_unit_test(test_watch),       cmocka_unit_test(test_watch_falls_behind),
        cmocka_unit_test(test_compaction),  cmocka_unit_test(test_history_bytes),
        cmocka_unit_test(test_observers),   cmocka_unit_test(test_resources),
        cmocka_unit_test(test_removal),     cmocka_unit_test(test_set_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
