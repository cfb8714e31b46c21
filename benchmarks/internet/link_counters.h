/* What the link counts of one direction, and how it tells: a JSON line each second, with what happened in it and in all.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DELAYS = 20000 }; /* of 0.1 ms each; the last one holds all longer ones */

/* Of packets. */
typedef struct {
    uint32_t counts[DELAYS];
    uint64_t count, most; /* most: in ns */
} delays;

typedef struct {
    uint64_t packets, bytes;            /* delivered */
    uint64_t lost, vanished, queue_full, refused, reordered;
    uint64_t busy, over_100ms;          /* ns in which the link sent, and in which its queue was longer than 100 ms */
    delays waits;                       /* in the queue */
    delays late;                        /* how late the link itself was, by the clock of this machine */
} tally;

static void add_delay(delays *to, uint64_t ns) {
    uint64_t bucket = ns / 100000;
    to->counts[bucket < DELAYS ? bucket : DELAYS - 1]++;
    to->count++;
    if (ns > to->most) {
        to->most = ns;
    }
}

static void add_delays(delays *to, const delays *more) {
    for (int i = 0; i < DELAYS; i++) {
        to->counts[i] += more->counts[i];
    }
    to->count += more->count;
    to->most = more->most > to->most ? more->most : to->most;
}

/* In ms, rounded up to 0.1. */
static double percentile(const delays *of, double share) {
    uint64_t wanted = (uint64_t)(share * (double)of->count), seen = 0;
    if (!of->count) {
        return 0;
    }
    for (int i = 0; i < DELAYS; i++) {
        seen += of->counts[i];
        if (seen > wanted || seen == of->count) {
            double upper = (i + 1) / 10.0, most = (double)of->most / 1e6;
            return upper < most ? upper : most;
        }
    }
    return (double)of->most / 1e6;
}

static void add_tally(tally *to, const tally *more) {
    to->packets += more->packets;
    to->bytes += more->bytes;
    to->lost += more->lost;
    to->vanished += more->vanished;
    to->queue_full += more->queue_full;
    to->refused += more->refused;
    to->reordered += more->reordered;
    to->busy += more->busy;
    to->over_100ms += more->over_100ms;
    add_delays(&to->waits, &more->waits);
    add_delays(&to->late, &more->late);
}

static void tell_tally(FILE *out, const char *name, const tally *of) {
    fprintf(
        out,
        "\"%s\": {\"packets\": %llu, \"bytes\": %llu, \"lost\": %llu, \"vanished\": %llu, \"queue_full\": %llu, "
        "\"refused\": %llu, \"reordered\": %llu, \"busy_seconds\": %.4f, \"over_100ms_seconds\": %.4f, "
        "\"wait_p50_ms\": %.1f, \"wait_p95_ms\": %.1f, \"wait_max_ms\": %.1f, \"late_p95_ms\": %.1f, \"late_max_ms\": %.1f}",
        name, (unsigned long long)of->packets, (unsigned long long)of->bytes, (unsigned long long)of->lost,
        (unsigned long long)of->vanished, (unsigned long long)of->queue_full, (unsigned long long)of->refused,
        (unsigned long long)of->reordered, (double)of->busy / 1e9, (double)of->over_100ms / 1e9,
        percentile(&of->waits, 0.5), percentile(&of->waits, 0.95), (double)of->waits.most / 1e6,
        percentile(&of->late, 0.95), (double)of->late.most / 1e6
    );
}
