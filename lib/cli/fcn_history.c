/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcn_history.h"

#define MAX_BYTES 65536 /* size in bytes beyond which the older half is removed */

bool
fcn_history_file(const char *variable, const char *file, char name[FCN_HISTORY_PATH])
{
	const char *given = getenv(variable), *home = getenv("HOME");
	int n = 0;

	if (given != NULL)
		n = snprintf(name, FCN_HISTORY_PATH, "%s", given);
	else if (home != NULL && home[0] == '/')
		n = snprintf(name, FCN_HISTORY_PATH, "%s/%s", home, file);
	if (n <= 0 || n >= FCN_HISTORY_PATH)
		name[0] = '\0';
	return name[0] != '\0';
}

void
fcn_history_add(const char *name, const char *line)
{
	int fd;

	if (line[strspn(line, " \t")] == '\0' || name[0] == '\0')
		return;
	fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	dprintf(fd, "%s\n", line); /* one write, so that lines of two consoles do not mix */
	close(fd);
}

/* Replace the file by one with its newer half. */
static void
shorten(const char *name, FILE *in, long size)
{
	char temp[FCN_HISTORY_PATH + 8], *line = NULL;
	size_t n = 0;
	FILE *out;
	int fd;

	snprintf(temp, sizeof(temp), "%s.XXXXXX", name);
	fd = mkstemp(temp);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (out == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	if (fseek(in, size / 2, SEEK_SET) == 0 && getline(&line, &n, in) >= 0) {
		while (getline(&line, &n, in) >= 0)
			fputs(line, out);
	}
	free(line);
	if (fclose(out) != 0 || rename(temp, name) != 0)
		unlink(temp);
}

void
fcn_history_load(const char *name, void (*add)(void *arg, const char *line), void *arg)
{
	char *line = NULL;
	struct stat st;
	size_t size = 0;
	ssize_t len;
	FILE *in;

	if (name[0] == '\0' || stat(name, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	in = fopen(name, "re");
	if (in == NULL)
		return;
	while ((len = getline(&line, &size, in)) >= 0) {
		if (len > 0 && line[len - 1] == '\n')
			line[len - 1] = '\0';
		add(arg, line);
	}
	free(line);
	if (st.st_size > MAX_BYTES)
		shorten(name, in, (long)st.st_size);
	fclose(in);
}
