/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

json_t *
fcn_show_warnings(struct fcn_control *ctl)
{
	const struct fcn_warnings *set = fcn_control_warnings(ctl);
	json_t *o = json_object(), *list = json_array();

	for (unsigned int i = 0; i < set->n; i++) {
		const struct fcn_warning *w = &set->item[i];
		json_t *row = fcn_show_row(list);

		fcn_show_set_str(row, "warning", fcn_warning_name(w->kind));
		fcn_show_set_str(row, "place", w->place);
		fcn_show_set(row, "since_ns", w->since_ns);
		fcn_show_set_str(row, "reason", w->reason);
	}
	fcn_show_set(o, "left_out", set->left_out);
	json_object_set_new(o, "warnings", list);
	return o;
}
