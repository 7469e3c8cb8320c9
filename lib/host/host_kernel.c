/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Ports with a kernel interface: the kernel gets the packets that the host functions do not handle.
 */

#include "host_state.h"

void
fcn_host_show_kernel(struct fcn_host *h, const struct fcn_punt *punt)
{
	if (!fcn_host_has_kernel(h, punt->in_port) || h->env.kernel == NULL)
		return;
	fcn_host_count(h, FCN_HOST_TO_KERNEL);
	h->env.kernel(h->env.arg, punt->mbuf, punt->in_port);
}

/* Count a frame of a protocol of the link. The counters are in the order of these protocols. */
static void
count_protocol(struct fcn_host *h, const struct fcn_punt *punt)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(
			punt->mbuf, const struct rte_ether_hdr *);
	const bool own = rte_is_same_ether_addr(&eth->dst_addr, &h->conf.port[punt->in_port].mac);
	enum fcn_link_protocol protocol = fcn_link_protocol_of(
			&eth->dst_addr, rte_be_to_cpu_16(eth->ether_type), own);

	if (protocol < FCN_LINK_PROTOCOL_COUNT && fcn_host_has_kernel(h, punt->in_port))
		fcn_host_count(h, FCN_HOST_TO_KERNEL_ISIS + protocol);
}

/*
 * A unicast frame must be for the switch, because the kernel may have addresses that are not the
 * switch's.
 */
void
fcn_host_control_receive(struct fcn_host *h, const struct fcn_punt *punt)
{
	struct rte_mbuf *m = punt->mbuf;
	struct fcn_addr dst;
	uint8_t version;

	if (punt->l3_off >= FCN_HOST_L2_LEN && fcn_host_ip_len(m, punt->l3_off, &version) != 0) {
		dst = fcn_host_ip_dst(m, punt->l3_off);
		if (fcn_addr_is_unicast(&dst) && !fcn_host_is_to_us(h, punt->in_port, &dst)) {
			fcn_host_discard(h, m, FCN_HOST_LOCAL_UNHANDLED);
			return;
		}
	}
	count_protocol(h, punt);
	fcn_host_show_kernel(h, punt);
	rte_pktmbuf_free(m);
}

void
fcn_host_resolve(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr, uint16_t who,
		uint64_t now)
{
	if (fcn_host_port_up(h, port) && fcn_host_on_link(h, port, addr) &&
			fcn_neighbour_find(h, port, addr) == NULL)
		fcn_neighbour_ask(h, port, addr, who, now);
}
