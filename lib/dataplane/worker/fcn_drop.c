/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <assert.h>

#include "fcn_drop.h"
#include "fcn_names.h"

static_assert((int)FCN_DROP_IPV6_JUMBOGRAM == (int)FCN_WIRE_IPV6_JUMBOGRAM,
		"drop reasons begin with the fatal wire errors");

FCN_NAME_FUNCTION(fcn_drop_name, enum fcn_drop_reason, "none", FCN_DROP_REASONS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(
		fcn_drop_text, enum fcn_drop_reason, "not dropped", FCN_DROP_REASONS(FCN_ITEM_TEXT))
