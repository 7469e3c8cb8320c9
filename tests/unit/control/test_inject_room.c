/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The ring from the host functions to a worker: other frames leave room for Neighbour Discovery. */

#include <rte_ring.h>

#include "control_private.h" /* frames of the kernel, without a kernel */
#include "fcn_icmp6.h"
#include "fcn_nd.h"
#include "icmp6_request.h"
#include "platform.h"

#define RING 4096
#define KEPT 512

static const uint8_t ours[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
static const uint8_t station[16] = {0x20, 1, 0xd, 0xb8, [15] = 2};
static const struct rte_ether_addr station_mac = {{2, 0, 0, 0, 7, 2}};

static int
setup(void **state)
{
	struct fcn_prefix prefix;
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8::1/64", &prefix), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, prefix), 0);
	platform_neighbour(cfg, 0, "2001:db8::2", 2);
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->host.replies.rate = cfg->host.replies.burst = 1000000;
	platform_commit(cfg);
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 2 * RING; i++)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000 + i);
	return platform_teardown(state);
}

TEST_FIXTURE(PLATFORM_LARGE_EAL, .setup = setup, .teardown = teardown);

static struct rte_mbuf *
frame(const uint8_t *ip, uint32_t len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);
	struct rte_ether_hdr *eth;

	assert_non_null(m);
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(m, sizeof(*eth));
	eth->dst_addr = fcn_control_snapshot(platform.ctl)->port[0].mac;
	eth->src_addr = station_mac;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	memcpy(rte_pktmbuf_append(m, len), ip, len);
	return m;
}

static void
receive(enum fcn_punt_reason reason, const uint8_t *ip, uint32_t len)
{
	const struct fcn_punt punt = {
			.mbuf = frame(ip, len), .reason = reason, .l3_off = RTE_ETHER_HDR_LEN};

	fcn_host_receive(fcn_control_host(platform.ctl), &punt, 1000);
}

static void
ping(void)
{
	uint8_t ip[128];

	receive(FCN_PUNT_LOCAL, ip, echo_request6(station, ours, 1, 1, ours, 8, ip));
}

static void
solicit(void)
{
	uint8_t ip[128];

	receive(FCN_PUNT_LINK, ip,
			fcn_nd_build_ns(station, &station_mac, NULL, ours, ip, sizeof(ip)));
}

static unsigned int
room(void)
{
	return rte_ring_free_count(fcn_control_worker(platform.ctl, 0)->injects);
}

static uint64_t
count(enum fcn_host_counter c)
{
	return fcn_host_counter(fcn_control_host(platform.ctl), c);
}

/* Echo replies, and frames of the kernel, do not take it; what is refused is counted. */
TEST(room_for_discovery)
{
	const unsigned int before = room();
	uint8_t ip[40] = {0x60};

	for (unsigned int i = 0; i < RING; i++)
		ping();
	assert_int_equal(room(), KEPT);
	assert_int_equal(count(FCN_HOST_SEND_REFUSED), RING - (before - KEPT));
	assert_int_equal(count(FCN_HOST_DISCOVERY_REFUSED), 0);
	assert_false(fcn_control_send_frame(platform.ctl, frame(ip, sizeof(ip)), 0, 7));
	for (unsigned int i = 0; i < KEPT; i++)
		solicit();
	assert_int_equal(room(), 0);
	assert_int_equal(count(FCN_HOST_DISCOVERY_REFUSED), 0);
	solicit();
	assert_int_equal(count(FCN_HOST_DISCOVERY_REFUSED), 1);
	assert_int_equal(count(FCN_HOST_SEND_REFUSED), RING - (before - KEPT) + 1);
}

/* What the host functions send is no notice. */
TEST(shown)
{
	json_t *v, *port;

	ping();
	ping();
	solicit();
	for (unsigned int i = 0; i < 100; i++)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000 + i);
	v = fcn_show_ports(platform.ctl, 0);
	port = json_array_get(v, 0);
	assert_int_equal(json_integer_value(json_object_get(port, "notices")), 0);
	assert_true(json_integer_value(json_object_get(port, "injected")) >= 3);
	json_decref(v);
}
