/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The outer headers of an SRv6 headend: H.Encaps (RFC 8986 section 5.1), H.Encaps.Red (section
 * 5.2), or IPv6 alone for a single segment. They are made once for each segment list of a
 * policy; for a packet, only the fields that depend on it are written.
 *
 * For RoCEv2, the source address is the END.CON SID of the headend (draft-hu-rtgwg-rocev2-fcn
 * section 4.2.2).
 */

#ifndef FCN_SRV6_ENCAPS_H
#define FCN_SRV6_ENCAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "fcn_inet.h"
#include "fcn_srh.h"

#define FCN_SRV6_MAX_SEGMENTS 16 /**< segments of a segment list */
/** longest outer headers, in bytes */
#define FCN_SRV6_ENCAPS_MAX_LEN \
	(FCN_IP6_LEN + FCN_SRH_FIXED_LEN + FCN_SRH_SEGMENT_LEN * FCN_SRV6_MAX_SEGMENTS)

enum fcn_srv6_encaps_mode {
	FCN_SRV6_H_ENCAPS,     /**< all segments are in the Segment Routing Header */
	FCN_SRV6_H_ENCAPS_RED, /**< all but the first, which is only the destination address */
	/** a single segment, and no Segment Routing Header */
	FCN_SRV6_NO_SRH,
};

/*
 * X(symbol, name): flow label of the outer header. AUTO: that of the inner packet, or one computed
 * from its flow if it is 0, or the packet IPv4; COPY: that of the inner packet, or 0; HASH: always
 * computed; ZERO: always 0.
 */
#define FCN_SRV6_FLOW_LABELS(X) \
	X(AUTO, "auto")         \
	X(COPY, "copy")         \
	X(HASH, "hash")         \
	X(ZERO, "zero")

enum fcn_srv6_flow_label {
#define FCN_SRV6_FLOW_LABEL_ENUM(sym, name) FCN_SRV6_FLOW_LABEL_##sym,
	FCN_SRV6_FLOW_LABELS(FCN_SRV6_FLOW_LABEL_ENUM)
#undef FCN_SRV6_FLOW_LABEL_ENUM
};

/**
 * Get the flow label of the outer header. A computed one is never 0, which would mean that there is
 * none (RFC 6437 section 2).
 *
 * @param inner of the inner packet, 20 bits; 0: it is IPv4, or has none
 * @param hash  of its flow
 */
static inline uint32_t
fcn_srv6_flow_label(enum fcn_srv6_flow_label how, uint32_t inner, uint32_t hash)
{
	const uint32_t computed = hash & 0xFFFFF;

	if (how == FCN_SRV6_FLOW_LABEL_AUTO ? inner != 0 : how != FCN_SRV6_FLOW_LABEL_HASH)
		return how == FCN_SRV6_FLOW_LABEL_ZERO ? 0 : inner;
	return computed != 0 ? computed : 1;
}

/** What is the same for all packets of a segment list. */
struct fcn_srv6_encaps_conf {
	enum fcn_srv6_encaps_mode mode;
	uint8_t source[16];
	const uint8_t (*segments)[16]; /**< in the order in which they are visited */
	unsigned int n_segments;       /**< 1 to FCN_SRV6_MAX_SEGMENTS */
	uint16_t tag;                  /**< SRH Tag; 0 when there is no SRH */
};

/** Outer headers of a segment list, which are only read after fcn_srv6_encaps_init(). */
struct fcn_srv6_encaps {
	uint16_t len;             /**< bytes by which a packet becomes longer */
	uint16_t next_header_off; /**< octet for the protocol number of the inner packet */
	uint8_t header[FCN_SRV6_ENCAPS_MAX_LEN];
};

/** What differs between the packets of a segment list. */
struct fcn_srv6_encaps_fields {
	uint32_t flow_label; /**< 20 bits */
	uint16_t inner_len;  /**< bytes of the inner IP packet, its header included */
	uint8_t inner_proto; /**< IPPROTO_IPV6 or IPPROTO_IPIP */
	uint8_t tclass;      /**< DSCP << 2 | ECN, the latter by fcn_tunnel_ecn_encaps() */
	uint8_t hop_limit;
};

/**
 * Make the outer headers of a segment list. With FCN_SRV6_H_ENCAPS_RED and a single segment there
 * is no Segment Routing Header. Safe from any thread.
 *
 * @return 0; -EINVAL: no segments or too many; several with FCN_SRV6_NO_SRH; a Tag without a
 *         Segment Routing Header; a source or segment that is multicast, unspecified or loopback
 */
int fcn_srv6_encaps_init(struct fcn_srv6_encaps *e, const struct fcn_srv6_encaps_conf *conf);

/**
 * Copy what is the same for all packets of a segment list to where the outer headers go; for the
 * other fields see fcn_srv6_encaps_write(). Safe from any thread.
 *
 * @param buf e->len bytes, all of which are written
 */
static inline void
fcn_srv6_encaps_copy(const struct fcn_srv6_encaps *e, uint8_t *buf)
{
	const unsigned int len = e->len;
	unsigned int done = 32;

	/* 40 octets, or, with a Segment Routing Header, some units of 16. */
	memcpy(buf, e->header, 32);
	if (len == FCN_IP6_LEN) {
		memcpy(buf + done, e->header + done, 8);
		return;
	}
	for (; done < len; done += 16)
		memcpy(buf + done, e->header + done, 16);
}

/**
 * Write the outer headers of a packet. Decrementing the hop limit of the inner packet is the
 * caller's (RFC 8986 section 5.1). Safe from any thread.
 *
 * @param buf where the outer IPv6 header goes: e->len bytes in front of the inner IP header, all of
 *            which are written
 * @param f   fields of the packet; e->len - 40 + f->inner_len is at most 65535
 */
static inline void
fcn_srv6_encaps_write(const struct fcn_srv6_encaps *e, const struct fcn_srv6_encaps_fields *f,
		uint8_t *buf)
{
	fcn_srv6_encaps_copy(e, buf);
	fcn_put_be32(buf, 6u << 28 | (uint32_t)f->tclass << 20 | (f->flow_label & 0xFFFFF));
	fcn_put_be16(buf + 4, (uint16_t)(e->len - FCN_IP6_LEN + f->inner_len));
	buf[7] = f->hop_limit;
	buf[e->next_header_off] = f->inner_proto;
}

#endif /* FCN_SRV6_ENCAPS_H */
