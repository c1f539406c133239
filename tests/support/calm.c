/* A browser that is told nothing of the machine's networks.
 *
 * Chromium gives up whatever it is about to fetch, from this machine too, when an interface comes or goes
 * (ERR_NETWORK_CHANGED), and containers of other tests come and go all the time. Without the kernel's socket for such
 * news it takes the network for one that stays. Loaded with LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol)
{
    static int (*real)(int, int, int);
    if (!real)
        real = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
    if (domain == AF_NETLINK) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    return real(domain, type, protocol);
}
