/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Authentication of messages, common to the link-state protocols. Safe from any thread. */

#ifndef FCN_PNC_AUTH_PRIVATE_H
#define FCN_PNC_AUTH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_pnc_auth.h"

/** The longest message that is read or made, in octets: that of a jumbo frame. */
#define PNC_MAX_MESSAGE 9600

/** Octets of the digest of an algorithm; 0 for passwords. */
size_t pnc_digest_len(enum fcn_pnc_algorithm algorithm);

/**
 * Fill a field with the octets 87 8f e1 f3, as RFC 5310, 5709 and 7166 want it before the digest is
 * computed.
 */
void pnc_auth_pad(uint8_t *field, size_t len);

/**
 * HMAC with the preparation of the key of RFC 5310 section 3.3, 5709 section 3.3 and 7166 section
 * 4.5: a secret that is longer than the digest is replaced by its hash.
 *
 * @param more 0, or 2: the Cryptographic Protocol ID that RFC 7166 appends to the secret
 * @return false when that fails
 */
bool pnc_auth_hmac(const struct fcn_pnc_key *key, const uint8_t *more, size_t more_len,
		const uint8_t *data, size_t len, uint8_t *out);

#endif /* FCN_PNC_AUTH_PRIVATE_H */
