/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

/* Write an error as those of configuration files are written. */
static void
report(const char *name, unsigned int number, const char *text)
{
	unsigned int column = ctl_column(&text);

	if (column > 0)
		fprintf(stderr, "%s:%u:%u: %s", name, number, column, text);
	else
		fprintf(stderr, "%s:%u: %s", name, number, text);
}

static int
run_line(struct ctl *ctl, const char *name, unsigned int number, const char *line, bool *last)
{
	struct ctl_answer answer;
	char *sent = ctl_line(ctl, line);
	int rc = sent == NULL ? -ENOMEM : ctl_ask(ctl, sent, &answer);

	free(sent);
	if (rc != 0) {
		*last = true;
		fprintf(stderr, "%s:%u: ", name, number);
		return ctl_lost(ctl, rc);
	}
	if (!answer.ok) {
		fflush(stdout);
		report(name, number, answer.text);
		*last = !ctl->go_on;
		return CTL_FAILED;
	}
	fwrite(answer.text, 1, answer.len, stdout);
	*last = ctl_is_last(line);
	return CTL_OK;
}

int
ctl_batch(struct ctl *ctl, const char *file)
{
	bool std = file == NULL || strcmp(file, "-") == 0, last = false;
	const char *name = std ? "stdin" : file;
	FILE *in = std ? stdin : fopen(file, "re");
	unsigned int number = 0;
	int status = CTL_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (in == NULL) {
		fprintf(stderr, "fastcnctl: %s: %s\n", file, strerror(errno));
		return CTL_USAGE;
	}
	while (!last && (len = getline(&line, &size, in)) >= 0) {
		for (ssize_t i = 0; i < len; i++)
			if (line[i] == '\0') /* the switch refuses this character */
				line[i] = '\001';
		if (len > 0 && line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (run_line(ctl, name, ++number, line, &last) != CTL_OK)
			status = CTL_FAILED;
	}
	if (ferror(in)) {
		fprintf(stderr, "fastcnctl: %s: cannot be read\n", name);
		status = CTL_USAGE;
	}
	free(line);
	if (!std)
		fclose(in);
	return status;
}
