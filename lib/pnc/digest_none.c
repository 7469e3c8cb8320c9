/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Without libcrypto: keys that need a hash function are refused before any message is read. */

#include <string.h>

#include <rte_common.h>

#include "digest.h"

bool
pnc_digest_is_built(void)
{
	return false;
}

bool
pnc_digest(enum fcn_pnc_algorithm algorithm, const void *data, size_t len, uint8_t *out)
{
	RTE_SET_USED(algorithm);
	RTE_SET_USED(data);
	RTE_SET_USED(len);
	RTE_SET_USED(out);
	return false;
}

bool
pnc_hmac(enum fcn_pnc_algorithm algorithm, const void *key, size_t key_len, const void *data,
		size_t len, uint8_t *out)
{
	RTE_SET_USED(algorithm);
	RTE_SET_USED(key);
	RTE_SET_USED(key_len);
	RTE_SET_USED(data);
	RTE_SET_USED(len);
	RTE_SET_USED(out);
	return false;
}

bool
pnc_digest_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	return memcmp(a, b, len) == 0;
}
