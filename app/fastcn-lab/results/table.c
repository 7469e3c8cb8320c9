/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "summary.h"
#include "fcn_render.h"
#include "table.h"

void
lab_table_text(const json_t *list, FILE *out)
{
	json_t *rows = lab_rounded(list);

	fcn_render_text(rows, out);
	json_decref(rows);
}

int
lab_print_table(const json_t *list, const json_t *text, const char *json_file, const char *name)
{
	if (json_file != NULL && strcmp(json_file, "-") == 0) {
		fcn_render_json(list, stdout);
		return 0;
	}
	lab_table_text(text, stdout);
	return json_file == NULL ? 0
				 : lab_write_table(NULL, json_file, list, fcn_render_json, name);
}

int
lab_write_table(const char *dir, const char *file, const json_t *value,
		void (*write)(const json_t *, FILE *), const char *name)
{
	char path[4096];
	FILE *out;
	int bad;

	snprintf(path, sizeof(path), "%s%s%s", dir != NULL ? dir : "", dir != NULL ? "/" : "",
			file);
	out = fopen(path, "we");
	if (out == NULL) {
		fprintf(stderr, "%s: %s: %s\n", name, path, strerror(errno));
		return -1;
	}
	write(value, out);
	bad = ferror(out);
	if (fclose(out) != 0 || bad) {
		fprintf(stderr, "%s: %s: could not be written\n", name, path);
		return -1;
	}
	return 0;
}
