/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Writing of a message into a buffer that may be too small. */

#ifndef PNC_BUILD_OUT_H
#define PNC_BUILD_OUT_H

#include <string.h>

#include "fcn_inet.h"
#include "pnc_build.h"

/** What does not fit is counted in len, but not written. */
struct build_out {
	uint8_t *data;
	size_t size;
	size_t len;
};

static inline void
build_bytes(struct build_out *out, const void *bytes, size_t n)
{
	if (out->len + n <= out->size)
		memcpy(out->data + out->len, bytes, n);
	out->len += n;
}

static inline void
build_u8(struct build_out *out, uint8_t v)
{
	build_bytes(out, &v, 1);
}

static inline void
build_u16(struct build_out *out, uint16_t v)
{
	uint8_t bytes[2];

	fcn_put_be16(bytes, v);
	build_bytes(out, bytes, 2);
}

static inline void
build_u32(struct build_out *out, uint32_t v)
{
	uint8_t bytes[4];

	fcn_put_be32(bytes, v);
	build_bytes(out, bytes, 4);
}

static inline void
build_zeros(struct build_out *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		build_u8(out, 0);
}

/** Whether all of it has fitted so far. */
static inline bool
build_fits(const struct build_out *out)
{
	return out->len <= out->size;
}

/** Append the message of a protocol. @return 0, -ENOSPC, -EINVAL */
int build_isis(const struct pnc_build *b, struct build_out *out);
int build_ospf(const struct pnc_build *b, struct build_out *out);

/** Octets of the flags of a prefix up to the bit of the capability, and that bit. */
static inline void
build_flag(const struct pnc_build *b, uint8_t flags[4])
{
	flags[b->flag_bit / 8 & 3] |= (uint8_t)(0x80 >> b->flag_bit % 8);
}

#endif /* PNC_BUILD_OUT_H */
