/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNPs of other switches on their way to senders that only understand CNPs.
 */

#ifndef PROXY_INTERCEPT_H
#define PROXY_INTERCEPT_H

#include "fcn_stages.h"

/**
 * Translate a Fast CNP (draft-xiao-rtgwg-rocev2-fast-cnp section 4) into the CNP that the receiver
 * would send, if the map of queue pairs has its flow: the receiver that its option names, the queue
 * pair that it names, and the sender that it goes to. One that is malformed or whose flow is not
 * known stays as it is. What was done is counted.
 *
 * @param m its Ethernet header stays
 * @param p its metadata are those of the CNP afterwards
 */
void fcn_proxy_intercept_one(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p);

/** Do this, if it is configured and the packet is a Fast CNP that was received, outside of tunnels.
 */
static inline void
fcn_proxy_intercept(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p)
{
	if (unlikely((p->info.flags & (FCN_PKT_FASTCNP | FCN_PKT_TUNNEL)) == FCN_PKT_FASTCNP) &&
			w->snap->proxy.intercept &&
			!(p->flags & (FCN_PACKET_NOTICE | FCN_PACKET_OWN)))
		fcn_proxy_intercept_one(w, m, p);
}

#endif /* PROXY_INTERCEPT_H */
