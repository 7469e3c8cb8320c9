/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Files with keys of routing protocols. */

#ifndef PNC_KEYS_H
#define PNC_KEYS_H

#include "fcn_pnc_auth.h"

/**
 * Read a file. Each line has protocol, algorithm, key ID and secret, with blanks between; empty
 * lines and those that begin with # are skipped. A secret has no blanks.
 *
 * @param auth  gets the keys, by protocol; NULL: the protocol has none
 * @param error what is wrong, one line
 * @return 0 or -1
 */
int pnc_keys_read(const char *path, struct fcn_pnc_auth *auth[FCN_PNC_PROTOCOL_COUNT], char *error,
		size_t error_size);

#endif /* PNC_KEYS_H */
