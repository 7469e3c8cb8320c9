/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "plot_private.h"

/* The set of bins, of the two that a result has, in which the runs fill more bins. */
static const char *
bins_of(const struct lab_plot_run *run, unsigned int n)
{
	size_t web = 0, hadoop = 0;

	for (unsigned int i = 0; i < n; i++) {
		const json_t *s = json_object_get(run[i].result, "slowdown");

		web += json_object_size(json_object_get(s, "websearch"));
		hadoop += json_object_size(json_object_get(s, "hadoop"));
	}
	return web >= hadoop ? "websearch" : "hadoop";
}

static const char *const websearch_bins[] = {
		"10K", "20K", "30K", "50K", "80K", "200K", "1M", "2M", "5M", "10M", "30M", NULL};
static const char *const hadoop_bins[] = {"100", "300", "350", "500", "700", "1K", "2K", "7K",
		"30K", "50K", "80K", "120K", "300K", "1M", "2M", "10M", NULL};

static const json_t *
bin_of(const struct lab_plot_run *run, const char *set, const char *bin)
{
	return json_object_get(json_object_get(json_object_get(run->result, "slowdown"), set), bin);
}

/* Write the slowdown of each bin. @return number of bins; most is set to the highest value */
static unsigned int
write_bins(struct lab_picture *p, const struct lab_plot_run *run, unsigned int n,
		const char *const *parts, double *most)
{
	const char *set = bins_of(run, n);
	const char *const *bin = strcmp(set, "hadoop") == 0 ? hadoop_bins : websearch_bins;
	unsigned int bins = 0;

	*most = 1;
	lab_picture_data(p, "bins");
	for (; *bin != NULL; bin++) {
		json_int_t messages = 0;
		char text[48];

		for (unsigned int i = 0; i < n; i++)
			messages += lab_result_integer(
					bin_of(&run[i], set, *bin), "messages", NULL);
		if (messages == 0)
			continue;
		bins++;
		snprintf(text, sizeof(text), "%s", *bin);
		lab_picture_cell(p, text);
		for (unsigned int i = 0; i < n; i++)
			for (const char *const *part = parts; *part != NULL; part++) {
				const json_t *v = json_object_get(
						bin_of(&run[i], set, *bin), *part);

				if (v == NULL) {
					fputs("NaN ", p->out);
					continue;
				}
				*most = json_number_value(v) > *most ? json_number_value(v) : *most;
				fprintf(p->out, "%.6g ", json_number_value(v));
			}
		fputc('\n', p->out);
	}
	lab_picture_data_end(p);
	return bins;
}

static size_t
n_bins(const struct lab_plot_run *run, unsigned int n)
{
	const char *set = bins_of(run, n);
	size_t most = 0;

	for (unsigned int i = 0; i < n; i++) {
		size_t bins = json_object_size(
				json_object_get(json_object_get(run[i].result, "slowdown"), set));

		most = bins > most ? bins : most;
	}
	return most;
}

int
plot_slowdown(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err)
{
	static const char *const one[] = {"p50", "p95", "p99", NULL}, *const several[] = {"p50",
										      "p99", NULL};
	const char *const *parts = n == 1 ? one : several;
	unsigned int lines = 0;
	struct lab_picture p;
	char text[160];
	double most;

	if (n_bins(run, n) < 2)
		return 0;
	if (lab_picture_begin(&p, dir, "slowdown", err) != 0)
		return -1;
	if (n == 1)
		plot_heading(&p, plot_title(run->result), run->result);
	else {
		lab_picture_text(&p, "heading", "Slowdown by size of message");
		lab_picture_text(&p, "subheading", "runs side by side; virtual time");
	}
	lab_picture_count(&p, "n_bins", write_bins(&p, run, n, parts, &most));
	lab_picture_number(&p, "most", most);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; parts[k] != NULL; k++) {
			if (n == 1)
				snprintf(text, sizeof(text), "%s", parts[k]);
			else
				snprintf(text, sizeof(text), "%s, %s", run[i].label, parts[k]);
			plot_name(&p, "line", ++lines, text);
		}
	lab_picture_count(&p, "lines", lines);
	lab_picture_count(&p, "dashed", n > 1);
	lab_picture_text(&p, "size_label", "size of message, up to (bytes)");
	return lab_picture_end(&p, lab_gp_slowdown);
}
