/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_inet.h"
#include "fcn_srh.h"

#define TLV_HEADER_LEN 2
#define HMAC_DATA_OFF 8 /* Type, Length, D flag and reserved bits, HMAC Key ID */
#define HMAC_MAX_LEN 32
#define HMAC_FLAGS_OFF 2
#define HMAC_KEY_ID_OFF 4
#define HMAC_D_FLAG 0x80

enum fcn_srv6_error
fcn_srh_parse(const uint8_t *data, uint32_t len, struct fcn_srh *srh)
{
	enum fcn_srv6_error error;
	uint32_t size;

	if (len < FCN_SRH_FIXED_LEN)
		return FCN_SRV6_SRH_TRUNCATED;
	if (data[FCN_SRH_TYPE_OFF] != FCN_SRH_ROUTING_TYPE)
		return FCN_SRV6_ROUTING_TYPE;
	size = (data[FCN_SRH_LENGTH_OFF] + 1u) * 8;
	if (size > len)
		return FCN_SRV6_SRH_TRUNCATED;
	error = fcn_srh_check_list(data);
	if (error != FCN_SRV6_OK)
		return error;
	*srh = (struct fcn_srh){
			.next_header = data[FCN_SRH_NEXT_HEADER_OFF],
			.segments_left = data[FCN_SRH_SEGMENTS_LEFT_OFF],
			.last_entry = data[FCN_SRH_LAST_ENTRY_OFF],
			.flags = data[FCN_SRH_FLAGS_OFF],
			.tag = fcn_get_be16(data + FCN_SRH_TAG_OFF),
			.len = (uint16_t)size,
			.tlv_off = (uint16_t)(FCN_SRH_FIXED_LEN +
					      FCN_SRH_SEGMENT_LEN *
							      (data[FCN_SRH_LAST_ENTRY_OFF] + 1u)),
	};
	return FCN_SRV6_OK;
}

static enum fcn_srv6_error
take_hmac(const uint8_t *data, const struct fcn_srh *srh, uint32_t off, const uint8_t dst[16],
		struct fcn_srh_tlvs *tlvs)
{
	const uint8_t *tlv = data + off;
	uint32_t hmac = TLV_HEADER_LEN + tlv[1];

	if (tlvs->hmac_off != 0)
		return FCN_SRV6_SRH_HMAC_DUPLICATE;
	if (off % 8 != 0)
		return FCN_SRV6_SRH_HMAC_ALIGNMENT;
	if (hmac <= HMAC_DATA_OFF || hmac > HMAC_DATA_OFF + HMAC_MAX_LEN || hmac % 8 != 0)
		return FCN_SRV6_SRH_HMAC_LENGTH;
	tlvs->hmac_off = (uint16_t)off;
	tlvs->hmac_len = (uint8_t)(hmac - HMAC_DATA_OFF);
	tlvs->reduced = (tlv[HMAC_FLAGS_OFF] & HMAC_D_FLAG) != 0;
	tlvs->key_id = fcn_get_be32(tlv + HMAC_KEY_ID_OFF);
	/* In the reduced form, the list does not have the first segment. */
	if (!tlvs->reduced && (srh->segments_left > srh->last_entry ||
					      memcmp(fcn_srh_segment(data, srh->segments_left), dst,
							      FCN_SRH_SEGMENT_LEN) != 0))
		return FCN_SRV6_SRH_HMAC_DESTINATION;
	return FCN_SRV6_OK;
}

enum fcn_srv6_error
fcn_srh_parse_tlvs(const uint8_t *data, const struct fcn_srh *srh, const uint8_t dst[16],
		struct fcn_srh_tlvs *tlvs)
{
	enum fcn_srv6_error error = FCN_SRV6_OK;
	uint32_t off = srh->tlv_off;

	memset(tlvs, 0, sizeof(*tlvs));
	while (off < srh->len) {
		const uint8_t *tlv = data + off;

		if (tlv[0] == FCN_SRH_TLV_PAD1) {
			off++;
			continue;
		}
		if (srh->len - off < TLV_HEADER_LEN || srh->len - off - TLV_HEADER_LEN < tlv[1])
			error = FCN_SRV6_SRH_TLV_OVERRUN;
		else if (tlv[0] == FCN_SRH_TLV_HMAC)
			error = take_hmac(data, srh, off, dst, tlvs);
		else if (tlv[0] != FCN_SRH_TLV_PADN)
			tlvs->unknown++;
		if (error != FCN_SRV6_OK) {
			tlvs->error_off = (uint16_t)off;
			return error;
		}
		off += TLV_HEADER_LEN + tlv[1];
	}
	return FCN_SRV6_OK;
}
