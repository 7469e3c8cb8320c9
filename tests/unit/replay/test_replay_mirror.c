/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* One file whose frames enter by several ports, frames captured in part, and IPv4 as IPv6. */

#include <rte_ip.h>

#include "replay_util.h"

#define MAX 16

static const struct fcn_port_ops *ops = &fcn_replay_port_ops;

TEST_FIXTURE(.begin = util_group_setup, .end = util_group_teardown, .teardown = util_test_teardown);

/* Frames by the remainder of their numbers: of 0 to the first port, of 1 to the second, of 2 to
 * none. */
struct places {
	struct fcn_replay_port *port[2];
	unsigned int n_placed, n_sent;
	uint64_t last_left;
	bool as_ipv6;
	uint8_t to[6]; /* zero: frames keep their destination */
};

static void
place(void *arg, const struct fcn_replay_frame *frame, struct fcn_replay_place *place)
{
	struct places *p = arg;
	const uint8_t *n = frame->data + 14;
	const unsigned int which =
			p->as_ipv6 ? 0
				   : (((uint32_t)n[0] << 24 | n[1] << 16 | n[2] << 8 | n[3]) % 3);

	assert_null(frame->interface);
	p->n_placed++;
	if (which == 2)
		return;
	place->port = p->port[which];
	place->as_ipv6 = p->as_ipv6;
	if (p->to[0] != 0) {
		place->has_to = true;
		memcpy(place->to, p->to, sizeof(place->to));
	}
}

static void
sent(void *arg, const struct rte_mbuf *m, uint64_t left_ns)
{
	struct places *p = arg;

	assert_int_equal(m->pkt_len, 100);
	p->n_sent++;
	p->last_left = left_ns;
}

static struct fcn_replay *
mirror(struct places *p, const char *file, bool pad)
{
	const struct fcn_replay_watch watch = {.arg = p, .place = place, .sent = sent};
	struct fcn_replay *replay = fcn_replay_create(1);
	char err[256] = "";

	assert_non_null(replay);
	if (pad)
		fcn_replay_pad(replay);
	fcn_replay_watch(replay, &watch);
	p->port[0] = fcn_replay_port_add(replay, "a", GBPS, test_pool);
	p->port[1] = fcn_replay_port_add(replay, "b", GBPS, test_pool);
	assert_int_equal(fcn_replay_mirror(replay, file, NULL, err, sizeof(err)), 0);
	fcn_replay_begin(replay);
	return replay;
}

/* Take what has arrived at a port. */
static void
take(struct fcn_replay_port *port, uint64_t now, const uint32_t *tags, unsigned int n)
{
	struct rte_mbuf *pkts[MAX];

	assert_int_equal(ops->rx_burst(port, pkts, MAX, now), n);
	for (unsigned int i = 0; i < n; i++) {
		util_assert_frame(pkts[i], tags[i], 100);
		rte_pktmbuf_free(pkts[i]);
	}
}

TEST(places)
{
	/* The frames are 300 to 306: 300 a, 301 b, 302 -, 303 a, 304 b, 305 -, 306 a. */
	const uint64_t stamps[] = {T0, T0 + 10, T0 + 20, T0 + 20, T0 + 20, T0 + 30, T0 + 30};
	const char *file = util_cap_file("m.pcap", stamps, 7, 300);
	struct places p = {0};
	struct fcn_replay *replay = mirror(&p, file, false);
	struct fcn_replay_stats stats;

	assert_int_equal(fcn_replay_base(replay), T0);
	assert_int_equal(fcn_replay_next_arrival(replay), 0);
	take(p.port[1], 0, NULL, 0);
	take(p.port[0], 0, (uint32_t[]){300}, 1);
	assert_int_equal(fcn_replay_next_arrival(replay), 10);
	take(p.port[0], 10, NULL, 0);
	take(p.port[1], 10, (uint32_t[]){301}, 1);
	/* Both come at the same time; the second port gets its frame after the first one. */
	assert_int_equal(fcn_replay_next_arrival(replay), 20);
	take(p.port[1], 20, NULL, 0);
	take(p.port[0], 20, (uint32_t[]){303}, 1);
	take(p.port[1], 30, (uint32_t[]){304}, 1);
	take(p.port[0], 30, (uint32_t[]){306}, 1);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	assert_int_equal(p.n_placed, 7);
	fcn_replay_mirror_stats(replay, &stats);
	assert_int_equal(stats.in_packets, 0);
	fcn_replay_port_stats(p.port[0], &stats);
	assert_int_equal(stats.in_packets, 3);
	fcn_replay_free(replay);
}

/* A file of which nothing is delivered is read by the call that opens it. */
TEST(read_at_once)
{
	const uint64_t stamps[] = {T0, T0 + 10};
	struct places p = {0};
	struct fcn_replay *replay;

	util_cap_file("none.pcap", stamps, 1, 302);
	replay = mirror(&p, util_path("none.pcap"), false);
	assert_int_equal(p.n_placed, 1);
	assert_int_equal(fcn_replay_next_arrival(replay), FCN_TIME_NEVER);
	fcn_replay_free(replay);
}

TEST(nobody_places)
{
	const uint64_t stamps[] = {T0};
	struct fcn_replay *replay = fcn_replay_create(1);
	char err[256] = "";

	assert_int_equal(fcn_replay_mirror(replay, util_cap_file("m.pcap", stamps, 1, 0), NULL, err,
					 sizeof(err)),
			-EINVAL);
	assert_non_null(strstr(err, "nothing chooses"));
	fcn_replay_free(replay);
}

/* The time of what a port sends is that at which the last bit leaves. */
TEST(watch_sent)
{
	const uint64_t stamps[] = {T0};
	struct places p = {0};
	struct fcn_replay *replay = mirror(&p, util_cap_file("m.pcap", stamps, 1, 0), false);
	struct rte_mbuf *m = util_mbuf(7, 100);

	assert_int_equal(ops->tx_burst(p.port[0], &m, 1, 1000), 1);
	assert_int_equal(p.n_sent, 1);
	assert_int_equal(p.last_left, 1000 + (100 + 24) * 8);
	fcn_replay_free(replay);
}

/* Frames of 5000 bytes of which 100 were captured, one that is too long, and one that is whole. */
TEST(padded)
{
	struct places p = {0};
	struct fcn_replay *replay;
	struct fcn_replay_stats stats;
	struct rte_mbuf *pkts[MAX];
	struct util_cap cap;
	uint8_t zeros[4900] = {0}, buf[4900];

	util_cap_open(&cap, "snap.pcap", DLT_EN10MB, 1);
	util_cap_add(&cap, T0, 300, 100, 5000);
	util_cap_add(&cap, T0, 303, 100, FCN_REPLAY_MAX_FRAME + 1);
	util_cap_add(&cap, T0, 306, 200, 200);
	util_cap_close(&cap);
	replay = mirror(&p, cap.path, true);
	assert_int_equal(ops->rx_burst(p.port[0], pkts, MAX, 0), 2);
	assert_int_equal(pkts[0]->pkt_len, 5000);
	assert_int_equal(pkts[0]->nb_segs, 3);
	assert_memory_equal(rte_pktmbuf_mtod(pkts[0], void *), util_frame(300, 100), 100);
	assert_memory_equal(rte_pktmbuf_read(pkts[0], 100, 4900, buf), zeros, 4900);
	util_assert_frame(pkts[1], 306, 200);
	rte_pktmbuf_free_bulk(pkts, 2);
	fcn_replay_port_stats(p.port[0], &stats);
	assert_int_equal(stats.in_padded, 1);
	assert_int_equal(stats.in_bytes, 5200);
	fcn_replay_mirror_stats(replay, &stats);
	assert_int_equal(stats.in_oversize, 1);
	fcn_replay_free(replay);
}

TEST(other_destination)
{
	const uint64_t stamps[] = {T0};
	struct places p = {.to = {2, 0, 0, 0, 0, 9}};
	struct fcn_replay *replay = mirror(&p, util_cap_file("m.pcap", stamps, 1, 0), false);
	struct rte_mbuf *m;

	assert_int_equal(ops->rx_burst(p.port[0], &m, 1, 0), 1);
	assert_memory_equal(rte_pktmbuf_mtod(m, void *), p.to, 6);
	assert_memory_equal(rte_pktmbuf_mtod_offset(m, void *, 6), util_frame(0, 100) + 6, 94);
	rte_pktmbuf_free(m);
	fcn_replay_free(replay);
}

/* An IPv4 packet in VLAN 5 becomes an IPv6 packet; one with options, and a fragment, stay. */
TEST(as_ipv6)
{
	static const uint8_t v4[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0x00, 0x05,
			0x08, 0x00, 0x45, 0x6A, 0x00, 0x1C, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0,
			0, 192, 0, 2, 1, 198, 51, 100, 2, 0xC0, 0x00, 0x12, 0xB7, 0x00, 0x08, 0, 0};
	static const uint8_t v6[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x00, 0x00, 0x05,
			0x86, 0xDD, 0x66, 0xA0, 0x00, 0x00, 0x00, 0x08, 0x11, 0x40, 0x00, 0x64,
			0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 1, 0x00, 0x64, 0xFF, 0x9B, 0,
			0, 0, 0, 0, 0, 0, 0, 198, 51, 100, 2, 0xC0, 0x00, 0x12, 0xB7, 0x00, 0x08, 0,
			0};
	struct pcap_pkthdr hdr = {
			.ts.tv_sec = T0 / 1000000000, .caplen = sizeof(v4), .len = sizeof(v4)};
	struct places p = {.as_ipv6 = true};
	uint8_t odd[sizeof(v4)];
	struct fcn_replay *replay;
	struct rte_mbuf *m[3];
	struct util_cap cap;

	util_cap_open(&cap, "v4.pcap", DLT_EN10MB, 1);
	pcap_dump((u_char *)cap.dumper, &hdr, v4);
	memcpy(odd, v4, sizeof(odd));
	odd[18] = 0x46;
	pcap_dump((u_char *)cap.dumper, &hdr, odd);
	memcpy(odd, v4, sizeof(odd));
	odd[24] = 0x20; /* more fragments */
	pcap_dump((u_char *)cap.dumper, &hdr, odd);
	util_cap_close(&cap);
	replay = mirror(&p, cap.path, false);
	assert_int_equal(ops->rx_burst(p.port[0], m, 3, 0), 3);
	assert_int_equal(m[0]->pkt_len, sizeof(v6));
	assert_memory_equal(rte_pktmbuf_mtod(m[0], void *), v6, sizeof(v6));
	assert_int_equal(m[1]->pkt_len, sizeof(v4));
	assert_int_equal(m[2]->pkt_len, sizeof(v4));
	assert_memory_equal(rte_pktmbuf_mtod(m[2], void *), odd, sizeof(odd));
	rte_pktmbuf_free_bulk(m, 3);
	fcn_replay_free(replay);
}
