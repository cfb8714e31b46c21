/* The link between the crawler's network and that of the web: carries packets between two TUN devices, each after the
 * time that the path to its machine takes, through the one narrow place that the crawler's own line is.
 *
 *     link TABLE COUNTERS DEVICE CRAWLER_NAMESPACE WEB_NAMESPACE
 *
 * It makes the devices, says "ready", and ends when its input ends. What comes from the crawler first passes the narrow
 * place and then takes its path; what comes from the web the other way round. The queue before the narrow place is first
 * in, first out, and drops what would wait longer than its buffer lasts. Times are those of each packet, not those at
 * which this process runs: woken late it delivers late (which it counts), but nothing is shifted.
 */
#define _GNU_SOURCE
#include "link_counters.h"
#include "link_paths.h"
#include "link_refusal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1500, AT_ONCE = 64 };
enum { SECOND = 1000000000, TENTH = 100000000 };

typedef struct {
    uint64_t at, order; /* when something happens to it next, in ns */
    enum way way;
    int has_passed; /* the narrow place */
    size_t size;
    uint8_t data[];
} packet;

typedef struct {
    uint64_t free_at; /* when all that waits will have been sent */
    uint64_t seen_at; /* until when busy times are counted */
} narrow_place;

static network net;
static narrow_place places[2];
static int devices[2]; /* to which a direction delivers: UP the web's, DOWN the crawler's */
static tally second[2], total[2];
static uint64_t unknown, failed; /* packets to or from no address of the table; that could not be delivered */
static packet **heap;
static size_t waiting, heap_room;
static uint64_t orders;

static uint64_t clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static void stop(const char *what) {
    fprintf(stderr, "link: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* --- what waits, by time --------------------------------------------------------------------- */

static int is_earlier(const packet *one, const packet *other) {
    return one->at < other->at || (one->at == other->at && one->order < other->order);
}

static void put(packet *given) {
    if (waiting == heap_room) {
        heap_room = heap_room ? 2 * heap_room : 4096;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (!heap) {
            stop("no memory for packets");
        }
    }
    given->order = orders++;
    size_t at = waiting++;
    while (at && is_earlier(given, heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = given;
}

static packet *take(void) {
    packet *first = heap[0], *last = heap[--waiting];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < waiting; at = child) {
        if (child + 1 < waiting && is_earlier(heap[child + 1], heap[child])) {
            child++;
        }
        if (!is_earlier(heap[child], last)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* --- what happens to a packet ---------------------------------------------------------------- */

static void count_busy(enum way way, uint64_t now) {
    narrow_place *place = &places[way];
    if (now <= place->seen_at) {
        return;
    }
    uint64_t passed = now - place->seen_at;
    uint64_t left = place->free_at > place->seen_at ? place->free_at - place->seen_at : 0;
    second[way].busy += left < passed ? left : passed;
    uint64_t over = left > TENTH ? left - TENTH : 0;
    second[way].over_100ms += over < passed ? over : passed;
    place->seen_at = now;
}

/* Returns whether the packet goes on, and sets when. */
static int pass(packet *given) {
    narrow_place *place = &places[given->way];
    given->has_passed = 1;
    if (net.bits[given->way] <= 0) {
        return 1;
    }
    count_busy(given->way, given->at);
    uint64_t wait = place->free_at > given->at ? place->free_at - given->at : 0;
    if (wait > net.buffer) {
        second[given->way].queue_full++;
        return 0;
    }
    add_delay(&second[given->way].waits, wait);
    given->at += wait + (uint64_t)((double)given->size * 8e9 / net.bits[given->way]);
    place->free_at = given->at;
    return 1;
}

/* Returns whether the packet goes on, and sets when. */
static int travel(packet *given, path *along) {
    tally *count = &second[given->way];
    int reordered;
    if (along->fate == VANISHES) {
        count->vanished++;
        return 0;
    }
    if (along->loss > 0 && chance(&along->ways[given->way]) < along->loss) {
        count->lost++;
        return 0;
    }
    given->at = arrival(along, given->way, given->at, &reordered);
    count->reordered += (uint64_t)reordered;
    return 1;
}

static void deliver(packet *given, uint64_t now) {
    tally *count = &second[given->way];
    if (write(devices[given->way], given->data, given->size) != (ssize_t)given->size) {
        failed++;
        return;
    }
    count->packets++;
    count->bytes += given->size;
    add_delay(&count->late, now > given->at ? now - given->at : 0);
}

static packet *copy_of(const uint8_t *data, size_t size, enum way way, uint64_t at) {
    packet *made = malloc(sizeof *made + size);
    if (!made) {
        stop("no memory for a packet");
    }
    *made = (packet){.at = at, .way = way, .size = size};
    memcpy(made->data, data, size);
    return made;
}

static path *path_of(const packet *given) {
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    uint8_t address[16];
    if (given->data[0] >> 4 == 4 && given->size >= 20) {
        memcpy(address, prefix, sizeof prefix);
        memcpy(address + 12, given->data + (given->way == UP ? 16 : 12), 4);
    } else if (given->data[0] >> 4 == 6 && given->size >= 40) {
        memcpy(address, given->data + (given->way == UP ? 24 : 8), 16);
    } else {
        return NULL;
    }
    return path_to(&net, address);
}

/* As if the machine had received it and answered. */
static void refuse(const packet *given, path *along) {
    uint8_t reset[60];
    size_t size = refusal_of(given->data, given->size, reset);
    second[UP].refused++;
    if (size) {
        packet *answer = copy_of(reset, size, DOWN, given->at);
        if (travel(answer, along)) {
            put(answer);
        } else {
            free(answer);
        }
    }
}

/* Does all that is due now to a packet, and puts it back for the rest. */
static void go_on(packet *given, uint64_t now) {
    path *along = path_of(given);
    if (given->way == UP && !given->has_passed) {
        if (!pass(given)) {
            free(given);
            return;
        }
        if (!travel(given, along)) {
            free(given);
            return;
        }
        if (along->fate == REFUSES) {
            refuse(given, along);
            free(given);
            return;
        }
    } else if (given->way == DOWN && !given->has_passed && !pass(given)) {
        free(given);
        return;
    }
    if (given->at > now) {
        put(given);
        return;
    }
    deliver(given, now);
    free(given);
}

static void receive(enum way way) {
    uint8_t data[LARGEST + 64];
    for (int i = 0; i < AT_ONCE; i++) {
        ssize_t size = read(devices[!way], data, sizeof data);
        if (size <= 0) {
            return;
        }
        uint64_t now = clock_now();
        packet *made = copy_of(data, (size_t)size, way, now);
        path *along = path_of(made);
        if (!along) {
            unknown++;
            free(made);
        } else if (way == UP) {
            go_on(made, now);
        } else if (!travel(made, along)) {
            free(made);
        } else if (made->at > now) {
            put(made);
        } else {
            go_on(made, now);
        }
    }
}

/* --- telling --------------------------------------------------------------------------------- */

static void tell(FILE *out, uint64_t seconds, uint64_t now) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
        + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    for (int way = 0; way < 2; way++) {
        count_busy((enum way)way, now);
        add_tally(&total[way], &second[way]);
    }
    fprintf(out, "{\"seconds\": %llu, \"cpu_seconds\": %.3f, \"unknown\": %llu, \"failed\": %llu, \"second\": {",
            (unsigned long long)seconds, cpu, (unsigned long long)unknown, (unsigned long long)failed);
    tell_tally(out, "up", &second[UP]);
    fputs(", ", out);
    tell_tally(out, "down", &second[DOWN]);
    fputs("}, \"total\": {", out);
    tell_tally(out, "up", &total[UP]);
    fputs(", ", out);
    tell_tally(out, "down", &total[DOWN]);
    fputs("}}\n", out);
    fflush(out);
    memset(second, 0, sizeof second);
}

/* --- devices --------------------------------------------------------------------------------- */

static int device_in(const char *name_space, const char *name) {
    int space = open(name_space, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET)) {
        stop(name_space);
    }
    close(space);
    int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (device < 0) {
        stop("/dev/net/tun");
    }
    struct ifreq wish = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strncpy(wish.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(device, TUNSETIFF, &wish)) {
        stop(name);
    }
    return device;
}

int main(int count, char **arguments) {
    if (count != 6) {
        fputs("link TABLE COUNTERS DEVICE CRAWLER_NAMESPACE WEB_NAMESPACE\n", stderr);
        return 2;
    }
    int line = read_network(arguments[1], &net);
    if (line) {
        fprintf(stderr, "link: %s, line %d: cannot be read\n", arguments[1], line);
        return 2;
    }
    FILE *counters = fopen(arguments[2], "w");
    if (!counters) {
        stop(arguments[2]);
    }
    setpriority(PRIO_PROCESS, 0, -20); /* a box is as exact as this process is in time; if refused, see late_* */
    devices[DOWN] = device_in(arguments[4], arguments[3]);
    devices[UP] = device_in(arguments[5], arguments[3]);
    puts("ready");
    fflush(stdout);

    uint64_t began = clock_now(), told = 0;
    places[UP].seen_at = places[DOWN].seen_at = began;
    struct pollfd sources[3] = {
        {.fd = devices[DOWN], .events = POLLIN}, {.fd = devices[UP], .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    for (;;) {
        uint64_t now = clock_now(), next = began + (told + 1) * SECOND;
        if (now >= next) {
            told = (now - began) / SECOND;
            tell(counters, told, now);
            continue;
        }
        if (waiting && heap[0]->at < next) {
            next = heap[0]->at;
        }
        uint64_t rest = next > now ? next - now : 0;
        struct timespec patience = {.tv_sec = (time_t)(rest / SECOND), .tv_nsec = (long)(rest % SECOND)};
        if (ppoll(sources, 3, &patience, NULL) < 0 && errno != EINTR) {
            stop("waiting for packets");
        }
        for (now = clock_now(); waiting && heap[0]->at <= now;) {
            go_on(take(), now);
        }
        if (sources[0].revents & POLLIN) {
            receive(UP);
        }
        if (sources[1].revents & POLLIN) {
            receive(DOWN);
        }
        char byte;
        if (sources[2].revents && read(0, &byte, 1) <= 0) {
            tell(counters, told + 1, clock_now());
            return 0;
        }
    }
}
