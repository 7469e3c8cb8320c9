/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcn_save_file.h"

#define NEW_MODE 0644
#define PRIVATE_MODE 0600

/* A file is written beside the target, as ".NAME.save-XXXXXX", and then takes its place. It is
 * locked as long as somebody writes it. */
#define BESIDE ".save-"
#define RANDOM 6 /* characters behind it */

static const char *
kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

static int
say(int rc, char *err, size_t err_size, const char *what)
{
	snprintf(err, err_size, "%s%s%s", what, rc != 0 && what[0] != '\0' ? ": " : "",
			rc != 0 ? strerror(-rc) : "");
	return rc != 0 ? rc : -EINVAL;
}

/* Find the file that is to hold the text, and what it is now. @return 0; 1: it does not exist; or a
 * negative errno */
static int
look(const char *path, struct stat *st, char **target, char *err, size_t err_size)
{
	char text[64];
	struct stat link;

	/* stat() follows a symbolic link only as far as the kernel allows this process. */
	if (stat(path, st) == 0) {
		if (!S_ISREG(st->st_mode)) {
			snprintf(text, sizeof(text), "it is %s, and only a regular file is written",
					kind_of(st->st_mode));
			return say(0, err, err_size, text);
		}
		*target = realpath(path, NULL);
		return *target != NULL ? 0 : say(-errno, err, err_size, "");
	}
	if (errno != ENOENT)
		return say(-errno, err, err_size, "");
	if (lstat(path, &link) == 0)
		return say(0, err, err_size, "it is a symbolic link to a file that is not there");
	*target = strdup(path);
	return *target != NULL ? 1 : say(-ENOMEM, err, err_size, "");
}

static int
write_all(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Set the owner before the mode: changing the owner may clear bits of the mode. */
static int
keep_owner(int fd, const struct stat *was)
{
	struct stat is;

	if (fstat(fd, &is) != 0)
		return -errno;
	if (is.st_uid == was->st_uid && is.st_gid == was->st_gid)
		return 0;
	return fchown(fd, was->st_uid, was->st_gid) == 0 ? 0 : -errno;
}

/* @return 0, or a negative errno with *what went wrong */
static int
fill(int fd, const struct stat *was, mode_t mode, const char *text, size_t len, const char **what)
{
	int rc;

	*what = "its owner and group cannot be kept";
	rc = was != NULL ? keep_owner(fd, was) : 0;
	if (rc != 0)
		return rc;
	*what = "";
	if (fchmod(fd, was != NULL ? was->st_mode & 07777 : mode) != 0)
		return -errno;
	rc = write_all(fd, text, len);
	if (rc == 0 && fsync(fd) != 0)
		rc = -errno;
	return rc;
}

/* Get the last part of a path. */
static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int
open_directory(const char *target)
{
	const size_t len = (size_t)(base_of(target) - target);
	char *path = len != 0 ? strndup(target, len) : strdup(".");
	int fd = path != NULL ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	free(path);
	return fd;
}

/* Whether a file is what a save of the target that was killed has left. */
static bool
is_leftover(int directory, const char *name, const char *base)
{
	const size_t len = strlen(base);
	bool nobody;
	int fd;

	if (name[0] != '.' || strncmp(name + 1, base, len) != 0 ||
			strncmp(name + 1 + len, BESIDE, strlen(BESIDE)) != 0 ||
			strlen(name + 1 + len + strlen(BESIDE)) != RANDOM)
		return false;
	fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	nobody = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return nobody;
}

static void
remove_leftovers(int directory, const char *base)
{
	const int fd = dup(directory);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)) != NULL) {
		if (is_leftover(directory, e->d_name, base))
			unlinkat(directory, e->d_name, 0);
	}
	closedir(d);
}

/* Put a new file in the place of the target. The name is on the disk, too, when this returns 0. */
static int
take_place(const char *temp, const char *target, int directory)
{
	if (rename(temp, target) != 0)
		return -errno;
	/* Some file systems cannot do it for directories, and need not. */
	return fsync(directory) == 0 || errno == EINVAL ? 0 : -errno;
}

static int
replace(const char *target, const struct stat *was, mode_t mode, const char *text, size_t len,
		int directory, char *err, size_t err_size)
{
	const char *what = "", *base = base_of(target);
	char *temp = NULL;
	int rc, fd;

	if (asprintf(&temp, "%.*s.%s" BESIDE "XXXXXX", (int)(base - target), target, base) < 0)
		return say(-ENOMEM, err, err_size, "");
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		rc = say(-errno, err, err_size,
				errno == EACCES || errno == EROFS
						? "a new file cannot be made in its directory"
						: "");
		free(temp);
		return rc;
	}
	flock(fd, LOCK_EX | LOCK_NB);
	rc = fill(fd, was, mode, text, len, &what);
	if (rc == 0)
		rc = take_place(temp, target, directory);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0) {
		unlink(temp);
		say(rc, err, err_size, what);
	}
	free(temp);
	return rc;
}

static int
save(const char *path, mode_t mode, const char *text, size_t len, char *err, size_t err_size)
{
	char *target = NULL;
	struct stat st;
	int rc = look(path, &st, &target, err, err_size), directory;

	if (rc < 0)
		return rc;
	directory = open_directory(target);
	if (directory < 0) {
		rc = say(-errno, err, err_size, "");
	} else {
		remove_leftovers(directory, base_of(target));
		rc = replace(target, rc == 0 ? &st : NULL, mode, text, len, directory, err,
				err_size);
		close(directory);
	}
	free(target);
	return rc;
}

int
fcn_save_file(const char *path, const char *text, size_t len, char *err, size_t err_size)
{
	return save(path, NEW_MODE, text, len, err, err_size);
}

int
fcn_save_file_private(const char *path, const char *text, size_t len, char *err, size_t err_size)
{
	return save(path, PRIVATE_MODE, text, len, err, err_size);
}
