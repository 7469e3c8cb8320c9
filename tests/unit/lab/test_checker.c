/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The checker of a switch, with the test in the place of the dataplane: it takes a packet from a
 * watched port, does to it what it likes, sends it by another, and says what it did. One turn of a
 * switch by hand, of which every step may be a defect's.
 */

#include <string.h>

#include "fcn_test.h"
#include "network_util.h"

#define NOT_ECT 0
#define ECT0 2
#define CE 3

/* A detector that looks when packets leave, and one that does when they come. */
#define AT_DEQUEUE "red kmin 1K kmax 3K pmax 100% at dequeue"
#define AT_ENQUEUE "red kmin 1K kmax 3K pmax 100% at enqueue"

static const char net_of_two[] = "buffers 2047\n"
				 "duration 200us\n"
				 "check on\n"
				 "switch add s1\n"
				 "host add h,r,x\n"
				 "link add h,r,x s1 rate 10G\n"
				 "flow add f from h to r size 1000\n"
				 "switch s1 do set queue r class 3 notify on\n"
				 "switch s1 do set queue r class 3 ecn on\n"
				 "switch s1 do set notify fast-cnp on\n"
				 "switch s1 do set notify interval 4us\n";

/* Senders that are known to understand notices, that may, and that may and are not marked. */
static const char capable[] = "switch s1 do sender default capable\n";
static const char unknown[] = "switch s1 do sender default unknown\n";
static const char unmarked[] = "switch s1 do sender default unknown\n"
			       "switch s1 do set notify mark-unknown off\n";

static struct rte_mbuf *frame;

static struct lab_net_switch *
the_switch(void)
{
	return &net->node_switch[0];
}

static void
set_ecn(uint8_t ecn)
{
	uint8_t *ip = rte_pktmbuf_mtod_offset(frame, uint8_t *, RTE_ETHER_HDR_LEN);

	ip[1] = (ip[1] & 0xCF) | ecn << 4;
}

/* The only packet of the flow has come to the switch, which has not looked yet. */
static void
begin(const char *senders, const char *detector)
{
	char rest[512];

	snprintf(rest, sizeof(rest), "%sswitch s1 do set queue r class 3 detector %s", senders,
			detector);
	start(net_of_two, rest);
	while (fcn_link_port_waiting(port_named(0, "h")->port) == 0)
		assert_true(fcn_sim_step(net->sim, sc->duration_ns));
}

/* Put an outer header in front of the frame, or take it away. */
static void
wrap(uint8_t ecn)
{
	static const uint8_t from[16] = {0x20, 1, [15] = 1}, to[16] = {0x20, 1, [15] = 2};
	struct rte_ipv6_hdr *outer;
	uint8_t *eth = (uint8_t *)rte_pktmbuf_prepend(frame, sizeof(*outer));

	assert_non_null(eth);
	if (eth == NULL) /* the compiler does not know that the assertion does not return */
		return;
	memmove(eth, eth + sizeof(*outer), RTE_ETHER_HDR_LEN);
	outer = (struct rte_ipv6_hdr *)(eth + RTE_ETHER_HDR_LEN);
	*outer = (struct rte_ipv6_hdr){
			.vtc_flow = rte_cpu_to_be_32(6u << 28 | 26u << 22 | (uint32_t)ecn << 20),
			.payload_len = rte_cpu_to_be_16(
					frame->pkt_len - RTE_ETHER_HDR_LEN - sizeof(*outer)),
			.proto = IPPROTO_IPV6,
			.hop_limits = 64,
	};
	/* The type of addresses is not the same in all versions of DPDK. */
	memcpy(&outer->src_addr, from, sizeof(from));
	memcpy(&outer->dst_addr, to, sizeof(to));
}

static void
unwrap(void)
{
	uint8_t *eth = rte_pktmbuf_mtod(frame, uint8_t *);

	memmove(eth + sizeof(struct rte_ipv6_hdr), eth, RTE_ETHER_HDR_LEN);
	rte_pktmbuf_adj(frame, sizeof(struct rte_ipv6_hdr));
}

/* The frame on the line, as it is to come: links deliver what was sent, so it is sent anew. */
static void
take_as(uint8_t ecn, int outer_ecn)
{
	struct lab_net_port *port = port_named(0, "h");
	uint64_t now = fcn_sim_now(net->sim);

	assert_int_equal(fcn_link_port_ops.rx_burst(port->port, &frame, 1, now), 1);
	set_ecn(ecn);
	if (outer_ecn >= 0)
		wrap((uint8_t)outer_ecn);
	now = RTE_MAX(now, fcn_link_ready(net->host[0].link, net->host[0].end));
	fcn_link_send(net->host[0].link, net->host[0].end, frame, now);
	while (fcn_link_port_waiting(port->port) == 0)
		assert_true(fcn_sim_step(net->sim, sc->duration_ns));
	now = fcn_sim_now(net->sim);
	assert_int_equal(lab_checker_ops.rx_burst(port, &frame, 1, now), 1);
}

static void
take(uint8_t ecn)
{
	take_as(ecn, -1);
}

static void
leave(const char *port, uint8_t ecn)
{
	struct lab_net_port *by = port_named(0, port);

	set_ecn(ecn);
	assert_int_equal(lab_checker_ops.tx_burst(by, &frame, 1,
					 lab_checker_ops.tx_ready(by, fcn_sim_now(net->sim))),
			1);
}

/* The switch says that it told the packet's sender of congestion of port r. */
static void
say_kind(uint64_t time_ns, uint8_t kind)
{
	struct fcn_event ev = {
			.type = FCN_EVENT_NOTICE,
			.class = 3,
			.level = 1,
			.kind = kind,
			.verdict = FCN_FASTCNP_SENT_OPT1,
			.port = port_named(0, "r")->number,
			.in_port = port_named(0, "h")->number,
			.occupancy = 2000,
			.dest_qp = net->flow[0].peer_qp,
			.time_ns = time_ns,
	};

	memcpy(ev.sender, net->host[0].addr, sizeof(ev.sender));
	memcpy(ev.receiver, net->host[1].addr, sizeof(ev.receiver));
	lab_checker_event(the_switch(), &ev);
}

static void
say(uint64_t time_ns)
{
	say_kind(time_ns, FCN_NOTICE_FAST_CNP);
}

/* A turn in which a packet comes and leaves, and its sender is notified. */
static void
one_turn(const char *senders, const char *detector, uint8_t came, const char *port, uint8_t left)
{
	begin(senders, detector);
	take(came);
	leave(port, left);
	say(fcn_sim_now(net->sim));
	lab_checker_turn(the_switch());
}

static void
sound(void)
{
	assert_int_equal(json_array_size(net->violations), 0);
	stop();
}

static void
broken(const char *text)
{
	assert_int_equal(violations_with(text), 1);
	assert_int_equal(json_array_size(net->violations), 1);
	stop();
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

TEST(marks)
{
	static const char *const detectors[] = {AT_DEQUEUE, AT_ENQUEUE};
	static const char with[] = "s1: a packet leaves by port r with CE, whose sender was "
				   "notified";
	static const char without[] = "s1: a packet leaves by port r without CE, whose sender may "
				      "not have understood";

	for (unsigned int i = 0; i < RTE_DIM(detectors); i++) {
		const char *at = detectors[i];

		one_turn(capable, at, ECT0, "r", ECT0);
		sound();
		one_turn(capable, at, ECT0, "r", CE);
		broken(with);
		one_turn(unmarked, at, ECT0, "r", CE);
		broken(with);
		one_turn(unmarked, at, ECT0, "r", ECT0);
		sound();
		one_turn(unknown, at, ECT0, "r", CE);
		sound();
		one_turn(unknown, at, ECT0, "r", ECT0);
		broken(without);
		/* as it came; and what is no packet for marks */
		one_turn(capable, at, CE, "r", CE);
		sound();
		one_turn(unknown, at, NOT_ECT, "r", NOT_ECT);
		sound();
		/* another than the one that the notice is about */
		one_turn(capable, at, ECT0, "x", CE);
		sound();
	}
}

/* A message to a proxy replaces no mark of its packet, as the proxy may not reach the sender.
 * Beside another kind of notices, either may be. */
TEST(marks_of_message)
{
	static const char alone[] = "switch s1 do set cnm port 1021\n"
				    "switch s1 do set notify fast-cnp off\n"
				    "switch s1 do set notify cnm on\n";
	static const char alone_unmarked[] = "switch s1 do set cnm port 1021\n"
					     "switch s1 do set notify fast-cnp off\n"
					     "switch s1 do set notify cnm on\n"
					     "switch s1 do set notify mark-unknown off\n";
	static const char both[] = "switch s1 do set cnm port 1021\n"
				   "switch s1 do set notify cnm on\n";
	static const struct {
		const char *conf;
		uint8_t left;
		const char *complaint;
	} rows[] = {
			{alone, CE, NULL},
			{alone, ECT0, "s1: a packet leaves by port r without CE"},
			{alone_unmarked, ECT0, NULL},
			{alone_unmarked, CE, "s1: a packet leaves by port r with CE"},
			{both, ECT0, NULL},
			{both, CE, NULL},
	};

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		begin(rows[i].conf, AT_ENQUEUE);
		take(ECT0);
		leave("r", rows[i].left);
		say_kind(fcn_sim_now(net->sim), FCN_NOTICE_CNM);
		lab_checker_turn(the_switch());
		if (rows[i].complaint != NULL)
			broken(rows[i].complaint);
		else
			sound();
	}
}

/* A packet that enters a tunnel here, that is on its way in one, and that leaves one. */
static void
tunnel_turn(const char *senders, int outer_came, uint8_t outer_left, bool ends)
{
	begin(senders, AT_ENQUEUE);
	take_as(ECT0, outer_came);
	if (ends)
		unwrap();
	else if (outer_came < 0)
		wrap(outer_left);
	leave("r", outer_left);
	say_kind(fcn_sim_now(net->sim), ends ? FCN_NOTICE_FAST_CNP : FCN_NOTICE_ENDCON);
	lab_checker_turn(the_switch());
}

TEST(tunnel)
{
	static const char with[] = "s1: a packet leaves by port r with CE, whose sender was "
				   "notified";
	static const char without[] = "s1: a packet leaves by port r without CE, whose sender may "
				      "not have understood";

	for (int came = -1; came <= ECT0; came += ECT0 + 1) { /* enters it, or is in one */
		tunnel_turn(capable, came, ECT0, false);
		sound();
		tunnel_turn(capable, came, CE, false);
		broken(with);
		tunnel_turn(unknown, came, CE, false);
		sound();
		tunnel_turn(unknown, came, ECT0, false);
		broken(without);
		tunnel_turn(unknown, came, NOT_ECT, false);
		sound();
	}
	tunnel_turn(capable, CE, CE, false);
	sound();
	tunnel_turn(capable, ECT0, ECT0, true);
	sound();
	tunnel_turn(capable, ECT0, CE, true);
	broken(with);
	/* the mark of the outer header is taken over */
	tunnel_turn(capable, CE, CE, true);
	sound();
	tunnel_turn(unknown, ECT0, ECT0, true);
	broken(without);
}

/* A packet that comes in one turn and leaves in a later one, with the notice in either. */
TEST(turns)
{
	static const char with[] = "s1: a packet leaves by port r with CE, whose sender was "
				   "notified";

	begin(capable, AT_ENQUEUE);
	take(ECT0);
	say(fcn_sim_now(net->sim));
	lab_checker_turn(the_switch());
	leave("r", CE);
	lab_checker_turn(the_switch());
	broken(with);
	begin(capable, AT_DEQUEUE);
	take(ECT0);
	lab_checker_turn(the_switch());
	leave("r", CE);
	say(fcn_sim_now(net->sim));
	lab_checker_turn(the_switch());
	broken(with);
	/* when it came is over: it is none that a notice can be about */
	begin(capable, AT_ENQUEUE);
	take(ECT0);
	lab_checker_turn(the_switch());
	say(fcn_sim_now(net->sim));
	leave("r", ECT0);
	lab_checker_turn(the_switch());
	broken("s1: a notice about a packet that did not come");
}

/* A notice that was read a turn later is about none of this turn's packets. */
TEST(late)
{
	begin(capable, AT_ENQUEUE);
	the_switch()->late = true;
	say(fcn_sim_now(net->sim));
	sound();
	begin(capable, AT_ENQUEUE);
	say(fcn_sim_now(net->sim));
	broken("s1: a notice about a packet that did not come");
}

/* Told twice within 4 us; of the second it has to be known which interval was in force. */
TEST(interval)
{
	static const char text[] = "s1: flow f is notified 3999 ns after it was, the interval is "
				   "4000";

	begin(capable, AT_DEQUEUE);
	say(10000);
	say(14000);
	sound();
	begin(capable, AT_DEQUEUE);
	say(10000);
	say(13999);
	broken(text);
	begin(capable, AT_DEQUEUE);
	the_switch()->late = true;
	say(10000);
	the_switch()->late = false;
	say(13999);
	broken(text);
	/* notices of different kinds have nothing to do with each other */
	begin(capable, AT_DEQUEUE);
	say_kind(10000, FCN_NOTICE_ENDCON);
	say(13999);
	sound();
	begin(capable, AT_DEQUEUE);
	say_kind(10000, FCN_NOTICE_ENDCON);
	say_kind(13999, FCN_NOTICE_ENDCON);
	broken(text);
	begin(capable, AT_DEQUEUE);
	the_switch()->late = true;
	say(10000);
	say(13999);
	sound();
}
