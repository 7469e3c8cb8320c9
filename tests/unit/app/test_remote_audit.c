/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The record of what sessions change. */

#include <errno.h>
#include <stdlib.h>

#include "app_util.h"
#include "remote_audit.h"

static const struct fcn_remote_peer alice = {
		.number = 7, .user = 1001, .name = "alice", .role = FCN_ROLE_OPERATE};
static struct fcn_audit audit;
static FILE *before;
static char *said;
static size_t size;

static int
begin(void **state)
{
	RTE_SET_USED(state);
	audit = (struct fcn_audit){0};
	before = stderr;
	stderr = open_memstream(&said, &size);
	return 0;
}

static int
end(void **state)
{
	RTE_SET_USED(state);
	fclose(stderr);
	stderr = before;
	free(said);
	said = NULL;
	return 0;
}

/* Check what was written since the last call. */
static void
assert_said(const char *text)
{
	fflush(stderr);
	assert_string_equal(said, text);
	fclose(stderr);
	free(said);
	stderr = open_memstream(&said, &size);
}

TEST_FIXTURE(.setup = begin, .teardown = end);

TEST(lines)
{
	const struct fcn_session acts = {.acts = true}, shows = {.acts = false};
	const struct fcn_session refused = {.refused = true, .needs = FCN_ROLE_FULL};

	fcn_audit(&audit, &alice, &acts, "set port p1 rate 1G\r", 0, 1);
	assert_said("fastcn: session 7, user alice (1001), role operate: set port p1 rate 1G\n");
	fcn_audit(&audit, &alice, &acts, "set port p1 rate 1G", -EINVAL,
			1); /* it changed nothing */
	fcn_audit(&audit, &alice, &shows, "show port", 0, 1);
	assert_said("");
	fcn_audit(&audit, &alice, &refused, "save x", -EACCES, 1);
	assert_said("fastcn: session 7, user alice (1001), role operate: refused, needs the role "
		    "full: save x\n");
}

/* Forget the lines so far. @return their number */
static unsigned int
count_lines(void)
{
	unsigned int n = 0;

	fflush(stderr);
	for (const char *p = said; (p = strchr(p, '\n')) != NULL; p++)
		n++;
	fclose(stderr);
	free(said);
	stderr = open_memstream(&said, &size);
	return n;
}

/* All changes are recorded; of refused lines and reports, ten in a second and then their number. */
TEST(limits)
{
	const struct fcn_session acts = {.acts = true}, refused = {.refused = true};
	const struct fcn_session reports = {.acts = true, .reports = true};

	for (unsigned int i = 0; i < 100; i++)
		fcn_audit(&audit, &alice, &acts, "x", 0, 5);
	assert_int_equal(count_lines(), 100);
	for (unsigned int i = 0; i < 100; i++)
		fcn_audit(&audit, &alice, &refused, "x", -EACCES, 5);
	assert_int_equal(count_lines(), 10);
	for (unsigned int i = 0; i < 13; i++)
		fcn_audit(&audit, &alice, &reports, "x", 0, 5);
	assert_int_equal(count_lines(), 10);
	fcn_audit_tick(&audit, 5);
	assert_said("");
	fcn_audit_tick(&audit, 6);
	assert_said("fastcn: sessions: 90 more lines were refused, as they need another role\n"
		    "fastcn: sessions: 3 more lines reported what was learned\n");
	fcn_audit_tick(&audit, 7);
	assert_said("");
	for (unsigned int i = 0; i < 11; i++)
		fcn_audit(&audit, &alice, &refused, "x", -EACCES, 7);
	assert_int_equal(count_lines(), 10);
}
