/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Removal of options from the Hop-by-Hop and Destination Options headers of the outermost IPv6
 * packet. fcn_ioam_remove.h describes what a removal changes. Internal to lib/wire.
 */

#ifndef OPTION_REMOVE_H
#define OPTION_REMOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_parse.h"

/** Which options are removed. */
struct fcn_option_choice {
	uint8_t type[2]; /**< option types, which may be equal */
	bool hop_by_hop; /**< in Hop-by-Hop Options headers, too, not only in Destination Options */
};

/** Result of a removal. */
enum fcn_option_remove_result {
	FCN_OPTION_REMOVE_NONE,   /**< there is no such option; the packet is unchanged */
	FCN_OPTION_REMOVE_DONE,   /**< all such options have been removed */
	FCN_OPTION_REMOVE_FAILED, /**< the headers cannot be read; the packet is unchanged */
};

/** Check whether there is such an option, whatever its length. Nothing past seg_len is read. */
bool fcn_option_is_there(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info,
		const struct fcn_option_choice *which);

/**
 * Remove all such options. The parameters are those of fcn_ioam_remove(). Of info, the flags that
 * tell of the options themselves stay, and the caller clears them.
 */
enum fcn_option_remove_result fcn_option_remove(uint8_t *data, uint32_t seg_len,
		struct fcn_wire_info *info, const struct fcn_option_choice *which,
		enum fcn_icrc_mode mode, uint8_t *icrc, uint32_t *removed);

#endif /* OPTION_REMOVE_H */
