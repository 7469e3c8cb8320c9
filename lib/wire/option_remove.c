/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "option.h"
#include "option_remove.h"

#define IPV6_LEN 40
#define IPV6_PLEN_OFF 4
#define IPV6_NEXT_OFF 6
#define OPTIONS_OFF 2 /* first option in an options header */

/* One extension header of the outermost packet; offsets count from the start of the frame. */
struct ext {
	uint32_t off;
	uint32_t len;
	uint8_t proto;
	bool found; /* it holds an option that is to be removed */
};

/* The extension headers that can hold such an option, and those in front of them. */
struct chain {
	struct ext ext[FCN_PARSE_MAX_EXT];
	unsigned int n;
	bool found;  /* one of them holds an option that is to be removed */
	bool broken; /* a header is malformed or beyond the bytes given */
};

static inline bool
is_chosen(const struct fcn_option_choice *which, uint8_t type)
{
	return type == which->type[0] || type == which->type[1];
}

/* Get the length of the option at p; 0 when it is longer than the octets that are left. */
static inline uint32_t
option_size(const uint8_t *p, uint32_t left)
{
	if (p[0] == FCN_IPV6_OPT_PAD1)
		return 1;
	if (left < 2 || left - 2 < p[1])
		return 0;
	return 2u + p[1];
}

/* Search options for a chosen one; returns false when one of them runs past the end. */
static bool
scan_options(const struct fcn_option_choice *which, const uint8_t *p, const uint8_t *end,
		bool *found)
{
	uint32_t size;

	for (; p < end; p += size) {
		*found |= is_chosen(which, p[0]);
		size = option_size(p, (uint32_t)(end - p));
		if (size == 0)
			return false;
	}
	return true;
}

/*
 * Check whether a header is skipped in the search. The search stops at Fragment, AH and ESP headers
 * and at the upper layer.
 */
static inline bool
is_walked(uint8_t proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_DSTOPTS || proto == IPPROTO_ROUTING;
}

/*
 * Read the extension headers of the outermost packet. Every field of c is written; of ext, only the
 * first n elements.
 */
static void
read_chain(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info,
		const struct fcn_option_choice *which, struct chain *c)
{
	uint32_t off = info->l3_off + IPV6_LEN;
	uint32_t limit = RTE_MIN(seg_len, (uint32_t)info->l3_off + info->ip_len);
	uint8_t proto;

	c->n = 0;
	c->found = false;
	c->broken = false;
	if (!(info->flags & FCN_PKT_IPV6) || limit < off)
		return;
	for (proto = data[info->l3_off + IPV6_NEXT_OFF]; is_walked(proto);) {
		struct ext *ext = &c->ext[c->n];
		bool found = false;

		if (c->n == FCN_PARSE_MAX_EXT || limit - off < OPTIONS_OFF) {
			c->broken = true;
			return;
		}
		*ext = (struct ext){.off = off, .len = (data[off + 1] + 1u) * 8, .proto = proto};
		if (proto != IPPROTO_ROUTING &&
				!scan_options(which, data + off + OPTIONS_OFF,
						data + RTE_MIN(off + ext->len, limit), &found))
			c->broken = true;
		ext->found = found && (proto == IPPROTO_DSTOPTS || which->hop_by_hop);
		c->found |= ext->found;
		c->n++;
		if (ext->len > limit - off) {
			c->broken = true;
			return;
		}
		proto = data[off];
		off += ext->len;
	}
}

bool
fcn_option_is_there(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info,
		const struct fcn_option_choice *which)
{
	struct chain c;

	read_chain(data, seg_len, info, which, &c);
	return c.found;
}

/*
 * Close the gaps that removed options leave in a header, in place. Each option moves to the front
 * as far as its offset modulo 8 allows, so it never overwrites an option that has still to be
 * moved. Returns the new length of the header, or 0 when only padding is left. mark is an offset in
 * the frame, or 0; it is adjusted if it points into the header.
 */
static uint32_t
rewrite_options(uint8_t *data, const struct ext *ext, const struct fcn_option_choice *which,
		uint16_t *mark)
{
	uint8_t *hdr = data + ext->off;
	uint32_t out = OPTIONS_OFF, place = 0, size, gap;

	for (uint32_t in = OPTIONS_OFF; in < ext->len; in += size) {
		size = option_size(hdr + in, ext->len - in);
		if (hdr[in] == FCN_IPV6_OPT_PAD1 || hdr[in] == FCN_IPV6_OPT_PADN ||
				is_chosen(which, hdr[in]))
			continue;
		gap = (in - out) % 8;
		fcn_option_pad(hdr + out, gap);
		out += gap;
		if (*mark >= ext->off + in && *mark < ext->off + in + size)
			place = *mark - in + out;
		memmove(hdr + out, hdr + in, size);
		out += size;
	}
	if (place != 0)
		*mark = (uint16_t)place;
	if (out == OPTIONS_OFF)
		return 0;
	gap = -out % 8;
	fcn_option_pad(hdr + out, gap);
	out += gap;
	hdr[1] = (uint8_t)(out / 8 - 1);
	return out;
}

/* Adjust an offset that points into a header that is moved. */
static inline void
move_offset(uint16_t *mark, uint32_t from, uint32_t to, uint32_t len)
{
	if (*mark >= from && *mark < from + len)
		*mark = (uint16_t)(*mark - from + to);
}

/*
 * Shorten the headers and move each up to the one behind it, from the last to the first. Returns by
 * how many octets later the packet begins.
 */
static uint32_t
move_headers(uint8_t *data, struct fcn_wire_info *info, const struct chain *c,
		const struct fcn_option_choice *which)
{
	const struct ext *last = &c->ext[c->n - 1];
	uint32_t start = info->l3_off + IPV6_LEN, end = last->off + last->len;
	uint8_t next = data[last->off], *ip = data + info->l3_off;
	uint32_t removed, plen;

	for (unsigned int i = c->n; i-- > 0;) {
		const struct ext *ext = &c->ext[i];
		uint32_t len = ext->len;

		if (ext->found)
			len = rewrite_options(data, ext, which, &info->proxy_off);
		if (len == 0)
			continue;
		end -= len;
		memmove(data + end, data + ext->off, len);
		move_offset(&info->proxy_off, ext->off, end, len);
		move_offset(&info->ioam_off, ext->off, end, len);
		move_offset(&info->final_dst_off, ext->off, end, len);
		data[end] = next;
		next = ext->proto;
	}
	removed = end - start;
	plen = (uint32_t)(ip[IPV6_PLEN_OFF] << 8 | ip[IPV6_PLEN_OFF + 1]) - removed;
	ip[IPV6_PLEN_OFF] = (uint8_t)(plen >> 8);
	ip[IPV6_PLEN_OFF + 1] = (uint8_t)plen;
	ip[IPV6_NEXT_OFF] = next;
	if (removed != 0)
		memmove(data + removed, data, start);
	return removed;
}

/*
 * Adapt the result of the parser. Offsets up to and including the IPv6 header are unchanged,
 * because they count from the new beginning.
 */
static void
update_info(struct fcn_wire_info *info, uint32_t removed, uint8_t next)
{
	uint16_t *const off[] = {&info->inner_l3_off, &info->l4_off, &info->ioam_off,
			&info->proxy_off, &info->final_dst_off};

	info->flags &= ~FCN_PKT_HBH;
	if (next == IPPROTO_HOPOPTS)
		info->flags |= FCN_PKT_HBH;
	for (unsigned int i = 0; i < RTE_DIM(off); i++) {
		if (*off[i] >= info->l3_off + IPV6_LEN)
			*off[i] -= removed;
	}
	info->ip_len -= removed;
}

enum fcn_option_remove_result
fcn_option_remove(uint8_t *data, uint32_t seg_len, struct fcn_wire_info *info,
		const struct fcn_option_choice *which, enum fcn_icrc_mode mode, uint8_t *icrc,
		uint32_t *removed)
{
	uint8_t *ip = data + info->l3_off, *udp = data + info->l4_off;
	/* The ICRC of a packet in a tunnel begins with the inner IP header. */
	bool covered = icrc != NULL &&
		       (info->flags & (FCN_PKT_ROCE | FCN_PKT_TUNNEL)) == FCN_PKT_ROCE;
	uint32_t before = 0;
	struct chain c;

	*removed = 0;
	read_chain(data, seg_len, info, which, &c);
	if (!c.found)
		return FCN_OPTION_REMOVE_NONE;
	if (unlikely(c.broken))
		return FCN_OPTION_REMOVE_FAILED;
	if (covered)
		before = fcn_icrc_headers_register(ip, (uint32_t)(udp - ip), mode);

	*removed = move_headers(data, info, &c, which);
	ip += *removed;
	update_info(info, *removed, ip[IPV6_NEXT_OFF]);
	if (covered)
		fcn_icrc_correct(udp, icrc, mode,
				before ^ fcn_icrc_headers_register(ip, (uint32_t)(udp - ip), mode));
	return FCN_OPTION_REMOVE_DONE;
}
