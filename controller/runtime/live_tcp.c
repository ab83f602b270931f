#include "controller/runtime/live_tcp.h"

/* The kernel's own header: that of the C library lacks the byte counts and cannot be included
 * with it, hence this file. */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

struct tcp_progress tcp_progress_read(int fd)
{
    struct tcp_progress progress = {0};
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);

    (void)ioctl(fd, SIOCOUTQ, &progress.unsent);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
        progress.taken = info.tcpi_bytes_acked;
        progress.received = info.tcpi_bytes_received;
    }
    return progress;
}
