/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "command_private.h"

#define MAX_REPORTED 20 /* further bad lines are only counted */

/*
 * Read a line without its '\n'. What exceeds size bytes is skipped, so a line of
 * exactly size bytes may have been longer.
 *
 * @param total number of bytes read so far; it is increased
 * @return 1; 0 at the end of the file; a negative errno when it cannot be read, and what was read
 * of the line is of no use; -EFBIG when the file is too long
 */
static int
read_line(FILE *file, char *buf, size_t size, size_t *len, uint64_t *total)
{
	bool any = false;
	int c;

	*len = 0;
	errno = 0;
	while (*total <= FCN_COMMAND_MAX_FILE && (c = getc_unlocked(file)) != EOF) {
		any = true;
		++*total;
		if (c == '\n')
			break;
		if (*len < size)
			buf[(*len)++] = (char)c;
	}
	if (ferror(file))
		return errno != 0 ? -errno : -EIO;
	if (*total > FCN_COMMAND_MAX_FILE)
		return -EFBIG;
	return any;
}

/* Tell how many lines had the same error as the one before. */
static void
tell_same(FILE *err, const char *file, unsigned int *n)
{
	if (*n > 0)
		fprintf(err, "%s: and the same in %u more line%s\n", file, *n, *n > 1 ? "s" : "");
	*n = 0;
}

int
fcn_command_run_stream(const struct fcn_command_table *table, struct fcn_session *session, FILE *in,
		const char *file, FILE *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* byte order mark; some editors write it */
	char line[FCN_COMMAND_MAX_LINE + sizeof(mark) + 1]; /* room for '\r', and one byte more */
	unsigned int n_bad = 0, n_told = 0, n_same = 0, number = 0;
	uint64_t total = 0;
	struct fcn_diag diag, last = {0};
	const char *text;
	size_t len;
	int rc, bad;

	while ((rc = read_line(in, line, sizeof(line), &len, &total)) > 0) {
		text = line;
		if (++number == 1 && len >= strlen(mark) && memcmp(line, mark, strlen(mark)) == 0) {
			text += strlen(mark);
			len -= strlen(mark);
		}
		bad = fcn_command_run_bytes(
				table, session, text, len, FCN_COMMAND_ALLOW_CONFIG, &diag);
		if (bad == 0)
			continue;
		n_bad++;
		/* Where a list is full, each line behind that adds to it has the same error. */
		if (bad == -ENOSPC && n_told <= MAX_REPORTED &&
				strcmp(diag.message, last.message) == 0) {
			n_same++;
			continue;
		}
		tell_same(err, file, &n_same);
		last = diag;
		if (n_told++ < MAX_REPORTED)
			fprintf(err, "%s:%u:%u: %s\n", file, number, diag.column, diag.message);
	}
	tell_same(err, file, &n_same);
	if (n_told > MAX_REPORTED)
		fprintf(err, "%s: and %u more\n", file, n_told - MAX_REPORTED);
	return rc < 0 ? rc : (int)n_bad;
}
