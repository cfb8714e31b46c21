/* Answers a TCP segment as a machine does on which nothing listens: with a reset, so that connecting is refused at once.
 */
#include <stdint.h>
#include <string.h>

enum { TCP = 6, FIN = 1, SYN = 2, RESET = 4, ACK = 16, TCP_HEADER = 20 };

static uint32_t sum_of(const uint8_t *data, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        sum += (uint32_t)data[i] << 8 | data[i + 1];
    }
    return sum;
}

static void put_checksum(uint8_t *at, uint32_t sum) {
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    at[0] = (uint8_t)(~sum >> 8);
    at[1] = (uint8_t)~sum;
}

static uint32_t number_at(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_number(uint8_t *at, uint32_t number) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(number >> (24 - 8 * i));
    }
}

/* Writes the reset that answers `packet` and returns its size; 0 if none is due. `reset` has room for 60 bytes. */
static size_t refusal_of(const uint8_t *packet, size_t size, uint8_t *reset) {
    int is_v6 = packet[0] >> 4 == 6;
    size_t header = is_v6 ? 40 : 20; /* with options or extensions no TCP is found, and nothing is answered */
    size_t addresses = is_v6 ? 8 : 12, length = is_v6 ? 16 : 4;
    if (size < header + TCP_HEADER || packet[is_v6 ? 6 : 9] != TCP || (!is_v6 && packet[0] != 0x45)) {
        return 0;
    }
    const uint8_t *segment = packet + header;
    uint8_t flags = segment[13];
    if (flags & RESET) {
        return 0;
    }
    memset(reset, 0, header + TCP_HEADER);
    memcpy(reset + addresses, packet + addresses + length, length);
    memcpy(reset + addresses + length, packet + addresses, length);
    reset[0] = is_v6 ? 0x60 : 0x45;
    reset[is_v6 ? 5 : 3] = (uint8_t)(is_v6 ? TCP_HEADER : header + TCP_HEADER);
    reset[is_v6 ? 6 : 9] = TCP;
    reset[is_v6 ? 7 : 8] = 64; /* hops */
    if (!is_v6) {
        put_checksum(reset + 10, sum_of(reset, header));
    }
    uint8_t *answer = reset + header;
    memcpy(answer, segment + 2, 2);
    memcpy(answer + 2, segment, 2);
    answer[12] = TCP_HEADER / 4 << 4;
    if (flags & ACK) {
        memcpy(answer + 4, segment + 8, 4);
        answer[13] = RESET;
    } else {
        size_t data = size - header - (size_t)(segment[12] >> 4) * 4;
        put_number(answer + 8, number_at(segment + 4) + (uint32_t)data + !!(flags & SYN) + !!(flags & FIN));
        answer[13] = RESET | ACK;
    }
    put_checksum(answer + 16, sum_of(reset + addresses, 2 * length) + TCP + TCP_HEADER + sum_of(answer, TCP_HEADER));
    return header + TCP_HEADER;
}
