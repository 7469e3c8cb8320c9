/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The border of the domain: what does not cross it, whichever way and by whatever stage it comes.
 */

#include "fcn_punt.h"
#include "port_bits.h"
#include "testbed.h"

#define IN 0
#define OUT 1

/* Ports 0 and 1 lie in the domain, 2 and 3 are its border. Port n leads to 2001:db8:n::/48. */
static int
setup(void **state)
{
	bench_setup(state);
	bench_port_routes(4);
	bench.snap.border.ports = ports_of(1u << 2 | 1u << 3);
	bench.snap.port[2].checked_ingress = bench.snap.port[3].checked_ingress = true;
	bench.snap.border.codes = (struct fcn_border_codes){
			.options = bench.snap.codes,
			.cnm_port = 1021,
			.arn_port = 1022,
	};
	return 0;
}

static int
teardown(void **state)
{
	fcn_prefix_list_free(bench.snap.border.peers);
	fcn_prefix_list_free(bench.snap.border.sids);
	bench.snap.border.peers = bench.snap.border.sids = NULL;
	return bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct fcn_prefix_list *
list_of(const char *text)
{
	struct fcn_prefix_value v = {.value = FCN_BORDER_LISTED};
	struct fcn_prefix_list *list;

	assert_int_equal(fcn_prefix_parse(text, &v.prefix), 0);
	list = fcn_prefix_list_create("test", &v, 1, SOCKET_ID_ANY);
	assert_non_null(list);
	return list;
}

/* From a port to another. What it holds is up to the kind. */
static void
make(struct frame *f, enum fcn_border_kind kind, uint16_t in, uint16_t out)
{
	static const uint8_t options[] = {[FCN_BORDER_FAST_CNP] = 0x9E, [FCN_BORDER_PROXY] = 0x1E};
	uint8_t *h;

	memset(f, 0, sizeof(*f));
	frame_ether(f, 0x86DD);
	switch (kind) {
	case FCN_BORDER_FAST_CNP:
	case FCN_BORDER_PROXY:
		frame_ip6(f, 60);
		h = frame_zero(f, 24);
		memcpy(h, (uint8_t[]){17, 2, 1, 2, 0, 0, options[kind], 16}, 8);
		break;
	case FCN_BORDER_IOAM:
		frame_ip6(f, 0);
		h = frame_zero(f, 24);
		memcpy(h, (uint8_t[]){17, 2, 0x31, 20}, 4);
		break;
	case FCN_BORDER_FRAGMENT:
		frame_ip6(f, 44);
		h = frame_zero(f, 8);
		memcpy(h, (uint8_t[]){17, 0, 0, 8}, 4);
		break;
	case FCN_BORDER_UNREAD:
		frame_ip6(f, 60);
		h = frame_zero(f, 8);
		memcpy(h, (uint8_t[]){17, 0, 0x05, 200}, 4);
		break;
	default:
		frame_ip6(f, 17);
	}
	frame_roce(f, 16);
	if (kind == FCN_BORDER_CNP || kind == FCN_BORDER_FAST_CNP)
		f->data[f->udp + 8] = 0x81;
	if (kind == FCN_BORDER_CNM || kind == FCN_BORDER_ARN) {
		f->data[f->udp + 2] = 3;
		f->data[f->udp + 3] = kind == FCN_BORDER_CNM ? 253 : 254;
	}
	frame_finish(f);
	frame_to_port(f, in, 1);
	f->data[14 + 8 + 5] = in;
	f->data[14 + 24 + 5] = out;
	if (kind == FCN_BORDER_SID_SOURCE)
		f->data[14 + 8 + 6] = 0xC;
	if (kind == FCN_BORDER_SID_DESTINATION)
		f->data[14 + 24 + 6] = 0xC;
}

static void
assert_crosses(enum fcn_border_kind kind, uint16_t in, uint16_t out, bool crosses)
{
	struct frame f;

	make(&f, kind, in, out);
	bench_send(in, &f, bench.worker->now + 1);
	assert_int_equal(bench.port[out].n_out, crosses);
}

/* The segment identifiers of ports' networks: 2001:db8:n:c00::/56 each. */
static void
set_sids(void)
{
	struct fcn_prefix_value v[4];

	for (unsigned int p = 0; p < 4; p++) {
		char text[32];

		snprintf(text, sizeof(text), "2001:db8:%x:c00::/56", p);
		v[p].value = FCN_BORDER_LISTED;
		assert_int_equal(fcn_prefix_parse(text, &v[p].prefix), 0);
	}
	bench.snap.border.sids = fcn_prefix_list_create("test", v, 4, SOCKET_ID_ANY);
	assert_non_null(bench.snap.border.sids);
}

/* Each kind, each pair of ports: only what stays inside gets through. */
TEST(every_way)
{
	struct frame f;
	uint64_t n = 0;

	set_sids();
	for (unsigned int kind = 0; kind < FCN_BORDER_KIND_COUNT; kind++) {
		for (uint16_t in = 0; in < 4; in++) {
			for (uint16_t out = 0; out < 4; out++) {
				bool crosses = in >= 2 || out >= 2;
				/* A Fast CNP does not return to where it came from. */
				bool returns = kind == FCN_BORDER_FAST_CNP && in == out;
				uint16_t port = in >= 2 ? in : out;
				unsigned int way = in >= 2 ? IN : OUT;
				uint64_t before = bench.worker->counters[port].border[way][kind];
				uint64_t drops = bench.worker->counters[in]
								 .drop[fcn_drop_of_border(kind)];

				make(&f, kind, in, out);
				bench_send(in, &f, 1);
				assert_int_equal(bench.port[out].n_out, !crosses && !returns);
				assert_int_equal(bench.worker->counters[port].border[way][kind],
						before + crosses);
				assert_int_equal(bench.worker->counters[in]
								 .drop[fcn_drop_of_border(kind)],
						drops + crosses);
				n += crosses || returns;
				assert_int_equal(bench_all_drops(), n);
			}
		}
	}
	assert_int_equal(n, FCN_BORDER_KIND_COUNT * 12 + 2);
}

/* What anybody may send crosses, changed by nothing but routing. */
TEST(plain)
{
	struct frame f;

	set_sids();
	for (uint16_t in = 0; in < 4; in++) {
		for (uint16_t out = 0; out < 4; out++) {
			frame_roce6(&f, 1, out, 2, 100);
			frame_to_port(&f, in, 1);
			bench_send(in, &f, 1);
			assert_int_equal(bench_out_len(out, 0), f.len);
			assert_memory_equal(bench_out(out, 0) + 22, f.data + 22, f.len - 22);
		}
	}
	assert_int_equal(bench_all_drops(), 0);
	/* No border: everything crosses. */
	bench.snap.border.ports = ports_of(0);
	bench.snap.port[2].checked_ingress = bench.snap.port[3].checked_ingress = false;
	assert_crosses(FCN_BORDER_FAST_CNP, 2, 3, true);
}

/* CNPs cross the border if that is configured, with whomever they are exchanged; Fast CNPs and CNPs
 * from segment identifiers do not. */
TEST(cnps_pass)
{
	struct frame f;

	set_sids();
	bench.snap.border.cnp = FCN_BORDER_PASS;
	assert_crosses(FCN_BORDER_CNP, 2, 0, true);
	assert_crosses(FCN_BORDER_CNP, 0, 3, true);
	assert_crosses(FCN_BORDER_FAST_CNP, 2, 0, false);
	make(&f, FCN_BORDER_CNP, 0, 2);
	f.data[14 + 8 + 6] = 0xC;
	bench_send(0, &f, 4);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench.worker->counters[3].border[1][FCN_BORDER_CNP], 0);
	assert_int_equal(bench_drops(fcn_drop_of_border(FCN_BORDER_SID_SOURCE)), 1);
	assert_int_equal(bench_drops(fcn_drop_of_border(FCN_BORDER_FAST_CNP)), 1);
	bench_check();
}

/* CNPs of peers come in from them, and go out to them. */
TEST(peers)
{
	bench.snap.border.peers = list_of("2001:db8:2::/48");
	assert_crosses(FCN_BORDER_CNP, 2, 0, true);
	assert_crosses(FCN_BORDER_CNP, 3, 0, false);
	assert_crosses(FCN_BORDER_CNP, 0, 2, true);
	assert_crosses(FCN_BORDER_CNP, 0, 3, false);
	/* A peer's Fast CNP is one all the same. */
	assert_crosses(FCN_BORDER_FAST_CNP, 2, 0, false);
	assert_int_equal(bench_drops(FCN_DROP_BORDER_CNP), 2);
	assert_int_equal(bench_drops(FCN_DROP_BORDER_FAST_CNP), 1);
}

/* Segments still to be visited count as destinations, those visited do not. */
TEST(segments)
{
	struct frame f;

	set_sids();
	for (unsigned int left = 0; left < 3; left++) {
		uint8_t *srh;

		memset(&f, 0, sizeof(f));
		frame_ether(&f, 0x86DD);
		frame_ip6(&f, 43);
		srh = frame_srh(&f, 17, 2, left, 0);
		memcpy(srh + 8 + 16, (uint8_t[]){0x20, 1, 0x0d, 0xb8, 0, 0, 0x0c}, 7);
		frame_roce(&f, 16);
		frame_finish(&f);
		frame_to_port(&f, 2, 1);
		f.data[14 + 8 + 5] = 2;
		bench_send(2, &f, 1 + left);
		assert_int_equal(bench.port[0].n_out, left < 2);
	}
	assert_int_equal(bench_drops(FCN_DROP_BORDER_SID_DESTINATION), 1);
}

/* Where IOAM is taken out at the border, packets with it cross; in a tunnel it stays and does not.
 */
TEST(strip)
{
	struct frame f;

	bench.snap.ioam.any_edge = true;
	bench.snap.port[2].ioam.edge = FCN_IOAM_EDGE_STRIP;
	for (uint16_t in = 0; in < 4; in += 2) {
		make(&f, FCN_BORDER_IOAM, in, 2 - in);
		bench_send(in, &f, 1 + in);
		assert_int_equal(bench_out_len(2 - in, 0), f.len - 24);
	}
	frame_ioam6_tunnel(&f, 0xC00000, 2, 8, true, 50);
	f.data[14 + 24 + 5] = 2;
	bench_send(0, &f, 4);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench_drops(FCN_DROP_BORDER_IOAM), 1);
	assert_int_equal(bench_all_drops(), 1);
}

/* Bridged and flooded packets meet the border as routed ones do, tagged ones, too. */
TEST(bridged)
{
	struct frame f;

	bench_bridge(4);
	for (unsigned int kind = 0; kind < FCN_BORDER_KIND_COUNT; kind++) {
		if (kind == FCN_BORDER_SID_DESTINATION || kind == FCN_BORDER_SID_SOURCE)
			continue;
		/* to an address nobody has: to port 1, not to 2 and 3 */
		make(&f, kind, 0, 1);
		frame_macs(&f, 99, 1);
		bench_send(0, &f, 1 + kind);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench_out_len(1, 0), f.len);
		assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
		assert_int_equal(bench.worker->counters[2].border[OUT][kind], 1);
		assert_int_equal(bench.worker->counters[3].border[OUT][kind], 1);
		/* from outside: to nobody */
		frame_macs(&f, 99, 2);
		bench_send(2, &f, 1 + kind);
		for (uint16_t p = 0; p < 4; p++)
			assert_int_equal(bench.port[p].n_out, 0);
		assert_int_equal(bench.worker->counters[2].border[IN][kind], 1);
	}
	/* A frame whose IP header is broken has the name of the defect. */
	make(&f, FCN_BORDER_CNP, 2, 0);
	f.data[14] = 0x45;
	bench_send(2, &f, 100);
	assert_int_equal(bench_drops(FCN_DROP_IPV6_VERSION), 1);
	/* What is not IP is none of the border's. */
	memset(&f, 0, sizeof(f));
	frame_ether(&f, 0x0806);
	frame_zero(&f, 46);
	memset(f.data, 0xFF, 6);
	f.data[6] = 2;
	bench_send(2, &f, 101);
	assert_int_equal(bench.port[0].n_out, 1);
}

/* A chain whose headers lie in several pieces. */
TEST(chained)
{
	for (unsigned int kind = 0; kind < 2; kind++) {
		struct rte_mbuf *m, *rest;
		struct frame f;

		make(&f, kind == 0 ? FCN_BORDER_FAST_CNP : FCN_BORDER_KIND_COUNT, 2, 0);
		bench_in(2, &f);
		m = bench.port[2].in[bench.port[2].n_in - 1];
		rest = rte_pktmbuf_alloc(bench.pool);
		assert_non_null(rest);
		/* Ethernet, IPv6 and no more in the first */
		memcpy(rte_pktmbuf_append(rest, f.len - 54), f.data + 54, f.len - 54);
		rte_pktmbuf_trim(m, f.len - 54);
		assert_int_equal(rte_pktmbuf_chain(m, rest), 0);
		bench_poll(1 + kind);
		assert_int_equal(bench.port[0].n_out, kind);
		assert_int_equal(bench_drops(FCN_DROP_BORDER_FAST_CNP), 1);
	}
	assert_int_equal(bench_all_drops(), 1);
}

/* The sender is outside: no notice, but a mark; and counted as such. */
TEST(sender_outside)
{
	struct frame f;

	bench_notices(1, 1);
	bench_queue_conf(1, 3)->policy.ecn = true;
	frame_roce6(&f, 1, 1, 2, 100);
	frame_to_port(&f, 2, 1);
	f.data[14 + 8 + 5] = 2;
	bench_send(2, &f, 1);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE), 1);
	assert_int_equal(bench_all_drops(), 0);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out(1, 0)[15] >> 4 & 3, 3);
	/* The same from inside gets one. */
	frame_to_port(&f, 0, 1);
	f.data[14 + 8 + 5] = 0;
	bench_send(0, &f, 2);
	assert_int_equal(bench.port[0].n_out, 1);
	/* In by a port inside, back by the border: it is the way back that counts. */
	f.data[14 + 8 + 5] = 3;
	bench_send(0, &f, 3);
	assert_int_equal(bench.port[3].n_out, 0);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_UNREACHABLE), 2);
	assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* A sub-interface of a border port is one, tag or not. */
TEST(sub_interface)
{
	static const enum fcn_border_kind kinds[] = {
			FCN_BORDER_FAST_CNP, FCN_BORDER_SID_SOURCE, FCN_BORDER_SID_DESTINATION};
	static uint16_t sub[FCN_VLANS];
	struct frame f, tagged;

	memset(sub, 0xFF, sizeof(sub));
	sub[7] = 9;
	bench.snap.port[9] = bench.snap.port[2];
	bench.snap.port[9].parent = 2;
	bench.snap.port[9].vlan = 7;
	bench.snap.port[2].sub = sub;
	fcn_port_set_add(&bench.snap.border.ports, 9);
	set_sids();
	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		make(&f, kinds[i], 2, 0);
		memset(&tagged, 0, sizeof(tagged));
		frame_put(&tagged, f.data, 12);
		frame_put(&tagged, (uint8_t[]){0x81, 0, 0, 7}, 4);
		frame_put(&tagged, f.data + 12, f.len - 12);
		bench_send(2, &tagged, 1 + i);
		assert_int_equal(bench.port[0].n_out, 0);
		assert_int_equal(bench.worker->counters[2].border[IN][kinds[i]], 1);
	}
	bench.snap.port[2].sub = NULL;
}
