/* Runs inside a container and keeps in a shared file how long it was stopped at most: nanoseconds, set to 0 by the reader.
   A process that is paused cannot tell the time, so the gap between two looks at the clock is the pause. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    int file = argc > 1 ? open(argv[1], O_RDWR) : -1;
    if (file < 0)
        return 1;
    volatile int64_t *longest = mmap(0, sizeof *longest, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (longest == MAP_FAILED)
        return 1;
    struct timespec rest = {0, 200000};
    for (int64_t last = now();;) {
        nanosleep(&rest, 0);
        int64_t time = now();
        if (time - last > *longest)
            *longest = time - last;
        last = time;
    }
}
