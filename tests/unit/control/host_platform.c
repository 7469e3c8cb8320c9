/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_nd.h"
#include "host_platform.h"

static const uint8_t own6[16] = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 0xfe};
const uint8_t host_platform_other6[16] = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 1};
static const struct rte_ether_addr other_mac = {{2, 0, 0, 0, 5, 5}};

int
host_platform_setup(void **state)
{
	static const char *const address[] = {"192.0.2.254/24", "2001:db8:1::fe/64"};
	struct fcn_config *cfg;
	struct fcn_prefix p;

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	for (uint16_t port = 0; port < 2; port++) {
		assert_int_equal(fcn_prefix_parse(address[port], &p), 0);
		assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, port, p), 0);
	}
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->host.mld = false;
	cfg->host.retrans_ns = HOST_PLATFORM_RETRANS;
	cfg->host.reachable_ns = 30000 * MS;
	platform_commit(cfg);
	return 0;
}

void
host_platform_turn(uint64_t now)
{
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	fcn_control_host_poll(platform.ctl, now);
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
}

void
host_platform_turn_with_packets(uint64_t now)
{
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
	host_platform_turn(now);
}

static void
receive(uint16_t port, enum fcn_punt_reason reason, const struct rte_ether_hdr *eth,
		const void *data, uint32_t len, uint64_t now)
{
	struct fcn_punt punt = {.mbuf = rte_pktmbuf_alloc(platform.pool),
			.in_port = port,
			.interface = port,
			.reason = reason,
			.l3_off = reason == FCN_PUNT_ARP ? 0 : sizeof(*eth)};
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);

	assert_non_null(punt.mbuf);
	memcpy(rte_pktmbuf_append(punt.mbuf, sizeof(*eth)), eth, sizeof(*eth));
	memcpy(rte_pktmbuf_append(punt.mbuf, len), data, len);
	/* Count the packet as received by the port. */
	w->counters[port].rx_packets++;
	w->counters[port].consumed++;
	assert_true(fcn_punt_enqueue(w->punts, FCN_PUNT_KIND_NEIGHBOUR, &punt, 0));
	host_platform_turn(now);
}

void
host_platform_receive_advertisement(const uint8_t addr[16], uint64_t now)
{
	const struct rte_ether_addr own_mac = fcn_control_snapshot(platform.ctl)->port[1].mac;
	const struct rte_ether_hdr eth = {.dst_addr = own_mac,
			.src_addr = other_mac,
			.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6)};
	uint8_t question[128], answer[128];
	uint32_t len = fcn_nd_build_ns(own6, &own_mac, NULL, addr, question, sizeof(question));
	struct fcn_nd nd;

	assert_int_equal(fcn_nd_parse(question, len, &nd), FCN_MSG_OK);
	len = fcn_nd_build_na_reply(&nd, &other_mac, false, answer, sizeof(answer));
	receive(1, FCN_PUNT_LOCAL, &eth, answer, len, now);
}
