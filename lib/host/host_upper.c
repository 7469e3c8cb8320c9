/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "host_state.h"

#define NH_OFF 6
#define MAX_HEADERS 8 /* extension headers behind one IPv6 header */

#define OPT_PAD1 0
#define OPT_ACTION(type) ((type) >> 6)
#define ROUTING_LEFT_OFF 3
#define ROUTING_TYPE_OFF 2

static void
stop(struct fcn_host_upper *up, enum fcn_host_error error, uint32_t off)
{
	up->result = FCN_HOST_UPPER_ERROR;
	up->error = error;
	up->off = off;
}

/*
 * Process the options of a header from off to end (RFC 8200 section 4.2).
 *
 * @return whether processing continues
 */
static bool
options(const uint8_t *ip, uint32_t off, uint32_t end, const struct fcn_parse_codes *codes,
		struct fcn_host_upper *up)
{
	while (off < end) {
		uint8_t type = ip[off];

		if (type == OPT_PAD1) {
			off++;
			continue;
		}
		if (off + 2 > end || off + 2 + ip[off + 1] > end)
			return false;
		if (OPT_ACTION(type) != 0 && !fcn_parse_codes_contain(codes, type)) {
			/*
			 * action 1: drop without an error; action 3: no error about a packet to a
			 * group, which is checked when the error is built
			 */
			if (OPT_ACTION(type) != 1)
				stop(up, FCN_HOST_ERROR_OPTION, off);
			return false;
		}
		off += 2u + ip[off + 1];
	}
	return true;
}

/* Process one extension header. @return whether processing continues; off is then behind it */
static bool
step(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_host_upper *up)
{
	uint32_t off = up->off, end;

	if (off + 8 > len)
		return false;
	end = off + (up->proto == IPPROTO_FRAGMENT ? 8u : (ip[off + 1] + 1u) * 8u);
	if (end > len)
		return false;
	switch (up->proto) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_DSTOPTS:
		if (!options(ip, off + 2, end, codes, up))
			return false;
		break;
	case IPPROTO_ROUTING:
		if (ip[off + ROUTING_LEFT_OFF] != 0) {
			stop(up, FCN_HOST_ERROR_FIELD, off + ROUTING_TYPE_OFF);
			return false;
		}
		break;
	/* an atomic fragment, or one that would need reassembly, which the switch does not do */
	default:
		if (fcn_get_be16(ip + off + 2) & 0xFFF9)
			return false;
		break;
	}
	up->nh_off = off;
	up->proto = ip[off];
	up->off = end;
	return true;
}

void
fcn_host_find_upper(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_host_upper *up)
{
	*up = (struct fcn_host_upper){.result = FCN_HOST_UPPER_NONE,
			.nh_off = NH_OFF,
			.proto = ip[NH_OFF],
			.off = FCN_IP6_LEN};
	for (unsigned int i = 0; i <= MAX_HEADERS; i++) {
		bool first = up->off == FCN_IP6_LEN;

		if ((up->proto != IPPROTO_HOPOPTS || !first) && up->proto != IPPROTO_DSTOPTS &&
				up->proto != IPPROTO_ROUTING && up->proto != IPPROTO_FRAGMENT) {
			/*
			 * Hop-by-Hop Options elsewhere than first count as an unknown header (RFC
			 * 8200 section 4.1)
			 */
			up->result = FCN_HOST_UPPER_FOUND;
			return;
		}
		if (!step(ip, len, codes, up))
			return;
	}
}
