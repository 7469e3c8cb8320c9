/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ioam.h"
#include "fcn_ioam_remove.h"
#include "option_remove.h"

static const struct fcn_option_choice ioam_options = {
		.type = {FCN_IPV6_OPT_IOAM_CHG, FCN_IPV6_OPT_IOAM},
		.hop_by_hop = true,
};

bool
fcn_ioam_has_option(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info)
{
	return fcn_option_is_there(data, seg_len, info, &ioam_options);
}

enum fcn_ioam_remove_result
fcn_ioam_remove(uint8_t *data, uint32_t seg_len, struct fcn_wire_info *info,
		enum fcn_icrc_mode mode, uint8_t *icrc, uint32_t *removed)
{
	switch (fcn_option_remove(data, seg_len, info, &ioam_options, mode, icrc, removed)) {
	case FCN_OPTION_REMOVE_NONE:
		return FCN_IOAM_REMOVE_NONE;
	case FCN_OPTION_REMOVE_FAILED:
		return FCN_IOAM_REMOVE_FAILED;
	case FCN_OPTION_REMOVE_DONE:
		break;
	}
	/* If there is a tunnel, these flags describe the inner packet. */
	if (!(info->flags & FCN_PKT_TUNNEL)) {
		info->flags &= ~(FCN_PKT_IOAM_TRACE | FCN_PKT_IOAM_INVALID);
		info->ioam_off = 0;
		info->ioam_len = 0;
	}
	return FCN_IOAM_REMOVE_DONE;
}
