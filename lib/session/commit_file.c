/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bsd/string.h>

#include "commit_file.h"
#include "fcn_command.h"
#include "fcn_save_file.h"

#define FIRST "# fastcn rollback 1\n" /* the number is that of this form */
#define LAST "# end\n"
#define DIGITS 8

void
commit_file_name(char *path, size_t size, const char *directory, uint64_t number)
{
	if (number == UINT64_MAX)
		snprintf(path, size, "%s/" COMMIT_FILE_UNCONFIRMED, directory);
	else
		snprintf(path, size, "%s/%0*" PRIu64 ".conf", directory, DIGITS, number);
}

bool
commit_file_number(const char *name, uint64_t *number)
{
	char *end;

	if (strspn(name, "0123456789") < DIGITS)
		return false;
	errno = 0;
	*number = strtoull(name, &end, 10);
	return errno == 0 && *number != UINT64_MAX && strcmp(end, ".conf") == 0;
}

void
commit_file_describe(struct fcn_commit *commit, const char *text)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a, of 64 bits */
	bool begins = true;

	commit->lines = 0;
	for (const char *p = text; *p != '\0'; p++) {
		digest = (digest ^ (uint8_t)*p) * UINT64_C(0x100000001b3);
		commit->lines += begins && *p != '#' && *p != '\n';
		begins = *p == '\n';
	}
	commit->digest = digest;
}

int
commit_file_write(const char *directory, const struct fcn_commit *commit, const char *text,
		char *err, size_t err_size)
{
	char path[FCN_COMMIT_PATH], why[256] = "", *all = NULL;
	int len, rc;

	if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
		rc = -errno;
		snprintf(err, err_size, "%s: %s", directory, strerror(-rc));
		return rc;
	}
	commit_file_name(path, sizeof(path), directory, commit->number);
	len = asprintf(&all,
			FIRST "# time %" PRIu64 "\n# seconds %" PRIu64
			      "\n# user %s\n# comment %s\n%s" LAST,
			commit->time_s, commit->seconds, commit->user, commit->comment, text);
	rc = len < 0 ? -ENOMEM : fcn_save_file_private(path, all, (size_t)len, why, sizeof(why));
	if (rc != 0)
		snprintf(err, err_size, "%s: %s", path, len < 0 ? strerror(ENOMEM) : why);
	if (len >= 0)
		free(all);
	return rc;
}

static int
read_all(const char *path, char **text, size_t *len)
{
	struct stat st;
	FILE *in = fopen(path, "re");
	int rc = 0;

	*text = NULL;
	if (in == NULL)
		return -errno;
	if (fstat(fileno(in), &st) != 0)
		rc = -errno;
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > FCN_COMMAND_MAX_FILE)
		rc = -EBADMSG;
	if (rc == 0)
		*text = malloc((size_t)st.st_size + 1);
	if (rc == 0 && *text == NULL)
		rc = -ENOMEM;
	if (rc == 0) {
		*len = fread(*text, 1, (size_t)st.st_size, in);
		(*text)[*len] = '\0';
		rc = ferror(in) ? -EIO : 0;
	}
	fclose(in);
	return rc;
}

/* Read a line "# word value". @return the text behind it; NULL: it is not there */
static const char *
read_word(const char *text, const char *word, char *value, size_t size)
{
	const size_t len = strlen(word);
	size_t n;

	if (text == NULL || strncmp(text, "# ", 2) != 0 || strncmp(text + 2, word, len) != 0 ||
			text[2 + len] != ' ')
		return NULL;
	text += 3 + len;
	n = strcspn(text, "\n");
	snprintf(value, size, "%.*s", (int)n, text);
	return text[n] == '\n' ? text + n + 1 : NULL;
}

static const char *
read_number(const char *text, const char *word, uint64_t *number)
{
	char value[32] = "", *end;

	text = read_word(text, word, value, sizeof(value));
	*number = strtoull(value, &end, 10);
	return isdigit((unsigned char)value[0]) && *end == '\0' ? text : NULL;
}

/* Read what stands in front of the configuration, which ends where *end is. @return the
 * configuration; NULL: this is not a whole file */
static const char *
read_head(const char *all, size_t len, struct fcn_commit *commit, const char **end)
{
	const char *p = all;

	if (strlen(all) != len || strncmp(all, FIRST, strlen(FIRST)) != 0 || len < strlen(LAST) ||
			strcmp(all + len - strlen(LAST), LAST) != 0)
		return NULL;
	p = read_number(all + strlen(FIRST), "time", &commit->time_s);
	p = read_number(p, "seconds", &commit->seconds);
	p = read_word(p, "user", commit->user, sizeof(commit->user));
	p = read_word(p, "comment", commit->comment, sizeof(commit->comment));
	*end = all + len - strlen(LAST);
	return p != NULL && p <= *end && (p == *end || (*end)[-1] == '\n') ? p : NULL;
}

int
commit_file_read(const char *path, struct fcn_commit *commit, char **text)
{
	struct fcn_commit unused, *to = commit != NULL ? commit : &unused;
	const char *begin = NULL, *end = NULL;
	char *all;
	size_t len = 0;
	int rc = read_all(path, &all, &len);

	if (rc == 0) {
		begin = read_head(all, len, to, &end);
		rc = begin != NULL ? 0 : -EBADMSG;
	}
	if (rc == 0) {
		len = (size_t)(end - begin);
		memmove(all, begin, len);
		all[len] = '\0';
		commit_file_describe(to, all);
	}
	if (rc == 0 && text != NULL)
		*text = all;
	else
		free(all);
	return rc;
}

int
commit_file_remove(const char *directory, uint64_t number)
{
	char path[FCN_COMMIT_PATH];
	int fd, rc = 0;

	commit_file_name(path, sizeof(path), directory, number);
	if (unlink(path) != 0 && errno != ENOENT)
		return -errno;
	/* It must not come back when the power fails. */
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fsync(fd) != 0)
		rc = -errno;
	close(fd);
	return rc;
}
