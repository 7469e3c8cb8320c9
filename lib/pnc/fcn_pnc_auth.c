/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "auth.h"
#include "digest.h"
#include "fcn_names.h"

FCN_NAME_FUNCTION(fcn_pnc_algorithm_name, enum fcn_pnc_algorithm,
		FCN_PNC_AUTH_ALGORITHMS(FCN_ITEM_WORD))

size_t
pnc_digest_len(enum fcn_pnc_algorithm algorithm)
{
#define LEN(sym, name, len) len,
	static const uint8_t lens[] = {FCN_PNC_AUTH_ALGORITHMS(LEN)};

	return algorithm < FCN_PNC_AUTH_COUNT ? lens[algorithm] : 0;
}

bool
fcn_pnc_algorithm_is_built(enum fcn_pnc_algorithm algorithm)
{
	return algorithm == FCN_PNC_AUTH_PASSWORD || pnc_digest_is_built();
}

static const char *
why_not(const struct fcn_pnc_key *key, enum fcn_pnc_protocol protocol)
{
	const bool keyed_hash = key->algorithm >= FCN_PNC_AUTH_SHA1;

	if (key->algorithm >= FCN_PNC_AUTH_COUNT)
		return "there is no such algorithm";
	if (key->len == 0 || key->len > FCN_PNC_MAX_SECRET)
		return "a secret has 1 to 80 octets";
	if (protocol == FCN_PNC_OSPF3 && !keyed_hash)
		return "OSPFv3 has no authentication but sha1 to sha512 (RFC 7166)";
	if (protocol == FCN_PNC_OSPF && key->algorithm == FCN_PNC_AUTH_PASSWORD && key->len > 8)
		return "a password of OSPFv2 has 8 octets at most";
	if (protocol == FCN_PNC_OSPF && key->algorithm == FCN_PNC_AUTH_MD5 && key->len > 16)
		return "a key for md5 has 16 octets at most in OSPFv2";
	if (protocol == FCN_PNC_OSPF && key->id > 255)
		return "a key ID of OSPFv2 is 255 at most";
	if (!fcn_pnc_algorithm_is_built(key->algorithm))
		return "this algorithm needs libcrypto, which fastcn was built without";
	return NULL;
}

const char *
fcn_pnc_auth_why_not(const struct fcn_pnc_auth *auth, enum fcn_pnc_protocol protocol)
{
	const char *why;

	if (auth->n > FCN_PNC_MAX_KEYS)
		return "there are 8 keys at most";
	for (uint32_t i = 0; i < auth->n; i++) {
		why = why_not(&auth->key[i], protocol);
		if (why != NULL)
			return why;
	}
	return NULL;
}

void
pnc_auth_pad(uint8_t *field, size_t len)
{
	static const uint8_t pad[4] = {0x87, 0x8f, 0xe1, 0xf3};

	for (size_t i = 0; i < len; i++)
		field[i] = pad[i % sizeof(pad)];
}

bool
pnc_auth_hmac(const struct fcn_pnc_key *key, const uint8_t *more, size_t more_len,
		const uint8_t *data, size_t len, uint8_t *out)
{
	uint8_t secret[FCN_PNC_MAX_SECRET + 2];
	size_t secret_len = key->len;

	memcpy(secret, key->secret, key->len);
	if (more_len != 0) {
		memcpy(secret + secret_len, more, more_len);
		secret_len += more_len;
	}
	if (secret_len > pnc_digest_len(key->algorithm)) {
		uint8_t hash[FCN_PNC_MAX_DIGEST];

		if (!pnc_digest(key->algorithm, secret, secret_len, hash))
			return false;
		secret_len = pnc_digest_len(key->algorithm);
		memcpy(secret, hash, secret_len);
	}
	return pnc_hmac(key->algorithm, secret, secret_len, data, len, out);
}
