/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fcn_file_names.h"

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Tell whether a name can be written in a command. */
static bool
is_name(const char *name)
{
	for (; *name != '\0'; name++)
		if (!isalnum((unsigned char)*name) && strchr("._:-", *name) == NULL)
			return false;
	return true;
}

void
fcn_file_names(const char *word, void (*add)(void *list, const char *name), void *list)
{
	const char *slash = strrchr(word, '/'), *leaf = slash != NULL ? slash + 1 : word;
	char directory[PATH_MAX], path[PATH_MAX + NAME_MAX + 2];
	const int head = (int)(leaf - word);
	const struct dirent *entry;
	DIR *dir;

	if (head >= PATH_MAX)
		return;
	snprintf(directory, sizeof(directory), "%.*s", head, word);
	dir = opendir(head > 0 ? directory : ".");
	for (unsigned int i = 0; dir != NULL && i < FCN_FILE_NAMES; i++) {
		entry = readdir(dir);
		if (entry == NULL)
			break;
		if (strncmp(entry->d_name, leaf, strlen(leaf)) != 0 ||
				(entry->d_name[0] == '.' && leaf[0] != '.') ||
				!is_name(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s%s", directory, entry->d_name);
		if (is_directory(path))
			strcat(path, "/");
		add(list, path);
	}
	if (dir != NULL)
		closedir(dir);
}
