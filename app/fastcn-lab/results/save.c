/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_render.h"
#include "report.h"
#include "series.h"

static FILE *
open_file(const char *dir, const char *file, char *name, size_t size, FILE *err)
{
	FILE *out;

	snprintf(name, size, "%s/%s", dir, file);
	out = fopen(name, "we");
	if (out == NULL)
		fprintf(err, "%s: %s\n", name, strerror(errno));
	return out;
}

static int
close_file(FILE *out, const char *name, FILE *err)
{
	int failed = ferror(out);

	if (fclose(out) == 0 && !failed)
		return 0;
	fprintf(err, "%s: could not be written\n", name);
	return -1;
}

static int
save_result(const char *dir, const json_t *result, FILE *err)
{
	char name[4096];
	FILE *out = open_file(dir, "result.json", name, sizeof(name), err);

	if (out == NULL)
		return -1;
	fcn_render_json(result, out);
	if (close_file(out, name, err) != 0)
		return -1;
	out = open_file(dir, "report.txt", name, sizeof(name), err);
	if (out == NULL)
		return -1;
	lab_report(result, out);
	return close_file(out, name, err);
}

static int
save_series(const char *dir, const struct lab_series_set *series, FILE *err)
{
	char name[4096];
	FILE *out = open_file(dir, "series.csv", name, sizeof(name), err);

	if (out == NULL)
		return -1;
	if (lab_series_write(series, out) != 0)
		fprintf(err, "%s: out of memory\n", name);
	return close_file(out, name, err);
}

int
lab_save(struct lab_measure *m, const json_t *result, FILE *err)
{
	const char *dir = lab_measure_dir(m);
	int rc = 0;

	if (dir == NULL)
		return 0;
	if (save_result(dir, result, err) != 0 || save_series(dir, lab_measure_series(m), err) != 0)
		rc = -1;
	return lab_measure_close_files(m) == 0 ? rc : -1;
}
