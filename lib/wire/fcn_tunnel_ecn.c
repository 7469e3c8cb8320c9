/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ipv4_tos.h"
#include "fcn_tunnel_ecn.h"

static const struct {
	bool dangerous;
	const char *name;
	const char *text;
} combinations[] = {[FCN_TUNNEL_ECN_USED] = {false, "used", "combination of ECN fields in use"},
#define FCN_TUNNEL_ECN_ROW(sym, dangerous, name, text) \
	[FCN_TUNNEL_ECN_##sym] = {dangerous, name, text},
		FCN_TUNNEL_ECN_COMBINATIONS(FCN_TUNNEL_ECN_ROW)
#undef FCN_TUNNEL_ECN_ROW
};

#define CELL(ecn, combination)                              \
	{                                                   \
		FCN_ECN_##ecn, FCN_TUNNEL_ECN_##combination \
	}

/* RFC 6040 figure 4: rows are the inner field, columns the outer one. */
static const struct fcn_tunnel_ecn_egress egress[4][4] = {
		[FCN_ECN_NOT_ECT][FCN_ECN_NOT_ECT] = CELL(NOT_ECT, USED),
		[FCN_ECN_NOT_ECT][FCN_ECN_ECT0] = CELL(NOT_ECT, NOT_ECT_ECT0),
		[FCN_ECN_NOT_ECT][FCN_ECN_ECT1] = CELL(NOT_ECT, NOT_ECT_ECT1),
		[FCN_ECN_NOT_ECT][FCN_ECN_CE] = CELL(NOT_ECT, NOT_ECT_CE),
		[FCN_ECN_ECT0][FCN_ECN_NOT_ECT] = CELL(ECT0, USED),
		[FCN_ECN_ECT0][FCN_ECN_ECT0] = CELL(ECT0, USED),
		[FCN_ECN_ECT0][FCN_ECN_ECT1] = CELL(ECT1, USED),
		[FCN_ECN_ECT0][FCN_ECN_CE] = CELL(CE, USED),
		[FCN_ECN_ECT1][FCN_ECN_NOT_ECT] = CELL(ECT1, USED),
		[FCN_ECN_ECT1][FCN_ECN_ECT0] = CELL(ECT1, ECT1_ECT0),
		[FCN_ECN_ECT1][FCN_ECN_ECT1] = CELL(ECT1, USED),
		[FCN_ECN_ECT1][FCN_ECN_CE] = CELL(CE, USED),
		[FCN_ECN_CE][FCN_ECN_NOT_ECT] = CELL(CE, USED),
		[FCN_ECN_CE][FCN_ECN_ECT0] = CELL(CE, USED),
		[FCN_ECN_CE][FCN_ECN_ECT1] = CELL(CE, CE_ECT1),
		[FCN_ECN_CE][FCN_ECN_CE] = CELL(CE, USED),
};

const char *
fcn_tunnel_ecn_name(enum fcn_tunnel_ecn_combination c)
{
	return (unsigned int)c < FCN_TUNNEL_ECN_COMBINATION_COUNT ? combinations[c].name
								  : "unknown";
}

const char *
fcn_tunnel_ecn_text(enum fcn_tunnel_ecn_combination c)
{
	return (unsigned int)c < FCN_TUNNEL_ECN_COMBINATION_COUNT ? combinations[c].text
								  : "unknown combination";
}

bool
fcn_tunnel_ecn_is_dangerous(enum fcn_tunnel_ecn_combination c)
{
	return (unsigned int)c < FCN_TUNNEL_ECN_COMBINATION_COUNT && combinations[c].dangerous;
}

struct fcn_tunnel_ecn_egress
fcn_tunnel_ecn_egress(uint8_t inner, uint8_t outer)
{
	return egress[inner & FCN_ECN_MASK][outer & FCN_ECN_MASK];
}

enum fcn_tunnel_ecn_combination
fcn_tunnel_ecn_decaps(uint8_t *inner, uint8_t outer)
{
	const bool is_ipv4 = inner[0] >> 4 == 4;
	/* In an IPv6 header, the field is bits 4 and 5 of the second octet. */
	const uint8_t field = (is_ipv4 ? inner[1] : inner[1] >> 4) & FCN_ECN_MASK;
	const struct fcn_tunnel_ecn_egress to = fcn_tunnel_ecn_egress(field, outer);

	if (to.ecn == field)
		return to.combination;
	if (is_ipv4)
		fcn_ipv4_set_tos((struct rte_ipv4_hdr *)inner,
				(uint8_t)((inner[1] & ~FCN_ECN_MASK) | to.ecn));
	else
		inner[1] = (uint8_t)((inner[1] & ~(FCN_ECN_MASK << 4)) | to.ecn << 4);
	return to.combination;
}
