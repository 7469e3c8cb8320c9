/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice that only tests have. test_notice_kind.c adds it to the kinds of a worker's
 * snapshot; tests/unit/app/test_notice_kinds.c adds it to the list of kinds of a whole switch.
 */

#ifndef NOTICE_KIND_REPORT_H
#define NOTICE_KIND_REPORT_H

#include "fcn_notice_kind.h"

#define REPORT_LEN (40 + 8 + 4 + 2 * 16) /**< length of the IPv6 packet */

/** Its own configuration. */
struct report_conf {
	uint8_t to[16];
};

extern const struct fcn_notice_kind fcn_notice_report;

#endif /* NOTICE_KIND_REPORT_H */
