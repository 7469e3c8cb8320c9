/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Iteration over the options of an IPv6 Hop-by-Hop or Destination Options header (RFC 8200 section
 * 4.2). Internal to lib/wire.
 */

#ifndef OPTION_H
#define OPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_parse.h"
#include "fcn_wire_error.h"

#define FCN_IPV6_OPT_PAD1 0
#define FCN_IPV6_OPT_PADN 1

/*
 * Opt Data Len of the Fast CNP options (draft-xiao-rtgwg-rocev2-fast-cnp section 4). Option 2
 * without node data: reserved, Opt-Type, trace header, address.
 */
#define FCN_FASTCNP_OPT1_DATA 16
#define FCN_FASTCNP_OPT2_MIN 26

/** Position in an options header; offsets count from the start of the frame. */
struct fcn_option_cursor {
	const uint8_t *data; /**< the frame */
	uint32_t next;       /**< where the next option starts */
	uint32_t end;        /**< first byte behind the header */
};

/** One option that is not padding. */
struct fcn_option {
	uint32_t off; /**< its Option Type octet */
	uint8_t type;
	uint8_t len; /**< Opt Data Len */
};

static inline bool
fcn_option_is_zero(const uint8_t *p, uint32_t len)
{
	uint8_t any = 0;

	while (len-- > 0)
		any |= *p++;
	return any == 0;
}

/** Write padding of n octets, at most 257 (RFC 8200 section 4.2). */
static inline void
fcn_option_pad(uint8_t *p, uint32_t n)
{
	if (n == 0)
		return;
	memset(p, 0, n);
	if (n > 1) {
		p[0] = FCN_IPV6_OPT_PADN;
		p[1] = (uint8_t)(n - 2);
	}
}

/**
 * Advance to the next option that is not padding.
 *
 * @param error always written: FCN_WIRE_OK, or a defect. Padding that is not zero is such a defect,
 *              but does not end the header.
 * @return true with opt written; false at the end of the header, also when a defect ended it
 */
static inline bool
fcn_option_next(struct fcn_option_cursor *c, struct fcn_option *opt, enum fcn_wire_error *error)
{
	*error = FCN_WIRE_OK;
	while (c->next < c->end) {
		const uint8_t *p = c->data + c->next;

		if (p[0] == FCN_IPV6_OPT_PAD1) {
			c->next++;
			continue;
		}
		if (c->end - c->next < 2 || c->end - c->next - 2 < p[1]) {
			if (*error == FCN_WIRE_OK)
				*error = FCN_WIRE_OPTION_OVERRUN;
			c->next = c->end;
			return false;
		}
		*opt = (struct fcn_option){.off = c->next, .type = p[0], .len = p[1]};
		c->next += 2 + p[1];
		if (opt->type != FCN_IPV6_OPT_PADN)
			return true;
		if (*error == FCN_WIRE_OK && !fcn_option_is_zero(p + 2, opt->len))
			*error = FCN_WIRE_PADN_NONZERO;
	}
	return false;
}

/**
 * Get the number of the Fast CNP option that an option is: 1, 2, or 0 for neither. When both
 * options have the same type, the length decides.
 */
static inline unsigned int
fcn_option_fastcnp(const struct fcn_option *opt, const struct fcn_parse_codes *codes)
{
	if (opt->type == codes->fastcnp_opt1 &&
			(opt->type != codes->fastcnp_opt2 || opt->len < FCN_FASTCNP_OPT2_MIN))
		return 1;
	return opt->type == codes->fastcnp_opt2 ? 2 : 0;
}

/** Check whether the length of a Fast CNP option is one that its type may have. */
static inline bool
fcn_option_fastcnp_len_ok(unsigned int option, uint8_t len)
{
	if (option == 1)
		return len == FCN_FASTCNP_OPT1_DATA;
	return len >= FCN_FASTCNP_OPT2_MIN && (len - FCN_FASTCNP_OPT2_MIN) % 4 == 0;
}

#endif /* OPTION_H */
