/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_hash_key.h"
#include "fcn_path_id.h"

#define NEXT_HEADER_OFF 6
#define ADDRESSES_OFF 8 /* source and destination */
#define DESTINATION_OFF (ADDRESSES_OFF + 16)
/* The Next Header field of the Segment Routing Header is that of the packet. */
#define SRH_OFF (FCN_IP6_LEN + FCN_SRH_NEXT_HEADER_OFF + 1)

/* Bytes of the outer headers of a packet; 0: no segment list of a policy has such headers. */
static uint32_t
outer_len(const uint8_t *ip, uint32_t len)
{
	uint32_t n = FCN_IP6_LEN, segments;

	if (len < FCN_IP6_LEN + FCN_SRH_FIXED_LEN)
		return 0;
	if (ip[NEXT_HEADER_OFF] == IPPROTO_ROUTING) { /* its length is in units of 8 octets */
		segments = 8u * ip[FCN_IP6_LEN + FCN_SRH_LENGTH_OFF];
		if (segments == 0 || segments % FCN_SRH_SEGMENT_LEN != 0)
			return 0;
		n += FCN_SRH_FIXED_LEN + segments;
	}
	return n <= len && n <= FCN_SRV6_ENCAPS_MAX_LEN ? n : 0;
}

/* Compare all fields that are the same for all packets of a segment list. */
static bool
is_same(const uint8_t *ip, uint32_t len, const struct fcn_srv6_encaps *outer)
{
	if (outer->len != len || memcmp(ip + ADDRESSES_OFF, outer->header + ADDRESSES_OFF,
						 FCN_IP6_LEN - ADDRESSES_OFF) != 0)
		return false;
	return len == FCN_IP6_LEN ||
	       memcmp(ip + SRH_OFF, outer->header + SRH_OFF, len - SRH_OFF) == 0;
}

/* The bucket of headers, by destination and segments: a segment list can have two sources. */
static unsigned int
bucket_of(const uint8_t *ip, uint32_t len)
{
	const struct fcn_hash_key fixed = {0};
	uint64_t word[2], hash = 0;

	for (uint32_t at = DESTINATION_OFF; at < len; at += sizeof(word)) {
		if (at == FCN_IP6_LEN) /* the part of the SRH in front of the segments */
			at += FCN_SRH_FIXED_LEN;
		memcpy(word, ip + at, sizeof(word));
		hash = fcn_hash_pair(&fixed, hash ^ word[0], word[1]);
	}
	return hash % FCN_PATH_ID_BUCKETS;
}

void
fcn_path_id_index(struct fcn_srv6_conf *conf)
{
	for (uint32_t i = conf->n_encaps; i-- > 0;) { /* the first one comes to the front */
		struct fcn_encaps *e = &conf->encaps[i];
		uint32_t *first;

		if (!e->has_path_id)
			continue;
		first = &conf->path_first[bucket_of(e->other.header, e->other.len)];
		e->path_next = *first;
		*first = i + 1;
		conf->has_path_ids = true;
	}
}

bool
fcn_path_id_find(const struct fcn_srv6_conf *conf, const uint8_t *ip, uint32_t len,
		uint32_t *path_id)
{
	const uint32_t n = outer_len(ip, len);
	uint32_t i;

	if (n == 0)
		return false;
	for (i = conf->path_first[bucket_of(ip, n)]; i != 0; i = conf->encaps[i - 1].path_next) {
		const struct fcn_encaps *e = &conf->encaps[i - 1];

		if (!is_same(ip, n, &e->other) && !is_same(ip, n, &e->roce))
			continue;
		*path_id = e->path_id;
		return true;
	}
	return false;
}
