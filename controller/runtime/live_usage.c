/* live_usage - what this process takes of its machine, as the kernel tells it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live_internal.h"

/* Seven numbers of up to twenty digits. */
#define STATM_BYTES_MAX 256

static int64_t timeval_us(const struct timeval *time)
{
    return (int64_t)time->tv_sec * US_PER_SECOND + time->tv_usec;
}

static int64_t cpu_us(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    return timeval_us(&usage.ru_utime) + timeval_us(&usage.ru_stime);
}

/* A number of pages, which the first blank ends; *text is behind it after. -1 when it is none. */
static int64_t take_pages(char **text)
{
    char *number = strsep(text, " ");
    int64_t pages;

    if (number == NULL || !text_to_int64(number, &pages))
        return -1;
    return pages * sysconf(_SC_PAGESIZE);
}

/* proc(5): the first two numbers of statm are the whole size and the resident one. */
static void read_memory(struct process_usage *usage)
{
    char text[STATM_BYTES_MAX] = "";
    char *at = text;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
        text[0] = '\0';
    if (fd >= 0)
        close(fd);
    usage->virtual_bytes = take_pages(&at);
    usage->resident_bytes = take_pages(&at);
}

/* Without the one that it takes to look. */
static int64_t count_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    int64_t count = -1;

    if (directory == NULL)
        return -1;
    while ((entry = readdir(directory)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static int64_t files_max(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT64_MAX)
        return -1;
    return (int64_t)limit.rlim_cur;
}

void live_usage(struct runtime *rt, struct process_usage *ret_usage)
{
    struct process_usage usage = {.started_at_us = live_of(rt)->started_at_us};

    usage.cpu_us = cpu_us();
    read_memory(&usage);
    usage.open_files = count_files();
    usage.open_files_max = files_max();
    *ret_usage = usage;
}
