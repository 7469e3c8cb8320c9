/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: what a frame holds that may not cross the domain's border, whole and as the
 * first part of a longer one. What the walk for forwarding finds, it finds, too.
 */

#include "fcn_border_view.h"
#include "fuzz.h"

#define BIT(kind) (1u << FCN_BORDER_##kind)

/* All offsets lie in what could be read. */
static void
check_view(const struct fcn_border_view *view, uint32_t len)
{
	require(view->found < 1u << FCN_BORDER_KIND_COUNT);
	require((view->found & (BIT(SID_SOURCE) | BIT(SID_DESTINATION))) == 0);
	require(view->n_ip <= FCN_BORDER_MAX_IP && view->n_srh <= FCN_BORDER_MAX_SRH);
	for (unsigned int i = 0; i < view->n_ip; i++) {
		uint32_t size = view->ip[i].version == 6 ? 16 : 4;

		require(view->ip[i].version == 6 || view->ip[i].version == 4);
		require(view->ip[i].src + size <= len && view->ip[i].dst + size <= len);
	}
	for (unsigned int i = 0; i < view->n_srh; i++)
		require(view->srh[i].off + 16u * view->srh[i].n <= len);
	require(!(view->found & BIT(CNP)) || view->cnp < view->n_ip);
	require(!view->trace || view->found & BIT(FAST_CNP));
}

/* A notice that is one for those inside is one for the border. */
static void
check_agreement(const struct fcn_border_view *view, const struct fcn_wire_info *info)
{
	const uint32_t found = view->found;

	if (info->flags & FCN_PKT_FASTCNP)
		require(found & BIT(FAST_CNP));
	if (info->flags & FCN_PKT_PROXY)
		require(found & BIT(PROXY));
	if (info->flags & FCN_PKT_IOAM_TRACE)
		require(found & BIT(IOAM) || view->ioam_outer);
	if (info->flags & FCN_PKT_ROCE && info->opcode == FCN_BTH_OPCODE_CNP)
		require(found & BIT(CNP));
	if (info->flags & FCN_PKT_UDP && info->dst_port == 1021)
		require(found & BIT(CNM));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fcn_border_codes codes = {
			.options = {.fastcnp_opt1 = 0x9E, .fastcnp_opt2 = 0x9F, .proxy_addr = 0x1E},
			.cnm_port = 1021,
			.arn_port = 1022,
	};
	uint32_t len = (uint32_t)size;
	struct fcn_border_view view, part;
	struct fcn_wire_info info;

	fcn_border_parse(data, len, len, &codes, &view);
	check_view(&view, len);
	fcn_parse_slow(data, len, len, &codes.options, &info);
	check_agreement(&view, &info);
	/* Of a chain whose first segment this is: what lies behind it is not known. */
	fcn_border_parse(data, len, len + 300, &codes, &part);
	check_view(&part, len);
	/* Half of the frame: what is found may be less, and then it says so. */
	fcn_border_parse(data, len / 2, len, &codes, &part);
	check_view(&part, len / 2);
	if (view.found & ~part.found & ~(uint32_t)BIT(UNREAD) && len / 2 > 14)
		require(part.found & BIT(UNREAD) || len / 2 < 14 + 4 * FCN_BORDER_MAX_VLANS);
	return 0;
}
