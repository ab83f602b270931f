#include "controller/kube/list_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

/* A null is how Go writes an empty list. */
static bool is_list(struct json_slice value)
{
    return json_slice_begins(value, '[') || json_slice_begins(value, 'n');
}

/* A text that is there and not empty, else NULL. */
static char *filled_text(struct json_slice object, const char *key)
{
    char *text = json_slice_text(json_slice_get(object, key));

    if (text != NULL && text[0] == '\0') {
        free(text);
        text = NULL;
    }
    return text;
}

/* The same, without the text. */
static bool is_filled(struct json_slice value)
{
    char *text;
    bool filled;

    if (!json_slice_begins(value, '"'))
        return false;
    if (memchr(value.bytes, '\\', value.size) == NULL)
        return value.size > 2;
    text = json_slice_text(value);
    filled = text != NULL; /* an escape stands for something */
    free(text);
    return filled;
}

/* --- the page --- */

static size_t find_wanted(const char *name, const char *const *columns, size_t count)
{
    size_t index = 0;

    while (index < count && !text_equal(columns[index], name))
        index++;
    return index;
}

/* Notes at which position each wanted column stands. False when one is missing. */
static bool map_columns(struct list_page *page, struct json_slice definitions,
                        const char *const *columns, size_t count)
{
    bool seen[KUBE_LIST_COLUMNS_MAX] = {false};
    struct json_slice definition;
    size_t next = 0, found = 0;

    if (!json_slice_begins(definitions, '['))
        return count == 0;
    for (size_t i = 0;
         i < LIST_TABLE_COLUMNS_MAX && json_slice_next(definitions, &next, &definition); i++) {
        char *name = json_slice_begins(definition, '{')
                         ? json_slice_text(json_slice_get(definition, "name"))
                         : NULL;
        size_t wanted = name == NULL ? count : find_wanted(name, columns, count);

        free(name);
        if (wanted == count || seen[wanted])
            continue;
        seen[wanted] = true;
        page->wanted_at[i] = (uint8_t)(wanted + 1);
        found++;
    }
    return found == count;
}

/* The members of a page that matter. */
struct page_parts {
    struct json_slice kind;
    struct json_slice metadata;
    struct json_slice definitions;
    struct json_slice rows;
    struct json_slice items;
};

static struct page_parts find_parts(struct json_slice body)
{
    struct page_parts parts = {0};
    const struct json_member wanted[] = {
        {"kind",              &parts.kind       },
        {"metadata",          &parts.metadata   },
        {"columnDefinitions", &parts.definitions},
        {"rows",              &parts.rows       },
        {"items",             &parts.items      },
    };

    json_slice_find(body, wanted, ARRAY_SIZE(wanted));
    return parts;
}

enum list_page_form list_page_open(struct json_slice body, const char *const *columns,
                                   size_t column_count, struct list_page *ret_page)
{
    struct page_parts parts = find_parts(body);
    char *kind = json_slice_text(parts.kind);
    bool table = text_equal(kind, "Table");

    assert(column_count <= KUBE_LIST_COLUMNS_MAX);
    free(kind);
    *ret_page = (struct list_page){.table = table, .column_count = column_count};
    ret_page->items = table ? parts.rows : parts.items;
    if (!json_slice_begins(parts.metadata, '{') || !is_list(ret_page->items))
        return LIST_PAGE_MALFORMED;
    ret_page->resource_version = filled_text(parts.metadata, "resourceVersion");
    ret_page->continue_token = filled_text(parts.metadata, "continue");
    if (!table)
        return LIST_PAGE_PLAIN;
    if (!map_columns(ret_page, parts.definitions, columns, column_count))
        return LIST_PAGE_COLUMNS_MISSING;
    return LIST_PAGE_TABLE;
}

void list_page_release(struct list_page *page)
{
    free(page->resource_version);
    free(page->continue_token);
    *page = (struct list_page){0};
}

bool list_page_is_empty(const struct list_page *page)
{
    struct json_slice item;
    size_t next = 0;

    return !json_slice_next(page->items, &next, &item);
}

/* --- items --- */

static bool read_metadata(struct json_slice object, struct json_slice *ret_metadata)
{
    if (!json_slice_begins(object, '{'))
        return false;
    *ret_metadata = json_slice_get(object, "metadata");
    if (!json_slice_begins(*ret_metadata, '{'))
        return false;
    return is_filled(json_slice_get(*ret_metadata, "name"));
}

/* False when the row is too short to have all of them. */
static bool read_cells(struct list_page *page, struct json_slice cells)
{
    struct json_slice cell;
    size_t next = 0, found = 0;

    if (!json_slice_begins(cells, '['))
        return false;
    for (size_t i = 0; i < LIST_TABLE_COLUMNS_MAX && json_slice_next(cells, &next, &cell); i++) {
        if (page->wanted_at[i] == 0)
            continue;
        page->cells[page->wanted_at[i] - 1] = cell;
        found++;
    }
    return found == page->column_count;
}

enum list_page_item list_page_next(struct list_page *page, struct kube_item *ret_item)
{
    struct json_slice item;
    bool ok;

    if (!json_slice_next(page->items, &page->next, &item))
        return LIST_ITEM_NONE;
    *ret_item = (struct kube_item){0};
    if (!json_slice_begins(item, '{'))
        return LIST_ITEM_MALFORMED;
    if (page->table) {
        struct json_slice cells = {0};
        struct json_slice object = {0};
        const struct json_member wanted[] = {
            {"cells",  &cells },
            {"object", &object},
        };

        json_slice_find(item, wanted, ARRAY_SIZE(wanted));
        ok = (page->bare || read_metadata(object, &ret_item->metadata)) && read_cells(page, cells);
        ret_item->cells = page->cells;
    } else {
        ok = read_metadata(item, &ret_item->metadata);
        ret_item->object = item;
    }
    return ok ? LIST_ITEM : LIST_ITEM_MALFORMED;
}
