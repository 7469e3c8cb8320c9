/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"

static bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int
lab_make_folder(const char *path, char *err, size_t err_size)
{
	char part[4096];
	size_t n = 0;
	int why;

	if (strlen(path) >= sizeof(part)) {
		snprintf(err, err_size, "%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	do {
		n += strspn(path + n, "/");
		n += strcspn(path + n, "/");
		memcpy(part, path, n);
		part[n] = '\0';
		/* Not by errno: a folder that exists in a read-only file system gives EROFS. */
		if (mkdir(part, 0777) == 0)
			continue;
		why = errno;
		if (!is_folder(part)) {
			snprintf(err, err_size, "%s: %s", part, strerror(why));
			return -1;
		}
	} while (path[n] != '\0');
	return 0;
}
