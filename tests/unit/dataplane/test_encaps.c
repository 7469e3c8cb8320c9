/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The metadata of a packet that has entered a tunnel are what the parser says of its new octets:
 * for packets of the vectors, with octets changed at random, in all modes. Packets in which the
 * parser finds a defect are left out: with one header more, it may find another defect first.
 */

#include "encaps.h"
#include "reference.h"
#include "rewrite.h"
#include "route_find.h"
#include "route_check.h"
#include "srv6_bench.h"

#define TURNS fcn_test_effort(40000)
#define MACS_LEN 12
#define TAG_LEN 4
#define MAX_SEGMENTS 5

static struct fcn_encaps encaps;

/* A segment list, with headers at random. */
static void
choose_headers(uint64_t *seed)
{
	uint8_t segments[MAX_SEGMENTS][16];
	struct fcn_srv6_encaps_conf conf = {.mode = (uint8_t)(ref_random(seed) % 3),
			.segments = (const uint8_t(*)[16])segments,
			.n_segments = 1 + (unsigned int)(ref_random(seed) % MAX_SEGMENTS),
			.source = {0x20, 1, 0xd, 0xb8, 0xff}};

	if (conf.mode == FCN_SRV6_NO_SRH)
		conf.n_segments = 1;
	memset(segments, 0, sizeof(segments));
	for (unsigned int i = 0; i < conf.n_segments; i++)
		memcpy(segments[i], ((uint8_t[]){0x20, 1, 0xd, 0xb8, 0xe0, (uint8_t)i}), 6);
	assert_int_equal(fcn_srv6_encaps_init(&encaps.other, &conf), 0);
	conf.source[4] = 0xfe;
	assert_int_equal(fcn_srv6_encaps_init(&encaps.roce, &conf), 0);
	encaps.tclass_copied = (uint8_t)(ref_random(seed) % 2 ? 0xFF : 0xFC);
	encaps.hop_limit = ref_random(seed) % 2 ? FCN_SRV6_INNER : 64;
	encaps.flow_label = (uint8_t)(ref_random(seed) % (FCN_SRV6_FLOW_LABEL_ZERO + 1));
}

/* A packet that came in with a tag leaves without it, and has the metadata of what leaves. */
static void
compare_tagged(const uint8_t *data, uint32_t len, uint64_t *seed)
{
	const struct fcn_next_hop nh = {.type = FCN_NEXT_HOP_ENCAPS};
	const struct fcn_next_hop out = {.type = FCN_NEXT_HOP_FORWARD};
	struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);
	struct fcn_wire_info want;
	struct fcn_packet p;
	uint8_t *to;

	assert_non_null(m);
	memset(rte_pktmbuf_mtod_offset(m, uint8_t *, -(int)rte_pktmbuf_headroom(m)), 0xEE,
			rte_pktmbuf_headroom(m));
	to = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(len + TAG_LEN));
	memcpy(to, data, MACS_LEN);
	memcpy(to + MACS_LEN, ((uint8_t[]){0x81, 0, 0x60, 0x2C}), TAG_LEN);
	memcpy(to + MACS_LEN + TAG_LEN, data + MACS_LEN, len - MACS_LEN);
	memset(&p, 0, sizeof(p));
	fcn_parse_slow(to, m->data_len, m->pkt_len, &bench.snap.codes, &p.info);
	choose_headers(seed);
	assert_true(fcn_encaps_push(bench.worker, m, &p, &nh, (uint32_t)ref_random(seed)));
	assert_true(fcn_rewrite_any(m, &p, &out));
	to = rte_pktmbuf_mtod(m, uint8_t *);
	fcn_parse_slow(to, m->data_len, m->pkt_len, &bench.snap.codes, &want);
	assert_int_equal(want.ether_type, RTE_ETHER_TYPE_IPV6);
	assert_int_equal(p.info.flags, want.flags);
	p.info.vlan_tci = want.vlan_tci; /* of a packet without a tag it is not read */
	assert_memory_equal(&p.info, &want, sizeof(want));
	rte_pktmbuf_free(m);
}

/* @return whether the packet could enter a tunnel */
static bool
compare(const uint8_t *data, uint32_t len, uint64_t *seed)
{
	const struct fcn_next_hop nh = {.type = FCN_NEXT_HOP_ENCAPS};
	struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);
	struct fcn_wire_info want;
	struct fcn_packet p;

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), data, len);
	memset(&p, 0, sizeof(p));
	fcn_parse_slow(data, len, len, &bench.snap.codes, &p.info);
	if (p.info.l3_off == 0 || p.info.error != FCN_WIRE_OK ||
			fcn_route_check_ip(&p.info, data) != FCN_DROP_NONE) {
		rte_pktmbuf_free(m);
		return false;
	}
	choose_headers(seed);
	assert_true(fcn_encaps_push(bench.worker, m, &p, &nh, (uint32_t)ref_random(seed)));
	fcn_parse_slow(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, m->pkt_len, &bench.snap.codes,
			&want);
	assert_int_equal(p.info.flags, want.flags);
	assert_int_equal(p.info.error, want.error);
	assert_memory_equal(&p.info, &want, sizeof(want));
	rte_pktmbuf_free(m);
	compare_tagged(data, len, seed);
	return true;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_bench_setup, .teardown = srv6_bench_teardown);

TEST(metadata)
{
	static const char *const files[] = {"01_roce6_write", "02_roce4_write", "03_roce6_ack",
			"05_roce6_write_ioam", "06_srv6_encaps_srh", "07_srv6_encaps_nosrh",
			"09_fastcnp_opt1", "13_roce6_write_proxyopt", "15_arn", "20_linux_ioam_hop",
			"32_icmp6", "33_icmp4", "41_srv6_end"};
	unsigned int entered = 0;
	uint64_t seed = 8986;

	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench_poll(bench.worker->now + 1); /* it takes the snapshot */
	for (unsigned int f = 0; f < RTE_DIM(files); f++) {
		struct vectors v;

		vectors_load(&v, files[f]);
		for (unsigned int i = 0; i < TURNS / RTE_DIM(files); i++) {
			const unsigned int frame = (unsigned int)(ref_random(&seed) % v.n);
			const uint32_t len = v.len[frame];
			uint8_t copy[2048];

			memcpy(copy, v.data[frame], len);
			for (unsigned int k = i % 4; k > 0; k--) {
				unsigned int at = ETHER_LEN + (unsigned int)(ref_random(&seed) %
									      (len - ETHER_LEN));

				copy[at] = ref_random(&seed) % 2 ? (uint8_t)(ref_random(&seed) % 64)
								 : (uint8_t)ref_random(&seed);
			}
			entered += compare(copy, len, &seed);
		}
		vectors_free(&v);
	}
	assert_true(entered > TURNS / 4);
	bench.snap.srv6.encaps = NULL;
	bench.snap.srv6.n_encaps = 0;
}

/* The flow labels that 256 flows get, which differ in their source port, and have this one. */
static unsigned int
labels_of(enum fcn_srv6_flow_label how, uint8_t label)
{
	const struct fcn_next_hop nh = {.type = FCN_NEXT_HOP_ENCAPS};
	static bool seen[1 << 20];
	unsigned int n = 0;
	uint64_t seed = 6437;
	struct vectors v;

	memset(seen, 0, sizeof(seen));
	vectors_load(&v, "01_roce6_write");
	v.data[0][ETHER_LEN + 1] &= 0xF0;
	v.data[0][ETHER_LEN + 2] = 0;
	v.data[0][ETHER_LEN + 3] = label;
	for (unsigned int flow = 0; flow < 256; flow++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);
		struct fcn_packet p;
		uint8_t *ip;

		assert_non_null(m);
		fcn_put_be16(v.data[0] + ETHER_LEN + IP6_LEN, (uint16_t)(0xC000 + flow));
		memcpy(rte_pktmbuf_append(m, (uint16_t)v.len[0]), v.data[0], v.len[0]);
		memset(&p, 0, sizeof(p));
		fcn_parse_slow(v.data[0], v.len[0], v.len[0], &bench.snap.codes, &p.info);
		choose_headers(&seed);
		encaps.flow_label = how;
		assert_true(fcn_encaps_push(bench.worker, m, &p, &nh,
				fcn_route_flow_hash(&bench.worker->hash_key, v.data[0], &p.info)));
		ip = rte_pktmbuf_mtod_offset(m, uint8_t *, p.info.l3_off);
		n += !seen[fcn_get_be32(ip) & 0xFFFFF];
		seen[fcn_get_be32(ip) & 0xFFFFF] = true;
		rte_pktmbuf_free(m);
	}
	vectors_free(&v);
	return n;
}

/* Nodes on the way that know the outer header only tell flows apart by its flow label. */
TEST(flow_labels)
{
	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench_poll(bench.worker->now + 1);
	/* Of 2^20, 256 are all different with a probability of 0.97, and three pairs are rare. */
	assert_in_range(labels_of(FCN_SRV6_FLOW_LABEL_AUTO, 0), 253, 256);
	assert_in_range(labels_of(FCN_SRV6_FLOW_LABEL_HASH, 7), 253, 256);
	assert_int_equal(labels_of(FCN_SRV6_FLOW_LABEL_AUTO, 7), 1);
	assert_int_equal(labels_of(FCN_SRV6_FLOW_LABEL_COPY, 0), 1);
	assert_int_equal(labels_of(FCN_SRV6_FLOW_LABEL_ZERO, 7), 1);
	bench.snap.srv6.encaps = NULL;
	bench.snap.srv6.n_encaps = 0;
}
