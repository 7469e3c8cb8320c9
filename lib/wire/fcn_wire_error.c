/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_names.h"
#include "fcn_wire_error.h"

FCN_NAME_FUNCTION(fcn_wire_error_name, enum fcn_wire_error, FCN_WIRE_ERRORS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_wire_error_text, enum fcn_wire_error, FCN_WIRE_ERRORS(FCN_ITEM_TEXT))
