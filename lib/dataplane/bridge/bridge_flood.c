/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Flooding of frames to a group or to an unknown station, with copies for all ports of the VLAN;
 * and storm control, which limits how many frames of a port are flooded.
 */

#include <fcn_ioam_remove.h>

#include "bridge.h"
#include "fcn_names.h"
#include "lossless.h"
#include "fcn_copy.h"

FCN_NAME_FUNCTION(fcn_flood_kind_name, unsigned int, [FCN_FLOOD_BROADCAST] = "broadcast",
		[FCN_FLOOD_UNKNOWN_UNICAST] = "unknown-unicast",
		[FCN_FLOOD_MULTICAST] = "multicast")

/* Count a copy that could not be made. */
static void
flood_none(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint16_t out,
		enum fcn_drop_reason why)
{
	struct fcn_packet copy = b->pkt[i];

	copy.out_port = out;
	w->counters[copy.in_port].drop[why]++;
	if (unlikely(copy.flags & FCN_PACKET_LOSSLESS))
		fcn_lossless_lost(w, fcn_parent_port_of(w, &copy), copy.class, b->mbuf[i]->pkt_len);
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
		fcn_capture_drop(w, b->mbuf[i], &copy, why);
}

/*
 * Bytes at the beginning of a packet that are copied for each port, because later stages write to
 * them: Ethernet header and tag, IP header (CE mark), IOAM data in options. Further bytes up to a
 * BTH are copied as well, because stages read headers only in the first segment.
 */
#define OWN_LEN 128
#define OWN_BEHIND_L4 64

static_assert(FCN_COPY_CLONE_MIN == FCN_DATA_ROOM - RTE_PKTMBUF_HEADROOM + 1,
		"frames that fit into a buffer are copied");

/** Copies of the packet share nothing. */
#define OWN_ALL UINT32_MAX

/* Get the number of bytes at the beginning of packet i that its copies do not share. */
static uint32_t
own_bytes(const struct fcn_worker *w, const struct fcn_burst *b, unsigned int i)
{
	const struct rte_mbuf *m = b->mbuf[i];
	const struct fcn_wire_info *info = &b->pkt[i].info;
	uint32_t own = OWN_LEN;

	if (!fcn_copy_shares(w->snap->copies, m->pkt_len))
		return OWN_ALL;
	if (info->flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)) {
		if (info->error != FCN_WIRE_OK || info->l4_off == 0)
			return OWN_ALL; /* the end of its headers is unknown */
		own = RTE_MAX(own, info->l4_off + (uint32_t)OWN_BEHIND_L4);
	}
	/* Removing options changes the ICRC at the end of the packet. */
	if (unlikely(info->flags & FCN_PKT_PROXY) &&
			(w->snap->proxy_edge.any_insert || w->snap->proxy_edge.any_remove))
		return OWN_ALL;
	if (unlikely(w->snap->ioam.any_edge) &&
			fcn_ioam_has_option(
					rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, info))
		return OWN_ALL;
	return own < m->pkt_len ? own : OWN_ALL;
}

/*
 * Append a copy of packet i to w->flood. If there is no room or no buffer, the copy is counted as
 * made and dropped.
 */
static bool
make_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint16_t out,
		uint32_t own)
{
	struct fcn_burst *f = w->flood;
	struct fcn_port_counters *c = &w->counters[b->pkt[i].in_port];
	struct rte_mbuf *m;

	c->replicated++;
	if (f->n == FCN_BURST_MAX) {
		flood_none(w, b, i, out, FCN_DROP_FLOOD_LIMIT);
		return false;
	}
	m = own == OWN_ALL ? rte_pktmbuf_copy(b->mbuf[i], w->pool, 0, UINT32_MAX)
			   : fcn_copy_packet(b->mbuf[i], own, w->pool);
	if (m == NULL) {
		flood_none(w, b, i, out, FCN_DROP_NO_MBUF);
		return false;
	}
	*(own == OWN_ALL ? &c->copied : &c->cloned) += 1;
	f->mbuf[f->n] = m;
	f->pkt[f->n] = b->pkt[i];
	f->pkt[f->n].trace = 0;
	f->n++;
	return true;
}

/*
 * Make a copy for the interface of a bridge. It shares no bytes with the packet, because the host
 * functions write replies into it.
 */
bool
fcn_bridge_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i)
{
	return make_copy(w, b, i, FCN_PORT_NONE, OWN_ALL);
}

/* Make a copy of packet i for one more port, and send it there. */
static void
flood_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i, uint16_t out,
		uint32_t own)
{
	struct fcn_burst *f = w->flood;

	if (w->snap->port[out].no_clones)
		own = OWN_ALL;
	if (make_copy(w, b, i, out, own))
		fcn_bridge_send(w, f, f->n - 1, out);
}

/* Get the kind of a flooded frame, to which a limit of storm control applies. */
static enum fcn_flood_kind
kind_of(const struct rte_ether_addr *dst)
{
	if (rte_is_broadcast_ether_addr(dst))
		return FCN_FLOOD_BROADCAST;
	return rte_is_multicast_ether_addr(dst) ? FCN_FLOOD_MULTICAST : FCN_FLOOD_UNKNOWN_UNICAST;
}

/*
 * Check whether storm control of the ingress port allows a frame to be flooded. It is a token
 * bucket; storm_full_ns is the time at which it is full again.
 */
static bool
may_flood(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	static const enum fcn_drop_reason reasons[] = {
			[FCN_FLOOD_BROADCAST] = FCN_DROP_STORM_BROADCAST,
			[FCN_FLOOD_UNKNOWN_UNICAST] = FCN_DROP_STORM_UNKNOWN_UNICAST,
			[FCN_FLOOD_MULTICAST] = FCN_DROP_STORM_MULTICAST,
	};
	const uint16_t port = b->pkt[i].in_port;
	const enum fcn_flood_kind kind = kind_of(
			&rte_pktmbuf_mtod(b->mbuf[i], const struct rte_ether_hdr *)->dst_addr);
	const struct fcn_storm_control *conf = &w->snap->port[port].storm[kind];
	struct fcn_bridge_port *state = &w->bridging[port];
	uint64_t full = RTE_MAX(state->storm_full_ns[kind], w->now);
	struct fcn_event ev = {.type = FCN_EVENT_FLOOD_STORM,
			.class = kind,
			.port = port,
			.in_port = port};

	if (conf->cost_ns == 0)
		return true;
	if (full - w->now <= conf->cost_ns * (conf->burst - 1)) {
		state->storm_full_ns[kind] = full + conf->cost_ns;
		return true;
	}
	fcn_drop(w, b, i, reasons[kind]);
	fcn_bridge_event(w, &ev, &state->storm_event_ns[kind]);
	return false;
}

/*
 * Limit the time by which a bucket is ahead of the clock to the size of the bucket at the new rate.
 */
void
fcn_storm_reconfigure(struct fcn_worker *w, uint16_t port)
{
	for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
		const struct fcn_storm_control *conf = &w->snap->port[port].storm[k];
		const uint64_t most = w->now + conf->cost_ns * conf->burst;
		uint64_t *full = &w->bridging[port].storm_full_ns[k];

		*full = RTE_MIN(*full, most);
	}
}

/* Get the ports of a packet's VLAN except its ingress port. */
static struct fcn_port_set
ports_to_flood(const struct fcn_worker *w, const struct fcn_packet *p,
		const struct fcn_snapshot_bridge *bridge)
{
	struct fcn_port_set ports = bridge->members;

	fcn_port_set_remove(&ports, p->in_port);
	FCN_PORT_SET_FOREACH (out, &ports) {
		if (!fcn_bridge_is_member(&w->snap->port[out], p->vlan))
			fcn_port_set_remove(&ports, out);
	}
	return ports;
}

/*
 * Choose the port that sends the packet itself: the last one that can send shared bytes, as the
 * packet shares its bytes with the copies. All packets of a flow get the same, so that they stay in
 * order.
 */
static uint16_t
port_of_packet(const struct fcn_port_set *ports, const struct fcn_snapshot_bridge *bridge)
{
	struct fcn_port_set sharing = *ports;

	fcn_port_set_and_not(&sharing, &bridge->no_clones);
	return fcn_port_set_last(fcn_port_set_is_empty(&sharing) ? ports : &sharing);
}

/* Flood a packet. The other ports send copies, each of which shares bytes if its port can. */
void
fcn_bridge_flood(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge)
{
	uint32_t own = OWN_ALL;
	struct fcn_port_set ports;
	uint16_t last;

	if (unlikely(w->snap->port[b->pkt[i].in_port].storm_on) && !may_flood(w, b, i))
		return;
	ports = ports_to_flood(w, &b->pkt[i], bridge);
	if (fcn_port_set_is_empty(&ports)) {
		fcn_drop(w, b, i, FCN_DROP_NO_FLOOD_PORT);
		return;
	}
	last = port_of_packet(&ports, bridge);
	fcn_port_set_remove(&ports, last);
	if (!fcn_port_set_is_empty(&ports) && !w->snap->port[last].no_clones)
		own = own_bytes(w, b, i);
	FCN_PORT_SET_FOREACH (out, &ports)
		flood_copy(w, b, i, out, own);
	fcn_bridge_send(w, b, i, last);
}
