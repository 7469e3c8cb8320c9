/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Kinds of notices that only tests have, the lines of FCN_NOTICE_KINDS_OF_TEST. test_notice_kind.c
 * adds several to the kinds of a worker, tests/unit/app/test_notice_kinds.c one to those of a whole
 * switch.
 */

#ifndef NOTICE_KIND_REPORT_H
#define NOTICE_KIND_REPORT_H

#include "fcn_notice_kind.h"

#define REPORT_LEN (40 + 8 + 4 + 2 * 16) /**< length of the IPv6 packet */

/** Own configuration of each. */
struct report_conf {
	uint8_t to[16];
};

#define REPORT_DECLARE(sym, id) extern const struct fcn_notice_kind fcn_notice_##id;
FCN_NOTICE_KINDS_OF_TEST(REPORT_DECLARE)

#endif /* NOTICE_KIND_REPORT_H */
