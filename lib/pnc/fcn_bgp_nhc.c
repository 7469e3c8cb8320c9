/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_bgp_nhc.h"

#include <errno.h>
#include <string.h>

#include "bgp_bytes.h"

#define HEAD 4 /* AFI, SAFI, length of the next hop */

int
fcn_bgp_nhc_parse(const uint8_t *data, size_t len, uint16_t pnc_code, struct fcn_bgp_nhc *nhc)
{
	size_t hop, at;

	memset(nhc, 0, sizeof(*nhc));
	if (len < HEAD)
		return -EBADMSG;
	nhc->afi = bgp_get16(data);
	nhc->safi = data[2];
	hop = data[3];
	if (len - HEAD < hop || !bgp_next_hop(data + HEAD, hop, &nhc->next_hop))
		return -EBADMSG;
	at = HEAD + hop;
	if (at == len)
		return -EBADMSG;
	while (at < len) {
		uint16_t code, value;

		if (len - at < 4)
			return -EBADMSG;
		code = bgp_get16(data + at);
		value = bgp_get16(data + at + 2);
		at += 4;
		if (len - at < value)
			return -EBADMSG;
		at += value;
		nhc->has_pnc |= code == pnc_code && value == 0;
		nhc->has_bad_pnc |= code == pnc_code && value != 0;
	}
	return nhc->has_bad_pnc && !nhc->has_pnc ? -EBADMSG : 0;
}

size_t
fcn_bgp_nhc_build(uint8_t type, uint16_t pnc_code, bool partial, uint16_t afi,
		const struct fcn_addr *next_hop, uint8_t *out)
{
	uint8_t hop = next_hop->version == 4 ? 4 : 16;
	uint8_t *p = out;

	*p++ = FCN_BGP_OPTIONAL | FCN_BGP_TRANSITIVE | (partial ? FCN_BGP_PARTIAL : 0);
	*p++ = type;
	*p++ = HEAD + hop + 4;
	p = bgp_put16(p, afi);
	*p++ = FCN_BGP_SAFI_UNICAST;
	*p++ = hop;
	memcpy(p, next_hop->bytes, hop);
	p = bgp_put16(p + hop, pnc_code);
	p = bgp_put16(p, 0);
	return (size_t)(p - out);
}
