/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_event.h"

const char *
fcn_event_name(enum fcn_event_type type)
{
	static const char *const names[] = {"notice", "notice_sent",
#define NAME(sym, name, text) name,
			FCN_STATE_EVENTS(NAME)
#undef NAME
	};

	return (unsigned int)type < FCN_EVENT_TYPE_COUNT ? names[type] : "unknown";
}

const char *
fcn_event_text(enum fcn_event_type type)
{
	static const char *const texts[] = {"a notice was made", "a notice left",
#define TEXT(sym, name, text) text,
			FCN_STATE_EVENTS(TEXT)
#undef TEXT
	};

	return (unsigned int)type < FCN_EVENT_TYPE_COUNT ? texts[type] : "unknown";
}
