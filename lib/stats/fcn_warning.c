/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <bsd/string.h>

#include "fcn_names.h"
#include "fcn_warning.h"

FCN_NAME_FUNCTION(fcn_warning_name, enum fcn_warning_kind, FCN_WARNINGS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_warning_text, enum fcn_warning_kind, FCN_WARNINGS(FCN_ITEM_TEXT))

struct fcn_warning *
fcn_warning_find(struct fcn_warnings *set, enum fcn_warning_kind kind, const char *place)
{
	for (unsigned int i = 0; i < set->n; i++) {
		if (set->item[i].kind == kind && strcmp(set->item[i].place, place) == 0)
			return &set->item[i];
	}
	return NULL;
}

void
fcn_warn(struct fcn_warnings *set, enum fcn_warning_kind kind, unsigned int port, const char *place,
		const char *fmt, ...)
{
	char cut[FCN_WARNING_PLACE]; /* as it is stored, so that it is found again */
	struct fcn_warning *w;
	va_list ap;

	if (set == NULL)
		return;
	strlcpy(cut, place, sizeof(cut));
	w = fcn_warning_find(set, kind, cut);
	if (w == NULL) {
		if (set->n == FCN_WARNINGS_MAX) {
			set->left_out++;
			return;
		}
		w = &set->item[set->n++];
		*w = (struct fcn_warning){.kind = kind};
		strlcpy(w->place, cut, sizeof(w->place));
	}
	w->port = (uint16_t)port;
	va_start(ap, fmt);
	vsnprintf(w->reason, sizeof(w->reason), fmt, ap);
	va_end(ap);
}

void
fcn_warning_remove(struct fcn_warnings *set, enum fcn_warning_kind kind, const char *place)
{
	char cut[FCN_WARNING_PLACE];
	struct fcn_warning *w;

	strlcpy(cut, place, sizeof(cut));
	w = fcn_warning_find(set, kind, cut);
	if (w == NULL)
		return;
	set->n--;
	memmove(w, w + 1, (size_t)(&set->item[set->n] - w) * sizeof(*w));
}
