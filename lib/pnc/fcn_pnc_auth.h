/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Keys by which messages of link-state protocols are authenticated. Without keys, authentication in
 * messages is ignored: it is neither required nor checked.
 *
 * | algorithm | IS-IS | OSPFv2 | OSPFv3 |
 * |---|---|---|---|
 * | password | ISO 10589 | RFC 2328 D.4.2, 8 octets at most | none |
 * | md5 | HMAC-MD5, RFC 5304 | keyed MD5, RFC 2328 D.4.3 | none |
 * | sha1 to sha512 | HMAC, RFC 5310 | HMAC, RFC 5709 | HMAC, RFC 7166 |
 *
 * A message may use any of the keys. The cryptographic sequence number of OSPF is not compared with
 * earlier ones: a message that is sent again has LSAs that are known already.
 *
 * The digests of IS-IS do not cover the lifetime, so that anybody can set that of an LSP to 0. A
 * purge with one counts only if it has no TLVs but those that RFC 6233 and RFC 8202 list (RFC 5304
 * section 2).
 */

#ifndef FCN_PNC_AUTH_H
#define FCN_PNC_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_pnc.h"

/* X(symbol, name, octets of the digest) */
#define FCN_PNC_AUTH_ALGORITHMS(X) \
	X(PASSWORD, "password", 0) \
	X(MD5, "md5", 16)          \
	X(SHA1, "sha1", 20)        \
	X(SHA224, "sha224", 28)    \
	X(SHA256, "sha256", 32)    \
	X(SHA384, "sha384", 48)    \
	X(SHA512, "sha512", 64)

enum fcn_pnc_algorithm {
#define FCN_PNC_ENUM(sym, name, len) FCN_PNC_AUTH_##sym,
	FCN_PNC_AUTH_ALGORITHMS(FCN_PNC_ENUM)
#undef FCN_PNC_ENUM
	FCN_PNC_AUTH_COUNT,
};

#define FCN_PNC_MAX_KEYS 8
#define FCN_PNC_MAX_SECRET 80 /**< octets of a secret */
#define FCN_PNC_MAX_DIGEST 64 /**< octets of the longest digest */

struct fcn_pnc_key {
	uint8_t algorithm; /**< enum fcn_pnc_algorithm */
	uint8_t len;       /**< octets of the secret, 1 or more */
	uint16_t id;       /**< key ID; not used by passwords, nor by md5 in IS-IS */
	uint8_t secret[FCN_PNC_MAX_SECRET];
};

struct fcn_pnc_auth {
	uint32_t n; /**< 0: authentication is ignored */
	struct fcn_pnc_key key[FCN_PNC_MAX_KEYS];
};

/** Name of an algorithm in the configuration; never NULL. */
const char *fcn_pnc_algorithm_name(enum fcn_pnc_algorithm algorithm);

/** Check whether this build has an algorithm: all but passwords need libcrypto. */
bool fcn_pnc_algorithm_is_built(enum fcn_pnc_algorithm algorithm);

/**
 * Get the reason why a protocol cannot use keys.
 *
 * @return one line of text; NULL when it can
 */
const char *fcn_pnc_auth_why_not(const struct fcn_pnc_auth *auth, enum fcn_pnc_protocol protocol);

#endif /* FCN_PNC_AUTH_H */
