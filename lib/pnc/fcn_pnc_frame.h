/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Ethernet frames to the readers of link-state protocols: IS-IS over LLC (FE FE 03), OSPFv2 (IPv4
 * protocol 89), OSPFv3 (IPv6 next header 89), with up to two VLAN tags and with padding.
 */

#ifndef FCN_PNC_FRAME_H
#define FCN_PNC_FRAME_H

#include "fcn_pnc_isis.h"
#include "fcn_pnc_ospf3.h"

/*
 * X(symbol, name, text): what frames are counted as. A packet of OSPF that comes from the link has
 * a TTL of 1 or 255 or, in IPv6, a link-local source, which no router forwards: virtual links are
 * not read. The hop limit does not matter then: FRR sends unicast packets with 64.
 */
#define FCN_PNC_FRAMES(X)                                                              \
	X(ISIS, "isis", "IS-IS")                                                       \
	X(OSPF, "ospf", "OSPFv2")                                                      \
	X(OSPF3, "ospf3", "OSPFv3")                                                    \
	X(OFF, "off", "a protocol that is not read")                                   \
	X(OTHER, "other", "no protocol that could be read")                            \
	X(TRUNCATED, "truncated", "cut short")                                         \
	X(IP_HEADER, "ip_header", "OSPF with a malformed IP header")                   \
	X(IP_CHECKSUM, "ip_checksum", "OSPF with a wrong checksum of the IPv4 header") \
	X(FRAGMENT, "fragment", "OSPF in a fragment of a packet")                      \
	X(DISTANT, "distant", "OSPF that does not come from the link")

enum fcn_pnc_frame {
#define FCN_PNC_ENUM(sym, name, text) FCN_PNC_FRAME_##sym,
	FCN_PNC_FRAMES(FCN_PNC_ENUM)
#undef FCN_PNC_ENUM
	FCN_PNC_FRAME_COUNT,
};

/** Name of a counter in JSON; never NULL. */
const char *fcn_pnc_frame_name(enum fcn_pnc_frame what);

/** One line of text that explains a counter; never NULL. */
const char *fcn_pnc_frame_text(enum fcn_pnc_frame what);

/** Readers of frames. A protocol whose reader is NULL is not read. */
struct fcn_pnc_readers {
	struct fcn_pnc_isis *isis;
	struct fcn_pnc_ospf *ospf;
	struct fcn_pnc_ospf3 *ospf3;
	uint64_t count[FCN_PNC_FRAME_COUNT];
};

/**
 * Read a frame.
 *
 * @param link  number of the link that it was read on
 * @param frame from the destination address on, without frame check sequence
 * @return what it was counted as; its protocol's reader has counted the rest
 */
enum fcn_pnc_frame fcn_pnc_frame_input(struct fcn_pnc_readers *readers, uint32_t link,
		const uint8_t *frame, size_t len, uint64_t now_ns);

/**
 * Remove what has reached the end of its lifetime, from all readers.
 *
 * @return when to call it again; UINT64_MAX: not before the next frame
 */
uint64_t fcn_pnc_frame_tick(struct fcn_pnc_readers *readers, uint64_t now_ns);

#endif /* FCN_PNC_FRAME_H */
