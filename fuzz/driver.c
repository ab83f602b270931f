/* driver - main() of every fuzzer.
 *
 * Built by afl-clang-fast it is an AFL++ persistent harness with its test cases in shared memory.
 * Built by anything else, or when files or directories are named, it replays those, directories in
 * the order of their names, and says how many it ran. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "controller/base/memory.h"
#include "fuzz/harness.h"

static int fail(const char *path)
{
    fprintf(stderr, "fuzz: %s: %s\n", path, strerror(errno));
    return -1;
}

/* On memory of exactly its size, so that a read past its end is seen. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = xcalloc(1, size);

    if (size > 0)
        memcpy(copy, bytes, size);
    fuzz_one(copy, size);
    free(copy);
}

/* The number of inputs run, or -1. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;
    size_t size;

    if (file == NULL)
        return fail(path);
    bytes = xcalloc(1, FUZZ_BYTES_MAX);
    size = fread(bytes, 1, FUZZ_BYTES_MAX, file);
    if (ferror(file)) {
        free(bytes);
        fclose(file);
        return fail(path);
    }
    fclose(file);
    run(bytes, size);
    free(bytes);
    return 1;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay(const char *path);

static int replay_directory(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort);
    int total = 0;

    if (count < 0)
        return fail(path);
    for (int i = 0; i < count; i++) {
        if (total >= 0) {
            char *inside = xprintf("%s/%s", path, entries[i]->d_name);
            int ran = replay(inside);

            total = ran < 0 ? ran : total + ran;
            free(inside);
        }
        free(entries[i]);
    }
    free(entries);
    return total;
}

static int replay(const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return fail(path);
    return S_ISDIR(info.st_mode) ? replay_directory(path) : replay_file(path);
}

static int replay_all(int count, char **paths)
{
    int total = 0;

    for (int i = 0; i < count; i++) {
        int ran = replay(paths[i]);

        if (ran < 0)
            return 1;
        total += ran;
    }
    printf("%d inputs replayed\n", total);
    return 0;
}

#ifdef __AFL_FUZZ_TESTCASE_LEN

#include <unistd.h>

/* What AFL++'s own macros would be warned for. */
#pragma clang diagnostic ignored "-Wcast-qual"
#pragma clang diagnostic ignored "-Wshorten-64-to-32"

/* Runs of one process before AFL++ starts another. */
#define RUNS_MAX 10000

__AFL_FUZZ_INIT();

static int fuzz(void)
{
    unsigned char *bytes;

    __AFL_INIT();
    bytes = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(RUNS_MAX)) {
        size_t size = (size_t)__AFL_FUZZ_TESTCASE_LEN;

        run(bytes, size < FUZZ_BYTES_MAX ? size : FUZZ_BYTES_MAX);
    }
    return 0;
}

#else

static int fuzz(void)
{
    fputs("usage: fuzz_NAME FILE-OR-DIRECTORY...\n", stderr);
    return 2;
}

#endif

int main(int argc, char **argv)
{
    return argc > 1 ? replay_all(argc - 1, argv + 1) : fuzz();
}
