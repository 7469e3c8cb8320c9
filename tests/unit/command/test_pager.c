/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rows that a text takes; tests/interop/test_fastcnctl.py has the pager itself. */

#include <unistd.h>

#include "fcn_pager.h"
#include "fcn_test.h"

static size_t
rows(const char *text, unsigned int columns)
{
	return fcn_pager_rows(text, strlen(text), columns);
}

TEST(rows)
{
	assert_int_equal(rows("", 10), 0);
	assert_int_equal(rows("a\n", 10), 1);
	assert_int_equal(rows("a", 10), 1);
	assert_int_equal(rows("\n\n", 10), 2);
	assert_int_equal(rows("0123456789\n", 10), 1);
	assert_int_equal(rows("0123456789a\n", 10), 2);
	assert_int_equal(rows("01234567890123456789\nb\n", 10), 3);
	assert_int_equal(rows("abc\n", 1), 3);
	/* Letters of two octets are as wide as others. */
	assert_int_equal(rows("\303\251\303\251\303\251\303\251\303\251\303\251\303\251\303\251\n",
					 8),
			1);
}

/* Without a terminal, as tests have none, no pager starts. */
TEST(no_terminal)
{
	static const char text[] = "1\n2\n3\n";

	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		skip();
	assert_int_equal(fcn_pager_start(text, strlen(text)), 0);
}
