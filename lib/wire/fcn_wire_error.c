/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stddef.h>

#include "fcn_wire_error.h"

static const struct {
	const char *name;
	const char *text;
} errors[] = {
#define FCN_WIRE_ERROR_ROW(sym, name, text) [FCN_WIRE_##sym] = {name, text},
		FCN_WIRE_ERRORS(FCN_WIRE_ERROR_ROW)
#undef FCN_WIRE_ERROR_ROW
};

const char *
fcn_wire_error_name(enum fcn_wire_error e)
{
	return (unsigned int)e < FCN_WIRE_ERROR_COUNT ? errors[e].name : "unknown";
}

const char *
fcn_wire_error_text(enum fcn_wire_error e)
{
	return (unsigned int)e < FCN_WIRE_ERROR_COUNT ? errors[e].text : "unknown error";
}
