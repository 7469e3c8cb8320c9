/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages in the lab: what the checker of a switch says about those that
 * leave it, links that lose notices on their way to a proxy and on their way back, and proxies that
 * a switch learns during a run.
 */

#include <string.h>

#include "fcn_bth.h"
#include "fcn_flow_descriptor.h"
#include "fcn_test.h"
#include "fcn_udp.h"
#include "network_util.h"

#define PORT 1021
#define ETHER_LEN 14
#define IP_LEN 40
#define UDP_LEN 8
#define QUOTE_LEN (IP_LEN + UDP_LEN + sizeof(struct fcn_bth_hdr))
#define MESSAGE_LEN (UDP_LEN + FCN_FLOW_DESCRIPTOR_LEN6 + QUOTE_LEN)
#define UDP_CHECKSUM (ETHER_LEN + IP_LEN + 6)

/* h sends to r; s1 is the proxy of h, and x tells it about the flow in the name of s2. */
static const char text[] = "buffers 2047\n"
			   "duration 100us\n"
			   "check on\n"
			   "switch add s1,s2\n"
			   "host add h,x,r\n"
			   "link add h,x,r s1 rate 10G delay 1us\n"
			   "link add s1 s2 rate 10G delay 1us\n"
			   "host h set fast-cnp accept from 2001:db8:f::/48\n"
			   "switch s1 do set cnm port 1021\n"
			   "switch s1 do proxy node add 2001:db8:f::2/128\n"
			   "switch s1 do set proxy receive on\n"
			   "switch s1 do proxy qp add 2001:db8:0:3::1 2 sender-qp 2\n"
			   "flow add f from h to r size 100K\n"
			   "at 10us host x tell s1 about f level 3 as s2\n";

/* ---- the checker ---- */

/* The message that s1 sends about a flow of this sender to the host r, by the port to r. */
static struct rte_mbuf *
message_of(const uint8_t *from, const uint8_t *sender, uint16_t port)
{
	struct fcn_flow_descriptor flow = {
			.version = 6, .proto = IPPROTO_UDP, .src_port = 0xC001, .dst_port = 4791};
	struct rte_mbuf *m = rte_pktmbuf_alloc(net->node_switch[0].pool);
	uint8_t *ip, *udp, *quote;
	uint16_t sum;

	assert_non_null(m);
	ip = (uint8_t *)rte_pktmbuf_append(m, ETHER_LEN + IP_LEN + MESSAGE_LEN);
	memset(ip, 0, ETHER_LEN + IP_LEN + MESSAGE_LEN);
	ip[12] = 0x86;
	ip[13] = 0xDD;
	ip += ETHER_LEN;
	ip[0] = 0x60;
	ip[5] = MESSAGE_LEN;
	ip[6] = IPPROTO_UDP;
	ip[7] = 64;
	memcpy(ip + 8, from, 16);
	memcpy(ip + 24, net->host[2].addr, 16);
	udp = ip + IP_LEN;
	udp[0] = 0xC0;
	udp[2] = (uint8_t)(port >> 8);
	udp[3] = (uint8_t)port;
	udp[5] = MESSAGE_LEN;
	memcpy(flow.src, sender, 16);
	memcpy(flow.dst, net->host[2].addr, 16);
	quote = udp + UDP_LEN + fcn_flow_descriptor_write(&flow, udp + UDP_LEN);
	quote[0] = 0x60;
	quote[5] = UDP_LEN + sizeof(struct fcn_bth_hdr) + 4;
	quote[6] = IPPROTO_UDP;
	quote[7] = 64;
	memcpy(quote + 8, flow.src, 16);
	memcpy(quote + 24, flow.dst, 16);
	quote[IP_LEN] = 0xC0;
	quote[IP_LEN + 1] = 1;
	quote[IP_LEN + 2] = 4791 >> 8;
	quote[IP_LEN + 3] = 4791 & 0xFF;
	quote[IP_LEN + 5] = quote[5];
	sum = fcn_udp_checksum(ip + 8, ip + 24, 16, udp, MESSAGE_LEN);
	memcpy(udp + 6, &sum, sizeof(sum));
	return m;
}

/* A frame leaves s1 by the port to r. @param complaint NULL: the checker finds nothing wrong */
static void
leaves(struct rte_mbuf *m, const char *complaint)
{
	const size_t before = json_array_size(net->violations);
	struct lab_net_port *by = port_named(0, "r");

	assert_int_equal(lab_checker_ops.tx_burst(by, &m, 1,
					 lab_checker_ops.tx_ready(by, fcn_sim_now(net->sim))),
			1);
	assert_int_equal(json_array_size(net->violations) - before, complaint != NULL);
	if (complaint != NULL)
		assert_non_null(strstr(json_string_value(json_array_get(net->violations, before)),
				complaint));
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Messages of the switch itself are looked at, and no others. */
TEST(checker)
{
	static const char malformed[] = "s1: a malformed message to a proxy leaves by port r: "
					"cnm_udp_checksum";
	static const char of_switch[] = "s1: a message about a packet of a switch leaves by port r";
	const uint8_t *s1, *s2, *h;
	struct rte_mbuf *m;

	start(text, "");
	s1 = fcn_control_config(net->node_switch[0].ctl)->loopback.bytes;
	s2 = fcn_control_config(net->node_switch[1].ctl)->loopback.bytes;
	h = net->host[0].addr;
	leaves(message_of(s1, h, PORT), NULL);
	leaves(message_of(s1, s2, PORT), of_switch);
	m = message_of(s1, h, PORT);
	rte_pktmbuf_mtod(m, uint8_t *)[UDP_CHECKSUM]++;
	leaves(m, malformed);
	m = message_of(s1, h, PORT + 1); /* is no message */
	rte_pktmbuf_mtod(m, uint8_t *)[UDP_CHECKSUM]++;
	leaves(m, NULL);
	m = message_of(s2, h, PORT); /* is the message of another switch */
	rte_pktmbuf_mtod(m, uint8_t *)[UDP_CHECKSUM]++;
	leaves(m, NULL);
	stop();
}

/* ---- links that lose notices ---- */

/* How many notices the link of a host, its first and only one, has lost from an end. */
static uint64_t
lost(unsigned int host, unsigned int end)
{
	struct fcn_link_counters c;

	fcn_link_counters(net->link[host].link, end, &c);
	return c.packets[FCN_LINK_NOTICE_LOST];
}

/* Run the scenario. @return how many messages the proxy has accepted */
static uint64_t
run_with(const char *fault, const char *translation)
{
	char rest[256];

	snprintf(rest, sizeof(rest),
			"switch s1 do proxy sender add 2001:db8:0:1::/64 translate %s\n%s\n",
			translation, fault);
	start(text, rest);
	run(NULL);
	return worker(0)->proxy.counters.accepted;
}

/* The message to the proxy is lost, by a fault of a link and by one of all links. */
TEST(message_lost)
{
	static const char *const faults[] = {
			"link x s1 notice-loss 100%",
			"at 1us notices drop 100%",
	};

	assert_int_equal(run_with("", "fast-cnp"), 1);
	assert_int_equal(lost(1, 0), 0);
	stop();
	assert_int_equal(run_with("link h,r s1 notice-loss 100%", "none"), 1);
	stop();
	for (unsigned int i = 0; i < RTE_DIM(faults); i++) {
		struct lab_totals totals = {.now = 100000};
		json_t *result;

		assert_int_equal(run_with(faults[i], "fast-cnp"), 0);
		assert_int_equal(lost(1, 0), 1);
		result = lab_measure_result(measure, &totals);
		assert_int_equal(json_integer_value(json_object_get(
						 json_object_get(result, "notices"), "lost")),
				1);
		json_decref(result);
		stop();
	}
}

/* So are Fast CNPs and CNPs of a proxy to a sender. */
TEST(translation_lost)
{
	assert_int_equal(run_with("link h s1 notice-loss 100%", "fast-cnp"), 1);
	assert_int_equal(lost(0, 1), 1);
	stop();
	assert_int_equal(run_with("link h s1 notice-loss 100%", "cnp"), 1);
	assert_int_equal(lost(0, 1), 1);
	stop();
	assert_int_equal(run_with("link h s1 notice-loss 100% towards s1", "cnp"), 1);
	assert_int_equal(lost(0, 1), 0);
	stop();
}

/* ---- learned proxies ---- */

/* h and x send to r, to which s1 has one link: s1 tells the proxy of h, which is s2. */
static const char congested[] =
		"buffers 2047\n"
		"duration 60ms\n"
		"check on\n"
		"switch add s1,s2\n"
		"host add h,x,r\n"
		"link add h,x,r s1 rate 10G delay 1us\n"
		"link add s1 s2 rate 10G delay 1us\n"
		"switch s1 do set cnm port 1021\n"
		"switch s1 do set notify cnm on\n"
		"switch s1 do set queue r class 3 notify on\n"
		"switch s1 do set queue r class 3 detector red kmin 1K kmax 3K pmax "
		"100%\n"
		"switch s2 do set cnm port 1021\n"
		"switch s2 do proxy node add 2001:db8:f::1/128\n"
		"switch s2 do set proxy receive on\n"
		"flow add f from h to r size 10K\n"
		"flow add g from x to r size 10K\n"
		"flow add late from h to r size 10K start 50ms\n"
		"flow add later from x to r size 10K start 50ms\n";

/* Run the scenario with what s1 learns and forgets. @return how many messages s2 has accepted */
static uint64_t
run_congested(const char *learned)
{
	uint64_t accepted;

	start(congested, learned);
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
	accepted = worker(1)->proxy.counters.accepted;
	stop();
	return accepted;
}

/* A proxy that is learned during the run is told from then on, and not after it is forgotten.
 * Between two changes that come into force there are 10 ms. */
TEST(learned)
{
	uint64_t both, early, late;

	assert_int_equal(run_congested(""), 0);
	both = run_congested("at 0us switch s1 do proxy learned add 2001:db8:0:1::/64 address "
			     "2001:db8:f::2 protocol isis lifetime 9\n");
	early = run_congested("at 0us switch s1 do proxy learned add 2001:db8:0:1::/64 address "
			      "2001:db8:f::2 protocol isis lifetime 9\n"
			      "at 40ms switch s1 do proxy learned clear protocol isis\n");
	late = run_congested("at 40ms switch s1 do proxy learned add 2001:db8:0:1::/64 address "
			     "2001:db8:f::2 protocol isis lifetime 9\n");
	assert_true(early > 0);
	assert_true(late > 0);
	assert_int_equal(both, early + late);
}
