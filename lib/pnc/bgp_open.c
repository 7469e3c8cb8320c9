/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "bgp_bytes.h"
#include "bgp_update.h"

#define FIXED 10 /* version, AS, hold time, identifier, length of the parameters */
#define PARAMETER_CAPABILITIES 2
#define PARAMETER_EXTENDED 255
#define CAPABILITY_ADD_PATH 69
#define ADD_PATH_RECEIVE 1
#define ADD_PATH_SEND 2

/* The modes of ADD-PATH that an end offers, by family. */
struct offer {
	uint8_t add_path[BGP_FAMILIES];
};

/* AFI, SAFI, mode; families that are not read are skipped (RFC 7911 section 4). */
static int
read_add_path(const uint8_t *data, size_t len, struct offer *offer)
{
	if (len % 4 != 0)
		return -EBADMSG;
	for (; len > 0; data += 4, len -= 4) {
		uint16_t afi = bgp_get16(data);

		if (data[2] != FCN_BGP_SAFI_UNICAST || data[3] == 0 || data[3] > 3)
			continue;
		if (afi == FCN_BGP_AFI_IP4)
			offer->add_path[BGP_IP4] = data[3];
		else if (afi == FCN_BGP_AFI_IP6)
			offer->add_path[BGP_IP6] = data[3];
	}
	return 0;
}

static int
read_capabilities(const uint8_t *data, size_t len, struct offer *offer)
{
	while (len > 0) {
		if (len < 2 || len - 2 < data[1])
			return -EBADMSG;
		if (data[0] == CAPABILITY_ADD_PATH && read_add_path(data + 2, data[1], offer) != 0)
			return -EBADMSG;
		len -= 2u + data[1];
		data += 2 + data[1];
	}
	return 0;
}

/* @param wide whether lengths have two bytes (RFC 9072) */
static int
read_parameters(const uint8_t *data, size_t len, bool wide, struct offer *offer)
{
	size_t head = wide ? 3 : 2;

	while (len > 0) {
		size_t value;

		if (len < head)
			return -EBADMSG;
		value = wide ? bgp_get16(data + 1) : data[1];
		if (len - head < value)
			return -EBADMSG;
		if (data[0] == PARAMETER_CAPABILITIES &&
				read_capabilities(data + head, value, offer) != 0)
			return -EBADMSG;
		data += head + value;
		len -= head + value;
	}
	return 0;
}

static int
read_open(const uint8_t *data, size_t len, struct offer *offer)
{
	size_t parameters;

	*offer = (struct offer){0};
	if (len < BGP_HEADER_LEN + FIXED)
		return -EBADMSG;
	data += BGP_HEADER_LEN + FIXED;
	len -= BGP_HEADER_LEN + FIXED;
	parameters = data[-1];
	if (parameters == PARAMETER_EXTENDED && len >= 3 && data[0] == PARAMETER_EXTENDED) {
		parameters = bgp_get16(data + 1);
		return parameters == len - 3 ? read_parameters(data + 3, len - 3, true, offer)
					     : -EBADMSG;
	}
	return parameters == len ? read_parameters(data, len, false, offer) : -EBADMSG;
}

int
bgp_open_parse(const uint8_t *sent, size_t sent_len, const uint8_t *received, size_t received_len,
		struct bgp_session_options *options)
{
	struct offer router, peer;

	if (read_open(sent, sent_len, &router) != 0 ||
			read_open(received, received_len, &peer) != 0)
		return -EBADMSG;
	for (unsigned int i = 0; i < BGP_FAMILIES; i++) {
		options->path_ids[i] = BGP_PATH_IDS_NO;
		if ((router.add_path[i] & ADD_PATH_RECEIVE) != 0 &&
				(peer.add_path[i] & ADD_PATH_SEND) != 0)
			options->path_ids[i] = BGP_PATH_IDS_YES;
		else if (options->is_own_table && (router.add_path[i] | peer.add_path[i]) != 0)
			options->path_ids[i] = BGP_PATH_IDS_UNKNOWN;
	}
	return 0;
}
