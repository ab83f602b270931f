#include "controller/runtime/live_tcp.h"

/* The kernel's own header: that of the C library lacks the byte counts and cannot be included
 * with it, hence this file. */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static struct tcp_info info_of(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        info = (struct tcp_info){0};
    return info;
}

struct tcp_progress tcp_progress_read(int fd)
{
    struct tcp_progress progress = {.taken = info_of(fd).tcpi_bytes_acked};

    (void)ioctl(fd, SIOCOUTQ, &progress.unsent);
    return progress;
}

uint64_t tcp_received(int fd)
{
    return info_of(fd).tcpi_bytes_received;
}
