/* text_list - an owned array of owned texts, in the order written. */
#ifndef CONTROLLER_KINDS_TEXT_LIST_H
#define CONTROLLER_KINDS_TEXT_LIST_H

#include <stddef.h>

struct text_list {
    char **items; /* count of them, none NULL */
    size_t count;
};

/** Copies the text to the end. */
void text_list_add(struct text_list *list, const char *text);
/** Frees the texts; the list is empty after. */
void text_list_release(struct text_list *list);

#endif
