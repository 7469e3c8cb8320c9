/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "digest.h"

static const char *const names[FCN_PNC_AUTH_COUNT] = {
		[FCN_PNC_AUTH_MD5] = "MD5",
		[FCN_PNC_AUTH_SHA1] = "SHA1",
		[FCN_PNC_AUTH_SHA224] = "SHA224",
		[FCN_PNC_AUTH_SHA256] = "SHA256",
		[FCN_PNC_AUTH_SHA384] = "SHA384",
		[FCN_PNC_AUTH_SHA512] = "SHA512",
};

bool
pnc_digest_is_built(void)
{
	return true;
}

bool
pnc_digest(enum fcn_pnc_algorithm algorithm, const void *data, size_t len, uint8_t *out)
{
	return EVP_Q_digest(NULL, names[algorithm], NULL, data, len, out, NULL) == 1;
}

bool
pnc_hmac(enum fcn_pnc_algorithm algorithm, const void *key, size_t key_len, const void *data,
		size_t len, uint8_t *out)
{
	return EVP_Q_mac(NULL, "HMAC", NULL, names[algorithm], NULL, key, key_len, data, len, out,
			       FCN_PNC_MAX_DIGEST, NULL) != NULL;
}

bool
pnc_digest_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}
