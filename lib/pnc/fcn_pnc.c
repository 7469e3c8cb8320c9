/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_names.h"
#include "fcn_pnc.h"

FCN_NAME_FUNCTION(fcn_pnc_protocol_name, enum fcn_pnc_protocol, FCN_PNC_PROTOCOLS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_pnc_protocol_text, enum fcn_pnc_protocol, FCN_PNC_PROTOCOLS(FCN_ITEM_TEXT))
FCN_NAME_FUNCTION(fcn_pnc_kind_name, enum fcn_pnc_kind, FCN_PNC_KINDS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_pnc_counter_name, enum fcn_pnc_counter, FCN_PNC_COUNTERS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_pnc_counter_text, enum fcn_pnc_counter, FCN_PNC_COUNTERS(FCN_ITEM_TEXT))
