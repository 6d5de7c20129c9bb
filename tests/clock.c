/* Preloaded, it sets the clock of day of a process ahead by the seconds that CLOCK_FILE holds at the moment, a number of eight
   bytes, or back where it is negative. The monotonic clock goes on, as it does when somebody sets the clock of a machine. */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead;

static int64_t seconds(void) {
    if (!ahead) { /* before anything closes the way to files: a browser's pages open none */
        int file = open(getenv("CLOCK_FILE"), O_RDONLY | O_CLOEXEC);
        ahead = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
        close(file);
    }
    return *ahead;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += seconds();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
