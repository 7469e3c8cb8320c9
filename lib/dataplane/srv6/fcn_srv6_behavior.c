/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_srv6_behavior.h"

/* Code points of End, End.X and End.T with USD begin here, four for each, in the same order. */
#define CODE_USD 28
#define CODES_PER_BEHAVIOR 4

const struct fcn_srv6_behavior_row fcn_srv6_behaviors[] = {
#define ROW(sym, word, code, kind, inner, argument, text) \
	[FCN_SRV6_##sym] = {word, text, code, inner, FCN_SRV6_ARGUMENT_##argument},
		FCN_SRV6_BEHAVIORS(ROW)
#undef ROW
};

const char *
fcn_srv6_behavior_name(unsigned int behavior)
{
	return behavior < FCN_SRV6_BEHAVIOR_COUNT ? fcn_srv6_behaviors[behavior].word : "unknown";
}

uint16_t
fcn_srv6_behavior_code(unsigned int behavior, unsigned int flavors)
{
	const uint16_t code = fcn_srv6_behaviors[behavior].code;
	const uint16_t removal = flavors & (FCN_SRV6_FLAVOR_PSP | FCN_SRV6_FLAVOR_USP);

	/* PSP adds 1 and USP adds 2, with USD and without. */
	if (flavors & FCN_SRV6_FLAVOR_USD)
		return (uint16_t)(CODE_USD + (code - 1) / CODES_PER_BEHAVIOR * CODES_PER_BEHAVIOR +
				  removal);
	return (uint16_t)(code + removal);
}
