/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reaction to priority flow control and PAUSE frames. */

#include <rte_common.h>
#include <rte_ether.h>

#include "endpoint_state.h"
#include "fcn_pfc.h"

static void
report(const struct fcn_endpoint *ep, unsigned int class, bool paused, uint64_t when)
{
	endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_PAUSE,
					    .time_ns = when,
					    .qp = class,
					    .value = paused});
}

static void
pause_end(struct fcn_endpoint *ep, unsigned int class, uint64_t when)
{
	ep->paused &= ~(1u << class);
	ep->n.paused_ns[class] += when - ep->pause_since[class];
	report(ep, class, false, when);
}

void
endpoint_pfc_expire(struct fcn_endpoint *ep, uint64_t now)
{
	for (uint32_t left = ep->paused; left != 0; left &= left - 1) {
		unsigned int class = rte_bsf32(left);

		if (ep->pause_until[class] <= now)
			pause_end(ep, class, ep->pause_until[class]);
	}
}

/* The latest frame counts, whether its pause is longer or shorter than the current one. */
static void
pause_set(struct fcn_endpoint *ep, unsigned int class, uint16_t quanta, uint64_t now)
{
	bool paused = (ep->paused & 1u << class) != 0;

	if (quanta == 0) {
		if (paused)
			pause_end(ep, class, now);
		return;
	}
	ep->pause_until[class] = now + fcn_pfc_quanta_to_ns(quanta, ep->conf.line_bps);
	if (paused)
		return;
	ep->paused |= 1u << class;
	ep->pause_since[class] = now;
	report(ep, class, true, now);
}

void
endpoint_pfc_receive(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now)
{
	const struct rte_ether_addr *dst = (const void *)frame;
	struct fcn_mac_control control;

	if (!rte_is_same_ether_addr(dst, &fcn_mac_control_addr) &&
			!rte_is_same_ether_addr(dst, &ep->conf.mac)) {
		ep->n.rx_not_mine++;
		return;
	}
	switch (fcn_mac_control_parse(frame, len, &control)) {
	case FCN_MAC_CONTROL_IS_PFC:
	case FCN_MAC_CONTROL_IS_PAUSE:
		break;
	case FCN_MAC_CONTROL_IS_MALFORMED:
		ep->n.rx_malformed++;
		return;
	case FCN_MAC_CONTROL_IS_OTHER:
	default:
		ep->n.rx_other++;
		return;
	}
	ep->n.pfc_received++;
	for (uint32_t left = control.priorities; left != 0; left &= left - 1) {
		unsigned int class = rte_bsf32(left);

		pause_set(ep, class, control.quanta[class], now);
	}
}
