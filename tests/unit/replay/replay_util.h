/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of the replay ports share a directory, capture files that they create, and frames of
 * which every byte follows from its position and the number of the frame.
 */

#ifndef REPLAY_UTIL_H
#define REPLAY_UTIL_H

#include "fcn_test.h"
#include <pcap/pcap.h>

#include "fcn_replay.h"

#define GBPS UINT64_C(1000000000)
#define T0 UINT64_C(1700000000000000000) /* a whole second, in nanoseconds since 1970 */
#define DATA_ROOM 2048                   /* bytes in an mbuf of the pool, without the headroom */
#define POOL_SIZE 255
#define PATH_LEN 256

/** A pool of POOL_SIZE mbufs; every test begins and ends with all of them in it. */
extern struct rte_mempool *test_pool;

/** cmocka group fixtures: EAL, pool, directory. */
int util_group_setup(void **state);
int util_group_teardown(void **state);
/** cmocka teardown of each test: no mbuf may be missing. */
int util_test_teardown(void **state);

/** Get the path of a file in the tests' directory. */
const char *util_path(const char *name);

/** Get byte i of frame number tag. */
uint8_t util_byte(uint32_t tag, uint32_t i);
/** Get the bytes of a frame, which are valid until the next call. Bytes 14 to 17 hold its number.
 */
const uint8_t *util_frame(uint32_t tag, uint32_t len);
/** Get the number of the frame in an mbuf, from bytes 14 to 17. */
uint32_t util_tag(const struct rte_mbuf *m);
/** Check that the mbuf (chain) holds frame tag, byte for byte. */
void util_assert_frame(struct rte_mbuf *m, uint32_t tag, uint32_t len);
/** Make an mbuf (chain) of the pool with frame tag. */
struct rte_mbuf *util_mbuf(uint32_t tag, uint32_t len);

/** A capture file under construction. */
struct util_cap {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	int nano;
	const char *path;
};
/** Create a capture file. @param dlt link type @param nano whether timestamps are in nanoseconds */
void util_cap_open(struct util_cap *cap, const char *name, int dlt, int nano);
/** Add frame tag with a timestamp; a caplen below len truncates it. */
void util_cap_add(
		struct util_cap *cap, uint64_t stamp, uint32_t tag, uint32_t caplen, uint32_t len);
void util_cap_close(struct util_cap *cap);

/** Write a pcap file with timestamps in nanoseconds and n frames of 100 bytes, numbered from
 * first_tag on. @return its path */
const char *util_cap_file(const char *name, const uint64_t *stamps, uint32_t n, uint32_t first_tag);

/** A file that is written byte by byte, with numbers in little-endian byte order. */
struct util_bytes {
	uint8_t data[8192];
	size_t len;
};
void util_put(struct util_bytes *bytes, const void *data, size_t len);
void util_put16(struct util_bytes *bytes, uint16_t value);
void util_put32(struct util_bytes *bytes, uint32_t value);
const char *util_bytes_file(const struct util_bytes *bytes, const char *name);

/** Append a pcapng block: section header, interface description (timestamps in units of 10^-tsresol
 * seconds), or enhanced packet. */
void util_ng_section(struct util_bytes *bytes);
void util_ng_interface(struct util_bytes *bytes, uint16_t dlt, uint8_t tsresol);
void util_ng_packet(struct util_bytes *bytes, uint32_t interface, uint64_t units, uint32_t tag,
		uint32_t len);

/** Read a whole file. @return its bytes, which the caller frees */
uint8_t *util_read_file(const char *path, size_t *len);

/** Receive every packet at its time. @param arrivals result: time of each packet @param tags
 * result: number of each frame @return number of packets */
uint32_t util_drain(struct fcn_replay *replay, struct fcn_replay_port *port, uint64_t *arrivals,
		uint32_t *tags, uint32_t max);

/** Create a replay with one port of 10 Gbit/s that reads one file. */
struct fcn_replay *util_replay(
		const char *path, const char *filter, double speed, struct fcn_replay_port **port);

struct fcn_replay_stats util_stats(const struct fcn_replay_port *port);
/** Check that message i is one line: the path, followed by the text. */
void util_assert_error(const struct fcn_replay *replay, unsigned int i, const char *path,
		const char *text);

#endif /* REPLAY_UTIL_H */
