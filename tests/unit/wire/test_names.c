/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Words of enumerations, some of whose numbers have none. */

#include <limits.h>

#include "fcn_test.h"
#include "fcn_names.h"

FCN_STATIC_NAME_FUNCTION(name, unsigned int, [1] = "one", [3] = "three")

TEST(words)
{
	assert_string_equal(name(1), "one");
	assert_string_equal(name(3), "three");
}

TEST(unknown)
{
	assert_string_equal(name(0), "unknown");
	assert_string_equal(name(2), "unknown");
	assert_string_equal(name(4), "unknown");
	assert_string_equal(name(UINT_MAX), "unknown");
}
