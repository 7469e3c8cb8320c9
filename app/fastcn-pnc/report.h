/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The state of fastcn-pnc, as JSON and as text from the same value. */

#ifndef PNC_REPORT_H
#define PNC_REPORT_H

#include "pnc.h"

/**
 * Write the state to the file that the options name, or to standard error. The file is replaced at
 * once. Errors are written to stderr.
 */
void pnc_report(const struct pnc *pnc, uint64_t now_ns);

#endif /* PNC_REPORT_H */
