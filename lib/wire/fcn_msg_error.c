/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_msg_error.h"

static const struct {
	const char *name;
	const char *text;
} errors[] = {
#define FCN_MSG_ERROR_ROW(sym, name, text) [FCN_MSG_##sym] = {name, text},
		FCN_MSG_ERRORS(FCN_MSG_ERROR_ROW)
#undef FCN_MSG_ERROR_ROW
};

const char *
fcn_msg_error_name(enum fcn_msg_error e)
{
	return (unsigned int)e < FCN_MSG_ERROR_COUNT ? errors[e].name : "unknown";
}

const char *
fcn_msg_error_text(enum fcn_msg_error e)
{
	return (unsigned int)e < FCN_MSG_ERROR_COUNT ? errors[e].text : "unknown error";
}
