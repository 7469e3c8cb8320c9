/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The edge of an IOAM domain: options taken out, or packets dropped, whichever way they cross it.
 */

#include "ioam_remove.h"
#include "port_bits.h"
#include "testbed.h"

#define TYPE 0xC00000 /* hop limit and node, interfaces: 2 words */
#define WORDS 8
#define OPTION_LEN (16 + 4 * WORDS) /* of its header, a multiple of 8 */

/* Ports 0 and 1 lie in the domain; at 2 it is taken out, at 3 dropped. */
static int
setup(void **state)
{
	bench_setup(state);
	bench_port_routes(4);
	bench.snap.ioam.any_edge = true;
	bench.snap.port[2].ioam.edge = FCN_IOAM_EDGE_STRIP;
	bench.snap.port[3].ioam.edge = FCN_IOAM_EDGE_DROP;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* From one port to another, sealed with its ICRC. */
static void
make(struct frame *f, uint16_t in, uint16_t out, uint32_t payload)
{
	frame_ioam6(f, TYPE, 2, WORDS, 0, payload);
	f->data[14 + 24 + 5] = out;
	frame_to_port(f, in, 1);
	for (uint32_t i = 0; i < payload; i++)
		f->data[f->len - 5 - i] = 17 * i;
	ioam_finish(f, REF_SKIP, true);
}

/* The same packet as if it had never had a trace. */
static void
make_plain(struct frame *f, const struct frame *with)
{
	*f = *with;
	memmove(f->data + 14 + 40, f->data + 14 + 40 + OPTION_LEN, f->len - 54 - OPTION_LEN);
	f->len -= OPTION_LEN;
	f->udp -= OPTION_LEN;
	f->data[14 + 6] = 17;
	frame_finish(f);
	ioam_finish(f, REF_SKIP, true);
}

/* Packet i that left by a routed port, but for its Ethernet header and hop limit. */
static void
assert_routed(uint16_t port, unsigned int i, const struct frame *want)
{
	const uint8_t *out = bench_out(port, i);

	assert_int_equal(bench_out_len(port, i), want->len);
	assert_int_equal(out[14 + 7] + 1, want->data[14 + 7]);
	assert_memory_equal(out + 14, want->data + 14, 7);
	assert_memory_equal(out + 14 + 8, want->data + 14 + 8, want->len - 14 - 8);
}

/* All pairs of ports: the stricter of the two decides. */
TEST(every_way)
{
	uint64_t stripped[4] = {0}, dropped[4] = {0};
	struct frame f, plain;

	for (unsigned int checksum = 0; checksum < 2; checksum++) {
		for (uint16_t in = 0; in < 4; in++) {
			for (uint16_t out = 0; out < 4; out++) {
				make(&f, in, out, 100);
				ioam_finish(&f, REF_SKIP, checksum);
				make_plain(&plain, &f);
				ioam_finish(&plain, REF_SKIP, checksum);
				bench_in(in, &f);
				bench_send(in, &plain, 1);
				if (in == 3 || out == 3) {
					assert_int_equal(bench.port[out].n_out, 1);
					dropped[in]++;
				} else {
					assert_int_equal(bench.port[out].n_out, 2);
					assert_routed(out, 0, in == 2 || out == 2 ? &plain : &f);
					stripped[in] += in == 2 || out == 2;
				}
				/* What has no trace is never touched. */
				assert_routed(out, bench.port[out].n_out - 1, &plain);
			}
		}
	}
	for (uint16_t p = 0; p < 4; p++) {
		assert_int_equal(bench.worker->counters[p].ioam_stripped, stripped[p]);
		assert_int_equal(bench.worker->counters[p].drop[FCN_DROP_IOAM_EDGE], dropped[p]);
	}
	assert_int_equal(stripped[0], 2);
	assert_int_equal(dropped[0], 2);
	assert_int_equal(bench_all_drops(), 14);
	/* No edge anywhere: as it came. */
	bench.snap.ioam.any_edge = false;
	bench.snap.port[2].ioam.edge = bench.snap.port[3].ioam.edge = FCN_IOAM_EDGE_OFF;
	make(&f, 0, 3, 100);
	bench_send(0, &f, 2);
	assert_routed(3, 0, &f);
}

/* Whatever is IOAM: other option types, Destination Options, beside others that stay. */
TEST(options)
{
	const uint8_t other[8] = {0x1E, 4, 1, 2, 3, 4, 1, 0}; /* and PadN of 2 */
	struct frame f;
	uint8_t *h;

	/* Hop-by-Hop: an option of its own, then edge-to-edge; Destination Options: IOAM alone. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 0);
	h = frame_zero(&f, 24);
	h[0] = 60;
	h[1] = 2;
	memcpy(h + 2, other, 6);
	h[8] = 0x11;
	h[9] = 14;
	h = frame_zero(&f, 16);
	h[0] = 17;
	h[1] = 1;
	h[2] = 0x31;
	h[3] = 12;
	frame_roce(&f, 60);
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	frame_class(&f, 3, 1);
	f.data[14 + 24 + 5] = 2;
	ioam_finish(&f, REF_SKIP, true);
	bench_send(0, &f, 1);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_out_len(2, 0), f.len - 16 - 16);
	assert_int_equal(bench_out(2, 0)[14 + 6], 0);
	assert_memory_equal(bench_out(2, 0) + 54, ((uint8_t[]){17, 0}), 2);
	assert_memory_equal(bench_out(2, 0) + 56, other, 6);
	assert_memory_equal(bench_out(2, 0) + 62, f.data + 54 + 40, 6); /* UDP's ports and length */
	assert_int_equal(bench.worker->counters[0].ioam_stripped, 1);
	/* What cannot be read to its end cannot be taken out: it must not cross. */
	make(&f, 0, 2, 100);
	f.data[54 + 5] = 200; /* the option is longer than its header */
	bench_in(0, &f);
	f.data[14 + 24 + 5] = 1;
	bench_send(0, &f, 2);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_IOAM_EDGE], 1);
}

/* Not RoCEv2: no ICRC to look after. In a tunnel the outer header is the edge's, the inner is not.
 */
TEST(other_packets)
{
	struct frame f;

	make(&f, 0, 2, 100);
	f.data[f.udp + 3] = 1; /* another port */
	bench_send(0, &f, 1);
	assert_int_equal(bench_out_len(2, 0), f.len - OPTION_LEN);
	assert_memory_equal(bench_out(2, 0) + 54, f.data + f.udp, f.len - f.udp);
	frame_ioam6_tunnel(&f, TYPE, 2, WORDS, true, 50);
	f.data[14 + 24 + 5] = 2;
	bench_send(0, &f, 2);
	assert_int_equal(bench_out_len(2, 0), f.len - OPTION_LEN);
	assert_int_equal(bench_out(2, 0)[14 + 6], 41);
	assert_memory_equal(
			bench_out(2, 0) + 54, f.data + 54 + OPTION_LEN, f.len - 54 - OPTION_LEN);
	assert_int_equal(bench.worker->counters[0].ioam_stripped, 2);
}

/* A flooded packet: each copy as its port wants it. */
TEST(flooded)
{
	struct frame f, plain;

	bench_bridge(4);
	make(&f, 0, 1, 100);
	frame_macs(&f, 99, 1);
	make_plain(&plain, &f);
	/* last of all to be flooded to is port 3, then, with another order, port 2 and port 1 */
	for (unsigned int k = 0; k < 3; k++) {
		bench.snap.bridge[0].members = ports_of(0xF >> k);
		bench_send(0, &f, 1 + k);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench_out_len(1, 0), f.len);
		assert_memory_equal(bench_out(1, 0), f.data, f.len);
		if (k < 2) {
			assert_int_equal(bench.port[2].n_out, 1);
			assert_int_equal(bench_out_len(2, 0), plain.len);
			assert_memory_equal(bench_out(2, 0), plain.data, plain.len);
		}
		assert_int_equal(bench.port[3].n_out, 0);
	}
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_IOAM_EDGE], 1);
	assert_int_equal(bench.worker->counters[0].ioam_stripped, 2);
	assert_int_equal(bench_all_drops(), 1);
	/* In by the edge: all the copies are without. */
	bench.snap.bridge[0].members = ports_of(0xF);
	bench_send(2, &f, 10);
	for (uint16_t p = 0; p < 2; p++) {
		assert_int_equal(bench.port[p].n_out, 1);
		assert_int_equal(bench_out_len(p, 0), plain.len);
		assert_memory_equal(bench_out(p, 0), plain.data, plain.len);
	}
	assert_int_equal(bench.worker->counters[2].drop[FCN_DROP_IOAM_EDGE], 1);
}

/* A short frame in a bridge keeps its padding behind it; a routed one loses it. */
TEST(padding)
{
	for (unsigned int bridged = 0; bridged < 2; bridged++) {
		struct frame f, plain;
		uint8_t *pad;

		if (bridged)
			bench_bridge(4);
		make(&f, 0, 2, 0);
		frame_macs(&f, bridged ? 99 : 1, 1);
		if (!bridged)
			frame_to_port(&f, 0, 1);
		make_plain(&plain, &f);
		pad = frame_zero(&f, 11);
		memset(pad, 0x5A, 11);
		bench_send(0, &f, 1 + bridged);
		if (!bridged) {
			assert_routed(2, 0, &plain);
			continue;
		}
		assert_int_equal(bench_out_len(2, 0), plain.len + 11);
		assert_memory_equal(bench_out(2, 0), plain.data, plain.len);
		assert_memory_equal(bench_out(2, 0) + plain.len, pad, 11);
	}
	assert_int_equal(bench_all_drops(), 1); /* the copy for port 3 */
}

/* The whole packet, from its segments. */
static uint32_t
flatten(uint16_t port, uint8_t *out)
{
	const struct rte_mbuf *m = bench.port[port].out[0];
	uint32_t len = 0;

	assert_int_equal(bench.port[port].n_out, 1);
	rte_mbuf_sanity_check(m, 1);
	for (const struct rte_mbuf *s = m; s != NULL; s = s->next) {
		memcpy(out + len, rte_pktmbuf_mtod(s, const uint8_t *), s->data_len);
		len += s->data_len;
	}
	assert_int_equal(len, m->pkt_len);
	return len;
}

/*
 * Segments of 2048: the ICRC in the last one, in two, and alone in the last. It
 * lies in two pieces, or beyond the first with padding behind it: not to be corrected.
 */
TEST(chained)
{
	/* octets of the ICRC in the second segment, or more than that */
	static const unsigned int behind[] = {4, 5, 1000, 2048, 3, 2, 1};
	struct frame f, plain;

	for (uint16_t p = 0; p < 4; p++) {
		bench.snap.port[p].mtu = 4096;
		bench.next_hop[p + 4].mtu = 4096;
	}
	for (size_t i = 0; i < RTE_DIM(behind); i++) {
		const uint32_t len = 2048 + behind[i];
		uint64_t drops = bench_drops(FCN_DROP_IOAM_EDGE);
		static uint8_t out[FRAME_MAX];

		make(&f, 0, 2, len - 54 - OPTION_LEN - 24);
		assert_int_equal(f.len, len);
		make_plain(&plain, &f);
		bench_send(0, &f, 1 + i);
		if (behind[i] < 4) {
			assert_int_equal(bench.port[2].n_out, 0);
			assert_int_equal(bench_drops(FCN_DROP_IOAM_EDGE), drops + 1);
			continue;
		}
		assert_int_equal(flatten(2, out), plain.len);
		assert_memory_equal(out + 14 + 8, plain.data + 14 + 8, plain.len - 14 - 8);
	}
	/* Padding in a chain: only a bridge meets it. */
	bench_bridge(4);
	make(&f, 0, 2, 2060 - 54 - OPTION_LEN - 24);
	frame_macs(&f, 99, 1);
	frame_zero(&f, 7);
	bench_send(0, &f, 100);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench.port[2].n_out, 0);
}

/* Stripped, then congested: the notice is of option 1, and about the right flow. */
TEST(notice)
{
	const uint8_t *n;
	struct frame f;

	bench_notices(2, 1);
	bench.snap.port[0].ioam.transit = true;
	bench.snap.ioam.any_transit = true;
	bench.snap.ioam.n_namespaces = 1;
	bench.snap.ioam.ns[0].id = 0x1234;
	make(&f, 0, 2, 100);
	bench_send(0, &f, 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_verdict(2, 3, FCN_FASTCNP_SENT_OPT1), 1);
	n = bench_out(0, 0);
	assert_int_equal(bench_out_len(0, 0), 14 + 104);
	assert_memory_equal(n + 14 + 24, f.data + 14 + 8, 16);        /* to the sender */
	assert_memory_equal(n + 14 + 40 + 8, f.data + 14 + 24, 16);   /* about the receiver */
	assert_memory_equal(n + 14 + 72 + 5, f.data + f.udp + 13, 3); /* QP */
	/* Nothing was written of what was taken out. */
	assert_int_equal(bench.worker->counters[0].ioam_written, 0);
	assert_int_equal(bench.worker->counters[0].ioam_foreign, 0);
	assert_int_equal(bench_out_len(2, 0), f.len - OPTION_LEN);
	/* And the marked packet is marked where its IP header is now. */
	assert_int_equal(bench_out(2, 0)[15] >> 4 & 3, 3);
}

/*
 * The trace of a data packet ends at the edge, too, when it is in a notice: one that is made here
 * leaves with option 1, and is else what it would have been without a trace.
 */
TEST(notices_made_here)
{
	static const uint16_t via[] = {0, 2, 3}; /* ports the notice goes back by */
	struct frame f, plain;
	uint8_t want[14 + 104];

	bench_notices(1, 1);
	for (unsigned int i = 0; i < RTE_DIM(via); i++) {
		make(&f, 0, 1, 100);
		f.data[14 + 8 + 5] = via[i];
		make_plain(&plain, &f);
		bench_send(0, &plain, 1 + i);
		assert_int_equal(bench_out_len(via[i], 0), sizeof(want));
		memcpy(want, bench_out(via[i], 0), sizeof(want));
		bench_send(0, &f, 1 + i);
		/* The counters say what left. */
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), i + 1);
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT2), 1);
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_EDGE), i);
		assert_int_equal(bench.port[via[i]].n_out, 1);
		if (via[i] == 0) {
			assert_int_equal(bench_out_len(0, 0), 14 + 40 + 32 + 4 * WORDS + 40);
			continue;
		}
		assert_int_equal(bench_out_len(via[i], 0), sizeof(want));
		assert_memory_equal(bench_out(via[i], 0), want, sizeof(want));
	}
	assert_int_equal(bench.worker->counters[1].ioam_stripped, 0);
	assert_int_equal(bench_all_drops(), 0);
}

/* In a bridge the notice goes back where its packet came from. */
TEST(notice_bridged)
{
	struct frame f;

	bench_bridge(4);
	bench_notices(1, 1);
	make(&f, 0, 1, 100);
	frame_macs(&f, 99, 1);
	bench.snap.bridge[0].members = ports_of(3);
	bench_send(0, &f, 1);
	assert_int_equal(bench_out_len(0, 0), 14 + 40 + 32 + 4 * WORDS + 40);
	assert_int_equal(bench.port[1].n_out, 1);
}

/* Another's Fast CNP: with option 2 it does not cross, wherever it stands; with option 1 it does.
 */
TEST(transit_notices)
{
	struct frame f;

	for (unsigned int form = 0; form < 3; form++) {
		for (uint8_t option = 0x9E; option <= 0x9F; option++) {
			for (uint16_t out = 1; out < 4; out++) {
				uint64_t drops = bench_drops(FCN_DROP_IOAM_EDGE);
				bool stays = option == 0x9F && out >= 2;
				uint8_t *h;

				memset(&f, 0, sizeof(f));
				frame_ether(&f, 0x86DD);
				frame_ip6(&f, form == 0 ? 60 : form == 1 ? 44 : 41);
				if (form == 1)
					memcpy(frame_zero(&f, 8), (uint8_t[]){60}, 1);
				if (form == 2)
					frame_ip6(&f, 60);
				h = frame_zero(&f, 48);
				memcpy(h, (uint8_t[]){17, 5, 1, 0, option, 34}, 6);
				if (option == 0x9E)
					memcpy(h, (uint8_t[]){17, 5, 1, 2, 0, 0, option, 16}, 8);
				frame_roce(&f, 16);
				f.data[f.udp + 8] = 0x81;
				frame_finish(&f);
				frame_to_port(&f, 0, 1);
				f.data[14 + 24 + 5] = out;
				bench_send(0, &f, 1);
				assert_int_equal(bench.port[out].n_out, !stays);
				assert_int_equal(bench_drops(FCN_DROP_IOAM_EDGE), drops + stays);
			}
		}
	}
}
