/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Local behaviours that exist only in tests. As in the switch, each is a line of a list and a
 * function in a file of its own.
 */

#ifndef LOCAL_TEST_H
#define LOCAL_TEST_H

#include "fcn_local.h"

#define LOCAL_TEST_BEHAVIOURS(X)                            \
	X(STRIP, strip, "takes the outer IPv6 header away") \
	X(STEP, step, "counts the destination down, then sends it on")

enum {
	FCN_LOCAL_BEFORE_TEST = FCN_LOCAL_COUNT - 1,
#define LOCAL_TEST_ENUM(sym, name, text) LOCAL_##sym,
	LOCAL_TEST_BEHAVIOURS(LOCAL_TEST_ENUM)
#undef LOCAL_TEST_ENUM
	LOCAL_TEST_COUNT,
};

LOCAL_TEST_BEHAVIOURS(FCN_LOCAL_DECLARE)

#endif /* LOCAL_TEST_H */
