/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ready.h"

#include "fcn_parse_ip4.h"
#include "fcn_parse_tunnel.h"

struct fcn_packet
fcn_ready_packet(const struct fcn_snapshot *s, const struct fcn_queue_entry *e)
{
	const uint32_t where = fcn_ready_where(e);
	const uint16_t in_port = fcn_ready_in_port(e);
	const struct fcn_snapshot_port *port = &s->port[in_port];
	struct fcn_packet p = fcn_packet_fresh(in_port);

	p.out_port = (uint16_t)(where >> 8);
	p.class = (uint8_t)where;
	if (unlikely(e->flags & FCN_READY_NOTICE)) {
		p.flags = FCN_PACKET_NOTICE;
		p.notice_kind = fcn_ready_notice_kind(e);
		return p;
	}
	if (e->flags & FCN_READY_LOSSLESS)
		p.flags |= FCN_PACKET_LOSSLESS;
	if (e->flags & FCN_READY_ACCOUNTED)
		p.flags |= FCN_PACKET_ACCOUNTED;
	if (port->mode == FCN_PORT_BRIDGED) {
		p.flags |= FCN_PACKET_BRIDGED;
		p.vlan = port->pvid;
	}
	return p;
}

void
fcn_ready_other_headers(const struct rte_mbuf *m, const struct fcn_parse_codes *codes,
		struct fcn_trace_layout *known, struct fcn_wire_info *info)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_tunnel_srh srh = {.octets = 0};

	if (!fcn_parse_fast_ip4(data, m->data_len, m->pkt_len, info) &&
			!fcn_parse_trace(data, m->data_len, m->pkt_len, known, info) &&
			!fcn_parse_tunnel(data, m->data_len, m->pkt_len, &srh, info))
		fcn_parse_slow(data, m->data_len, m->pkt_len, codes, info);
}
