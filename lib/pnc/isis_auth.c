/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Authentication of LSPs: ISO 10589, RFC 5304, RFC 5310. */

#include <string.h>

#include "digest.h"
#include "fcn_inet.h"
#include "isis.h"

static uint8_t
type_of(const struct fcn_pnc_key *key)
{
	if (key->algorithm == FCN_PNC_AUTH_PASSWORD)
		return ISIS_AUTH_PASSWORD;
	return key->algorithm == FCN_PNC_AUTH_MD5 ? ISIS_AUTH_MD5 : ISIS_AUTH_GENERIC;
}

/* Octets in the value before the digest. */
static size_t
before_digest(const struct fcn_pnc_key *key)
{
	return type_of(key) == ISIS_AUTH_GENERIC ? 3 : 1;
}

/* Octets of the authentication TLV of a key, header included. */
static size_t
auth_len(const struct fcn_pnc_key *key)
{
	if (key->algorithm == FCN_PNC_AUTH_PASSWORD)
		return 3 + (size_t)key->len;
	return 2 + before_digest(key) + pnc_digest_len(key->algorithm);
}

/* The digest of an LSP whose field for it begins at `at`, and is written over. */
static bool
digest(const struct fcn_pnc_key *key, uint8_t *lsp, size_t len, size_t at, uint8_t *out)
{
	if (key->algorithm == FCN_PNC_AUTH_MD5) {
		memset(lsp + at, 0, pnc_digest_len(key->algorithm));
		return pnc_hmac(key->algorithm, key->secret, key->len, lsp, len, out);
	}
	pnc_auth_pad(lsp + at, pnc_digest_len(key->algorithm));
	return pnc_auth_hmac(key, NULL, 0, lsp, len, out);
}

static bool
is_right(const struct fcn_pnc_key *key, uint8_t *copy, size_t len, size_t tlv, size_t tlv_len)
{
	const size_t field = tlv + before_digest(key), digest_len = pnc_digest_len(key->algorithm);
	uint8_t there[FCN_PNC_MAX_DIGEST], wanted[FCN_PNC_MAX_DIGEST];

	if (tlv_len != auth_len(key) - 2)
		return false;
	if (key->algorithm == FCN_PNC_AUTH_PASSWORD)
		return pnc_digest_equal(copy + field, key->secret, key->len);
	memcpy(there, copy + field, digest_len);
	if (!digest(key, copy, len, field, wanted))
		return false;
	memcpy(copy + field, there, digest_len);
	return pnc_digest_equal(there, wanted, digest_len);
}

enum fcn_pnc_counter
isis_auth_check(const struct fcn_pnc_auth *auth, uint8_t *copy, size_t len, size_t tlv,
		size_t tlv_len)
{
	enum fcn_pnc_counter why = FCN_PNC_COUNT_AUTH_MISSING;

	if (tlv == 0 || tlv_len == 0)
		return why;
	/* They change on the way. */
	memset(copy + ISIS_AT_LIFETIME, 0, 2);
	memset(copy + ISIS_AT_CHECKSUM, 0, 2);
	for (uint32_t i = 0; i < auth->n; i++) {
		const struct fcn_pnc_key *key = &auth->key[i];

		if (copy[tlv] != type_of(key))
			continue;
		if (copy[tlv] == ISIS_AUTH_GENERIC &&
				(tlv_len < 3 || fcn_get_be16(copy + tlv + 1) != key->id)) {
			if (why == FCN_PNC_COUNT_AUTH_MISSING)
				why = FCN_PNC_COUNT_AUTH_KEY;
			continue;
		}
		if (is_right(key, copy, len, tlv, tlv_len))
			return FCN_PNC_COUNT_NEW;
		why = FCN_PNC_COUNT_AUTH_WRONG;
	}
	return why;
}
