/* include - see include.h. */
#include "scenarios/language/include.h"

#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/expand.h"
#include "scenarios/language/syntax.h"

/** All files of one scenario together. */
#define INCLUDED_BYTES_MAX ((size_t)4 * SCENARIO_BYTES_MAX)
/** Most parts of a path. */
#define PARTS_MAX 64

struct included {
    const char *relative; /* to the scenario's folder */
    const struct yaml_node *root;
    bool open;
};

struct includes {
    struct arena *arena;
    const struct scenario_files *files;
    const char *folder; /* of the scenario; "" for the present one, else with its slash */
    struct included items[EXPAND_FILES_MAX];
    size_t count;
    size_t stack[EXPAND_DEPTH_MAX + 1];
    size_t depth;
    size_t bytes;
};

static const char *folder_of(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? "" : arena_format(arena, "%.*s", (int)(slash - path + 1), path);
}

struct includes *includes_new(struct arena *arena, const char *path,
                              const struct scenario_files *files)
{
    struct includes *includes = arena_alloc(arena, sizeof(*includes));

    includes->arena = arena;
    includes->files = files;
    includes->folder = folder_of(arena, path);
    return includes;
}

char *include_path(struct arena *arena, const char *folder, const char *written, unsigned above)
{
    const char *parts[PARTS_MAX];
    size_t sizes[PARTS_MAX];
    size_t count = 0;
    unsigned up = 0;
    char *joined = arena_format(arena, "%s%s", folder, written);
    char *path = arena_text(arena, "");

    if (*written == '/' || *written == '\0')
        return NULL;
    for (const char *part = joined; *part != '\0';) {
        size_t size = strcspn(part, "/");

        if (size == 2 && memcmp(part, "..", 2) == 0) {
            up += count == 0;
            count -= count > 0;
        } else if (size > 0 && !(size == 1 && *part == '.')) {
            if (count == PARTS_MAX)
                return NULL;
            parts[count] = part;
            sizes[count++] = size;
        }
        part += size + (part[size] == '/');
    }
    if (up > above || count == 0)
        return NULL;
    for (unsigned i = 0; i < up; i++)
        path = arena_format(arena, "%s../", path);
    for (size_t i = 0; i < count; i++)
        path = arena_format(arena, "%s%s%.*s", path, i == 0 ? "" : "/", (int)sizes[i], parts[i]);
    return path;
}

/* --- reading --- */

static void free_document(void *document)
{
    yaml_free(document);
}

/** Says of every node which file it is from. The document is ours. */
static void stamp(struct yaml_node *node, const char *file)
{
    node->file = file;
    for (size_t i = 0; node->kind != YAML_SCALAR && i < node->member_count; i++) {
        node->members[i].key_file = file;
        stamp(node->members[i].value, file);
    }
}

/** Without the "line L, column C: " that the error begins with. */
static const char *bare(const char *text)
{
    const char *colon = text_starts_with(text, "line ") ? strstr(text, ": ") : NULL;

    return colon == NULL ? text : colon + 2;
}

static struct yaml_node *parse(struct includes *includes, struct reader *reader, const char *path,
                               const struct buffer *bytes)
{
    struct place place = {1, 1, path};
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct yaml_node *root;

    if (!yaml_parse(bytes->bytes, bytes->size, SCENARIO_BYTES_MAX, &document, &place.line,
                    &place.column, &err)) {
        syntax_problem(reader->problems, place, bytes->bytes, bytes->size, bare(err.text));
        return NULL;
    }
    arena_own(includes->arena, document, free_document);
    if (yaml_root(document) == NULL) {
        problems_add(reader->problems, place, "the file is empty");
        return NULL;
    }
    root = arena_alloc(includes->arena, sizeof(*root));
    *root = *yaml_root(document);
    stamp(root, path);
    return root;
}

static const struct yaml_node *read_file(struct includes *includes, struct reader *reader,
                                         const struct yaml_node *name, const char *relative)
{
    struct buffer bytes = BUFFER_INIT(SCENARIO_BYTES_MAX);
    const char *path = arena_format(
        includes->arena, "%s%s", *includes->folder == '/' ? "/" : "",
        text_or(include_path(includes->arena, includes->folder, relative, PARTS_MAX), relative));
    const struct yaml_node *root = NULL;
    struct error err = ERROR_INIT;

    if (!includes->files->read(includes->files->arg, path, &bytes, &err))
        reader_problem(reader, name, "%s", err.text);
    else if (includes->bytes + bytes.size > INCLUDED_BYTES_MAX)
        reader_problem(reader, name, "the included files are larger than %zu bytes together",
                       INCLUDED_BYTES_MAX);
    else
        root = parse(includes, reader, path, &bytes);
    includes->bytes += bytes.size;
    buffer_release(&bytes);
    return root;
}

static struct included *find(struct includes *includes, const char *relative)
{
    for (size_t i = 0; i < includes->count; i++) {
        if (strcmp(includes->items[i].relative, relative) == 0)
            return &includes->items[i];
    }
    return NULL;
}

/** The folder, relative to the scenario's, of the file that is open. */
static const char *present_folder(const struct includes *includes)
{
    return includes->depth == 0
               ? ""
               : folder_of(includes->arena,
                           includes->items[includes->stack[includes->depth - 1]].relative);
}

const struct yaml_node *includes_open(struct includes *includes, struct reader *reader,
                                      const struct yaml_node *name)
{
    const char *relative = include_path(includes->arena, present_folder(includes), name->text, 1);
    struct included *file = relative == NULL ? NULL : find(includes, relative);

    if (includes->files == NULL || relative == NULL || includes->depth > EXPAND_DEPTH_MAX) {
        reader_problem(reader, name,
                       includes->files == NULL
                           ? "nothing can be included here: '%s'"
                           : "'%s' is not a path within this folder or the one above it",
                       name->text);
        return NULL;
    }
    if (file != NULL && file->open) {
        reader_problem(reader, name, "'%s' would include itself", name->text);
        return NULL;
    }
    if (file == NULL && includes->count == EXPAND_FILES_MAX) {
        reader_problem(reader, name, "more than %d files are included", EXPAND_FILES_MAX);
        return NULL;
    }
    if (file == NULL) {
        const struct yaml_node *root = read_file(includes, reader, name, relative);

        if (root == NULL)
            return NULL;
        file = &includes->items[includes->count++];
        *file = (struct included){relative, root, false};
    }
    file->open = true;
    includes->stack[includes->depth++] = (size_t)(file - includes->items);
    return file->root;
}

void includes_close(struct includes *includes)
{
    includes->items[includes->stack[--includes->depth]].open = false;
}
