/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdarg.h>
#include <string.h>

#include "plot_private.h"

json_int_t
lab_result_integer(const json_t *o, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, o);
	while ((key = va_arg(ap, const char *)) != NULL)
		o = json_object_get(o, key);
	va_end(ap);
	return json_integer_value(o);
}

struct plot_span
plot_make_span(uint64_t from, uint64_t to)
{
	if (to <= from)
		to = from + 1;
	return (struct plot_span){from, to, lab_unit_time((double)to)};
}

void
plot_set_span(struct lab_picture *p, const struct plot_span *t)
{
	lab_picture_number(p, "from", (double)t->from / t->unit.divisor);
	lab_picture_number(p, "to", (double)t->to / t->unit.divisor);
	lab_picture_text(p, "time_unit", t->unit.name);
}

void
plot_line(struct lab_picture *p, const char *what, unsigned int i, const struct lab_series *s,
		const struct plot_span *t, double divisor)
{
	char name[32];
	uint64_t last = 0;

	snprintf(name, sizeof(name), "%s%u", what, i);
	lab_picture_data(p, name);
	for (uint32_t k = 0; k < s->n; k++) {
		last = s->point[k].value;
		fprintf(p->out, "%.9g %.6g\n", (double)s->point[k].time_ns / t->unit.divisor,
				(double)last / divisor);
	}
	fprintf(p->out, "%.9g %.6g\n", (double)t->to / t->unit.divisor, (double)last / divisor);
	lab_picture_data_end(p);
}

void
plot_name(struct lab_picture *p, const char *what, unsigned int i, const char *text)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%u", what, i);
	lab_picture_text(p, name, text);
}

const char *
plot_title(const json_t *result)
{
	const char *title = json_string_value(json_object_get(result, "title"));

	return title != NULL && *title != '\0' ? title : "fastcn-lab";
}

/* The heading has as many parameters as fit into a line. */
void
plot_heading(struct lab_picture *p, const char *heading, const json_t *result)
{
	const char *key;
	json_t *value;
	char text[112];
	size_t n = 0;

	text[0] = '\0';
	json_object_foreach (json_object_get(result, "parameters"), key, value) {
		const char *v = json_string_value(value) != NULL ? json_string_value(value) : "";

		if (n + strlen(key) + strlen(v) + 12 > sizeof(text)) {
			snprintf(text + n, sizeof(text) - n, ", ...");
			break;
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s = %s", n == 0 ? "" : ", ",
				key, v);
	}
	lab_picture_text(p, "heading", heading);
	lab_picture_text(p, "subheading", text);
}
