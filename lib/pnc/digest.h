/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Hash functions of libcrypto, or none without that library. Safe from any thread. */

#ifndef FCN_PNC_DIGEST_H
#define FCN_PNC_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_pnc_auth.h"

/** Whether there are hash functions. */
bool pnc_digest_is_built(void);

/** Hash of data, as many octets as the algorithm's digest has. @return false when that fails */
bool pnc_digest(enum fcn_pnc_algorithm algorithm, const void *data, size_t len, uint8_t *out);

/** HMAC (RFC 2104) of data. @return false when that fails */
bool pnc_hmac(enum fcn_pnc_algorithm algorithm, const void *key, size_t key_len, const void *data,
		size_t len, uint8_t *out);

/** Whether two digests are equal, in a time that does not depend on where they differ. */
bool pnc_digest_equal(const uint8_t *a, const uint8_t *b, size_t len);

#endif /* FCN_PNC_DIGEST_H */
