/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Behaviour of a host that does not know Fast CNP. The type of the option requires it to drop the
 * packet and to answer with an ICMPv6 Parameter Problem that points at the option (RFC 8200 section
 * 4.2, RFC 4443 section 3.4).
 */

#include <rte_common.h>
#include <rte_ether.h>

#include "endpoint_state.h"
#include "fcn_dest_option.h"
#include "fcn_icmp6.h"
#include "fcn_inet.h"

/* Token bucket that limits the rate of errors (RFC 4443 section 2.4 (f)). */
#define INTERVAL_NS UINT64_C(1000000)
#define BURST 6

/*
 * Find the first option that is not known: of the two, or, if Fast CNPs are accepted, that of a
 * returned header. A host stops there.
 */
static bool
find_option(const struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint32_t *off)
{
	uint32_t other;
	bool found;

	if (ep->conf.fastcnp == FCN_FASTCNP_ACCEPT)
		return fcn_dest_option_find(frame, len, info, ep->codes.trimmed, off);
	found = fcn_dest_option_find(frame, len, info, ep->codes.fastcnp_opt1, off);

	if (!fcn_dest_option_find(frame, len, info, ep->codes.fastcnp_opt2, &other))
		return found;
	if (!found || other < *off)
		*off = other;
	return true;
}

static bool
take_token(struct fcn_endpoint *ep, uint64_t now)
{
	if (ep->error_next_ns > now + (BURST - 1) * INTERVAL_NS)
		return false;
	ep->error_next_ns = RTE_MAX(ep->error_next_ns, now) + INTERVAL_NS;
	return true;
}

static uint32_t
build(const struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint32_t off, uint8_t *buf, uint32_t room)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	const struct fcn_icmp6_error error = {.type = FCN_ICMP6_PARAM_PROBLEM,
			.code = FCN_ICMP6_BAD_OPTION,
			.param = off - info->l3_off};
	struct rte_ether_hdr *out = (void *)buf;
	uint32_t n;

	if (!fcn_mac_is_station(&eth->src_addr) ||
			!fcn_icmp6_may_answer(&error, frame + info->l3_off, len - info->l3_off,
					rte_is_multicast_ether_addr(&eth->dst_addr)))
		return 0;
	out->dst_addr = eth->src_addr;
	out->src_addr = ep->conf.mac;
	out->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	n = fcn_icmp6_build_error(&error, ep->conf.addr, ep->conf.hop_limit, frame + info->l3_off,
			len - info->l3_off, buf + sizeof(*out), room - sizeof(*out));
	return n == 0 ? 0 : sizeof(*out) + n;
}

void
endpoint_refuse(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now)
{
	struct endpoint_error *error = &ep->error[ep->error_tail % ENDPOINT_ERRORS];
	uint32_t off;

	if (!find_option(ep, frame, len, info, &off) ||
			ep->error_tail - ep->error_head == ENDPOINT_ERRORS) {
		ep->n.fastcnp_unanswered++;
		return;
	}
	error->len = build(ep, frame, len, info, off, error->frame, sizeof(error->frame));
	if (error->len == 0 || !take_token(ep, now)) {
		ep->n.fastcnp_unanswered++;
		return;
	}
	ep->error_tail++;
	ep->n.fastcnp_refused++;
}
