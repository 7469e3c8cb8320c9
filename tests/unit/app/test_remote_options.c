/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The options for sockets and roles. */

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "remote_options.h"

static struct fcn_remote_places places;
static char *said;

/* Read options with standard error in memory. */
static int
read_options(const struct fcn_remote_options *options)
{
	FILE *before = stderr;
	size_t size;
	int rc;

	free(said);
	said = NULL;
	stderr = open_memstream(&said, &size);
	rc = fcn_remote_options_read(options, &places);
	fclose(stderr);
	stderr = before;
	return rc;
}

static void
assert_refused(const struct fcn_remote_options *options, const char *text)
{
	assert_int_equal(read_options(options), -1);
	assert_string_equal(said, text);
}

static int
end(void **state)
{
	RTE_SET_USED(state);
	free(said);
	said = NULL;
	return 0;
}

TEST_FIXTURE(.teardown = end);

TEST(one)
{
	const struct fcn_remote_options plain = {.socket = {"/tmp/a"}, .n_sockets = 1};
	const struct fcn_remote_options old = {
			.socket = {"/tmp/a"}, .n_sockets = 1, .group = "77", .mode = "0620"};
	const struct fcn_remote_options with_group = {
			.socket = {"/tmp/a"}, .n_sockets = 1, .group = "77"};

	assert_int_equal(read_options(&plain), 0);
	assert_int_equal(places.n_places, 1);
	assert_string_equal(places.place[0].path, "/tmp/a");
	assert_int_equal(places.place[0].mode, 0600);
	assert_int_equal(places.place[0].group, (gid_t)-1);
	assert_int_equal(places.place[0].role, FCN_ROLE_FULL);
	assert_int_equal(places.idle_ms, 900000);
	assert_int_equal(read_options(&old), 0);
	assert_int_equal(places.place[0].mode, 0620);
	assert_int_equal(places.place[0].group, 77);
	assert_int_equal(read_options(&with_group), 0);
	assert_int_equal(places.place[0].mode, 0660);
	assert_string_equal(said, "");
}

/* A socket of the role full is in place of the default one; the others are beside it. */
TEST(several)
{
	struct fcn_remote_options o = {.socket = {"/tmp/l,role=learned,group=5",
						       "/tmp/r,mode=0666,role=read", "/tmp/f"},
			.n_sockets = 3,
			.idle = "0",
			.group_role = {"7=read", "8=operate"},
			.n_group_roles = 2};
	char dir[] = "/tmp/fcn-options-XXXXXX", path[64];

	assert_int_equal(read_options(&o), 0);
	assert_int_equal(places.n_places, 3);
	assert_string_equal(places.place[0].path, "/tmp/l");
	assert_int_equal(places.place[0].role, FCN_ROLE_LEARNED);
	assert_int_equal(places.place[0].mode, 0660);
	assert_int_equal(places.place[0].group, 5);
	assert_int_equal(places.place[1].role, FCN_ROLE_READ);
	assert_int_equal(places.place[1].mode, 0666);
	assert_int_equal(places.place[1].group, (gid_t)-1);
	assert_int_equal(places.place[2].role, FCN_ROLE_FULL);
	assert_int_equal(places.idle_ms, 0);
	assert_int_equal(places.n_groups, 2);
	assert_int_equal(places.group[1].group, 8);
	assert_int_equal(places.group[1].role, FCN_ROLE_OPERATE);
	if (getuid() == 0)
		return; /* the default would be that of a switch of this machine */
	assert_non_null(mkdtemp(dir));
	setenv("XDG_RUNTIME_DIR", dir, 1);
	o.n_sockets = 2;
	assert_int_equal(read_options(&o), 0);
	assert_int_equal(places.n_places, 3);
	snprintf(path, sizeof(path), "%s/fastcn/fastcn.sock", dir);
	assert_string_equal(places.place[2].path, path);
	assert_int_equal(places.place[2].role, FCN_ROLE_FULL);
	snprintf(path, sizeof(path), "%s/fastcn", dir);
	rmdir(path);
	rmdir(dir);
}

TEST(none)
{
	const struct fcn_remote_options off = {.off = true};
	const struct fcn_remote_options both = {.off = true, .socket = {"/tmp/a"}, .n_sockets = 1};

	assert_int_equal(read_options(&off), 0);
	assert_int_equal(places.n_places, 0);
	assert_refused(&both, "fastcn: --socket /tmp/a: --no-socket is given, too\n");
}

TEST(wrong)
{
	static const struct {
		const char *socket, *what;
	} sockets[] = {
			{"", "a path has 1 to 107 bytes"},
			{"/tmp/a,role=admin", "a role is full, operate, learned or read"},
			{"/tmp/a,group=no-such-group", "there is no such group"},
			{"/tmp/a,mode=9", "the value must be an octal number up to 777"},
			{"/tmp/a,b", "behind the path there may be ,role=ROLE ,group=GROUP and "
				     ",mode=MODE"},
			{"/tmp/a,rule=read", "behind the path there may be ,role=ROLE "
					     ",group=GROUP and ,mode=MODE"},
	};
	static const char *const groups[][2] = {{"7", "the argument must be GROUP=ROLE"},
			{"=read", "the argument must be GROUP=ROLE"},
			{"7=all", "a role is full, operate, learned or read"},
			{"no-such-group=read", "there is no such group"}};
	struct fcn_remote_options o = {.n_sockets = 1};
	char text[256];

	for (size_t i = 0; i < RTE_DIM(sockets); i++) {
		o.socket[0] = sockets[i].socket;
		snprintf(text, sizeof(text), "fastcn: --socket %s: %s\n", o.socket[0],
				sockets[i].what);
		assert_refused(&o, text);
	}
	o.socket[0] = "/tmp/a";
	o.n_group_roles = 1;
	for (size_t i = 0; i < RTE_DIM(groups); i++) {
		o.group_role[0] = groups[i][0];
		snprintf(text, sizeof(text), "fastcn: --group-role %s: %s\n", groups[i][0],
				groups[i][1]);
		assert_refused(&o, text);
	}
	o.n_group_roles = 0;
	o.idle = "1m";
	assert_refused(&o, "fastcn: --session-idle 1m: the value must be 0 (never) to 604800 "
			   "seconds\n");
	o.idle = NULL;
	for (unsigned int i = 0; i < FCN_REMOTE_SOCKETS; i++)
		o.socket[i] = "/tmp/a,role=read";
	o.n_sockets = FCN_REMOTE_SOCKETS;
	assert_refused(&o, "fastcn: --socket /tmp/a,role=read: eight sockets leave no room for the "
			   "default one: give one of them the role full\n");
}
