/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The stages, which pipeline.c calls in order, and functions of stages that other stages call. Each
 * stage is a function over the whole burst. They run in the thread of the worker, within its turn.
 */

#ifndef FCN_STAGES_H
#define FCN_STAGES_H

#include "fcn_worker.h"

/** Receive packets from the receive queues of the worker. */
void fcn_stage_rx(struct fcn_worker *w, struct fcn_burst *b);
/** What the packets hold, and their class. */
void fcn_stage_classify(struct fcn_worker *w, struct fcn_burst *b);
/** Packets received at border ports that may not cross the domain's border are dropped. Called for
 * a burst with packets of such ports. */
void fcn_stage_border_in(struct fcn_worker *w, struct fcn_burst *b);
/** Packets of untrusted ports: out of protected classes, and remarked. Called likewise. */
void fcn_stage_trust(struct fcn_worker *w, struct fcn_burst *b);
/** Packets about to leave by border ports that may not cross the domain's border are dropped. */
void fcn_stage_border_out(struct fcn_worker *w, struct fcn_burst *b);
/** Pause and other MAC Control frames: taken here, never forwarded. */
void fcn_stage_mac_control(struct fcn_worker *w, struct fcn_burst *b);
/** Tagged packets on routed ports: to the sub-interface of their VLAN, the tag taken off. */
void fcn_stage_sub_interface(struct fcn_worker *w, struct fcn_burst *b);
/** Ports in bridges: VLAN, learning, egress port; floods go to w->flood. */
void fcn_stage_bridge(struct fcn_worker *w, struct fcn_burst *b);
/** Routed ports, and notices that are routed: next hop, hop limit, new Ethernet header. */
void fcn_stage_route(struct fcn_worker *w, struct fcn_burst *b);
/** Packets for the switch itself, which the stages before have marked: each is delivered by its
 * behaviour, and routed again if that says so. */
void fcn_stage_local(struct fcn_worker *w, struct fcn_burst *b);
/** IOAM options where their domain ends: taken out, or the packet dropped. */
void fcn_stage_ioam_edge(struct fcn_worker *w, struct fcn_burst *b);
/** Class queue of the egress port: detector, ECN mark, decision about notices. */
void fcn_stage_enqueue(struct fcn_worker *w, struct fcn_burst *b);
/** Build the notices that enqueue decided on into w->notices. */
void fcn_stage_notice(struct fcn_worker *w, struct fcn_burst *b);
/** Drain class queues into the ports. @return packets sent. */
unsigned int fcn_stage_transmit(struct fcn_worker *w);

/** Route packets once more that a local behaviour has changed, by their places in the burst. */
void fcn_route_again(struct fcn_worker *w, struct fcn_burst *b, const uint16_t *at, unsigned int n);

/** Build the notices decided on, and have them routed and queued. */
void fcn_walk_notices(struct fcn_worker *w);

/**
 * Add this node's data to the IOAM trace of a packet that is about to be queued.
 *
 * @param eg        of the port it leaves by
 * @param delay_off offset of the transit delay word, to be written when it leaves
 * @return whether there is such a word
 */
bool fcn_ioam_transit_write(struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_egress *eg, uint16_t *delay_off);

/**
 * Packets left their queues: do what their FCN_ENTRY_DEQUEUE_ACTIONS say, before their port has
 * them. The entries have none any more then.
 */
void fcn_depart_run_actions(
		struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n);

/**
 * Packets left their queues at a port where a detector looks at departures; their dequeue
 * actions are run, too.
 */
void fcn_depart_detect(
		struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n);

/**
 * Put a tag before the EtherType of a frame that leaves by a sub-interface, and count it.
 *
 * @return false: no room for it
 */
bool fcn_sub_interface_tag(
		struct fcn_worker *w, struct rte_mbuf *m, uint16_t interface, uint8_t class);

/** Take the tag off a frame that has one. */
void fcn_take_tag_off(struct rte_mbuf *m, struct fcn_packet *p);

/** A frame of a bridge interface, without a tag: to the port behind which its destination is, or
 * flooded; copies go to w->flood. */
void fcn_bridge_inject(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/** Whether the host functions have a packet, and why not. */
enum fcn_punt_result {
	FCN_PUNTED,            /**< the host functions have the packet; it has left the burst */
	FCN_PUNT_UNWANTED,     /**< there are none, or they want no such packets */
	FCN_PUNT_OVER_RATE,    /**< more packets of its kind and port than they may be left */
	FCN_PUNT_OVER_BACKLOG, /**< as many of its kind and port wait as may */
};

/**
 * Punt packet i to the host functions. Unless the result is FCN_PUNTED, the packet stays in the
 * burst, and the caller drops it with a reason of its own.
 */
enum fcn_punt_result fcn_punt(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_punt_reason reason);

/** A snapshot with other rates, perhaps, is in force: what a port may leave to the host functions
 * follows these from now on. */
void fcn_punt_reconfigure(struct fcn_worker *w, uint16_t port);

/** The same of storm control: what a port may have flooded. */
void fcn_storm_reconfigure(struct fcn_worker *w, uint16_t port);

/**
 * Put packets on the cross-core ring to the worker that owns their port: packet `from` and the
 * following ones with the same egress key. Packets for which the ring has no room are dropped.
 *
 * @return number of packets, at least 1
 */
unsigned int fcn_cross_core_tx(struct fcn_worker *w, struct fcn_burst *b, unsigned int from);

/** Take packets that other workers received from the cross-core rings, up to a burst of them. */
void fcn_stage_cross_core_rx(struct fcn_worker *w, struct fcn_burst *b);

/** Obey the PFC and PAUSE frames that other workers received for ports of this one. */
void fcn_cross_core_rx_pauses(struct fcn_worker *w);

/** Whether a cross-core ring to this worker has packets or pauses. */
bool fcn_cross_core_is_pending(const struct fcn_worker *w);

/** Learn the MAC addresses that other workers have sent. */
void fcn_bridge_learn_rx(struct fcn_worker *w);

/**
 * Remove the MAC addresses of a port, or of all ports with -1, and those that other workers have
 * sent. To be called by fcn_worker_call().
 *
 * @return number removed
 */
unsigned int fcn_bridge_forget(struct fcn_worker *w, int port);

/**
 * The account of an ingress port and class has crossed a threshold: its sender is to be paused, or
 * may resume.
 */
void fcn_pause_publish(struct fcn_worker *w, uint16_t port, unsigned int class, bool xoff);

/** Frames that the host functions have sent. */
void fcn_stage_inject(struct fcn_worker *w, struct fcn_burst *b);

/**
 * Run flow control of a port: end pauses that have expired, and send PFC frames that are due.
 *
 * @return number of frames sent and of packets dropped because of a pause storm
 */
unsigned int fcn_pause_port(struct fcn_worker *w, uint16_t port);

/** The part of fcn_drop() for notices, and packets on another worker's account. */
void fcn_drop_special(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i,
		enum fcn_drop_reason reason);

/**
 * Drop packet i: it leaves the burst, is counted with the reason at once, and is freed at the end
 * of the turn.
 */
static inline void
fcn_drop(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, enum fcn_drop_reason reason)
{
	w->counters[b->pkt[i].in_port].drop[reason]++;
	b->pkt[i].drop = reason;
	if (unlikely(b->pkt[i].flags & (FCN_PACKET_NOTICE | FCN_PACKET_ACCOUNTED)))
		fcn_drop_special(w, b, i, reason);
	if (unlikely(w->capture.ports[FCN_CAPTURE_DROP] != 0))
		fcn_capture_drop(w, b->mbuf[i], &b->pkt[i], reason);
	w->dead[w->n_dead++] = b->mbuf[i];
	b->mbuf[i] = NULL;
}

/** What stands in the mbuf of a packet that is queued, or is about to be. */
static inline struct fcn_queued *
fcn_queued_of(const struct fcn_worker *w, const struct rte_mbuf *m)
{
	return fcn_queued_at(m, w->queued_offset);
}

/** Count the loss of a packet that had been queued, if it is a notice. */
static inline void
fcn_queued_lost(struct fcn_worker *w, const struct fcn_queue_entry *e, enum fcn_drop_reason reason)
{
	if (unlikely(e->flags & FCN_ENTRY_NOTICE)) {
		struct fcn_notice_accounting *l = &w->notice_accounting[fcn_entry_notice_kind(e)];

		l->queued--;
		l->lost[reason]++;
	}
}

/** A frame without its tag was left to the queues of a sub-interface's port. */
static inline void
fcn_sub_interface_sent(struct fcn_worker *w, uint16_t interface, uint32_t len)
{
	w->counters[interface].sub_tx_packets++;
	w->counters[interface].sub_tx_bytes += len;
}

/** 802.1Q: the priority of a packet is its class, the drop eligible indicator 0. */
static inline uint16_t
fcn_vlan_tci(uint8_t class, uint16_t vlan)
{
	return (uint16_t)(class << 13 | vlan);
}

/** A stage has walked over a burst: note what it did to traced packets. */
static inline void
fcn_stage_done(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage)
{
	if (unlikely(b->n_traced != 0))
		fcn_trace_stage(w, b, stage);
}

/** Push an event record; lost and counted when the ring is full. */
static inline void
fcn_worker_event(struct fcn_worker *w, struct fcn_event *ev)
{
	if (w->events == NULL)
		return;
	w->events_made++;
	if (rte_ring_sp_enqueue_elem(w->events, ev, sizeof(*ev)) != 0)
		w->events_lost++;
}

#endif /* FCN_STAGES_H */
