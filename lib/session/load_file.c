/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <rte_common.h>

#include "fcn_command.h"
#include "fcn_control.h"
#include "load_file.h"

/* The stream behind a FILE. */
struct text {
	struct fcn_control *ctl;
	const char *path;
	char *data;
	size_t len, at;
	int rc;
};

/* The size of a regular file is checked before it is read. */
static bool
is_too_large(FILE *in)
{
	struct stat st;

	return fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size > FCN_COMMAND_MAX_FILE;
}

/* Runs on the helper thread. */
static void
read_file(void *arg)
{
	struct text *t = arg;
	FILE *in = fopen(t->path, "re"), *out;
	char block[BUFSIZ];
	size_t n = sizeof(block);

	if (in == NULL) {
		t->rc = -errno;
		return;
	}
	if (is_too_large(in)) {
		fclose(in);
		t->rc = -EFBIG;
		return;
	}
	out = open_memstream(&t->data, &t->len);
	/* After less than a whole block, the file has ended, or cannot be read. */
	while (out != NULL && t->len <= FCN_COMMAND_MAX_FILE && n == sizeof(block)) {
		n = fread(block, 1, sizeof(block), in);
		if (ferror(in))
			t->rc = -errno;
		fwrite(block, 1, n, out);
		fflush(out); /* sets the length */
	}
	if ((out == NULL || fclose(out) != 0) && t->rc == 0)
		t->rc = -ENOMEM;
	if (t->rc == 0 && t->len > FCN_COMMAND_MAX_FILE)
		t->rc = -EFBIG; /* a device or a pipe that is too long: none of its lines is run */
	fclose(in);
}

static ssize_t
take(void *cookie, char *buf, size_t size)
{
	struct text *t = cookie;
	size_t n = RTE_MIN(size, t->len - t->at);

	fcn_control_attend(t->ctl);
	memcpy(buf, t->data + t->at, n);
	t->at += n;
	return (ssize_t)n;
}

static int
forget(void *cookie)
{
	struct text *t = cookie;

	free(t->data);
	free(t);
	return 0;
}

int
fcn_load_file(struct fcn_control *ctl, const char *path, FILE **in)
{
	static const cookie_io_functions_t functions = {.read = take, .close = forget};
	struct text *t = calloc(1, sizeof(*t));
	int rc;

	if (t == NULL)
		return -ENOMEM;
	t->ctl = ctl;
	t->path = path;
	fcn_control_aside(ctl, read_file, t);
	rc = t->rc;
	*in = rc == 0 ? fopencookie(t, "r", functions) : NULL;
	if (*in == NULL) {
		forget(t);
		return rc != 0 ? rc : -ENOMEM;
	}
	return 0;
}

struct question {
	const char *path;
	bool answer;
};

static void
look(void *arg)
{
	struct question *q = arg;
	struct stat st;

	q->answer = stat(q->path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
		    !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)); /* /dev/null */
}

bool
fcn_load_may_wait(struct fcn_control *ctl, const char *path)
{
	struct question q = {path, false};

	fcn_control_aside(ctl, look, &q);
	return q.answer;
}
