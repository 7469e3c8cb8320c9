/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The stages, which pipeline.c calls in order, and functions that stages share. Each stage
 * processes a whole burst. All functions are called by the thread of the worker, within its turn.
 */

#ifndef FCN_STAGES_H
#define FCN_STAGES_H

#include "fcn_icmp6.h"
#include "fcn_worker.h"

/** Receive packets from all queues of the worker, into w->received. */
void fcn_stage_rx(struct fcn_worker *w);
/**
 * Queue received packets at once for which the stages would do nothing unusual: RoCEv2 in plain
 * packets to hosts. Others are put into the burst. Packets behind them, and packets whose class
 * queue is congested, wait in w->ready, with their new headers. Called if no function is on that
 * any packet might need a stage for.
 */
void fcn_stage_fast_path(struct fcn_worker *w, struct fcn_burst *b);
/** Parse the headers of the packets and determine their classes. */
void fcn_stage_classify(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Drop packets received by border ports that may not cross the border of the domain. Called if
 * burst.has_checked_ports is set.
 */
void fcn_stage_border_in(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Move packets of untrusted ports out of protected classes, and rewrite their DSCP and PCP. Called
 * if burst.has_checked_ports is set.
 */
void fcn_stage_trust(struct fcn_worker *w, struct fcn_burst *b);
/** Drop packets to border ports that may not cross the border of the domain. */
void fcn_stage_border_out(struct fcn_worker *w, struct fcn_burst *b);
/** Obey PFC and PAUSE frames, and consume all MAC Control frames: they are never forwarded. */
void fcn_stage_mac_control(struct fcn_worker *w, struct fcn_burst *b);
/** Insert the option with a proxy's address into packets of senders. Called if a port does that. */
void fcn_stage_proxy_insert(struct fcn_worker *w, struct fcn_burst *b);
/** Remove the option with a proxy's address from packets that leave by ports that do that. */
void fcn_stage_proxy_remove(struct fcn_worker *w, struct fcn_burst *b);
/** Assign tagged packets of routed ports to the sub-interface of their VLAN, and remove the tag. */
void fcn_stage_sub_interface(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Forward frames of bridges: check the VLAN, learn the source, look up the destination. Copies of
 * flooded frames are put into w->flood.
 */
void fcn_stage_bridge(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Route packets of routed ports, and notices: find the next hop, decrease the hop limit, replace
 * the Ethernet header.
 */
void fcn_stage_route(struct fcn_worker *w, struct fcn_burst *b);
/** Deliver packets with FCN_PACKET_LOCAL to their behaviours, and route those they have changed. */
void fcn_stage_local(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Set CE in a share of the packets of flows whose senders are notified this way. Called while there
 * are such flows.
 */
void fcn_stage_proxy_mark(struct fcn_worker *w, struct fcn_burst *b);
/** Remove IOAM options, or drop packets that have them, where the IOAM domain ends. */
void fcn_stage_ioam_edge(struct fcn_worker *w, struct fcn_burst *b);
/**
 * Let packets wait whose flow a downstream switch has asked to halt. Called while there are such
 * flows.
 */
void fcn_stage_hold(struct fcn_worker *w, struct fcn_burst *b);
/** Put packets into class queues: run the detector, set CE, and decide about notices. */
void fcn_stage_enqueue(struct fcn_worker *w, struct fcn_burst *b);
/** Do the same for packet `from` and those behind it. */
void fcn_enqueue_from(struct fcn_worker *w, struct fcn_burst *b, unsigned int from);
/** Put packet i of a burst, the last one, into its class queue, which this worker has. */
void fcn_enqueue_one(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);
/** Build the notices in w->notice into a burst. @return whether the stage `route` has to route some
 * of them */
bool fcn_stage_notice(struct fcn_worker *w, struct fcn_burst *b);
/** Send packets from the class queues to the ports. @return number of packets sent or dropped */
unsigned int fcn_stage_transmit(struct fcn_worker *w);

/** Empty a burst for received packets. */
void fcn_rx_begin(struct fcn_burst *b);

/** Put packets that a port has received into a burst, and begin their metadata. */
void fcn_rx_pass(struct fcn_burst *b, uint16_t port, struct rte_mbuf *const *mbuf, unsigned int n);

/** Put all received packets into a burst, which is emptied before. */
void fcn_rx_pass_all(const struct fcn_worker *w, struct fcn_burst *b);

/** Choose the functions of the fast path, by the CPU and what EAL allows. */
const struct fcn_fast_functions *fcn_fast_path_choose(void);

/**
 * Route packets again that a local behaviour has changed.
 *
 * @param at indexes of the packets in the burst
 * @param n  number of indexes
 */
void fcn_reroute(struct fcn_worker *w, struct fcn_burst *b, const uint16_t *at, unsigned int n);

/** Forward packets again whose next hop a local behaviour has set. Parameters as fcn_reroute(). */
void fcn_forward_again(
		struct fcn_worker *w, struct fcn_burst *b, const uint16_t *at, unsigned int n);

/** Build the notices in w->notice, route them and queue them. */
void fcn_walk_notices(struct fcn_worker *w);

/**
 * Add this node's data to the IOAM trace of a packet that is about to be queued (RFC 9197 section
 * 4.4).
 *
 * @param eg        class queues of the egress port
 * @param delay_off written: offset of the transit delay field, which is filled in at dequeue
 * @return whether the packet has this field
 */
bool fcn_ioam_transit_write(struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_egress *eg, uint16_t *delay_off);

/**
 * The same for n consecutive packets, which have just been queued by one egress key. The packets
 * are not charged to any account.
 *
 * @param conf  configuration of the queue
 * @param bytes bytes of the queue before the first of these packets
 */
void fcn_ioam_transit_write_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		unsigned int n, struct fcn_egress *eg, const struct fcn_queue_conf *conf,
		uint32_t bytes);

/**
 * Run the FCN_ENTRY_DEQUEUE_ACTIONS of packets that have left their queues, before they are passed
 * to the port, and remove the actions from the entries.
 */
void fcn_depart_run_actions(
		struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n);

/**
 * Run the detectors that work at dequeue over packets that have left their queues. The dequeue
 * actions of the packets are run as well.
 */
void fcn_depart_detect(
		struct fcn_worker *w, uint16_t port, struct fcn_queue_entry *e, unsigned int n);

/**
 * Insert the 802.1Q tag of a sub-interface in front of the EtherType of a frame, and count the
 * frame as sent by the sub-interface.
 *
 * @return false when the mbuf has no headroom for the tag
 */
bool fcn_sub_interface_tag(
		struct fcn_worker *w, struct rte_mbuf *m, uint16_t interface, uint8_t class);

/** Remove the outermost VLAN tag of a frame that has one, and update its metadata. */
void fcn_vlan_tag_remove(struct rte_mbuf *m, struct fcn_packet *p);

/**
 * Forward the untagged frame i, which a bridge interface sends: to the port of its destination, or
 * to all ports of the VLAN. Copies are put into w->flood.
 */
void fcn_bridge_inject(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/** Result of fcn_punt(). */
enum fcn_punt_result {
	FCN_PUNTED,            /**< the packet was punted and has left the burst */
	FCN_PUNT_UNWANTED,     /**< the packet is a notice, or such packets are not punted */
	FCN_PUNT_OVER_RATE,    /**< the rate of the port and kind is exceeded */
	FCN_PUNT_OVER_BACKLOG, /**< too many packets of the port and kind are waiting */
};

/**
 * Punt packet i to the host functions. Unless the result is FCN_PUNTED, the packet stays in the
 * burst, and the caller drops it with a reason of its own.
 */
enum fcn_punt_result fcn_punt(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_punt_reason reason);

/** Punt packet i, which is for the switch, to the host functions; drop it if they do not get it. */
enum fcn_local_result fcn_local_punt(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_punt_reason reason);

/**
 * Punt packet i, so that the host functions send an ICMPv6 error about it. Then they have it
 * dropped for the reason `why`. The result is as for fcn_punt().
 */
enum fcn_punt_result fcn_punt_error(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_icmp6_error *error, enum fcn_drop_reason why);

/**
 * The same for a packet to END.CON: the error comes from the address that the packet was sent to,
 * as the P node believes nobody else.
 */
enum fcn_punt_result fcn_punt_endcon(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_icmp6_error *error, enum fcn_drop_reason why);

/** Adapt the token buckets for punts of a port to the rates of a new snapshot. */
void fcn_punt_reconfigure(struct fcn_worker *w, uint16_t port);

/** Adapt the token buckets for storm control of a port to the rates of a new snapshot. */
void fcn_storm_reconfigure(struct fcn_worker *w, uint16_t port);

/**
 * Put packets on the cross-core ring to the worker that owns their port: packet `from` and the
 * following ones with the same egress key. Packets for which the ring has no room are dropped. The
 * owner gets them after fcn_cross_core_flush().
 *
 * @return number of packets, at least 1
 */
unsigned int fcn_cross_core_tx(struct fcn_worker *w, struct fcn_burst *b, unsigned int from);

/**
 * Let the owners of ports see the packets that were put on cross-core rings: once a turn, because
 * each time the line with the end of a ring goes to another core.
 *
 * @return number of workers that packets were put on rings to
 */
unsigned int fcn_cross_core_flush(struct fcn_worker *w);

/**
 * Take packets that other workers received from the cross-core rings, up to a burst of each. Those
 * that their queue takes without further ado are queued at once; the others are put into the burst.
 *
 * @param most greatest number of packets
 * @return number of packets
 */
unsigned int fcn_stage_cross_core_rx(struct fcn_worker *w, struct fcn_burst *b, unsigned int most);

/** Obey the PFC and PAUSE frames that other workers received for ports of this one. */
void fcn_cross_core_rx_pauses(struct fcn_worker *w);

/** Check whether a cross-core ring to this worker has packets or pauses. */
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
 * Know a MAC address that was learned before the switch started. For fcn_worker_call().
 *
 * @param entry its seen_ns is the age of the address
 */
void fcn_bridge_restore(struct fcn_worker *w, const struct fcn_mac_entry *entry);

/**
 * Publish that the account of an ingress port and class has crossed a threshold: its sender is to
 * be paused, or may resume unless held flows need the pause. The owner of the port reads it.
 */
void fcn_pause_publish(struct fcn_worker *w, uint16_t port, unsigned int class, bool xoff);

/** Take the frames that the host functions inject or return from their ring into a burst. */
void fcn_stage_inject(struct fcn_worker *w, struct fcn_burst *b);

/**
 * Run flow control of a port: end pauses that have expired, and send PFC frames that are due.
 *
 * @return number of frames sent and of packets dropped because of a pause storm
 */
unsigned int fcn_pause_port(struct fcn_worker *w, uint16_t port);

/**
 * The part of fcn_drop() that is not inline: for notices, and for packets that are charged to an
 * account already.
 */
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
	if (unlikely(fcn_capture_is_on(&w->capture, FCN_CAPTURE_DROP)))
		fcn_capture_drop(w, b->mbuf[i], &b->pkt[i], reason);
	w->dead[w->n_dead++] = b->mbuf[i];
	b->mbuf[i] = NULL;
}

/** Get the data in the mbuf of a packet that is queued or about to be queued. */
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

/** Count a frame of a sub-interface. @param len bytes without tag and FCS */
static inline void
fcn_sub_interface_sent(struct fcn_worker *w, uint16_t interface, uint32_t len)
{
	w->counters[interface].sub_tx_packets++;
	w->counters[interface].sub_tx_bytes += len;
}

/**
 * Compute the TCI of an 802.1Q tag, host byte order: the PCP is the class of the packet, the DEI is
 * 0.
 */
static inline uint16_t
fcn_vlan_tci(uint8_t class, uint16_t vlan)
{
	return (uint16_t)(class << 13 | vlan);
}

/** Record for the packet trace what a stage has done to the packets of a burst. */
static inline void
fcn_stage_done(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage)
{
	if (unlikely(b->n_traced != 0))
		fcn_trace_stage(w, b, stage);
}

/** Push an event record. When the ring is full, the record is lost and counted. */
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
