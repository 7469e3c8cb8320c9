/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Segment Routing Header (RFC 8754 section 2) and its TLVs: reading and validation.
 *
 * Pure functions over bytes: they never read past the bytes given, keep no state, and are safe from
 * any thread. The HMAC itself is not computed; only its place, its length and what it says about
 * the destination address are checked.
 */

#ifndef FCN_SRH_H
#define FCN_SRH_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_srv6_error.h"

#define FCN_SRH_ROUTING_TYPE 4
#define FCN_SRH_FIXED_LEN 8    /**< bytes in front of the segment list */
#define FCN_SRH_SEGMENT_LEN 16 /**< bytes of a segment */

/* Offsets of the fields in the header. */
#define FCN_SRH_NEXT_HEADER_OFF 0
#define FCN_SRH_LENGTH_OFF 1 /**< Hdr Ext Len: 8-octet units after the first */
#define FCN_SRH_TYPE_OFF 2   /**< Routing Type */
#define FCN_SRH_SEGMENTS_LEFT_OFF 3
#define FCN_SRH_LAST_ENTRY_OFF 4
#define FCN_SRH_FLAGS_OFF 5
#define FCN_SRH_TAG_OFF 6

/* Types of TLVs (RFC 8754 section 2.1). */
#define FCN_SRH_TLV_PAD1 0
#define FCN_SRH_TLV_PADN 4
#define FCN_SRH_TLV_HMAC 5

/** Fields of a header that was read, in host byte order. */
struct fcn_srh {
	uint8_t next_header;
	uint8_t segments_left;
	uint8_t last_entry;
	uint8_t flags;
	uint16_t tag;
	uint16_t len;     /**< bytes of the whole header, 8 to 2048 */
	uint16_t tlv_off; /**< offset of the TLVs in the header; equals len when there are none */
};

/** What the TLVs hold. Offsets count from the start of the header. */
struct fcn_srh_tlvs {
	uint16_t unknown;  /**< number of TLVs of other types, which are ignored */
	uint16_t hmac_off; /**< Type octet of the HMAC TLV; 0 when there is none */
	uint8_t hmac_len;  /**< bytes of the HMAC: 8, 16, 24 or 32 */
	bool reduced;      /**< D flag: the destination address is not checked */
	uint32_t key_id;   /**< HMAC Key ID, host byte order */
	/** offset of the TLV that caused the result, when that is not FCN_SRV6_OK */
	uint16_t error_off;
};

/**
 * Compare the length, Last Entry and Segments Left of a header (RFC 8986 section 4.1 line S09).
 * Segments Left may be one above Last Entry: that is the reduced form (RFC 8754 section 4.1.1).
 *
 * @param srh the header; its first 5 octets are read
 * @return FCN_SRV6_OK; FCN_SRV6_SRH_LENGTH (the header ends inside a segment);
 *         FCN_SRV6_SRH_LAST_ENTRY (the list is longer than the header); FCN_SRV6_SRH_SEGMENTS_LEFT
 */
static inline enum fcn_srv6_error
fcn_srh_check_list(const uint8_t *srh)
{
	uint32_t units = srh[FCN_SRH_LENGTH_OFF], list = 2 * (srh[FCN_SRH_LAST_ENTRY_OFF] + 1u);

	/* An odd length is valid only when TLVs follow the whole list. */
	if (list > units)
		return units % 2 != 0 ? FCN_SRV6_SRH_LENGTH : FCN_SRV6_SRH_LAST_ENTRY;
	if (srh[FCN_SRH_SEGMENTS_LEFT_OFF] > srh[FCN_SRH_LAST_ENTRY_OFF] + 1u)
		return FCN_SRV6_SRH_SEGMENTS_LEFT;
	return FCN_SRV6_OK;
}

/**
 * Read and validate a header.
 *
 * @param data first byte of the Routing header
 * @param len  bytes readable at data
 * @param srh  written when the result is FCN_SRV6_OK
 * @return FCN_SRV6_OK; FCN_SRV6_SRH_TRUNCATED (the header is not whole in len bytes);
 *         FCN_SRV6_ROUTING_TYPE (another type than 4); otherwise as fcn_srh_check_list()
 */
enum fcn_srv6_error fcn_srh_parse(const uint8_t *data, uint32_t len, struct fcn_srh *srh);

/** The segment at an index, 16 bytes; 0 is the last one to be visited. */
static inline const uint8_t *
fcn_srh_segment(const uint8_t *data, unsigned int index)
{
	return data + FCN_SRH_FIXED_LEN + FCN_SRH_SEGMENT_LEN * index;
}

/**
 * Read and validate the TLVs of a header. Padding is skipped whatever it contains (RFC 8754 section
 * 2.1.1), and so are TLVs of unknown types (section 2.1).
 *
 * @param data first byte of the header, all of which is readable
 * @param srh  result of fcn_srh_parse() on it
 * @param dst  destination address of the packet, 16 bytes: with an HMAC TLV whose D flag is 0 it
 *             has to be the segment at Segments Left (RFC 8754 section 2.1.2.1)
 * @param tlvs every field is written; after an error, those of the TLVs in front of it are set
 * @return FCN_SRV6_OK; FCN_SRV6_SRH_TLV_OVERRUN; FCN_SRV6_SRH_HMAC_LENGTH, _ALIGNMENT, _DUPLICATE
 *         or _DESTINATION
 */
enum fcn_srv6_error fcn_srh_parse_tlvs(const uint8_t *data, const struct fcn_srh *srh,
		const uint8_t dst[16], struct fcn_srh_tlvs *tlvs);

#endif /* FCN_SRH_H */
