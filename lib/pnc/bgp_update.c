/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "bgp_update.h"

#include <errno.h>
#include <string.h>

#include "bgp_bytes.h"

enum attribute {
	AS_PATH = 2,
	NEXT_HOP = 3,
	LOCAL_PREF = 5,
	MP_REACH_NLRI = 14,
	MP_UNREACH_NLRI = 15,
};

enum segment {
	AS_SET = 1,
	AS_SEQUENCE = 2,
	AS_CONFED_SEQUENCE = 3,
	AS_CONFED_SET = 4,
};

/* What was read so far. */
struct reader {
	const struct bgp_session_options *options;
	struct bgp_update *update;
	bool has_reach, has_unreach, other_family;
	unsigned int attributes;
};

size_t
bgp_message_length(const uint8_t *data, size_t len, uint8_t *type)
{
	size_t message;

	if (len < BGP_HEADER_LEN)
		return 0;
	for (unsigned int i = 0; i < 16; i++)
		if (data[i] != 0xFF)
			return 0;
	message = bgp_get16(data + 16);
	*type = data[18];
	return message >= BGP_HEADER_LEN && message <= len ? message : 0;
}

/* Get the index of an address family. @return false if it is not one that is read */
static bool
find_family(uint16_t afi, uint8_t safi, uint8_t *family)
{
	*family = afi == FCN_BGP_AFI_IP4 ? BGP_IP4 : BGP_IP6;
	return (afi == FCN_BGP_AFI_IP4 || afi == FCN_BGP_AFI_IP6) && safi == FCN_BGP_SAFI_UNICAST;
}

/* A set counts as one, and confederations do not count. */
static int
read_as_path(struct reader *r, const uint8_t *data, size_t len)
{
	size_t width = r->options->as2 ? 2 : 4;

	while (len > 0) {
		size_t segment;

		if (len < 2 || data[0] < AS_SET || data[0] > AS_CONFED_SET)
			return -EBADMSG;
		segment = 2 + data[1] * width;
		if (data[1] == 0 || len < segment)
			return -EBADMSG;
		if (data[0] == AS_SET)
			r->update->as_hops++;
		else if (data[0] == AS_SEQUENCE)
			r->update->as_hops += data[1];
		data += segment;
		len -= segment;
	}
	return 0;
}

static int
read_reach(struct reader *r, const uint8_t *data, size_t len)
{
	struct bgp_update *u = r->update;
	uint8_t family;
	size_t hop;

	/* AFI, SAFI, next hop, a reserved byte, prefixes */
	if (r->has_reach || len < 5)
		return -EBADMSG;
	r->has_reach = true;
	hop = data[3];
	if (len - 5 < hop)
		return -EBADMSG;
	if (!find_family(bgp_get16(data), data[2], &family)) {
		r->other_family = true;
		return 0;
	}
	if (!bgp_next_hop(data + 4, hop, &u->next_hop[1]))
		u->has_bad_attribute = true;
	u->reached[1] = (struct bgp_nlri){data + 5 + hop, len - 5 - hop, family};
	return 0;
}

static int
read_unreach(struct reader *r, const uint8_t *data, size_t len)
{
	uint8_t family;

	if (r->has_unreach || len < 3)
		return -EBADMSG;
	r->has_unreach = true;
	if (find_family(bgp_get16(data), data[2], &family))
		r->update->withdrawn[1] = (struct bgp_nlri){data + 3, len - 3, family};
	else
		r->other_family = true;
	return 0;
}

static void
read_nhc(struct reader *r, uint8_t flags, const uint8_t *data, size_t len)
{
	const uint8_t wanted = FCN_BGP_OPTIONAL | FCN_BGP_TRANSITIVE;
	struct bgp_update *u = r->update;

	if (u->nhc_state != BGP_NHC_NONE)
		u->nhc_repeated = true;
	else if ((flags & wanted) != wanted)
		u->nhc_state = BGP_NHC_FLAGS;
	else if (fcn_bgp_nhc_parse(data, len, r->options->pnc_code, &u->nhc) != 0)
		u->nhc_state = BGP_NHC_MALFORMED;
	else
		u->nhc_state = BGP_NHC_READ;
}

static int
read_attribute(struct reader *r, uint8_t flags, uint8_t type, const uint8_t *data, size_t len)
{
	struct bgp_update *u = r->update;

	r->attributes++;
	/* The type is a parameter, so it comes before those that are known. */
	if (type == r->options->nhc_type) {
		read_nhc(r, flags, data, len);
		return 0;
	}
	switch (type) {
	case AS_PATH:
		if (read_as_path(r, data, len) != 0)
			u->has_bad_attribute = true;
		return 0;
	case NEXT_HOP:
		if (len != 4 || !bgp_next_hop(data, len, &u->next_hop[0]))
			u->has_bad_attribute = true;
		return 0;
	case LOCAL_PREF:
		if (len == 4)
			u->local_pref = bgp_get32(data);
		else
			u->has_bad_attribute = true;
		return 0;
	case MP_REACH_NLRI:
		return read_reach(r, data, len);
	case MP_UNREACH_NLRI:
		return read_unreach(r, data, len);
	default:
		return 0;
	}
}

static int
read_attributes(struct reader *r, const uint8_t *data, size_t len)
{
	while (len > 0) {
		size_t head = 3, value;

		if (len < head)
			return -EBADMSG;
		value = data[2];
		if ((data[0] & FCN_BGP_EXTENDED) != 0) {
			head = 4;
			if (len < head)
				return -EBADMSG;
			value = bgp_get16(data + 2);
		}
		if (len - head < value ||
				read_attribute(r, data[0], data[1], data + head, value) != 0)
			return -EBADMSG;
		data += head + value;
		len -= head + value;
	}
	return 0;
}

/* An UPDATE that says nothing, or whose only attribute is an MP_UNREACH_NLRI without prefixes. */
static int
find_end_of_rib(const struct reader *r)
{
	const struct bgp_update *u = r->update;

	if (u->withdrawn[0].len > 0 || u->reached[0].len > 0 || r->other_family)
		return -1;
	if (r->attributes == 0)
		return BGP_IP4;
	if (r->attributes == 1 && r->has_unreach && u->withdrawn[1].len == 0)
		return u->withdrawn[1].family;
	return -1;
}

int
bgp_update_parse(const uint8_t *data, size_t len, const struct bgp_session_options *options,
		struct bgp_update *update)
{
	struct reader r = {.options = options, .update = update};
	size_t withdrawn, attributes;

	memset(update, 0, sizeof(*update));
	update->local_pref = 100;
	if (len < BGP_HEADER_LEN + 4)
		return -EBADMSG;
	data += BGP_HEADER_LEN;
	len -= BGP_HEADER_LEN;
	withdrawn = bgp_get16(data);
	if (len - 4 < withdrawn)
		return -EBADMSG;
	update->withdrawn[0] = (struct bgp_nlri){data + 2, withdrawn, BGP_IP4};
	data += 2 + withdrawn;
	len -= 4 + withdrawn;
	attributes = bgp_get16(data);
	if (len < attributes || read_attributes(&r, data + 2, attributes) != 0)
		return -EBADMSG;
	update->reached[0] = (struct bgp_nlri){data + 2 + attributes, len - attributes, BGP_IP4};
	update->end_of_rib = find_end_of_rib(&r);
	return 0;
}
