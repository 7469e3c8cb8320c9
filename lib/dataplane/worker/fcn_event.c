/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_event.h"
#include "fcn_names.h"

FCN_NAME_FUNCTION(fcn_event_name, enum fcn_event_type, "notice", "notice_sent",
		FCN_STATE_EVENTS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_event_text, enum fcn_event_type, "a notice was made", "a notice left",
		FCN_STATE_EVENTS(FCN_ITEM_TEXT))
