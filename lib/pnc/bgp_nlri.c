/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The prefixes of an UPDATE, and whether they have path identifiers in front. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bgp_bytes.h"
#include "bgp_update.h"

#define PATH_ID_LEN 4
/* Routers count path identifiers from a small number. This is the lowest one that is not believed
 * where nothing says that there are any: from it on, the first octet could be a prefix length. */
#define UNLIKELY_PATH_ID (1u << 24)
#define FIELDS 4

/* The places of prefixes, by hash. A prefix takes an octet at least, and no two are equal, so that
 * there are less than 23000 different ones in a message of the greatest length. */
#define SLOTS 65536

struct bgp_seen {
	struct fcn_hash_key key;
	uint16_t turn;
	uint32_t slots[SLOTS]; /* turn and offset */
};

struct bgp_seen *
bgp_seen_create(const struct fcn_hash_key *key)
{
	struct bgp_seen *seen = calloc(1, sizeof(*seen));

	if (seen != NULL)
		seen->key = *key;
	return seen;
}

void
bgp_seen_destroy(struct bgp_seen *seen)
{
	free(seen);
}

int
bgp_nlri_next(struct bgp_nlri *nlri, struct bgp_path *path)
{
	size_t head = nlri->has_path_ids ? PATH_ID_LEN + 1 : 1, bytes;
	struct fcn_addr *addr = &path->prefix.addr;

	if (nlri->len == 0)
		return 0;
	memset(path, 0, sizeof(*path));
	if (nlri->len < head)
		goto malformed;
	path->path_id = nlri->has_path_ids ? bgp_get32(nlri->data) : 0;
	path->prefix.len = nlri->data[head - 1];
	addr->version = nlri->family == BGP_IP4 ? 4 : 6;
	bytes = (path->prefix.len + 7u) / 8;
	if (bytes > (addr->version == 4 ? 4 : 16) || nlri->len - head < bytes ||
			path->prefix.len > (addr->version == 4 ? 32 : 128))
		goto malformed;
	memcpy(addr->bytes, nlri->data + head, bytes);
	/* Bits behind the prefix have no meaning (RFC 4271 section 4.3). */
	path->has_host_bits = fcn_prefix_normalise(&path->prefix);
	nlri->data += head + bytes;
	nlri->len -= head + bytes;
	return 1;

malformed:
	nlri->len = 0;
	return -EBADMSG;
}

/* The prefix at an offset, which has been read before. */
static struct bgp_path
path_at(const struct bgp_nlri *nlri, uint16_t offset)
{
	struct bgp_nlri rest = *nlri;
	struct bgp_path path;

	rest.data += offset;
	rest.len -= offset;
	bgp_nlri_next(&rest, &path);
	return path;
}

static uint32_t
hash(const struct bgp_seen *seen, const struct bgp_path *path)
{
	uint64_t high, low;

	memcpy(&high, path->prefix.addr.bytes, sizeof(high));
	memcpy(&low, path->prefix.addr.bytes + 8, sizeof(low));
	return (uint32_t)(fcn_hash_pair(&seen->key, high, low) ^
			  fcn_hash_other_pair(&seen->key, path->path_id, path->prefix.len));
}

/* Remember the prefix at an offset. @return false: the same was there before */
static bool
remember(struct bgp_seen *seen, const struct bgp_nlri *nlri, uint16_t offset,
		const struct bgp_path *path)
{
	uint32_t at = hash(seen, path) % SLOTS;

	for (; seen->slots[at] >> 16 == seen->turn; at = (at + 1) % SLOTS) {
		const struct bgp_path other = path_at(nlri, (uint16_t)seen->slots[at]);

		if (other.path_id == path->path_id &&
				fcn_prefix_equal(&other.prefix, &path->prefix))
			return false;
	}
	seen->slots[at] = (uint32_t)seen->turn << 16 | offset;
	return true;
}

static void
forget_all(struct bgp_seen *seen)
{
	if (++seen->turn != 0)
		return;
	memset(seen->slots, 0, sizeof(seen->slots));
	seen->turn = 1;
}

/*
 * Check that a field can be read so: all lengths are right, and no prefix repeats.
 * @param exactly   whether bits behind a prefix have to be 0
 * @param below     path identifiers are lower than this one, or it is 0
 */
static bool
can_be_read(struct bgp_seen *seen, struct bgp_nlri nlri, bool has_path_ids, bool exactly,
		uint32_t below)
{
	struct bgp_nlri whole;
	struct bgp_path path;
	int rc;

	nlri.has_path_ids = has_path_ids;
	whole = nlri;
	forget_all(seen);
	for (;;) {
		const uint16_t offset = (uint16_t)(nlri.data - whole.data);

		rc = bgp_nlri_next(&nlri, &path);
		if (rc <= 0)
			return rc == 0;
		if ((exactly && path.has_host_bits) || (below != 0 && path.path_id >= below) ||
				!remember(seen, &whole, offset, &path))
			return false;
	}
}

/* Get the fields of a family that are not empty. @return their number */
static unsigned int
fields_of(struct bgp_update *update, unsigned int family, struct bgp_nlri *fields[FIELDS])
{
	struct bgp_nlri *all[FIELDS] = {&update->withdrawn[0], &update->withdrawn[1],
			&update->reached[0], &update->reached[1]};
	unsigned int n = 0;

	for (unsigned int i = 0; i < FIELDS; i++)
		if (all[i]->len > 0 && all[i]->family == family)
			fields[n++] = all[i];
	return n;
}

int
bgp_update_settle(struct bgp_update *update, const struct bgp_session_options *options,
		struct bgp_seen *seen)
{
	for (unsigned int family = 0; family < BGP_FAMILIES; family++) {
		const enum bgp_path_ids known = options->path_ids[family];
		const bool exactly = options->is_own_table;
		const uint32_t below = known == BGP_PATH_IDS_UNKNOWN ? UNLIKELY_PATH_ID : 0;
		struct bgp_nlri *fields[FIELDS];
		const unsigned int n = fields_of(update, family, fields);
		bool plain = known != BGP_PATH_IDS_YES, with_ids = known != BGP_PATH_IDS_NO;

		for (unsigned int i = 0; i < n; i++) {
			plain = plain && can_be_read(seen, *fields[i], false, exactly, 0);
			with_ids = with_ids && can_be_read(seen, *fields[i], true, exactly, below);
		}
		if (n > 0 && !plain && !with_ids)
			return -EBADMSG;
		if (n > 0 && plain && with_ids)
			return -EAGAIN;
		for (unsigned int i = 0; i < n; i++)
			fields[i]->has_path_ids = with_ids;
	}
	return 0;
}
