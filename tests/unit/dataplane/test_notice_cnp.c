/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* CNPs to senders whose queue pair is known, through a whole worker: the data packets of vectors 01
 * and 02 come in, and the CNPs of vector 04 go out, octet for octet from the IP header on. */

#include "fcn_notice_cnp.h"
#include "testbed.h"
#include "vectors.h"

#define ETHER_LEN 14

/* Indexes of the vectors of CNPs, and what differs between IP versions. */
static const struct version {
	const char *data;     /* vector of the data packet */
	const char *receiver; /* where it goes */
	uint32_t udp;         /* offset of its UDP header */
	uint32_t ecn;         /* offset of the ECN field */
	uint8_t ce;
} versions[] = {
		{"01_roce6_write", "2001:db8:2::20", ETHER_LEN + 40, ETHER_LEN + 1, 0x30},
		{"02_roce4_write", "198.51.100.20", ETHER_LEN + 20, ETHER_LEN + 1, 0x03},
};

static struct fcn_notice_cnp_conf cnp;
static struct fcn_qp_map *qps;
static struct vectors want;

/* Let the queue pairs behind receivers be all that is known. */
static void
set_qps(const struct fcn_qp_pair *pairs, unsigned int n)
{
	fcn_qp_map_free(qps);
	qps = fcn_qp_map_create("qps", 0, n, 0, SOCKET_ID_ANY);
	assert_non_null(qps);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(fcn_qp_map_put(qps, &pairs[i], 0, 0), 0);
	cnp.qps = qps;
}

static void
know_both(void)
{
	struct fcn_qp_pair pair[2] = {{.receiver_qp = 0x1a7, .sender_qp = 0xb2},
			{.receiver_qp = 0x1a7, .sender_qp = 0xb2}};

	for (unsigned int v = 0; v < RTE_DIM(versions); v++)
		assert_int_equal(fcn_addr_parse(versions[v].receiver, &pair[v].receiver), 0);
	set_qps(pair, 2);
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:2::/48", 5); /* receivers are behind port 1, which is congested */
	bench_route("198.51.100.0/24", 5);
	bench_route("2001:db8:1::/48", 4); /* senders are behind port 0 */
	bench_route("192.0.2.0/24", 4);
	bench_routes_done();
	bench_notices(1, 1);
	bench.snap.notify.common.dscp = 48;
	bench.snap.notify.common.hop_limit = 64;
	memset(&cnp, 0, sizeof(cnp));
	assert_int_equal(fcn_crc32_init(&cnp.crc), 0);
	fcn_cnp_template_init(&cnp.ip4, &cnp.crc, 4, 48 << 2, 64);
	fcn_cnp_template_init(&cnp.ip6, &cnp.crc, 6, 48 << 2, 64);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	bench.snap.notify.on = 1 << FCN_NOTICE_CNP;
	bench.snap.notify.kind[FCN_NOTICE_CNP] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_CNP].kind = &fcn_notice_cnp;
	bench.snap.notify.kind[FCN_NOTICE_CNP].own = &cnp;
	bench_charge_link(0);
	vectors_load(&want, "04_cnp");
	know_both();
	return 0;
}

static int
teardown(void **state)
{
	vectors_free(&want);
	fcn_crc32_fini(&cnp.crc);
	fcn_qp_map_free(qps);
	qps = NULL;
	return bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static uint64_t
verdict(unsigned int kind, unsigned int v)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++)
		sum += bench.worker->notify[kind].stats[1][c].verdict[v];
	return sum;
}

/* The data packet of a version, with the source port of the CNP's vector. */
static struct frame
data_of(unsigned int v)
{
	struct vectors data;
	struct frame f = {0};

	vectors_load(&data, versions[v].data);
	memcpy(f.data, data.data[0], data.len[0]);
	f.len = data.len[0];
	vectors_free(&data);
	memcpy(f.data, &bench.snap.port[0].mac, 6);
	f.data[versions[v].udp] = 0xd0;
	f.data[versions[v].udp + 1] = 0x0d;
	return f;
}

static void
set_ip4_checksum(uint8_t *ip)
{
	const uint16_t sum = ip4_checksum(ip);

	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

static void
pass(const struct frame *f)
{
	bench_forget_out();
	bench_send(0, f, bench.worker->now + 1000);
	assert_int_equal(bench.port[1].n_out, 1);
}

static bool
is_marked(unsigned int v)
{
	return (bench_out(1, 0)[versions[v].ecn] & versions[v].ce) == versions[v].ce;
}

static void
assert_told(unsigned int v, const struct frame *f)
{
	const uint64_t sent = verdict(FCN_NOTICE_CNP, FCN_NOTIFY_SENT);

	pass(f);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), want.len[v]);
	assert_memory_equal(bench_out(0, 0), ((uint8_t[6]){2, 0, 0, 0, 0, 20}), 6);
	assert_memory_equal(bench_out(0, 0) + 12, want.data[v] + 12, want.len[v] - 12);
	assert_false(is_marked(v));
	assert_int_equal(verdict(FCN_NOTICE_CNP, FCN_NOTIFY_SENT), sent + 1);
}

static void
assert_not_told(unsigned int v, const struct frame *f, unsigned int why)
{
	const uint64_t before = verdict(FCN_NOTICE_CNP, why);

	pass(f);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_true(is_marked(v));
	assert_int_equal(verdict(FCN_NOTICE_CNP, why), before + 1);
}

/* Of both versions, and the event names kind, flow and the addresses, IPv4 as IPv4-mapped. */
TEST(vectors)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct fcn_event ev[2];

	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		struct frame f = data_of(v);

		bench_events_of(FCN_EVENT_NOTICE, ev, 0);
		assert_told(v, &f);
		bench_assert_charged(0, want.len[v]);
		assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, RTE_DIM(ev)), 1);
		assert_int_equal(ev[0].kind, FCN_NOTICE_CNP);
		assert_int_equal(ev[0].dest_qp, 0x1a7);
		assert_int_equal(ev[0].len, want.len[v] - ETHER_LEN);
		if (v == 1) {
			assert_memory_equal(ev[0].sender, mapped, 12);
			assert_memory_equal(ev[0].sender + 12, f.data + ETHER_LEN + 12, 4);
			assert_memory_equal(ev[0].receiver + 12, f.data + ETHER_LEN + 16, 4);
		}
	}
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_CNP].made, 2);
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_CNP].transmitted, 2);
}

/* Without the flow in the map nothing is sent, and the packet is marked: no map, another queue
 * pair, another receiver. */
TEST(no_qp)
{
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		struct frame f = data_of(v);

		cnp.qps = NULL;
		assert_not_told(v, &f, FCN_NOTIFY_NO_QP);
		cnp.qps = qps;
		f.data[versions[v].udp + 8 + 7] ^= 1;
		assert_not_told(v, &f, FCN_NOTIFY_NO_QP);
		f.data[versions[v].udp + 8 + 7] ^= 1;
		f.data[versions[v].udp - 1] ^= 1; /* of the receiver's address */
		if (v == 1)
			set_ip4_checksum(f.data + ETHER_LEN);
		assert_not_told(v, &f, FCN_NOTIFY_NO_QP);
	}
}

/* No notice is due about what is no data, and none can go to addresses that are not stations'. */
TEST(others)
{
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		const uint32_t src = versions[v].udp - (v == 0 ? 32 : 8);
		struct frame f = data_of(v);

		f.data[versions[v].udp + 8] = 0x11;
		assert_not_told(v, &f, FCN_NOTIFY_NOT_DATA);
		f = data_of(v);
		f.data[versions[v].udp + 3] ^= 1; /* another port */
		assert_not_told(v, &f, FCN_NOTIFY_NOT_ROCE);
		if (v == 0) {
			f = data_of(v);
			memcpy(f.data + src, bench.snap.notify.common.source, 16);
			assert_not_told(v, &f, FCN_NOTIFY_SOURCE);
		}
	}
}

/* Within the interval a sender was told, so its packets are not marked either; flows of different
 * versions are different. */
TEST(interval)
{
	bench.snap.notify.kind[FCN_NOTICE_CNP].interval_ns = 10000;
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		const uint64_t before = verdict(FCN_NOTICE_CNP, FCN_NOTIFY_INTERVAL);
		struct frame f = data_of(v);

		assert_told(v, &f);
		pass(&f);
		assert_int_equal(bench.port[0].n_out, 0);
		assert_false(is_marked(v));
		assert_int_equal(verdict(FCN_NOTICE_CNP, FCN_NOTIFY_INTERVAL), before + 1);
	}
}

/* A sender to which no way leads is not told, and a limit that keeps the CNP back leaves the mark.
 */
TEST(limits)
{
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		struct frame f = data_of(v);

		bench.next_hop[4].type = FCN_NEXT_HOP_NO_NEIGHBOUR;
		bench_new_snapshot();
		assert_not_told(v, &f, FCN_NOTIFY_UNREACHABLE);
		bench.next_hop[4].type = FCN_NEXT_HOP_FORWARD;
		bench_new_snapshot();
		bench.snap.notify.kind[FCN_NOTICE_CNP].dest_cost_ns = 1000000;
		bench.snap.notify.kind[FCN_NOTICE_CNP].dest_burst = 1;
		assert_told(v, &f);
		assert_not_told(v, &f, FCN_NOTIFY_BUCKET_DESTINATION);
		bench.snap.notify.kind[FCN_NOTICE_CNP].dest_cost_ns = 0;
	}
}

/* The key of the sender in the cache of destinations. */
static void
sender_key(unsigned int v, const struct frame *f, uint64_t key[2])
{
	const uint8_t *udp = f->data + versions[v].udp;

	if (v == 1)
		fcn_dest_cache_key4(udp - 8, key);
	else
		memcpy(key, udp - 32, 16);
}

/* The route to a sender is looked up once, and found in the cache of destinations then, about one
 * packet and about several: with another next hop there, the CNPs take that one. */
TEST(route_is_remembered)
{
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		struct frame f = data_of(v);
		uint32_t next_hop = 0;
		uint64_t key[2];

		sender_key(v, &f, key);
		assert_false(fcn_dest_cache_find_key(&bench.worker->dest_cache, key, &next_hop));
		assert_told(v, &f);
		assert_true(fcn_dest_cache_find_key(&bench.worker->dest_cache, key, &next_hop));
		assert_int_equal(next_hop, 4);
		fcn_dest_cache_add_key(&bench.worker->dest_cache, key, 6);
		for (unsigned int n = 1; n <= 4; n += 3) {
			bench_forget_out();
			for (unsigned int i = 0; i < n; i++)
				bench_in(0, &f);
			bench_poll(bench.worker->now + 1000);
			assert_int_equal(bench.port[0].n_out, 0);
			assert_int_equal(bench.port[2].n_out, n);
			assert_memory_equal(
					bench_out(2, 0) + 12, want.data[v] + 12, want.len[v] - 12);
		}
	}
}

/* Of a bridge, with and without a tag: it goes back to the source of the packet. */
TEST(bridged)
{
	bench_bridge(2);
	bench_notices(1, 1);
	bench.snap.notify.on = 1 << FCN_NOTICE_CNP;
	bench_new_snapshot();
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		struct frame f = data_of(v);

		frame_macs(&f, 2, 9);
		pass(&f);
		assert_int_equal(bench.port[0].n_out, 1);
		assert_int_equal(bench_out_len(0, 0), want.len[v]);
		assert_memory_equal(bench_out(0, 0), f.data + 6, 6);
		assert_memory_equal(bench_out(0, 0) + 12, want.data[v] + 12, want.len[v] - 12);
		assert_false(is_marked(v));
	}
}

/* Of a VLAN that is tagged at the port of the sender. */
TEST(tagged)
{
	bench_bridge(2);
	bench_notices(1, 1);
	bench.snap.notify.on = 1 << FCN_NOTICE_CNP;
	for (unsigned int p = 0; p < 2; p++)
		bench.snap.port[p].tagged[0] |= 1 << 7;
	bench_new_snapshot();
	for (unsigned int v = 0; v < RTE_DIM(versions); v++) {
		static const uint8_t came[] = {0x81, 0, 0, 7}, tag[] = {0x81, 0, 6 << 5, 7};
		struct frame f = data_of(v);
		const uint8_t *out;

		frame_macs(&f, 2, 9);
		memmove(f.data + 12 + sizeof(came), f.data + 12, f.len - 12);
		memcpy(f.data + 12, came, sizeof(came));
		f.len += sizeof(came);
		pass(&f);
		assert_int_equal(bench.port[0].n_out, 1);
		assert_int_equal(bench_out_len(0, 0), want.len[v] + sizeof(tag));
		out = bench_out(0, 0);
		assert_memory_equal(out, f.data + 6, 6);
		assert_memory_equal(out + 12, tag, sizeof(tag));
		assert_memory_equal(out + 12 + sizeof(tag), want.data[v] + 12, want.len[v] - 12);
	}
}

/*
 * With Fast CNPs on, too: a sender that is known to understand them gets these. One of which it is
 * not known gets a CNP if its queue pair is known, and otherwise a Fast CNP and a mark. One that is
 * known not to gets a CNP or nothing. IPv4 senders only ever get CNPs.
 */
TEST(precedence)
{
	struct frame six = data_of(0), four = data_of(1);

	bench.snap.notify.on |= 1 << FCN_NOTICE_FAST_CNP;
	bench.snap.notify.yields_to[FCN_NOTICE_FAST_CNP] = 1 << FCN_NOTICE_CNP;
	bench.snap.notify.yielding = 1 << FCN_NOTICE_FAST_CNP;
	cnp.fast_cnp = &bench.fastcnp;
	assert_told(0, &six);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 1);
	assert_told(1, &four);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 2);
	/* Also if CNPs themselves yield to a kind that has nobody to tell. */
	bench.snap.notify.yields_to[FCN_NOTICE_CNP] = 1 << FCN_NOTICE_CNM;
	bench.snap.notify.yielding |= 1 << FCN_NOTICE_CNP;
	assert_told(0, &six);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_OTHER_KIND), 3);
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	pass(&six);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), ETHER_LEN + FCN_FASTCNP_OPT1_LEN);
	assert_false(is_marked(0));
	assert_int_equal(verdict(FCN_NOTICE_CNP, FCN_NOTIFY_OTHER_KIND), 1);
	assert_told(1, &four);
	bench.fastcnp.default_capability = FCN_SENDER_NONE;
	assert_told(0, &six);
	cnp.qps = NULL;
	assert_not_told(0, &six, FCN_NOTIFY_NO_QP);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_SENDER_NONE), 1);
	bench.fastcnp.default_capability = FCN_SENDER_UNKNOWN;
	pass(&six);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), ETHER_LEN + FCN_FASTCNP_OPT1_LEN);
	assert_true(is_marked(0));
	assert_not_told(1, &four, FCN_NOTIFY_NO_QP);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_IPV4), 1);
}

/* About a packet in a tunnel that begins at this switch the sender is told, as by Fast CNPs; about
 * one in another tunnel nobody is. */
TEST(tunnels)
{
	struct fcn_prefix_value v = {.value = 1};
	struct frame f = {0};
	struct vectors data;

	bench_route("2001:db8:e2::/48", 5);
	bench_routes_done();
	bench_new_snapshot();
	vectors_load(&data, "06_srv6_encaps_srh");
	memcpy(f.data, data.data[0], data.len[0]);
	f.len = data.len[0];
	vectors_free(&data);
	memcpy(f.data, &bench.snap.port[0].mac, 6);
	pass(&f);
	assert_int_equal(verdict(FCN_NOTICE_CNP, FCN_NOTIFY_TUNNELLED), 1);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:e1:1::c/128", &v.prefix), 0);
	bench.snap.notify.common.own_endcon = fcn_prefix_list_create("own", &v, 1, SOCKET_ID_ANY);
	pass(&f);
	assert_int_equal(verdict(FCN_NOTICE_CNP, FCN_NOTIFY_SENT), 1);
	assert_int_equal(bench.port[0].n_out, 1);
	/* As vector 04, but for the UDP source port and what is computed of it. */
	assert_int_equal(bench_out_len(0, 0), want.len[0]);
	assert_memory_equal(bench_out(0, 0) + 12, want.data[0] + 12, ETHER_LEN + 40 - 12);
	assert_memory_equal(bench_out(0, 0) + ETHER_LEN + 48, want.data[0] + ETHER_LEN + 48, 28);
	fcn_prefix_list_free(bench.snap.notify.common.own_endcon);
	bench.snap.notify.common.own_endcon = NULL;
}
