/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Thousands of lines, plausible and not, in any order: nothing falls over, nothing is lost. */

#include <unistd.h>

#include "app_util.h"
#include "line_maker.h"

#define LINES 4000

/* What ports, bridges and others are called; the last ones seldom. */
static const char *const names[] = {"p0", "p1", "p2", "p3", "br0", "br1", "all", "nope", "a.conf",
		"0011223344556677", "00", PLATFORM_BROKEN};
static const char *const files[] = {"a.conf", "b.conf"};

static int
begin(void **state)
{
	alarm(60);
	return app_group_setup(state);
}

TEST_FIXTURE(.begin = begin, .end = app_group_teardown, .setup = app_setup,
		.teardown = app_teardown);

TEST(lines)
{
	struct line_maker maker = {.table = session.table,
			.seed = 2026,
			.names = names,
			.n_names = RTE_DIM(names),
			.n_likely = 6,
			.files = files,
			.n_files = RTE_DIM(files)};
	unsigned int fine = 0;
	char line[LINE_MAKER_MAX];

	assert_int_equal(line_maker_init(&maker), 0);
	app_write("a.conf", "");
	app_write("b.conf", "");
	for (unsigned int i = 0; i < LINES; i++) {
		struct fcn_conservation c;
		const char *said;
		int rc;

		line_maker_line(&maker, line_maker_form(&maker), line);
		if (line_maker_choose(&maker, 20) == 0)
			line_maker_spoil(&maker, line);
		/* ports must be, for the rest to have something to be about */
		if (i % 50 < 3)
			snprintf(line, sizeof(line), "port add p%u", i % 50);
		rc = app_line(line);
		said = app_output();
		fine += rc == 0;
		/* Who fails says why, in lines of print. */
		if (rc != 0 && strlen(said) < 3)
			fail_msg("%s: %d, and nothing said", line, rc);
		platform.source = line_maker_choose(&maker, 3) == 0;
		platform.accept = line_maker_choose(&maker, 40);
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000ull * i);
		fcn_control_conservation(platform.ctl, &c);
		if (!fcn_conservation_holds(&c))
			fail_msg("the packet accounting is off behind: %s", line);
		if (i % 400 == 399)
			app_reload();
	}
	assert_true(fine > LINES / 4);
	line_maker_fini(&maker);
}
