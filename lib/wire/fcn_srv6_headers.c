/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_inet.h"
#include "fcn_parse.h"
#include "fcn_srv6_headers.h"

#define EXT_MIN_LEN 8
#define IP6_PLEN_OFF 4
#define IP6_NEXT_HEADER_OFF 6

/* Returns FCN_SRV6_OK with h->segments_left above 0 when this header ends the search. */
static enum fcn_srv6_error
take_routing(const uint8_t *ip, uint32_t off, uint32_t next_header_off, uint32_t size,
		struct fcn_srv6_headers *h)
{
	const uint8_t *p = ip + off;

	if (p[FCN_SRH_TYPE_OFF] == FCN_SRH_ROUTING_TYPE && h->srh_off == 0) {
		h->srh_off = (uint16_t)off;
		h->srh_len = (uint16_t)size;
		h->next_header_off = (uint16_t)next_header_off;
		h->segments_left = p[FCN_SRH_SEGMENTS_LEFT_OFF];
	} else if (p[FCN_SRH_SEGMENTS_LEFT_OFF] != 0) {
		h->pointer = (uint16_t)(off + FCN_SRH_TYPE_OFF);
		return FCN_SRV6_ROUTING_TYPE;
	}
	return FCN_SRV6_OK;
}

enum fcn_srv6_error
fcn_srv6_headers_find(const uint8_t *ip, uint32_t len, struct fcn_srv6_headers *h)
{
	uint32_t next_header_off = IP6_NEXT_HEADER_OFF, off = FCN_IP6_LEN, size, n = 0;
	enum fcn_srv6_error error;
	uint8_t proto;

	memset(h, 0, sizeof(*h));
	if (len < FCN_IP6_LEN)
		return FCN_SRV6_EXT_TRUNCATED;
	len = RTE_MIN(len, FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + IP6_PLEN_OFF));
	proto = ip[IP6_NEXT_HEADER_OFF];
	while ((proto == IPPROTO_HOPOPTS && off == FCN_IP6_LEN) || proto == IPPROTO_DSTOPTS ||
			proto == IPPROTO_ROUTING) {
		if (n++ == FCN_PARSE_MAX_EXT)
			return FCN_SRV6_EXT_LIMIT;
		if (len - off < EXT_MIN_LEN)
			return FCN_SRV6_EXT_TRUNCATED;
		size = (ip[off + 1] + 1u) * 8;
		if (size > len - off) {
			if (proto == IPPROTO_ROUTING && ip[off + 2] == FCN_SRH_ROUTING_TYPE)
				return FCN_SRV6_SRH_TRUNCATED;
			return FCN_SRV6_EXT_TRUNCATED;
		}
		if (proto == IPPROTO_ROUTING) {
			error = take_routing(ip, off, next_header_off, size, h);
			if (error != FCN_SRV6_OK || h->segments_left != 0)
				return error;
		}
		proto = ip[off];
		next_header_off = off;
		off += size;
	}
	h->upper_off = (uint16_t)off;
	h->upper_proto = proto;
	return FCN_SRV6_OK;
}
