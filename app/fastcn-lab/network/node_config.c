/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The configuration of a switch: the part that the lab generates, its file, and the lines in the
 * scenario. They are committed together, because later lines may set properties that a port needs
 * when it is created, such as the length of a queue.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

static char *
read_file(const char *file)
{
	FILE *in = fopen(file, "re"), *out;
	char buf[4096], *text = NULL;
	size_t size = 0, n;

	if (in == NULL)
		return NULL;
	out = open_memstream(&text, &size);
	while (out != NULL && (n = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, n, out);
	fclose(in);
	if (out != NULL)
		fclose(out);
	return text;
}

/* Read a configuration file and replace the parameters of the scenario in it. */
static char *
text_of_file(struct lab_net_switch *sw, const char *file)
{
	char *text = read_file(file), *expanded, err[256] = "";

	if (text == NULL) {
		fprintf(sw->net->err, "%s: %s\n", file, strerror(errno));
		return NULL;
	}
	expanded = lab_scenario_expand(sw->net->sc, text, err, sizeof(err));
	if (expanded == NULL)
		fprintf(sw->net->err, "%s: %s\n", file, err);
	free(text);
	return expanded;
}

/*
 * Make a text of the lines for a switch in the scenario, or of those of the command line, with the
 * line numbers that they have there.
 */
static char *
text_of_lines(const struct lab_switch *conf, bool option)
{
	char *text = NULL;
	size_t size = 0;
	unsigned int at = 1;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (unsigned int i = 0; i < conf->n_lines; i++) {
		if (conf->lines[i].place.option != option)
			continue;
		for (; at < conf->lines[i].place.line; at++)
			fputc('\n', out);
		/* blanks, so that columns in errors are those of the scenario */
		fprintf(out, "%*s%s\n", (int)conf->lines[i].column - 1, "", conf->lines[i].text);
		at++;
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int
lab_switch_configure(struct lab_net_switch *sw)
{
	const struct lab_switch *conf = &sw->net->sc->node_switch[sw->index];
	char label[LAB_NAME_LEN + 16], *made[4] = {NULL};
	struct fcn_session_text part[4];
	unsigned int n = 0;
	int rc;

	snprintf(label, sizeof(label), "topology of %s", conf->name);
	if (conf->autoconf) {
		made[n] = lab_autoconf(sw->net, sw->index);
		part[n++].name = label;
	}
	if (conf->file != NULL) {
		made[n] = text_of_file(sw, conf->file);
		part[n++].name = conf->file;
	}
	made[n] = text_of_lines(conf, false);
	part[n++].name = sw->net->sc->file;
	/* The last part has the name of errors of the whole: it is the file, unless there are more.
	 */
	if (conf->n_lines > 0 && conf->lines[conf->n_lines - 1].place.option) {
		made[n] = text_of_lines(conf, true);
		part[n++].name = LAB_LINE_OPTION;
	}
	rc = 0;
	for (unsigned int i = 0; i < n; i++) {
		part[i].text = made[i];
		if (made[i] == NULL)
			rc = -EINVAL;
	}
	if (rc == 0)
		rc = fcn_session_load_text(&sw->session, part, n, false, sw->net->err);
	for (unsigned int i = 0; i < n; i++)
		free(made[i]);
	return rc;
}
