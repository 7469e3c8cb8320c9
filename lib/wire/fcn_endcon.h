/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A Fast CNP on its way through an SRv6 domain (draft-hu-rtgwg-rocev2-fcn section 4.2.2): the
 * congested node sends it in IPv6 to END.CON, the SID that the headend uses as source address of
 * tunnelled RoCEv2; the headend takes it out again and routes it to the sender.
 *
 * Pure functions, safe from any thread.
 */

#ifndef FCN_ENDCON_H
#define FCN_ENDCON_H

#include <stdint.h>
#include <string.h>

#include "fcn_fastcnp.h"
#include "fcn_inet.h"
#include "fcn_srv6_error.h"
#include "fcn_srv6_headers.h"

#define FCN_ENDCON_OUTER_LEN FCN_IP6_LEN /**< bytes in front of the Fast CNP */

/** Outer header of the Fast CNPs of a switch, which is only read after fcn_endcon_init(). */
struct fcn_endcon_template {
	uint8_t header[FCN_ENDCON_OUTER_LEN];
};

/**
 * Prepare the outer header. Its flow label is 0, its ECN field Not-ECT, and it has no extension
 * headers.
 *
 * @param source    source address, 16 bytes: the loopback of the switch
 * @param dscp      0 to 63
 * @param hop_limit hop limit
 */
void fcn_endcon_init(struct fcn_endcon_template *tmpl, const uint8_t source[16], uint8_t dscp,
		uint8_t hop_limit);

/**
 * Write the outer header of a Fast CNP.
 *
 * @param endcon     destination address, 16 bytes: the source address of the outer header of the
 *                   data packet
 * @param notice_len bytes of the Fast CNP, its IPv6 header included (struct fcn_fastcnp_request)
 * @param buf        FCN_ENDCON_OUTER_LEN bytes in front of the Fast CNP
 */
static inline void
fcn_endcon_write(const struct fcn_endcon_template *tmpl, const uint8_t endcon[16],
		uint16_t notice_len, uint8_t *buf)
{
	memcpy(buf, tmpl->header, FCN_ENDCON_OUTER_LEN);
	fcn_put_be16(buf + 4, notice_len);
	memcpy(buf + 24, endcon, 16);
}

/*
 * X(arg, symbol, name, text): why END.CON does not decapsulate a packet. `arg` is passed on, for
 * lists that this one is a part of. The draft asks for
 * decapsulation only; the checks keep others from sending packets into the data centre this way.
 */
#define FCN_ENDCON_REFUSALS_FOR(X, arg)                                                   \
	X(arg, SID, "endcon_sid", "to END.CON: refused as to any SID that ends a policy") \
	X(arg, NOTICE, "endcon_notice", "to END.CON: not a valid Fast CNP")               \
	X(arg, ROUTING, "endcon_routing", "to END.CON: Fast CNP with segments left")      \
	X(arg, DESTINATION, "endcon_destination",                                         \
			"to END.CON: Fast CNP to an address that no sender can have")     \
	X(arg, LOOP, "endcon_loop", "to END.CON: Fast CNP that would come back to it")

/* X(symbol, name, text) */
#define FCN_ENDCON_REFUSALS(X) FCN_ENDCON_REFUSALS_FOR(FCN_ENDCON_REFUSAL, X)
#define FCN_ENDCON_REFUSAL(X, ...) X(__VA_ARGS__)

enum fcn_endcon_error {
	FCN_ENDCON_OK,
#define FCN_ENDCON_ENUM(sym, name, text) FCN_ENDCON_BAD_##sym,
	FCN_ENDCON_REFUSALS(FCN_ENDCON_ENUM)
#undef FCN_ENDCON_ENUM
	FCN_ENDCON_ERROR_COUNT,
};

/** Short name of a reason, as used in counters and JSON; never NULL. */
const char *fcn_endcon_error_name(enum fcn_endcon_error e);

/** One line of text that explains a reason; never NULL. */
const char *fcn_endcon_error_text(enum fcn_endcon_error e);

/** What fcn_endcon_check() found. */
struct fcn_endcon {
	/** with FCN_ENDCON_BAD_SID the reason, otherwise FCN_SRV6_OK */
	enum fcn_srv6_error srv6;
	/** with FCN_ENDCON_BAD_NOTICE the reason, otherwise FCN_WIRE_OK */
	enum fcn_wire_error wire;
	/**
	 * Headers of the outer packet. The Fast CNP is at headers.upper_off from the outer IPv6
	 * header; with FCN_ENDCON_BAD_SID, headers.pointer is for fcn_srv6_icmp_error().
	 */
	struct fcn_srv6_headers headers;
	struct fcn_fastcnp notice; /**< the Fast CNP, when the result is FCN_ENDCON_OK */
};

/**
 * Check a packet to END.CON. Nothing is changed: the caller cuts off what is in front of the Fast
 * CNP, after it has found both source addresses in its access list and combined the ECN fields by
 * fcn_tunnel_ecn_decaps(). The two may differ, as a router has several addresses, and may not be
 * the one that has made the Fast CNP.
 *
 * A Fast CNP is accepted when the packet may be decapsulated (fcn_srv6_decaps_check()), the inner
 * packet is a Fast CNP that fcn_fastcnp_parse() accepts, and it goes to a sender that END.CON can
 * route it to: its destination is neither multicast, unspecified, loopback or link-local nor
 * END.CON itself, and it has no segments left.
 *
 * @param mode  how extension headers enter the ICRC, or FCN_ICRC_ANY
 * @param data  the whole frame, in contiguous memory
 * @param len   bytes at data
 * @param info  result of fcn_parse() on it; the outermost IP header is IPv6
 * @param codes option types
 * @param out   every field is written, but notice only when the result is FCN_ENDCON_OK
 * @return FCN_ENDCON_OK, or the first reason of the list that applies
 */
enum fcn_endcon_error fcn_endcon_check(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		const struct fcn_parse_codes *codes, struct fcn_endcon *out);

#endif /* FCN_ENDCON_H */
