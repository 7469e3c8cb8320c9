/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notice_kind.h"

#define DECLARE(sym, name) extern const struct fcn_notice_kind fcn_notice_##name;
FCN_NOTICE_KINDS(DECLARE)
#undef DECLARE

const struct fcn_notice_kind *const fcn_notice_kinds[] = {
#define OBJECT(sym, name) &fcn_notice_##name,
		FCN_NOTICE_KINDS(OBJECT)
#undef OBJECT
};

const unsigned int fcn_notice_kind_count = RTE_DIM(fcn_notice_kinds);

const struct fcn_notice_kind *
fcn_notice_kind_of(unsigned int number)
{
	static const struct fcn_notice_kind other = {.name = "notice", .title = "notice"};

	return number < fcn_notice_kind_count ? fcn_notice_kinds[number] : &other;
}

_Static_assert(RTE_DIM(fcn_notice_kinds) <= FCN_NOTICE_KIND_MAX,
		"sets and flags have room for no more kinds");
_Static_assert(FCN_NOTIFY_VERDICT_COUNT == FCN_NOTIFY_SENT + FCN_NOTICE_FORMS,
		"each form has a verdict");

/* The names and texts of verdicts that are the same for all kinds. */
static const struct fcn_notice_form reasons[] = {
#define REASON(sym, name, text, help) {name, text},
		FCN_NOTIFY_REASONS(REASON)
#undef REASON
};

static const struct fcn_notice_form *
name_and_text_of(const struct fcn_notice_kind *kind, unsigned int v)
{
	static const struct fcn_notice_form unknown = {"unknown", "unknown"};

	if (v < FCN_NOTIFY_SENT)
		return &reasons[v];
	return fcn_notify_verdict_exists(kind, v) ? &kind->form[v - FCN_NOTIFY_SENT] : &unknown;
}

bool
fcn_notify_verdict_exists(const struct fcn_notice_kind *kind, unsigned int v)
{
	return v < FCN_NOTIFY_SENT ||
	       (v < FCN_NOTIFY_VERDICT_COUNT && kind->form[v - FCN_NOTIFY_SENT].name != NULL);
}

const char *
fcn_notify_verdict_name(const struct fcn_notice_kind *kind, unsigned int v)
{
	return name_and_text_of(kind, v)->name;
}

const char *
fcn_notify_verdict_text(const struct fcn_notice_kind *kind, unsigned int v)
{
	return name_and_text_of(kind, v)->text;
}

const char *
fcn_notify_verdict_help(unsigned int v)
{
	static const char *const helps[] = {
#define HELP(sym, name, text, help) help,
			FCN_NOTIFY_REASONS(HELP)
#undef HELP
	};

	return v < RTE_DIM(helps) ? helps[v] : "";
}
