/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What may be replaced by a saved configuration, and what stays as it was. All in a directory of
 * the test's own. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fcn_test.h"
#include "fcn_save_file.h"

static char dir[] = "/tmp/fcn-save-XXXXXX";

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return mkdtemp(dir) == NULL || chdir(dir) != 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	return chdir("/") != 0 || rmdir(dir) != 0;
}

TEST_FIXTURE(.begin = setup, .end = teardown);

static void
put(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void
assert_holds(const char *file, const char *want)
{
	char text[100] = "";
	FILE *f = fopen(file, "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) == strlen(want));
	fclose(f);
	assert_string_equal(text, want);
}

static unsigned int
files(void)
{
	unsigned int n = 0;
	DIR *d = opendir(".");

	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

static void
save(const char *file)
{
	char err[256] = "";

	assert_int_equal(fcn_save_file(file, "new\n", 4, err, sizeof(err)), 0);
	assert_string_equal(err, "");
	assert_holds(file, "new\n");
}

static void
refuse(const char *file, int rc, const char *why)
{
	char err[256] = "";
	unsigned int n = files();

	assert_int_equal(fcn_save_file(file, "new\n", 4, err, sizeof(err)), rc);
	assert_string_equal(err, why);
	assert_int_equal(files(), n);
}

static mode_t
mode_of(const char *file)
{
	struct stat st;

	assert_int_equal(lstat(file, &st), 0);
	return st.st_mode;
}

TEST(regular)
{
	save("file");
	assert_int_equal(mode_of("file"), S_IFREG | 0644);
	put("file", "old, and longer\n");
	assert_int_equal(chmod("file", 0640), 0);
	save("file");
	assert_int_equal(mode_of("file"), S_IFREG | 0640);
	assert_int_equal(chmod("file", 0400), 0);
	save("file");
	assert_int_equal(mode_of("file"), S_IFREG | 0400);
	assert_int_equal(files(), 1);
	unlink("file");
}

TEST(link)
{
	assert_int_equal(mkdir("sub", 0755), 0);
	put("sub/real", "old\n");
	assert_int_equal(chmod("sub/real", 0600), 0);
	assert_int_equal(symlink("sub/real", "link"), 0);
	save("link");
	assert_int_equal(mode_of("link") & S_IFMT, S_IFLNK);
	assert_int_equal(mode_of("sub/real"), S_IFREG | 0600);
	assert_holds("sub/real", "new\n");
	unlink("sub/real");
	refuse("link", -EINVAL, "it is a symbolic link to a file that is not there");
	assert_int_equal(mode_of("link") & S_IFMT, S_IFLNK);
	unlink("link");
	assert_int_equal(symlink("a", "b"), 0);
	assert_int_equal(symlink("b", "a"), 0);
	refuse("a", -ELOOP, "Too many levels of symbolic links");
	unlink("a");
	unlink("b");
	rmdir("sub");
}

TEST(other_kinds)
{
	assert_int_equal(mkdir("sub", 0755), 0);
	refuse("sub", -EINVAL, "it is a directory, and only a regular file is written");
	rmdir("sub");
	assert_int_equal(mkfifo("pipe", 0600), 0);
	refuse("pipe", -EINVAL, "it is a pipe, and only a regular file is written");
	assert_int_equal(mode_of("pipe"), S_IFIFO | 0600);
	unlink("pipe");
	refuse("no/such", -ENOENT, "No such file or directory");
}

/* A device of the test's own, which is like /dev/null. */
TEST(device)
{
	mode_t mode;

	if (mknod("device", S_IFCHR | 0666, makedev(1, 3)) != 0)
		skip(); /* only root makes devices */
	mode = mode_of("device");
	refuse("device", -EINVAL, "it is a device, and only a regular file is written");
	assert_int_equal(mode_of("device"), mode);
	assert_int_equal(symlink("device", "link"), 0);
	refuse("link", -EINVAL, "it is a device, and only a regular file is written");
	assert_int_equal(mode_of("device"), mode);
	unlink("link");
	unlink("device");
}

/* What saves that were killed have left is removed; what somebody writes just now, and what only
 * looks like it, stays. */
TEST(leftovers)
{
	static const char *const kept[] = {".file.save-abcde", ".file.save-abcdefg",
			"file.save-abcdef", ".other.save-abcdef", ".file.backup"};
	int fd;

	put(".file.save-abcdef", "half of it");
	put(".file.save-busy12", "half of it");
	fd = open(".file.save-busy12", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	for (unsigned int i = 0; i < RTE_DIM(kept); i++)
		put(kept[i], "mine\n");
	save("file");
	assert_true(access(".file.save-abcdef", F_OK) != 0);
	assert_holds(".file.save-busy12", "half of it");
	for (unsigned int i = 0; i < RTE_DIM(kept); i++) {
		assert_holds(kept[i], "mine\n");
		unlink(kept[i]);
	}
	close(fd);
	save("file");
	assert_int_equal(files(), 1);
	unlink("file");
}

TEST(owner)
{
	struct stat st;

	put("file", "old\n");
	if (chown("file", 65534, 65533) != 0) {
		unlink("file");
		skip(); /* only root gives files away */
	}
	save("file");
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 65533);
	unlink("file");
}
