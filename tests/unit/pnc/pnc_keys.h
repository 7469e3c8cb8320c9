/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The keys of tests/data/pnc_messages.py. */

#ifndef PNC_KEYS_H
#define PNC_KEYS_H

#include "pnc_util.h"

#define PNC_KEY(kind, number, text)                                                        \
	{                                                                                  \
		.algorithm = FCN_PNC_AUTH_##kind, .id = (number), .len = sizeof(text) - 1, \
		.secret = text,                                                            \
	}

#define PNC_LONG "a secret that is longer than the digests"

static const struct fcn_pnc_key isis_keys[] = {
		PNC_KEY(PASSWORD, 0, "open sesame"),
		PNC_KEY(MD5, 0, "md5 secret"),
		PNC_KEY(SHA1, 77, "sha1 secret"),
		PNC_KEY(SHA224, 77, "x"),
		PNC_KEY(SHA256, 300, PNC_LONG),
		PNC_KEY(SHA384, 4, "sha384 secret"),
		PNC_KEY(SHA512, 5, "sha512 secret"),
};

/* Those of OSPFv3 begin at the third one. */
static const struct fcn_pnc_key ospf_keys[] = {
		PNC_KEY(PASSWORD, 0, "8 octets"),
		PNC_KEY(MD5, 7, "md5 secret"),
		PNC_KEY(SHA1, 77, "sha1 secret"),
		PNC_KEY(SHA256, 200, PNC_LONG),
		PNC_KEY(SHA384, 4, "sha384 secret"),
		PNC_KEY(SHA512, 5, "sha512 secret"),
};

#endif /* PNC_KEYS_H */
