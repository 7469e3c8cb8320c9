/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A switch in virtual time, and an attacker who sends packets that the host functions have to
 * process. The traffic of other hosts must not suffer.
 *
 * The attacker is at port 0, 2001:db8::/64. At each of the ports 1 and 2 there is a host,
 * 2001:db8:N::2, which answers neighbour solicitations. The host at port 1 sends to the host at
 * port 2, and pings the switch.
 */

#include <netinet/in.h>

#include <rte_ether.h>
#include <rte_ip.h>

#include "fcn_icmp6.h"
#include "fcn_nd.h"
#include "fcn_test.h"
#include "icmp6_request.h"
#include "platform.h"

#define MS UINT64_C(1000000)
#define N_PORTS 3
#define TRACE_OFF (40 + 4 + 4) /* IOAM trace header, from the IPv6 header on */
#define ATTACK_PER_MS 60       /* of 70 bytes: 34 Mbit/s */

/* Packets that the host at a port has received. */
struct host {
	unsigned int delivered; /* packets of the flow */
	unsigned int echo_replies;
	unsigned int solicitations; /* multicast neighbour solicitations */
	unsigned int too_big;
	unsigned int time_exceeded;
	unsigned int unreachable;
	unsigned int traced; /* packets of the flow with IOAM data of this node */
};

static struct {
	struct host host[N_PORTS];
	uint64_t now;
	uint16_t identifier;
} net;

static struct rte_ether_addr
host_mac(unsigned int port)
{
	return (struct rte_ether_addr){{2, 0, 0, 0, 1, port}};
}

/* 2001:db8:<net>::<low> */
static void
host_addr(unsigned int network, unsigned int low, uint8_t out[16])
{
	memset(out, 0, 16);
	memcpy(out, (const uint8_t[]){0x20, 1, 0xd, 0xb8}, 4);
	out[5] = network;
	out[14] = low >> 8;
	out[15] = low;
}

static struct rte_mbuf *
frame(unsigned int port, bool to_group, const uint8_t *ip, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);
	struct rte_ether_hdr *eth;

	assert_non_null(m);
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(m, sizeof(*eth));
	eth->dst_addr = fcn_control_snapshot(platform.ctl)->port[port].mac;
	eth->src_addr = host_mac(port);
	if (to_group)
		fcn_nd_multicast_mac(ip + 24, &eth->dst_addr);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	memcpy(rte_pktmbuf_append(m, len), ip, len);
	return m;
}

/* UDP without checks, from a port's host. */
static void
arrive_udp(unsigned int port, const uint8_t src[16], const uint8_t dst[16], uint8_t hop_limit,
		uint32_t payload)
{
	uint8_t ip[2048] = {0x60, 0, 0, 0, (8 + payload) >> 8, 8 + payload, IPPROTO_UDP, hop_limit};

	memcpy(ip + 8, src, 16);
	memcpy(ip + 24, dst, 16);
	memcpy(ip + 40, (const uint8_t[]){0x10, 0, 0x20, 0, (8 + payload) >> 8, 8 + payload}, 6);
	platform_arrive(port, frame(port, false, ip, 48 + payload));
}

/* Count a packet that a host receives, and answer neighbour solicitations for its address. */
static void
receive_ip(unsigned int port, const uint8_t *ip, uint32_t len)
{
	struct rte_ether_addr mac = host_mac(port);
	struct host *h = &net.host[port];
	uint8_t own[16], buf[128];
	struct fcn_nd nd;

	host_addr(port, 2, own);
	if (ip[6] == IPPROTO_UDP || ip[6] == IPPROTO_HOPOPTS) {
		h->delivered += memcmp(ip + 24, own, 16) == 0;
		/* RemainingLen of the trace was 3 words, and one node takes all of them */
		h->traced += ip[6] == IPPROTO_HOPOPTS && ip[TRACE_OFF + 3] == 0;
	} else if (ip[6] == IPPROTO_ICMPV6 && ip[40] == FCN_ND_NEIGHBOUR_SOLICIT) {
		assert_int_equal(fcn_nd_parse(ip, len, &nd), FCN_MSG_OK);
		h->solicitations += ip[24] == 0xFF;
		/* the attacker does not answer */
		if (port != 0 && memcmp(nd.target, own, 16) == 0)
			platform_arrive(port,
					frame(port, false, buf,
							fcn_nd_build_na_reply(&nd, &mac, false, buf,
									sizeof(buf))));
	} else if (ip[6] == IPPROTO_ICMPV6) {
		h->echo_replies += ip[40] == FCN_ICMP6_ECHO_REPLY;
		h->too_big += ip[40] == FCN_ICMP6_TOO_BIG;
		h->time_exceeded += ip[40] == FCN_ICMP6_TIME_EXCEEDED;
		h->unreachable += ip[40] == FCN_ICMP6_UNREACHABLE;
	}
}

static void
receive(struct platform_port *port, const struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);

	if (data[12] == 0x86 && data[13] == 0xDD)
		receive_ip(port->number, data + RTE_ETHER_HDR_LEN, m->data_len - RTE_ETHER_HDR_LEN);
}

static int
setup(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	memset(&net, 0, sizeof(net));
	if (platform_setup_sized(&(struct fcn_platform){0}, false,
			    &(struct platform_size){
					    .mac_entries = 64, .events = 256, .mbufs = 16383}) != 0)
		return -1;
	platform.receiver = receive;
	cfg = platform_edit();
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->host.reachable_ns = 1000 * MS;
	cfg->host.retrans_ns = 100 * MS;
	for (unsigned int p = 0; p < N_PORTS; p++) {
		struct fcn_prefix prefix = {.addr = {.version = 6}, .len = 64};
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		assert_int_equal(fcn_config_port_add(cfg, name), p);
		host_addr(p, 1, prefix.addr.bytes);
		assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, p, prefix), 0);
	}
	cfg->port[2].mtu = 1400;
	platform_commit(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

/* A turn of the switch, with the control thread at its usual distance. */
static void
turn(void)
{
	unsigned int turns = 0;

	do {
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), net.now);
		assert_true(++turns < 1000);
	} while (platform.port[0].n_pending + platform.port[1].n_pending +
					platform.port[2].n_pending >
			0);
	fcn_control_host_poll(platform.ctl, net.now);
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), net.now);
}

static void
ping(unsigned int port)
{
	uint8_t src[16], dst[16], buf[256];
	static const uint8_t data[8];

	host_addr(port, 2, src);
	host_addr(port, 1, dst);
	platform_arrive(port, frame(port, false, buf,
					      echo_request6(src, dst, ++net.identifier, 1, data,
							      sizeof(data), buf)));
}

/* Half a second of the others' traffic, with `attack` at every millisecond. */
static void
run_interval(void (*attack)(unsigned int ms))
{
	uint8_t src[16], dst[16];

	host_addr(1, 2, src);
	host_addr(2, 2, dst);
	for (unsigned int p = 0; p < N_PORTS; p++) {
		struct host *h = &net.host[p];

		h->delivered = h->echo_replies = h->solicitations = 0;
		h->too_big = h->time_exceeded = h->unreachable = 0;
	}
	for (unsigned int ms = 0; ms < 500; ms++) {
		net.now += MS;
		if (attack != NULL)
			attack(ms);
		arrive_udp(1, src, dst, 64, 22);
		if (ms % 50 == 0)
			ping(1);
		turn();
	}
}

/* The neighbours are found in the first interval, so that its first packets wait. */
static void
expect_undisturbed(void (*attack)(unsigned int ms))
{
	run_interval(NULL);
	for (unsigned int i = 0; i < fcn_test_effort(10); i++) {
		run_interval(attack);
		assert_int_equal(net.host[2].delivered, 500);
		assert_int_equal(net.host[1].echo_replies, 10);
	}
}

static void
hop_limit_attack(unsigned int ms)
{
	uint8_t src[16], dst[16];

	host_addr(0, 2, src);
	host_addr(2, 2, dst);
	for (unsigned int i = 0; i < ATTACK_PER_MS; i++)
		arrive_udp(0, src, dst, 1, 8);
	RTE_SET_USED(ms);
}

/* To the addresses of the switch, which has more to do with them. */
static void
local_attack(unsigned int ms)
{
	uint8_t src[16], dst[16];

	host_addr(0, 2, src);
	host_addr(0, 1, dst);
	for (unsigned int i = 0; i < ATTACK_PER_MS; i++) {
		if (i % 2 == 0)
			ping(0);
		else
			arrive_udp(0, src, dst, 64, 8);
	}
	RTE_SET_USED(ms);
}

/* Neighbour Discovery itself, from invented hosts. */
static void
discovery_attack(unsigned int ms)
{
	struct rte_ether_addr mac = host_mac(0);
	uint8_t src[16], target[16], buf[128];

	host_addr(0, 1, target);
	for (unsigned int i = 0; i < ATTACK_PER_MS; i++) {
		host_addr(0, 2 + (ms * ATTACK_PER_MS + i) % 60000, src);
		platform_arrive(0, frame(0, true, buf,
						   fcn_nd_build_ns(src, &mac, NULL, target, buf,
								   sizeof(buf))));
	}
}

/* A scan of the network where the others' packets go. */
static void
scan_attack(unsigned int ms)
{
	uint8_t src[16], dst[16];

	host_addr(0, 2, src);
	for (unsigned int i = 0; i < ATTACK_PER_MS; i++) {
		host_addr(2, 3 + (ms * ATTACK_PER_MS + i) % 60000, dst);
		arrive_udp(0, src, dst, 64, 8);
	}
}

static void
no_route_attack(unsigned int ms)
{
	uint8_t src[16], dst[16];

	host_addr(0, 2, src);
	for (unsigned int i = 0; i < ATTACK_PER_MS; i++) {
		host_addr(99, ms, dst);
		arrive_udp(0, src, dst, 64, 8);
	}
}

TEST(others_unharmed)
{
	void (*const attacks[])(unsigned int) = {hop_limit_attack, local_attack, discovery_attack,
			scan_attack, no_route_attack};

	for (unsigned int i = 0; i < RTE_DIM(attacks); i++)
		expect_undisturbed(attacks[i]);
}

static void
long_packets_and_junk(unsigned int ms)
{
	uint8_t src[16], dst[16];

	host_addr(0, 2, src);
	host_addr(2, 2, dst);
	hop_limit_attack(ms);
	if (ms % 100 == 50)
		arrive_udp(0, src, dst, 64, 1420);
}

/* Through the attacked port itself, Packet Too Big is sent in spite of the junk. */
TEST(too_big_under_junk)
{
	struct rte_ether_addr mac = host_mac(0);
	uint8_t src[16], target[16], buf[128];

	/* The host of port 0 answers nothing; the switch hears its MAC address from a question. */
	run_interval(NULL);
	for (unsigned int i = 0; i < 4; i++) {
		host_addr(0, 2, src);
		host_addr(0, 1, target);
		platform_arrive(0, frame(0, true, buf,
						   fcn_nd_build_ns(src, &mac, NULL, target, buf,
								   sizeof(buf))));
		run_interval(long_packets_and_junk);
		assert_int_equal(net.host[0].too_big, 5);
		assert_true(net.host[0].time_exceeded > 100);
	}
}

static uint64_t
drops(unsigned int port, enum fcn_drop_reason why)
{
	return fcn_control_worker(platform.ctl, 0)->counters[port].drop[why];
}

/* What is lost because the next hop does not answer is a drop, by its reason, where it came in. */
TEST(lost_for_a_neighbour)
{
	struct fcn_conservation sum;
	uint8_t src[16], dst[16];

	host_addr(1, 2, src);
	host_addr(2, 77, dst); /* nobody */
	for (unsigned int i = 0; i < 150; i++) {
		net.now += MS;
		arrive_udp(1, src, dst, 64, 22);
		turn();
	}
	run_interval(NULL);
	assert_int_equal(drops(1, FCN_DROP_NEIGHBOUR_WAIT), 147);
	assert_int_equal(drops(1, FCN_DROP_NEIGHBOUR_FAILED), 3);
	fcn_control_conservation(platform.ctl, &sum);
	assert_true(fcn_conservation_holds(&sum));
	assert_true(sum.returned >= 150);
	/* and the two packets that waited for the host of port 2 */
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[1].returned, 150 + 2);
}

/* Packets whose hop limit ended are drops, too, although the host functions answer them. */
TEST(answered_is_dropped)
{
	uint8_t src[16], dst[16];

	run_interval(NULL);
	host_addr(1, 2, src);
	host_addr(2, 2, dst);
	arrive_udp(1, src, dst, 1, 22);
	arrive_udp(1, src, dst, 64, 1420);
	host_addr(99, 2, dst);
	arrive_udp(1, src, dst, 64, 22);
	turn();
	assert_int_equal(drops(1, FCN_DROP_HOP_LIMIT), 1);
	assert_int_equal(drops(1, FCN_DROP_MTU), 1);
	assert_int_equal(drops(1, FCN_DROP_NO_ROUTE), 1);
	assert_int_equal(net.host[1].too_big, 1);
	assert_int_equal(net.host[1].time_exceeded, 1);
	assert_int_equal(net.host[1].unreachable, 1);
}

/* UDP with a pre-allocated IOAM trace of namespace 1 with room for node data: hop limit and node
 * id, ingress and egress ports, fraction of the time. */
static void
arrive_traced(void)
{
	uint8_t ip[2048] = {0x60, 0, 0, 0, 0, 32 + 8, IPPROTO_HOPOPTS, 64};
	static const uint8_t hop_by_hop[] = {IPPROTO_UDP, 3, 1, 0, /* PadN */
			0x31, 22, 0, 0, /* option: IOAM, length, reserved, pre-allocated trace */
			0, 1, 0x18, 3,  /* namespace, NodeLen 3, no flags, RemainingLen 3 */
			0xD0, 0, 0, 0}; /* node id, interfaces, fraction of the time */
	uint8_t src[16], dst[16];

	host_addr(1, 2, src);
	host_addr(2, 2, dst);
	memcpy(ip + 8, src, 16);
	memcpy(ip + 24, dst, 16);
	memcpy(ip + 40, hop_by_hop, sizeof(hop_by_hop));
	memcpy(ip + 40 + 28, (const uint8_t[]){1, 2, 0, 0}, 4); /* PadN */
	memcpy(ip + 40 + 32, (const uint8_t[]){0x10, 0, 0x20, 0, 0, 8}, 6);
	platform_arrive(1, frame(1, false, ip, 40 + 32 + 8));
}

/* A packet that waited for its neighbour has the IOAM data of this node as any other has. */
TEST(ioam_of_what_waited)
{
	struct fcn_config *cfg = platform_edit();
	const struct fcn_ioam_namespace ns = {.id = 1, .schema_id = FCN_IOAM_NO_SCHEMA};

	assert_int_equal(fcn_list_add(cfg, fcn_list_of("ioam namespace"), &ns, NULL), 0);
	cfg->ioam.node_id = 7;
	cfg->port[1].ioam.transit = true;
	platform_commit(cfg);
	arrive_traced();
	turn();
	assert_int_equal(net.host[2].delivered, 0); /* it waits */
	net.now += MS;
	turn();
	assert_int_equal(net.host[2].delivered, 1);
	assert_int_equal(net.host[2].traced, 1);
	net.now += MS;
	arrive_traced();
	turn();
	assert_int_equal(net.host[2].traced, 2);
	assert_int_equal(fcn_control_worker(platform.ctl, 0)->counters[1].ioam_written, 2);
}
