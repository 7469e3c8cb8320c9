/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_pnc.h"

struct name {
	const char *name;
	const char *text;
};

#define ROW(sym, name, text) {name, text},

static const struct name protocols[] = {FCN_PNC_PROTOCOLS(ROW)};
static const struct name counters[] = {FCN_PNC_COUNTERS(ROW)};

const char *
fcn_pnc_protocol_name(enum fcn_pnc_protocol protocol)
{
	return protocol < FCN_PNC_PROTOCOL_COUNT ? protocols[protocol].name : "unknown";
}

const char *
fcn_pnc_protocol_text(enum fcn_pnc_protocol protocol)
{
	return protocol < FCN_PNC_PROTOCOL_COUNT ? protocols[protocol].text : "unknown";
}

const char *
fcn_pnc_kind_name(enum fcn_pnc_kind kind)
{
	static const char *const names[] = {
#define NAME(sym, name, text) name,
			FCN_PNC_KINDS(NAME)
#undef NAME
	};

	return kind < FCN_PNC_KIND_COUNT ? names[kind] : "unknown";
}

const char *
fcn_pnc_counter_name(enum fcn_pnc_counter counter)
{
	return counter < FCN_PNC_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *
fcn_pnc_counter_text(enum fcn_pnc_counter counter)
{
	return counter < FCN_PNC_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}
