#include "controller/kinds/text_list.h"

#include <stdlib.h>

#include "controller/base/memory.h"

void text_list_add(struct text_list *list, const char *text)
{
    /* Doubling at powers of two: the count alone says when the room is used up. */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count == 0 ? 1 : 2 * list->count;

        list->items = xrealloc(list->items, room * sizeof(*list->items));
    }
    list->items[list->count++] = xstrdup(text);
}

void text_list_release(struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct text_list){0};
}
