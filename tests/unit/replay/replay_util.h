/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Common to the tests of the replay ports: a directory, capture files that the tests create, and
 * frames whose bytes are all distinguishable.
 */

#ifndef REPLAY_UTIL_H
#define REPLAY_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "fcn_replay.h"

#define GBPS UINT64_C(1000000000)
#define T0 UINT64_C(1700000000000000000) /* ns since 1970, a whole second */
#define DATA_ROOM 2048                   /* of the pool's mbufs, behind the headroom */
#define POOL_SIZE 255
#define PATH_LEN 256

/** A pool of POOL_SIZE mbufs; every test begins and ends with all of them in it. */
extern struct rte_mempool *test_pool;

/** cmocka group fixtures: EAL, pool, directory. */
int util_group_setup(void **state);
int util_group_teardown(void **state);
/** cmocka teardown of each test: no mbuf may be missing. */
int util_test_teardown(void **state);

/** Path of a file of that name in the tests' directory. */
const char *util_path(const char *name);

/** Byte i of frame number tag. */
uint8_t util_byte(uint32_t tag, uint32_t i);
/** The frame's bytes, valid until the next call. Its number is in bytes 14 to 17 too. */
const uint8_t *util_frame(uint32_t tag, uint32_t len);
/** Number of the frame in an mbuf, from bytes 14 to 17. */
uint32_t util_tag(const struct rte_mbuf *m);
/** Is the mbuf (chain) frame tag, byte for byte? */
void util_assert_frame(struct rte_mbuf *m, uint32_t tag, uint32_t len);
/** An mbuf (chain) of the pool with frame tag. */
struct rte_mbuf *util_mbuf(uint32_t tag, uint32_t len);

/** A capture file under construction. */
struct util_cap {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	int nano;
	const char *path;
};
void util_cap_open(struct util_cap *cap, const char *name, int dlt, int nano);
/** Add frame tag with a timestamp; a caplen below len truncates it. */
void util_cap_add(
		struct util_cap *cap, uint64_t stamp, uint32_t tag, uint32_t caplen, uint32_t len);
void util_cap_close(struct util_cap *cap);

/** A nanosecond pcap of n frames of 100 bytes, tags from first_tag on. @return its path */
const char *util_cap_file(const char *name, const uint64_t *stamps, uint32_t n, uint32_t first_tag);

/** Bytes of a file made by hand, little endian. */
struct util_bytes {
	uint8_t data[8192];
	size_t len;
};
void util_put(struct util_bytes *bytes, const void *data, size_t len);
void util_put16(struct util_bytes *bytes, uint16_t value);
void util_put32(struct util_bytes *bytes, uint32_t value);
const char *util_bytes_file(const struct util_bytes *bytes, const char *name);

/** pcapng blocks: section header, interface (tsresol: power of ten), enhanced packet. */
void util_ng_section(struct util_bytes *bytes);
void util_ng_interface(struct util_bytes *bytes, uint16_t dlt, uint8_t tsresol);
void util_ng_packet(struct util_bytes *bytes, uint32_t interface, uint64_t units, uint32_t tag,
		uint32_t len);

/** Whole file in memory, to be freed. */
uint8_t *util_read_file(const char *path, size_t *len);

/** Receive everything at its time: arrival and tag of each packet. @return packets */
uint32_t util_drain(struct fcn_replay *replay, struct fcn_replay_port *port, uint64_t *arrivals,
		uint32_t *tags, uint32_t max);

/** Replay with one port (10 Gbit/s) that reads one file. */
struct fcn_replay *util_replay(
		const char *path, const char *filter, double speed, struct fcn_replay_port **port);

struct fcn_replay_stats util_stats(const struct fcn_replay_port *port);
/** The i-th message must be one line, the path followed by that text. */
void util_assert_error(const struct fcn_replay *replay, unsigned int i, const char *path,
		const char *text);

#endif /* REPLAY_UTIL_H */
