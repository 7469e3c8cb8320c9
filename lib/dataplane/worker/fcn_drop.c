/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <assert.h>

#include "fcn_drop.h"

static_assert((int)FCN_DROP_IPV6_JUMBOGRAM == (int)FCN_WIRE_IPV6_JUMBOGRAM,
		"drop reasons begin with the fatal wire errors");

const char *
fcn_drop_name(enum fcn_drop_reason r)
{
	static const char *const names[] = {"none",
#define NAME(sym, name, text) name,
			FCN_DROP_REASONS(NAME)
#undef NAME
	};

	return (unsigned int)r < FCN_DROP_REASON_COUNT ? names[r] : "unknown";
}

const char *
fcn_drop_text(enum fcn_drop_reason r)
{
	static const char *const texts[] = {"not dropped",
#define TEXT(sym, name, text) text,
			FCN_DROP_REASONS(TEXT)
#undef TEXT
	};

	return (unsigned int)r < FCN_DROP_REASON_COUNT ? texts[r] : "unknown";
}
