/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_buffer.h"

#include "fcn_shaper.h"

#define NS_IN_S UINT64_C(1000000000)
#define MIN_FRAME 60u /* bytes without FCS */
#define PAUSE_OCTETS \
	84 /* octets of the line that a PAUSE or PFC frame takes, with preamble and gap */

bool
fcn_ingress_charge(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len)
{
	uint64_t used = (uint64_t)in->used + len;
	uint64_t headroom = (uint64_t)in->headroom + len;
	uint64_t normal = in->used - in->headroom;
	uint64_t shared = fcn_buffer_over(normal + len, ingress->reserve) -
			  fcn_buffer_over(normal, ingress->reserve);

	if (used <= fcn_ingress_threshold(ingress, b, conf) &&
			(conf->size == 0 || shared <= fcn_buffer_free(b, conf))) {
		b->shared_used += shared;
		b->shared_max = RTE_MAX(b->shared_max, b->shared_used);
	} else if (headroom <= ingress->headroom) {
		in->headroom = headroom;
		in->headroom_max = RTE_MAX(in->headroom_max, in->headroom);
		b->headroom_used += len;
		b->headroom_max = RTE_MAX(b->headroom_max, b->headroom_used);
	} else {
		in->lost_packets++;
		in->lost_bytes += len;
		/* Only releases clear xoff, and if nothing is charged there will be none. */
		in->xoff = in->used != 0;
		return false;
	}
	in->used = used;
	in->used_max = RTE_MAX(in->used_max, in->used);
	/* The threshold falls with each packet that is charged. It is computed with this packet. */
	if (in->headroom != 0 || used >= fcn_ingress_threshold(ingress, b, conf))
		in->xoff = true;
	return true;
}

void
fcn_ingress_release(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len)
{
	uint32_t headroom = RTE_MIN(len, in->headroom);
	uint64_t before = fcn_ingress_shared(in, ingress);

	in->used -= len;
	in->headroom -= headroom;
	b->headroom_used -= headroom;
	b->shared_used -= before - fcn_ingress_shared(in, ingress);
	if (!in->xoff || in->headroom != 0)
		return;
	if (ingress->dynamic)
		in->xoff = (uint64_t)in->used + ingress->xon_below >
			   fcn_ingress_threshold(ingress, b, conf);
	else
		in->xoff = in->used > ingress->xon;
	if (in->used == 0)
		in->xoff = false;
}

/*
 * Compute the headroom. The packet that crosses the threshold is charged when its last octet has
 * arrived. After that, the frame that this port has just begun to transmit has to end; then the
 * pause frame is transmitted and takes the delay of the link; then the sender reacts; and the
 * frames that it has transmitted by then take the delay of the link to arrive. Of the frames that
 * begin to arrive in this time, all but the last also end in it. As a frame of n bytes takes at
 * least n + 24 octets of the line, they have no more bytes than the time has octets. To these add
 * the last frame, which began just before the sender stopped, and the packet that crossed the
 * threshold, with an MTU each.
 */
uint64_t
fcn_headroom(uint64_t bps, uint64_t delay_ns, uint64_t react_ns, uint32_t mtu)
{
	unsigned __int128 bits = (2 * (unsigned __int128)delay_ns + react_ns) * bps; /* * 1e9 */
	uint64_t line = (uint64_t)((bits + 8 * NS_IN_S - 1) / (8 * NS_IN_S));
	uint64_t own = (uint64_t)RTE_MAX(mtu, MIN_FRAME) + FCN_SHAPER_OVERHEAD;

	return line + own + PAUSE_OCTETS + 2 * (uint64_t)mtu;
}
