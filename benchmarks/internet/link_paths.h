/* The paths to all addresses of the web side, read from the table that link.py writes, and what chance does on them.
 *
 * Chance is drawn for each address and direction by itself, so that what befalls the n-th packet of one machine does not
 * depend on what others send.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum way { UP = 0, DOWN = 1 }; /* from the crawler, to the crawler */

enum fate { ARRIVES, VANISHES, REFUSES };

typedef struct {
    uint64_t random; /* the state of its generator, never 0 */
    uint64_t last;   /* when the last packet arrives that keeps its place, in ns */
} direction;

typedef struct {
    uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
    uint64_t delay, jitter; /* of one way, in ns */
    double loss, reorder;
    enum fate fate;
    direction ways[2];
} path;

typedef struct {
    double bits[2]; /* a second, each way; 0: no limit */
    uint64_t buffer; /* ns that a packet may wait at most */
    uint64_t seed;
    path *paths;
    size_t count, room;
    uint32_t *slots; /* number of a path + 1; 0: free */
    size_t mask;
} network;

static uint64_t hash_of(const uint8_t *address) {
    uint64_t parts[2];
    memcpy(parts, address, 16);
    uint64_t value = (parts[0] ^ (parts[1] * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return value ^ value >> 31;
}

static path *path_to(const network *net, const uint8_t *address) {
    for (size_t slot = hash_of(address) & net->mask; net->slots[slot]; slot = (slot + 1) & net->mask) {
        path *found = &net->paths[net->slots[slot] - 1];
        if (!memcmp(found->address, address, 16)) {
            return found;
        }
    }
    return NULL;
}

/* xorshift64*, uniform in [0, 1). */
static double chance(direction *way) {
    way->random ^= way->random >> 12;
    way->random ^= way->random << 25;
    way->random ^= way->random >> 27;
    return (double)(way->random * 0x2545f4914f6cdd1du >> 11) / 9007199254740992.0;
}

/* When a packet that sets out at `now` arrives. Jitter leaves packets in order; one that is reordered comes so late that
 * those behind it overtake it. */
static uint64_t arrival(path *to, enum way way, uint64_t now, int *reordered) {
    direction *by = &to->ways[way];
    uint64_t at = now + to->delay;
    if (to->jitter) {
        at += (uint64_t)(chance(by) * (double)to->jitter);
    }
    if (at < by->last) {
        at = by->last;
    }
    *reordered = to->reorder > 0 && chance(by) < to->reorder;
    if (*reordered) {
        return at + 1000000 + to->delay / 4 + to->jitter;
    }
    by->last = at;
    return at;
}

static int read_address(const char *text, uint8_t *address) {
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (strchr(text, ':')) {
        return inet_pton(AF_INET6, text, address) == 1;
    }
    memcpy(address, prefix, sizeof prefix);
    return inet_pton(AF_INET, text, address + 12) == 1;
}

static int add_path(network *net, const char *address, double delay, double jitter, const char *fate, path made) {
    if (!read_address(address, made.address) || delay < 0 || jitter < 0) {
        return 0;
    }
    made.delay = (uint64_t)(delay * 1e9);
    made.jitter = (uint64_t)(jitter * 1e9);
    made.fate = !strcmp(fate, "vanishes") ? VANISHES : !strcmp(fate, "refuses") ? REFUSES : ARRIVES;
    for (int way = 0; way < 2; way++) {
        uint64_t state = hash_of(made.address) + (net->seed * 2 + (uint64_t)way) * 0x9e3779b97f4a7c15u;
        made.ways[way].random = state ? state : 1;
        for (int i = 0; i < 8; i++) { /* seeds that are close to each other begin alike */
            chance(&made.ways[way]);
        }
    }
    if (net->count == net->room) {
        net->room = net->room ? 2 * net->room : 1024;
        net->paths = realloc(net->paths, net->room * sizeof *net->paths);
        if (!net->paths) {
            return 0;
        }
    }
    net->paths[net->count++] = made;
    return 1;
}

/* The table: `link DOWN_BITS UP_BITS BUFFER_SECONDS SEED`, then lines `ADDRESS DELAY JITTER LOSS REORDER FATE`, in
 * seconds and shares. Returns the number of the line that makes no sense; 0 if all do. */
static int read_network(const char *file, network *net) {
    FILE *in = fopen(file, "r");
    if (!in) {
        return 1;
    }
    char line[256], address[64], fate[16];
    double delay, jitter, buffer;
    unsigned long long seed;
    int number = 1;
    if (!fgets(line, sizeof line, in)
        || sscanf(line, "link %lf %lf %lf %llu", &net->bits[DOWN], &net->bits[UP], &buffer, &seed) != 4) {
        return number;
    }
    net->buffer = (uint64_t)(buffer * 1e9);
    net->seed = seed;
    while (fgets(line, sizeof line, in)) {
        number++;
        path made = {0};
        if (sscanf(line, "%63s %lf %lf %lf %lf %15s", address, &delay, &jitter, &made.loss, &made.reorder, fate) != 6
            || !add_path(net, address, delay, jitter, fate, made)) {
            return number;
        }
    }
    fclose(in);
    size_t slots = 1024;
    while (slots < 4 * net->count) {
        slots *= 2;
    }
    net->mask = slots - 1;
    net->slots = calloc(slots, sizeof *net->slots);
    if (!net->slots) {
        return number;
    }
    for (size_t i = 0; i < net->count; i++) {
        size_t slot = hash_of(net->paths[i].address) & net->mask;
        while (net->slots[slot]) {
            slot = (slot + 1) & net->mask;
        }
        net->slots[slot] = (uint32_t)i + 1;
    }
    return 0;
}
