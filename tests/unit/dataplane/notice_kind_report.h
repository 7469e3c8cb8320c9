/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice that only a test has.
 */

#ifndef NOTICE_KIND_REPORT_H
#define NOTICE_KIND_REPORT_H

#include "testbed.h"

/** Its own configuration. */
struct report_conf {
	uint8_t to[16];
};

extern const struct fcn_notice_kind notice_kind_report;

#endif /* NOTICE_KIND_REPORT_H */
