#include "fakeapi/cluster/owner_index.h"

#include "tests/unit/cluster/quoted.h"

/* A store that the index follows. */
struct world {
    struct store *store;
    struct store_resource *things;
    struct owner_index *index;
};

static void on_change(void *arg, const struct store_event *event)
{
    owner_index_note(((struct world *)arg)->index, event);
}

static const struct store_observer observer = {on_change};

static void ignore(void *arg)
{
    (void)arg;
}

static void put(struct world *world, const char *json)
{
    struct json_object *tree = quoted(json);
    const struct json_object *metadata = json_get(tree, "metadata");
    const struct store_object *old =
        store_get(world->things, "ns", json_get_text(metadata, "name"));
    struct error err = ERROR_INIT;
    bool ok = old == NULL ? store_create(world->things, tree, NULL, &err)
                          : store_update(world->things, old, tree, NULL, &err);

    if (!ok)
        fail_msg("%s: %s", json, err.text);
    json_object_put(tree);
    store_deliver(world->store);
}

static void remove_thing(struct world *world, const char *name)
{
    struct error err = ERROR_INIT;

    assert_true(store_delete(world->things, store_get(world->things, "ns", name), NULL, &err));
    store_deliver(world->store);
}

#define THING(name, uid, owners)                                                                   \
    "{'apiVersion':'v1','kind':'Thing','metadata':{'name':'" name "','namespace':'ns','uid':'" uid \
    "','ownerReferences':[" owners "]}}"
#define OWNER(uid) "{'apiVersion':'v1','kind':'Thing','name':'o','uid':'" uid "'}"

static int set_up(void **state)
{
    const struct store_options options = {.schedule = ignore};
    const struct store_resource_options things = {
        .group = "", .plural = "things", .namespaced = true};
    struct world *world = xcalloc(1, sizeof(*world));

    world->store = store_new(&options);
    world->things = store_add_resource(world->store, &things);
    world->index = owner_index_new(world->store);
    store_observe(world->store, &observer, world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    owner_index_free(world->index);
    store_free(world->store);
    free(world);
    return 0;
}

/* The uids of dependents, joined. */
static void expect_dependents(const struct world *world, const char *uid, const char *want)
{
    char got[64] = "";
    size_t count;
    char **uids = owner_index_dependents(world->index, uid, &count);

    for (size_t i = 0; i < count; i++) {
        strcat(got, i == 0 ? "" : ",");
        strcat(got, uids[i]);
    }
    owner_uids_free(uids, count);
    if (strcmp(got, want) != 0)
        fail_msg("of %s: %s, not %s", uid, got, want);
}

static void test_dependents(void **state)
{
    struct world *world = *state;

    put(world, THING("a", "u1", ""));
    put(world, THING("b", "u2", OWNER("u1")));
    put(world, THING("c", "u3", OWNER("u1") "," OWNER("u2")));
    expect_dependents(world, "u1", "u2,u3");
    expect_dependents(world, "u2", "u3");
    expect_dependents(world, "u3", "");
    /* a new list of owners takes the place of the old one */
    put(world, THING("b", "u2", OWNER("u3")));
    expect_dependents(world, "u1", "u3");
    expect_dependents(world, "u3", "u2");
    assert_int_equal(owner_index_dependent_count(world->index, "u3"), 1);
    remove_thing(world, "b");
    expect_dependents(world, "u3", "");
}

static void test_absent_owner(void **state)
{
    struct world *world = *state;

    put(world, THING("b", "u2", OWNER("u1")));
    assert_null(owner_index_find(world->index, "u1"));
    expect_dependents(world, "u1", "u2");
    put(world, THING("a", "u1", ""));
    assert_string_equal(owner_index_find(world->index, "u1")->name, "a");
    remove_thing(world, "a");
    assert_null(owner_index_find(world->index, "u1"));
    expect_dependents(world, "u1", "u2");
}

/* In the order of their coming, whatever changed since; twice the same owner counts once. */
static void test_order(void **state)
{
    struct world *world = *state;

    put(world, THING("z", "u9", OWNER("u1")));
    put(world, THING("b", "u2", OWNER("u1") "," OWNER("u1")));
    put(world, THING("z", "u9", ""));
    put(world, THING("z", "u9", OWNER("u1")));
    expect_dependents(world, "u1", "u9,u2");
}

static void test_itself(void **state)
{
    struct world *world = *state;

    put(world, THING("a", "u1", OWNER("u1")));
    expect_dependents(world, "u1", "u1");
    remove_thing(world, "a");
    expect_dependents(world, "u1", "");
}

/* Found by uid, and only as long as it is the same object. */
static void test_object(void **state)
{
    struct world *world = *state;
    const struct owner_node *node;
    struct json_object *tree = quoted(THING("a", "u2", ""));
    struct error err = ERROR_INIT;

    put(world, THING("a", "u1", ""));
    node = owner_index_find(world->index, "u1");
    assert_string_equal(owner_node_object(node)->name, "a");
    assert_true(store_delete(world->things, store_get(world->things, "ns", "a"), NULL, &err));
    assert_null(owner_node_object(node));
    assert_true(store_create(world->things, tree, NULL, &err));
    assert_null(owner_node_object(node));
    json_object_put(tree);
    store_deliver(world->store);
    assert_non_null(owner_index_find(world->index, "u2"));
}

static void test_begins_with_what_is_there(void **state)
{
    struct world *world = *state;
    struct owner_index *later;
    size_t count;
    char **uids;

    put(world, THING("a", "u1", ""));
    put(world, THING("b", "u2", OWNER("u1")));
    later = owner_index_new(world->store);
    assert_int_equal(owner_index_dependent_count(later, "u1"), 1);
    uids = owner_index_all(later, &count);
    assert_int_equal(count, 2);
    owner_uids_free(uids, count);
    owner_index_free(later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_dependents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_absent_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_object, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_begins_with_what_is_there, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
