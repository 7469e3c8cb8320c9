/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_ip.h>

#include "congestion.h"
#include "fcn_bth.h"
#include "fcn_ipv4_tos.h"
#include "flow_sample.h"
#include "lossless.h"
#include "trim.h"

#define TRIM_EVENT_NS 1000000

/* Check whether a packet was refused because there is no room: by the limits of the queue, of the
 * shared buffer, of the packet buffers, or by the headroom of a lossless class. */
static bool
is_for_lack_of_room(enum fcn_queue_verdict why)
{
	return why != FCN_REFUSED_PAUSE_STORM && why != FCN_REFUSED_PORT_DOWN;
}

/* Check whether a packet can be trimmed: it is IP whose headers were read up to the upper layer,
 * which is not a further tunnel, no fragment, and not of the switch itself. */
static bool
can_be_trimmed(const struct fcn_packet *p)
{
	const uint16_t never = FCN_PACKET_NOTICE | FCN_PACKET_OWN | FCN_PACKET_TRIMMED;

	return !(p->flags & never) && p->info.l3_off != 0 && p->info.l4_off != 0 &&
	       p->info.error != FCN_WIRE_EXT_LIMIT && p->info.proto != IPPROTO_IPIP &&
	       p->info.proto != IPPROTO_IPV6 && !(p->info.flags & FCN_PKT_FRAGMENT);
}

/* Get the length to which a frame is cut. The receiver needs the headers up to the BTH. */
static uint32_t
kept_of(const struct fcn_packet *p, uint32_t size, uint32_t len)
{
	uint32_t headers = p->info.l4_off;

	if (p->info.flags & FCN_PKT_ROCE)
		headers += sizeof(struct rte_udp_hdr) + sizeof(struct fcn_bth_hdr);
	size = RTE_MAX(size, headers);
	return RTE_MIN(size, len);
}

/* Free all segments of a packet behind the one in which it ends. */
static __rte_noinline void
cut_segments(struct rte_mbuf *m, uint32_t kept)
{
	struct rte_mbuf *last = m;
	uint32_t left = kept;
	uint16_t segs = 1;

	for (; left > last->data_len; last = last->next, segs++)
		left -= last->data_len;
	rte_pktmbuf_free(last->next);
	last->next = NULL;
	last->data_len = (uint16_t)left;
	m->nb_segs = segs;
	m->pkt_len = kept;
}

/* Free all bytes of a packet behind the first ones. Copies of flooded frames may share bytes, but
 * none that are written to here: headers are their own. */
static inline void
cut(struct rte_mbuf *m, uint32_t kept)
{
	if (unlikely(m->next != NULL)) {
		cut_segments(m, kept);
		return;
	}
	m->data_len = (uint16_t)kept;
	m->pkt_len = kept;
}

/* Let the IP header at an offset say that its packet ends where the frame does, if that is earlier
 * than it says now. */
static inline void
shorten_ip(uint8_t *frame, uint32_t off, uint32_t len)
{
	const uint32_t most = len - off;

	if (frame[off] >> 4 == 6) {
		struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(frame + off);

		if (sizeof(*ip) + rte_be_to_cpu_16(ip->payload_len) > most)
			ip->payload_len = rte_cpu_to_be_16((uint16_t)(most - sizeof(*ip)));
	} else {
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(frame + off);

		if (rte_be_to_cpu_16(ip->total_length) <= most)
			return;
		ip->total_length = rte_cpu_to_be_16((uint16_t)most);
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
	}
}

static void
set_dscp(uint8_t *frame, struct fcn_packet *p, uint8_t dscp)
{
	const uint8_t tclass = (uint8_t)(dscp << 2 | (p->info.tclass & 3));
	uint8_t *ip = frame + p->info.l3_off;

	if (p->info.flags & FCN_PKT_IPV6) {
		ip[0] = (uint8_t)(0x60 | tclass >> 4);
		ip[1] = (uint8_t)((tclass & 0xF) << 4 | (ip[1] & 0xF));
	} else {
		fcn_ipv4_set_tos((struct rte_ipv4_hdr *)ip, tclass);
	}
	p->info.tclass = tclass;
}

/* Cut a packet, and write what its headers say from now on. */
static void
change(struct rte_mbuf *m, struct fcn_packet *p, uint32_t kept, uint8_t dscp)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	cut(m, kept);
	shorten_ip(frame, p->info.l3_off, kept);
	if (p->info.inner_l3_off != p->info.l3_off)
		shorten_ip(frame, p->info.inner_l3_off, kept);
	p->info.ip_len = (uint16_t)RTE_MIN((uint32_t)p->info.ip_len, kept - p->info.l3_off);
	if (dscp != FCN_TRIM_DSCP_KEEP)
		set_dscp(frame, p, dscp);
}

/* Let a packet leave the account and the class of the queue that has refused it. */
static void
leave_class(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p, uint8_t class,
		enum fcn_drop_reason why)
{
	if (unlikely(p->flags & FCN_PACKET_ACCOUNTED))
		fcn_lossless_release(w, m, p->class, m->pkt_len);
	p->flags = (uint16_t)(p->flags & ~(FCN_PACKET_LOSSLESS | FCN_PACKET_ACCOUNTED)) |
		   FCN_PACKET_TRIMMED;
	p->trim_class = p->class;
	p->trim_reason = why;
	p->class = class;
}

static __rte_noinline void
push_event(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		uint32_t occupancy)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_TRIMMED,
			.class = p->class,
			.level = FCN_LEVEL_NONE,
			.port = p->out_port,
			.in_port = p->in_port,
			.occupancy = occupancy,
	};

	q->trim_event_ns = RTE_MAX(w->now, (uint64_t)1);
	fcn_worker_event(w, &ev);
}

/* Push at most one event about a queue in a millisecond. */
static inline void
trim_event(struct fcn_worker *w, const struct fcn_packet *p, struct fcn_queue *q,
		uint32_t occupancy)
{
	if (unlikely(q->trim_event_ns == 0 || w->now - q->trim_event_ns >= TRIM_EVENT_NS))
		push_event(w, p, q, occupancy);
}

void
fcn_trim_return(struct fcn_worker *w, const struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_target *t, enum fcn_queue_verdict why)
{
	const uint16_t never = FCN_PACKET_NOTICE | FCN_PACKET_OWN | FCN_PACKET_TRIMMED;
	const uint32_t occupancy = t->q->bytes + m->pkt_len + t->eg->ring_bytes;

	if (!is_for_lack_of_room(why) || p->flags & never)
		return;
	if (!fcn_congestion_lost(w, m, p, t->q, occupancy))
		return;
	t->q->stats.returned++;
	trim_event(w, p, t->q, occupancy);
}

bool
fcn_trim(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p,
		const struct fcn_queue_target *t, enum fcn_queue_verdict why)
{
	const struct fcn_trim_conf *conf = &w->snap->port[p->out_port].trim;
	const enum fcn_drop_reason reason = fcn_drop_of_refusal(why);
	struct fcn_queue_stats *stats = &t->q->stats;
	uint32_t kept;

	if (!is_for_lack_of_room(why) || !can_be_trimmed(p))
		return false;
	kept = kept_of(p, t->conf->trim_size, m->pkt_len);
	if (!fcn_notify_link_take(&conf->link, &w->trim_link[p->out_port],
			    w->snap->notify.common.part[p->in_port], kept, w->now)) {
		stats->trim_limited++;
		return false;
	}
	trim_event(w, p, t->q, t->q->bytes + m->pkt_len + t->eg->ring_bytes);
	/* Notices about it tell of the whole packet, and of the queue that refused it. */
	if (w->n_notices != 0 && w->order[w->n_notices - 1].cause == m)
		fcn_walk_notices(w);
	fcn_flow_sample(w, m, p, t->q, false);
	stats->trimmed++;
	stats->trimmed_bytes += m->pkt_len - kept;
	if (unlikely(fcn_capture_is_on_port(&w->capture, FCN_CAPTURE_TX, p->out_port)))
		fcn_capture_note_trimmed(m, p->out_port, p->class, reason, m->pkt_len);
	leave_class(w, m, p, conf->class, reason);
	change(m, p, kept, conf->dscp);
	return true;
}
