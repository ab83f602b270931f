/* play - see play.h. */
#include "scenarios/live/play.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/language/targets.h"

/* --- time and failures --- */

int64_t play_now_us(struct play *play)
{
    return caller_now_us(play->stage.caller) - play->began_us;
}

bool play_has_failed(const struct play *play)
{
    return play->outcome->reason != NULL;
}

void play_fail(struct play *play, const char *identity, const char *details, const char *format,
               ...)
{
    struct buffer text = BUFFER_INIT(PLAY_TEXT_BYTES_MAX);
    va_list values;
    size_t size;

    if (play_has_failed(play))
        return;
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    play->outcome->reason = buffer_take(&text, &size);
    play->outcome->failure = xstrdup(identity);
    play->outcome->details = details == NULL || *details == '\0' ? NULL : xstrdup(details);
}

void play_fail_by(struct play *play, const struct error *err)
{
    play_fail(play, "cannot be played", NULL, "%s", err->text);
}

/* --- objects --- */

struct json_object *play_objects(struct play *play, const struct target *target)
{
    char *path = target_path(target, target->name, false, "");
    struct error err = ERROR_INIT;
    struct json_object *tree = NULL;
    struct json_object *items = NULL;

    if (!caller_read(play->stage.caller, &play->stage.server, path, &tree, &err)) {
        play_fail_by(play, &err);
    } else if (target->name != NULL) {
        items = json_object_new_array();
        if (tree != NULL)
            json_add(items, json_object_get(tree));
    } else {
        items = json_get_array(tree, "items");
        items = items == NULL ? json_object_new_array() : json_object_get(items);
    }
    (void)json_object_put(tree);
    free(path);
    return items;
}
