/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_eal.h>

#include "replay_util.h"

#define NS_OF_S UINT64_C(1000000000)

struct rte_mempool *test_pool;
static char dir[] = "/tmp/fcn-replay-XXXXXX";

int
util_group_setup(void **state)
{
	if (fcn_test_eal_init(state) != 0)
		return -1;
	test_pool = rte_pktmbuf_pool_create(
			"replay", POOL_SIZE, 0, 0, RTE_PKTMBUF_HEADROOM + DATA_ROOM, SOCKET_ID_ANY);
	if (test_pool == NULL || mkdtemp(dir) == NULL)
		return -1;
	return 0;
}

int
util_group_teardown(void **state)
{
	char cmd[PATH_LEN];

	(void)state;
	rte_mempool_free(test_pool);
	rte_eal_cleanup();
	snprintf(cmd, sizeof(cmd), "rm -r '%s'", dir);
	return system(cmd);
}

int
util_test_teardown(void **state)
{
	(void)state;
	if (rte_mempool_in_use_count(test_pool) == 0)
		return 0;
	print_error("%u mbufs missing\n", rte_mempool_in_use_count(test_pool));
	return -1;
}

const char *
util_path(const char *name)
{
	static char paths[8][PATH_LEN];
	static unsigned int next;
	char *path = paths[next++ % RTE_DIM(paths)];

	snprintf(path, PATH_LEN, "%s/%s", dir, name);
	return path;
}

uint8_t
util_byte(uint32_t tag, uint32_t i)
{
	if (i >= 14 && i < 18)
		return tag >> (8 * (17 - i));
	return (i * 7 + (i >> 8) + tag * 13) & 0xff;
}

const uint8_t *
util_frame(uint32_t tag, uint32_t len)
{
	static uint8_t frame[65536];

	assert_true(len <= sizeof(frame));
	for (uint32_t i = 0; i < len; i++)
		frame[i] = util_byte(tag, i);
	return frame;
}

uint32_t
util_tag(const struct rte_mbuf *m)
{
	const uint8_t *p = rte_pktmbuf_mtod_offset(m, const uint8_t *, 14);

	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

void
util_assert_frame(struct rte_mbuf *m, uint32_t tag, uint32_t len)
{
	uint32_t i = 0, segs = 0;

	assert_int_equal(m->pkt_len, len);
	for (const struct rte_mbuf *seg = m; seg != NULL; seg = seg->next, segs++)
		for (uint16_t j = 0; j < seg->data_len; j++, i++)
			assert_int_equal(*rte_pktmbuf_mtod_offset(seg, const uint8_t *, j),
					util_byte(tag, i));
	assert_int_equal(i, len);
	assert_int_equal(m->nb_segs, segs);
}

struct rte_mbuf *
util_mbuf(uint32_t tag, uint32_t len)
{
	const uint8_t *frame = util_frame(tag, len);
	struct rte_mbuf *head = NULL;

	for (uint32_t done = 0; done < len || head == NULL;) {
		struct rte_mbuf *seg = rte_pktmbuf_alloc(test_pool);
		uint16_t n = RTE_MIN(len - done, (uint32_t)DATA_ROOM);

		assert_non_null(seg);
		memcpy(rte_pktmbuf_append(seg, n), frame + done, n);
		done += n;
		if (head == NULL)
			head = seg;
		else
			assert_int_equal(rte_pktmbuf_chain(head, seg), 0);
	}
	return head;
}

void
util_cap_open(struct util_cap *cap, const char *name, int dlt, int nano)
{
	cap->nano = nano;
	cap->path = util_path(name);
	cap->pcap = pcap_open_dead_with_tstamp_precision(dlt, 262144,
			nano ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
	assert_non_null(cap->pcap);
	cap->dumper = pcap_dump_open(cap->pcap, cap->path);
	assert_non_null(cap->dumper);
}

void
util_cap_add(struct util_cap *cap, uint64_t stamp, uint32_t tag, uint32_t caplen, uint32_t len)
{
	struct pcap_pkthdr hdr = {.caplen = caplen, .len = len};

	hdr.ts.tv_sec = stamp / NS_OF_S;
	hdr.ts.tv_usec = stamp % NS_OF_S / (cap->nano ? 1 : 1000);
	pcap_dump((u_char *)cap->dumper, &hdr, util_frame(tag, caplen));
}

void
util_cap_close(struct util_cap *cap)
{
	assert_int_equal(pcap_dump_flush(cap->dumper), 0);
	pcap_dump_close(cap->dumper);
	pcap_close(cap->pcap);
}

const char *
util_cap_file(const char *name, const uint64_t *stamps, uint32_t n, uint32_t first_tag)
{
	struct util_cap cap;

	util_cap_open(&cap, name, DLT_EN10MB, 1);
	for (uint32_t i = 0; i < n; i++)
		util_cap_add(&cap, stamps[i], first_tag + i, 100, 100);
	util_cap_close(&cap);
	return cap.path;
}

void
util_put(struct util_bytes *bytes, const void *data, size_t len)
{
	assert_true(bytes->len + len <= sizeof(bytes->data));
	memcpy(bytes->data + bytes->len, data, len);
	bytes->len += len;
}

void
util_put16(struct util_bytes *bytes, uint16_t value)
{
	uint8_t le[2] = {value, value >> 8};

	util_put(bytes, le, sizeof(le));
}

void
util_put32(struct util_bytes *bytes, uint32_t value)
{
	util_put16(bytes, value);
	util_put16(bytes, value >> 16);
}

const char *
util_bytes_file(const struct util_bytes *bytes, const char *name)
{
	const char *path = util_path(name);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes->data, 1, bytes->len, f), bytes->len);
	assert_int_equal(fclose(f), 0);
	return path;
}

void
util_ng_section(struct util_bytes *bytes)
{
	util_put32(bytes, 0x0a0d0d0a);
	util_put32(bytes, 28);
	util_put32(bytes, 0x1a2b3c4d);
	util_put16(bytes, 1);
	util_put16(bytes, 0);
	util_put32(bytes, 0xffffffff); /* section length unknown */
	util_put32(bytes, 0xffffffff);
	util_put32(bytes, 28);
}

void
util_ng_interface(struct util_bytes *bytes, uint16_t dlt, uint8_t tsresol)
{
	util_put32(bytes, 1);
	util_put32(bytes, 32);
	util_put16(bytes, dlt);
	util_put16(bytes, 0);
	util_put32(bytes, 0);
	util_put16(bytes, 9); /* if_tsresol */
	util_put16(bytes, 1);
	util_put32(bytes, tsresol);
	util_put32(bytes, 0); /* end of options */
	util_put32(bytes, 32);
}

void
util_ng_packet(struct util_bytes *bytes, uint32_t interface, uint64_t units, uint32_t tag,
		uint32_t len)
{
	uint32_t padded = (len + 3) & ~3U;
	uint8_t zero[4] = {0};

	util_put32(bytes, 6);
	util_put32(bytes, 32 + padded);
	util_put32(bytes, interface);
	util_put32(bytes, units >> 32);
	util_put32(bytes, units);
	util_put32(bytes, len);
	util_put32(bytes, len);
	util_put(bytes, util_frame(tag, len), len);
	util_put(bytes, zero, padded - len);
	util_put32(bytes, 32 + padded);
}

uint8_t *
util_read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*len = ftell(f);
	rewind(f);
	data = malloc(*len + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, *len, f), *len);
	fclose(f);
	return data;
}

uint32_t
util_drain(struct fcn_replay *replay, struct fcn_replay_port *port, uint64_t *arrivals,
		uint32_t *tags, uint32_t max)
{
	const struct fcn_port_ops *ops = &fcn_replay_port_ops;
	struct rte_mbuf *m;
	uint32_t n = 0;
	uint64_t now;

	while ((now = fcn_replay_next_arrival(replay)) != FCN_TIME_NEVER) {
		if (now > 0)
			assert_int_equal(ops->rx_burst(port, &m, 1, now - 1), 0);
		if (ops->rx_burst(port, &m, 1, now) == 0)
			continue; /* the packet is of another port, or was left out */
		assert_true(n < max);
		arrivals[n] = now;
		tags[n++] = util_tag(m);
		rte_pktmbuf_free(m);
	}
	return n;
}

struct fcn_replay *
util_replay(const char *path, const char *filter, double speed, struct fcn_replay_port **port)
{
	struct fcn_replay *replay = fcn_replay_create(speed);
	char err[512] = "";

	assert_non_null(replay);
	*port = fcn_replay_port_add(replay, "p0", 10 * GBPS, test_pool);
	assert_non_null(*port);
	if (fcn_replay_port_input(*port, path, filter, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	assert_string_equal(err, "");
	return replay;
}

struct fcn_replay_stats
util_stats(const struct fcn_replay_port *port)
{
	struct fcn_replay_stats stats;

	fcn_replay_port_stats(port, &stats);
	return stats;
}

void
util_assert_error(
		const struct fcn_replay *replay, unsigned int i, const char *path, const char *text)
{
	const char *error = fcn_replay_error(replay, i);

	assert_non_null(error);
	if (strncmp(error, path, strlen(path)) != 0 ||
			strncmp(error + strlen(path), text, strlen(text)) != 0 ||
			strchr(error, '\n') != NULL)
		fail_msg("\"%s\" instead of \"%s%s...\"", error, path, text);
}
