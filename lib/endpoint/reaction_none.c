/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* No reaction: line rate, whatever the sender is told. */

#include "reaction_private.h"

const struct fcn_reaction_type reaction_type_none = {
		.help = "Do not react to congestion, and always send at line rate (default)",
};
