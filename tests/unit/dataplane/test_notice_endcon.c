/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Fast CNPs to END.CON through a whole worker: the vectors of tunnelled RoCEv2 come in, and the
 * vector of the notice goes out, octet for octet from its IPv6 header on. */

#include "fcn_icmp6.h"
#include "fcn_notice_endcon.h"
#include "testbed.h"
#include "vectors.h"

#define ETHER_LEN 14
#define SID 30                  /* next hop of the local SID */
#define ECN_OFF (ETHER_LEN + 1) /* the ECN field is bits 0x30 of this octet */

static const uint8_t node[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 2};
static struct fcn_notice_endcon_conf endcon;

static struct fcn_prefix_list *
list_of(const char *text, uint32_t value)
{
	struct fcn_prefix_value v = {.value = value};

	assert_int_equal(fcn_prefix_parse(text, &v.prefix), 0);
	return fcn_prefix_list_create("list", &v, 1, SOCKET_ID_ANY);
}

static int
setup(void **state)
{
	struct fcn_fastcnp_conf notice = {.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64,
			.icrc_mode = FCN_ICRC_SKIP};

	bench_setup(state);
	bench_route("2001:db8:e2::/48", 5); /* the tunnel goes on by port 1 */
	bench_route("2001:db8:e4::/48", 5);
	bench_route("2001:db8:e1::/48", 4); /* its headend is behind port 0 */
	bench_routes_done();
	bench_notices(1, 1);
	memset(&endcon, 0, sizeof(endcon));
	memcpy(notice.source, node, sizeof(node));
	memcpy(bench.snap.notify.common.source, node, sizeof(node));
	assert_int_equal(fcn_notice_endcon_init(&endcon, &notice), 0);
	endcon.fast_cnp.default_capability = FCN_SENDER_CAPABLE;
	endcon.endcon = list_of("2001:db8:e1::/48", 1);
	bench.snap.notify.n_kinds = 2;
	bench.snap.notify.on = 1 << FCN_NOTICE_FAST_CNP | 1 << FCN_NOTICE_ENDCON;
	bench.snap.notify.kind[FCN_NOTICE_ENDCON] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_ENDCON].kind = &fcn_notice_endcon;
	bench.snap.notify.kind[FCN_NOTICE_ENDCON].own = &endcon;
	bench_charge_link(0);
	return 0;
}

static int
teardown(void **state)
{
	fcn_fastcnp_kind_fini(&endcon.fast_cnp);
	fcn_prefix_list_free(endcon.endcon);
	return bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static uint64_t
verdict(unsigned int kind, unsigned int v)
{
	const struct fcn_notify_stats *stats = bench.worker->notify[kind].stats[1];
	uint64_t sum = 0;

	for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++)
		sum += stats[c].verdict[v];
	return sum;
}

static struct frame
load(const char *file)
{
	struct vectors v;
	struct frame f = {0};

	vectors_load(&v, file);
	memcpy(f.data, v.data[0], v.len[0]);
	f.len = v.len[0];
	memcpy(f.data, &bench.snap.port[0].mac, 6);
	vectors_free(&v);
	return f;
}

static void
pass(const struct frame *f, uint64_t now)
{
	bench_send(0, f, now);
}

/* Each way of encapsulation gives the same notice, and the packet is not marked. */
TEST(vectors)
{
	static const char *const files[] = {
			"06_srv6_encaps_srh", "07_srv6_encaps_nosrh", "08_srv6_encaps_red"};
	struct vectors want;

	vectors_load(&want, "11_fastcnp_srv6_endcon");
	for (size_t i = 0; i < RTE_DIM(files); i++) {
		struct frame f = load(files[i]);

		pass(&f, 1000000 * (i + 1));
		assert_int_equal(bench.port[0].n_out, 1);
		assert_int_equal(bench_out_len(0, 0), want.len[0]);
		bench_assert_charged(0, want.len[0]);
		assert_memory_equal(bench_out(0, 0) + ETHER_LEN, want.data[0] + ETHER_LEN,
				want.len[0] - ETHER_LEN);
		assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, f.data[ECN_OFF] & 0x30);
		bench_forget_out();
	}
	vectors_free(&want);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENT), RTE_DIM(files));
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_TUNNELLED), RTE_DIM(files));
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_ENDCON].made, RTE_DIM(files));
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_ENDCON].transmitted,
			RTE_DIM(files));
}

/* Whether a Parameter Problem from an address about a notice, of vector 11, but to the END.CON
 * address `to`, counts as refusal. */
static bool
is_refused_of(const char *from, const char *to, uint8_t code, uint32_t pointer)
{
	const struct fcn_icmp6_error error = {
			.type = FCN_ICMP6_PARAM_PROBLEM, .code = code, .param = pointer};
	struct frame notice = load("11_fastcnp_srv6_endcon");
	struct fcn_refused_notice refused;
	uint8_t answer[1280];
	struct fcn_addr a;
	uint32_t len;

	assert_int_equal(fcn_addr_parse(to, &a), 0);
	memcpy(notice.data + ETHER_LEN + 24, a.bytes, 16);
	assert_int_equal(fcn_addr_parse(from, &a), 0);
	len = fcn_icmp6_build_error(&error, a.bytes, 64, notice.data + ETHER_LEN,
			notice.len - ETHER_LEN, answer, sizeof(answer));
	assert_true(len > 0);
	if (!fcn_notice_endcon.is_refused(
			    &endcon, &bench.snap.notify.common, answer, len, &refused))
		return false;
	/* END.CON refuses it, whoever the sender is, to whom the notice inside goes. */
	assert_memory_equal(refused.sender, notice.data + ETHER_LEN + 24, 16);
	assert_memory_equal(refused.data_source, notice.data + ETHER_LEN + 40 + 24, 16);
	return true;
}

static bool
is_refused(const char *from, uint8_t code, uint32_t pointer)
{
	return is_refused_of(from, "2001:db8:e1:1::c", code, pointer);
}

static struct fcn_prefix_list *
two_nodes(void)
{
	struct fcn_prefix_value v[] = {{.value = 1}, {.value = 2}};

	assert_int_equal(fcn_prefix_parse("2001:db8:e1::/48", &v[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:e2::/48", &v[1].prefix), 0);
	return fcn_prefix_list_create("two", v, 2, SOCKET_ID_ANY);
}

/* The node with the END.CON address does not take the notice out, and says so: a host, or another
 * SID. */
TEST(refused)
{
	assert_true(is_refused("2001:db8:e1:1::c", FCN_ICMP6_BAD_NEXT_HEADER, 6));
	assert_true(is_refused("2001:db8:e1:1::c", 4, 40));
	assert_true(is_refused("2001:db8:e1:9::1", 4, 40)); /* another known address */
	assert_false(is_refused("2001:db8:e9:1::c", 4, 40));
	assert_false(is_refused("2001:db8:e1:1::c", 4, 6));
	assert_false(is_refused("2001:db8:e1:1::c", FCN_ICMP6_BAD_NEXT_HEADER, 40));
	assert_false(is_refused("2001:db8:e1:1::c", FCN_ICMP6_BAD_OPTION, 6));
	/* A stranger quotes a notice to itself: there was none, as no END.CON is known there. */
	assert_false(is_refused_of("2001:db8:1::66", "2001:db8:1::66", 4, 40));
	assert_false(is_refused_of(
			"2001:db8:1::66", "2001:db8:1::66", FCN_ICMP6_BAD_NEXT_HEADER, 6));
	/* Nor can a known address refuse what was sent elsewhere. */
	assert_false(is_refused_of("2001:db8:e1:9::1", "2001:db8:1::66", 4, 40));
	/* And no node refuses for another one. */
	fcn_prefix_list_free(endcon.endcon);
	endcon.endcon = two_nodes();
	assert_true(is_refused_of("2001:db8:e2:9::1", "2001:db8:e2:1::c", 4, 40));
	assert_false(is_refused_of("2001:db8:e1:9::1", "2001:db8:e2:1::c", 4, 40));
	assert_false(is_refused_of("2001:db8:e2:9::1", "2001:db8:e1:1::c", 4, 40));
	/* Without a list, no notice is sent, so none is refused. */
	fcn_prefix_list_free(endcon.endcon);
	endcon.endcon = NULL;
	assert_false(is_refused("2001:db8:e1:1::c", 4, 40));
	assert_false(is_refused("2001:db8:e1:9::1", 4, 40));
}

/* No notice is due, for each reason; the outer header is marked instead. */
TEST(not_due)
{
	struct frame f = load("06_srv6_encaps_srh");
	struct frame plain = load("01_roce6_write");
	const struct fcn_parse_codes *codes = &bench.snap.codes;
	struct fcn_wire_info info;

	/* The tunnel begins elsewhere. */
	fcn_prefix_list_free(endcon.endcon);
	endcon.endcon = list_of("2001:db8:e9::/48", 1);
	bench_queue_conf(1, 3)->policy.ecn = true;
	pass(&f, 1000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, 0x30);
	fcn_parse_slow(f.data, f.len, f.len, codes, &info);
	assert_int_equal(bench_out(1, 0)[info.inner_l3_off + 1], f.data[info.inner_l3_off + 1]);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_NO_ENDCON), 1);
	fcn_prefix_list_free(endcon.endcon);
	endcon.endcon = NULL;
	pass(&f, 2000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_NO_ENDCON), 2);
	endcon.endcon = list_of("2001:db8:e1::/48", 1);
	/* The sender does not understand Fast CNPs. */
	endcon.fast_cnp.default_capability = FCN_SENDER_NONE;
	pass(&f, 3000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENDER_NONE), 1);
	endcon.fast_cnp.default_capability = FCN_SENDER_CAPABLE;
	/* An acknowledgement in the tunnel. */
	f.data[info.l4_off + 8] = 0x11;
	pass(&f, 4000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_NOT_DATA), 1);
	f.data[info.l4_off + 8] = 0x0A;
	/* The switch itself is the sender. */
	memcpy(f.data + info.inner_l3_off + 8, node, 16);
	pass(&f, 5000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SOURCE), 1);
	/* Outside of tunnels, the other kind sends its notice. */
	memcpy(plain.data + ETHER_LEN + 24, f.data + ETHER_LEN + 24, 16);
	pass(&plain, 6000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_NOT_TUNNELLED), 1);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENT), 0);
}

/* Limits: the flow is that in the tunnel, and the receiver is END.CON. Without a route to END.CON
 * the packet is marked. */
TEST(limits)
{
	struct fcn_notify_conf *kind = &bench.snap.notify.kind[FCN_NOTICE_ENDCON];
	struct frame f = load("07_srv6_encaps_nosrh");
	struct fcn_wire_info info;

	fcn_parse_slow(f.data, f.len, f.len, &bench.snap.codes, &info);
	kind->interval_ns = 100000;
	kind->dest_cost_ns = 1000000;
	kind->dest_burst = 2;
	for (unsigned int i = 0; i < 4; i++) {
		pass(&f, 1000 + i);
		pass(&f, 1000 + i);
		f.data[info.inner_l3_off + 8 + 15]++; /* another sender */
	}
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENT), 2);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_INTERVAL), 2);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_BUCKET_DESTINATION), 4);
	bench.snap.port[0].down = true;
	bench_queue_conf(1, 3)->policy.ecn = true;
	pass(&f, 2000000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_UNREACHABLE), 1);
	assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, 0x30);
}

/* From a bridge, too, the notice is routed to END.CON, if a routed port leads there. */
TEST(bridged)
{
	struct frame f = load("07_srv6_encaps_nosrh");

	bench_bridge(2);
	f.data[5]++; /* to another station */
	bench.next_hop[4].type = FCN_NEXT_HOP_NO_ROUTE;
	bench_new_snapshot();
	pass(&f, 1000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_UNREACHABLE), 1);
	bench.next_hop[4].type = FCN_NEXT_HOP_FORWARD;
	bench.next_hop[4].port = 2;
	bench_new_snapshot();
	pass(&f, 2000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENT), 1);
}

/* The congested switch is the headend, too, and its own END.CON is a SID with this behavior. */
static void
be_headend(struct fcn_srv6_sid *sid, enum fcn_srv6_behavior behavior, const char *p_node)
{
	*sid = (struct fcn_srv6_sid){.behavior = (uint8_t)behavior,
			.inner = fcn_srv6_behaviors[behavior].inner,
			.argument = fcn_srv6_behaviors[behavior].argument,
			.serial = 1};
	bench.snap.srv6 = (struct fcn_srv6_conf){
			.sid = sid, .n_sids = 1, .p_nodes = list_of(p_node, 1)};
	bench.next_hop[SID] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = FCN_LOCAL_SRV6};
	bench.n_routes = 0;
	bench_route("2001:db8:e2::/48", 5);
	bench_route("2001:db8:e1::/48", SID);
	bench_route("2001:db8:1::/48", 6); /* the sender is behind port 2 */
	bench_routes_done();
	bench_queue_conf(1, 3)->policy.ecn = true;
	bench_new_snapshot();
}

static void
be_no_headend(void)
{
	fcn_prefix_list_free(bench.snap.srv6.p_nodes);
	bench.snap.srv6 = (struct fcn_srv6_conf){.sid = NULL};
}

/* A packet meets congestion, of which END.CON of the switch itself would not tell its sender. */
static void
assert_unreachable(uint64_t now, unsigned int n)
{
	struct frame f = load("06_srv6_encaps_srh");

	pass(&f, now);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_UNREACHABLE), n);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, 0x30);
	bench_forget_out();
}

/* The own END.CON does not know this node, the node has no route to the sender, or the SID does not
 * take anything out of tunnels: no notice is made, and the packet is marked. */
TEST(own_endcon_refuses)
{
	struct fcn_srv6_sid sid;

	be_headend(&sid, FCN_SRV6_END_CON, "2001:db8:f::3/128");
	assert_unreachable(1000, 1);
	be_no_headend();
	be_headend(&sid, FCN_SRV6_END, "2001:db8:f::2/128");
	assert_unreachable(2000, 2);
	be_no_headend();
	be_headend(&sid, FCN_SRV6_END_CON, "2001:db8:f::2/128");
	bench.snap.port[2].down = true;
	bench_new_snapshot();
	assert_unreachable(3000, 3);
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_ENDCON].made, 0);
	be_no_headend();
}

/* Where the tunnel begins, the sender is told itself, if that kind of notice is on: no list of P
 * nodes is asked, and END.CON gets nothing. */
TEST(own_tunnel)
{
	struct frame f = load("06_srv6_encaps_srh");
	struct fcn_fastcnp_kind_conf *fast_cnp;
	struct fcn_srv6_sid sid;
	struct vectors want;

	be_headend(&sid, FCN_SRV6_END_CON, "2001:db8:f::3/128");
	bench.snap.notify.common.own_endcon = list_of("2001:db8:e1:1::c/128", 1);
	endcon.is_direct = true;
	fast_cnp = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP].own;
	fast_cnp->default_capability = FCN_SENDER_CAPABLE;
	bench_new_snapshot();
	vectors_load(&want, "11_fastcnp_srv6_endcon");
	pass(&f, 1000);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_out_len(2, 0), want.len[0] - FCN_ENDCON_OUTER_LEN);
	/* From the destination address on, up to the ICRC: the source is that of the test bench. */
	assert_memory_equal(bench_out(2, 0) + ETHER_LEN + 24,
			want.data[0] + ETHER_LEN + FCN_ENDCON_OUTER_LEN + 24, 16 + 24 + 6);
	assert_memory_equal(bench_out(2, 0) + ETHER_LEN + 72,
			want.data[0] + ETHER_LEN + FCN_ENDCON_OUTER_LEN + 72, 28);
	assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, f.data[ECN_OFF] & 0x30);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_SENT), 1);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_OTHER_KIND), 1);
	bench_forget_out();
	/* A tunnel that begins elsewhere is none of it. */
	f.data[ETHER_LEN + 8 + 15] ^= 1;
	pass(&f, 2000);
	assert_int_equal(verdict(FCN_NOTICE_FAST_CNP, FCN_NOTIFY_TUNNELLED), 1);
	fcn_prefix_list_free(bench.snap.notify.common.own_endcon);
	bench.snap.notify.common.own_endcon = NULL;
	vectors_free(&want);
	be_no_headend();
}

/* What END.CON has refused is not repeated: the packet is marked. */
TEST(refused_before)
{
	struct frame f = load("06_srv6_encaps_srh");

	bench_queue_conf(1, 3)->policy.ecn = true;
	endcon.refused = list_of("2001:db8:e1:1::c/128", 1);
	pass(&f, 1000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_NO_ENDCON), 1);
	assert_int_equal(bench_out(1, 0)[ECN_OFF] & 0x30, 0x30);
	fcn_prefix_list_free(endcon.refused);
	endcon.refused = NULL;
}

/* Senders to which END.CON would not pass anything on: link-local, and END.CON itself. */
TEST(senders)
{
	struct frame f = load("06_srv6_encaps_srh");
	struct fcn_wire_info info;

	fcn_parse_slow(f.data, f.len, f.len, &bench.snap.codes, &info);
	memcpy(f.data + info.inner_l3_off + 8, f.data + ETHER_LEN + 8, 16);
	pass(&f, 1000);
	memset(f.data + info.inner_l3_off + 8, 0, 16);
	memcpy(f.data + info.inner_l3_off + 8, (uint8_t[]){0xFE, 0x80, 0, 1}, 4);
	pass(&f, 2000);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SOURCE), 2);
	assert_int_equal(bench.port[0].n_out, 0);
}

/* The congested switch is the headend, too: its own END.CON takes the notice out, and the Fast CNP
 * goes to the sender. No hop is counted, as the notice comes from this switch. The rate of END.CON
 * is for what others send. */
TEST(own_endcon)
{
	struct frame f = load("06_srv6_encaps_srh");
	struct fcn_srv6_sid sid;
	struct vectors want;

	be_headend(&sid, FCN_SRV6_END_CON, "2001:db8:f::2/128");
	bench.snap.srv6.endcon.each.port[0] = (struct fcn_source_bucket){1000000000, 1};
	vectors_load(&want, "11_fastcnp_srv6_endcon");
	pass(&f, 1000);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_out_len(2, 0), want.len[0] - FCN_ENDCON_OUTER_LEN);
	assert_memory_equal(bench_out(2, 0) + ETHER_LEN,
			want.data[0] + ETHER_LEN + FCN_ENDCON_OUTER_LEN,
			want.len[0] - ETHER_LEN - FCN_ENDCON_OUTER_LEN);
	assert_int_equal(bench.worker->srv6.endcon.taken, 1);
	assert_int_equal(verdict(FCN_NOTICE_ENDCON, FCN_NOTIFY_SENT), 1);
	assert_int_equal(bench.worker->notice_accounting[FCN_NOTICE_ENDCON].transmitted, 1);
	bench_forget_out();
	pass(&f, 2000);
	assert_int_equal(bench.worker->srv6.endcon.taken, 2);
	assert_int_equal(bench_all_drops(), 0);
	vectors_free(&want);
	be_no_headend();
}
