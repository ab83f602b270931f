/* Properties of kube/list_wire: a page that passed the gate is read to its end, each item once, and
 * what is handed over is whole JSON of the right type. */
#include <assert.h>
#include <stdlib.h>

#include "controller/kube/list_wire.h"
#include "fuzz/harness.h"

static const char *const columns[] = {"Phase", "Station", "Job"};

static void check_slice(struct json_slice slice, enum json_type type)
{
    struct json_object *value = json_slice_parse(slice);

    assert(json_is(value, type));
    json_object_put(value);
}

static void check_item(const struct kube_item *item, size_t column_count)
{
    char *name = json_slice_text(json_slice_get(item->metadata, "name"));

    assert(name != NULL && name[0] != '\0');
    free(name);
    check_slice(item->metadata, json_type_object);
    if (item->cells == NULL)
        check_slice(item->object, json_type_object);
    for (size_t i = 0; item->cells != NULL && i < column_count; i++) {
        assert(item->cells[i].size > 0);
        json_object_put(json_slice_parse(item->cells[i]));
    }
}

static void check_items(struct list_page *page, size_t column_count)
{
    struct json_slice ignored;
    struct kube_item item;
    enum list_page_item step;
    size_t next = 0, steps = 0, count = 0;

    while ((step = list_page_next(page, &item)) != LIST_ITEM_NONE) {
        steps++;
        if (step == LIST_ITEM)
            check_item(&item, column_count);
    }
    while (json_slice_next(page->items, &next, &ignored))
        count++;
    assert(steps == count);
}

static void check_page(struct json_slice body, size_t column_count)
{
    struct list_page page;
    enum list_page_form form = list_page_open(body, columns, column_count, &page);

    if (form == LIST_PAGE_TABLE || form == LIST_PAGE_PLAIN)
        check_items(&page, column_count);
    list_page_release(&page);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct json_slice body = {(const char *)bytes, size};

    if (!json_check(bytes, size, FUZZ_BYTES_MAX, NULL))
        return 0;
    check_page(body, 0);
    check_page(body, sizeof(columns) / sizeof(columns[0]));
    return 0;
}
