/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fcn_pager.h"

extern char **environ;

size_t
fcn_pager_rows(const char *text, size_t len, unsigned int columns)
{
	size_t rows = 0, column = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			rows++;
			column = 0;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) { /* not the rest of UTF-8 */
			rows += column == columns;
			column = column == columns ? 1 : column + 1;
		}
	}
	return rows + (column > 0);
}

/* Tell whether a text has room on the terminal, with the prompt behind it; without a terminal, yes.
 */
static bool
has_room(const char *text, size_t len)
{
	struct winsize size;
	const char *kind = getenv("TERM");

	if (!isatty(STDIN_FILENO) || kind == NULL || strcmp(kind, "dumb") == 0 ||
			ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return true;
	/* A terminal that does not know its size has room. */
	return size.ws_row == 0 || size.ws_col == 0 ||
	       fcn_pager_rows(text, len, size.ws_col) < size.ws_row;
}

/* Make a file of the text, which has no name, to be read from its beginning. @return descriptor or
 * -1 */
static int
make_file(const char *text, size_t len)
{
	int fd = memfd_create("pager", MFD_CLOEXEC);
	size_t done = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	while (done < len && n > 0) {
		n = write(fd, text + done, len - done);
		done += n > 0 ? (size_t)n : 0;
	}
	if (n > 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Run a command of the shell, with signals as a program begins with them. @return process or 0 */
static pid_t
spawn(const char *command, int in)
{
	char *const words[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(command), NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	pid_t pid = 0;

	sigemptyset(&none);
	sigfillset(&usual);
	if (words[2] == NULL || posix_spawnattr_init(&attributes) != 0)
		goto out;
	if (posix_spawn_file_actions_init(&files) == 0) {
		posix_spawnattr_setsigmask(&attributes, &none);
		posix_spawnattr_setsigdefault(&attributes, &usual);
		posix_spawnattr_setflags(
				&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
		if (posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO) != 0 ||
				posix_spawn_file_actions_addclosefrom_np(
						&files, STDERR_FILENO + 1) != 0 ||
				posix_spawn(&pid, "/bin/sh", &files, &attributes, words, environ) !=
						0)
			pid = 0;
		posix_spawn_file_actions_destroy(&files);
	}
	posix_spawnattr_destroy(&attributes);
out:
	free(words[2]);
	return pid;
}

pid_t
fcn_pager_start(const char *text, size_t len)
{
	const char *pager = getenv("PAGER");
	pid_t pid;
	int fd;

	if (pager == NULL)
		pager = "if command -v less >/dev/null; then exec less; else exec more; fi";
	if (pager[0] == '\0' || strcmp(pager, "cat") == 0 || has_room(text, len))
		return 0;
	setenv("LESS", "FRX", 0);
	setenv("LESSSECURE", "1", 1);
	setenv("MORESECURE", "1", 1);
	fd = make_file(text, len);
	if (fd < 0)
		return 0;
	pid = spawn(pager, fd);
	close(fd);
	return pid;
}
