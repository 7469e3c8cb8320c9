/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Defaults of what a queue holds and of where congestion begins: one rule for all speeds.
 *
 * All of them are times at the rate of the queue: 32 us to the lowest threshold, 128 us to the
 * upper one of RED, 320 us to the limit. A limit is at least 1 MB, and a threshold at least a
 * frame. Where the queue can hold less than its limit by this rule, because a limit is configured
 * or a buffer is shared, a threshold is at most an eighth of what it can hold, and the upper one
 * half of it.
 */

#include <rte_time.h>

#include "build_parts.h"

#define ENTER_NS 32000 /* 100 KB at 25 Gbit/s */
#define KMAX_NS 128000
#define LIMIT_NS 320000
#define LIMIT_LEAST 1000000
#define LIMIT_MOST 1000000000

/*
 * There is room for a packet for each so many bytes. A threshold is a tenth of the limit, so that
 * it is reached before this room is used up even if all packets are of 60 bytes.
 */
#define PACKET_BYTES 512
#define PACKETS_LEAST 4096
#define PACKETS_MOST 65536

uint32_t
fcn_build_frame(const struct fcn_config_port *port)
{
	uint32_t tags = port->bridge >= 0 ? 2 * RTE_VLAN_HLEN : 0;

	return port->mtu + RTE_ETHER_HDR_LEN + tags;
}

uint32_t
fcn_build_bytes(uint64_t bps, uint64_t ns)
{
	uint64_t bytes = (uint64_t)((unsigned __int128)bps * ns / (8 * (uint64_t)NS_PER_S));

	return RTE_MIN(bytes, (uint64_t)LIMIT_MOST);
}

uint64_t
fcn_build_frame_ns(const struct fcn_config_port *port, uint64_t bps)
{
	return (uint64_t)fcn_build_frame(port) * 8 * (uint64_t)NS_PER_S / bps;
}

/* Get the highest occupancy that the settings of a queue name. */
static uint32_t
highest_threshold(const struct fcn_config_queue *q)
{
	const struct fcn_config_detector *d = &q->detector;
	const uint32_t set[] = {q->policy.mark_bytes, q->policy.notify_bytes, d->enter, d->leave,
			d->kmax, d->qeq};
	uint32_t most = 0;

	for (size_t i = 0; i < RTE_DIM(set); i++) {
		if (set[i] != FCN_AUTO)
			most = RTE_MAX(most, set[i]);
	}
	return most;
}

uint32_t
fcn_build_limit(const struct fcn_config_queue *q, uint64_t rate_bps)
{
	uint32_t limit = fcn_build_bytes(rate_bps, LIMIT_NS);

	if (q->limit_bytes != FCN_AUTO)
		return q->limit_bytes;
	limit = RTE_MAX(limit, 2 * highest_threshold(q));
	return RTE_MAX(limit, (uint32_t)LIMIT_LEAST);
}

static uint32_t
packets_for(uint64_t bytes)
{
	uint64_t packets = RTE_MIN(bytes / PACKET_BYTES, (uint64_t)PACKETS_MOST);

	return rte_align32pow2(RTE_MAX((uint32_t)packets, (uint32_t)PACKETS_LEAST));
}

uint32_t
fcn_build_limit_packets(const struct fcn_config_queue *q, uint32_t limit_bytes)
{
	return q->limit_packets != FCN_AUTO ? q->limit_packets : packets_for(limit_bytes);
}

/* Get the most that an account with this alpha can have of the shared buffer: it is full when it
 * has alpha times what is free. */
static uint64_t
share(const struct fcn_buffer_conf *buffer, uint64_t alpha)
{
	return (uint64_t)((unsigned __int128)buffer->shared * alpha / (FCN_ALPHA_ONE + alpha));
}

uint32_t
fcn_build_slots(const struct fcn_snapshot *s, unsigned int class, const struct fcn_config_queue *q,
		uint32_t limit_packets)
{
	uint64_t bytes = 0;

	/* Packets of a lossless class are limited by the accounts of the ports that receive them,
	 * and all of them may leave by the same queue. */
	for (unsigned int p = 0; p < s->n_ports; p++) {
		const struct fcn_ingress_conf *in = &s->port[p].ingress[class];

		if (in->lossless)
			bytes += in->headroom +
				 (in->dynamic ? in->reserve + share(&s->buffer, in->alpha)
					      : in->xoff);
	}
	if (bytes == 0 || q->limit_packets != FCN_AUTO)
		return limit_packets;
	return RTE_MAX(limit_packets, packets_for(bytes));
}

uint32_t
fcn_build_room(const struct fcn_config_queue *q, uint32_t limit_bytes,
		const struct fcn_buffer_conf *buffer)
{
	uint64_t room = q->reserve + share(buffer, fcn_build_fixed(q->alpha));

	return buffer->size == 0 ? limit_bytes : (uint32_t)RTE_MIN(room, (uint64_t)limit_bytes);
}

uint32_t
fcn_build_threshold(const struct fcn_config_port *port, uint32_t bytes, uint32_t room)
{
	bytes = RTE_MIN(bytes, room / 8);
	bytes = RTE_MAX(bytes, fcn_build_frame(port));
	bytes = RTE_MIN(bytes, room / 2);
	return RTE_MAX(bytes, 1u);
}

uint32_t
fcn_build_enter(const struct fcn_config_port *port, const struct fcn_config_detector *c,
		uint64_t rate_bps, uint32_t room)
{
	uint32_t enter = fcn_build_threshold(port, fcn_build_bytes(rate_bps, ENTER_NS), room);

	if (c->enter != FCN_AUTO)
		return c->enter;
	if (c->type == FCN_DETECTOR_RED && c->kmax != FCN_AUTO && enter > c->kmax / 4)
		enter = RTE_MAX(c->kmax / 4, 1u);
	return c->leave != FCN_AUTO ? RTE_MAX(enter, c->leave) : enter;
}

uint32_t
fcn_build_kmax(const struct fcn_config_detector *c, uint32_t enter, uint64_t rate_bps,
		uint32_t room)
{
	uint32_t kmax = RTE_MIN(fcn_build_bytes(rate_bps, KMAX_NS), room / 2);

	if (c->kmax != FCN_AUTO)
		return c->kmax;
	/* At low rates both would be one frame. */
	kmax = RTE_MAX(kmax, c->enter == FCN_AUTO ? 4 * enter : 2 * enter);
	kmax = RTE_MIN(kmax, room);
	return RTE_MAX(kmax, enter + 1);
}
