/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "test_case.h"

#include "ioam_remove.h"
#include "vectors.h"

#define MAX_HEADERS 8
#define MAX_OPTIONS 4096

/* The extension headers of the outermost packet, and all their options except padding. */
struct header {
	uint8_t proto;
	uint32_t off, len;
	unsigned int first, n; /* options */
	unsigned int n_ioam;
};

struct walk {
	struct header header[MAX_HEADERS];
	unsigned int n;
	uint32_t option[MAX_OPTIONS]; /* offsets */
	unsigned int n_options, n_ioam;
	uint8_t proto; /* protocol behind the headers */
	uint32_t end;
};

static uint32_t
be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

/*
 * Read the options of a header. The headers have to be well-formed, which the code under test
 * ensures.
 */
static void
walk_options(const uint8_t *data, struct walk *w, struct header *h, bool fresh)
{
	uint32_t at = h->off + 2, end = h->off + h->len, pad = 0, pads = 0;

	h->first = w->n_options;
	while (at < end) {
		uint32_t size = data[at] == 0 ? 1 : 2u + data[at + 1];

		assert_true(at + size <= end);
		if (data[at] > 1) {
			assert_true(w->n_options < MAX_OPTIONS);
			w->option[w->n_options++] = at;
			h->n++;
			if (data[at] == 0x31 || data[at] == 0x11)
				h->n_ioam++;
			pad = 0;
			pads = 0;
		} else {
			pad += size;
			pads++;
			/* This holds only for padding that was written anew. */
			if (fresh) {
				assert_true(pads == 1 && pad <= 7);
				for (uint32_t i = 2; i < size; i++)
					assert_int_equal(data[at + i], 0);
			}
		}
		at += size;
	}
	w->n_ioam += h->n_ioam;
}

/*
 * Read the extension headers. @param fresh bit set of the headers that were written anew, by
 * position
 */
static void
walk(const uint8_t *data, uint32_t ip, struct walk *w, unsigned int fresh)
{
	uint32_t limit = ip + 40 + be16(data + ip + 4);

	memset(w, 0, offsetof(struct walk, option));
	w->n_options = w->n_ioam = 0;
	w->proto = data[ip + 6];
	w->end = ip + 40;
	while (w->proto == 0 || w->proto == 43 || w->proto == 60) {
		struct header *h = &w->header[w->n++];

		assert_true(w->n <= MAX_HEADERS && w->end + 8 <= limit);
		h->proto = w->proto;
		h->off = w->end;
		h->len = (data[h->off + 1] + 1u) * 8;
		w->end += h->len;
		assert_true(w->end <= limit);
		if (h->proto != 43)
			walk_options(data, w, h, fresh >> (w->n - 1) & 1);
		w->proto = data[h->off];
	}
}

/* Check that the options are the same, in the same order, each at the same offset modulo 8. */
static void
check_options(const uint8_t *was, const struct walk *before, const struct header *h,
		const uint8_t *now, const struct walk *after, const struct header *k)
{
	unsigned int left = k->first;

	assert_int_equal(k->n, h->n - h->n_ioam);
	for (unsigned int i = h->first; i < h->first + h->n; i++) {
		const uint8_t *p = was + before->option[i], *q;

		if (p[0] == 0x31 || p[0] == 0x11)
			continue;
		q = now + after->option[left++];
		assert_memory_equal(p, q, 2u + p[1]);
		assert_int_equal(
				(uint32_t)(p - was - h->off) % 8, (uint32_t)(q - now - k->off) % 8);
	}
}

/*
 * Check that there is one header for each that had other options than IOAM, and that headers
 * without IOAM options have not changed.
 */
static void
check_headers(const uint8_t *was, const struct walk *before, const uint8_t *now,
		const struct walk *after)
{
	unsigned int k = 0;

	for (unsigned int i = 0; i < before->n; i++) {
		const struct header *h = &before->header[i], *now_h = &after->header[k];

		if (h->n_ioam != 0 && h->n == h->n_ioam)
			continue;
		assert_true(k++ < after->n);
		assert_int_equal(now_h->proto, h->proto);
		if (h->n_ioam == 0) {
			assert_int_equal(now_h->len, h->len);
			assert_memory_equal(now + now_h->off + 1, was + h->off + 1, h->len - 1);
		} else {
			assert_true(now_h->len <= h->len);
			check_options(was, before, h, now, after, now_h);
		}
	}
	assert_int_equal(k, after->n);
	assert_int_equal(after->proto, before->proto);
}

/* Get the bit set of the headers that have to be written anew, by their position afterwards. */
static unsigned int
fresh_headers(const struct walk *before)
{
	unsigned int fresh = 0, k = 0;

	for (unsigned int i = 0; i < before->n; i++) {
		const struct header *h = &before->header[i];

		if (h->n_ioam != 0 && h->n == h->n_ioam)
			continue;
		if (h->n_ioam != 0)
			fresh |= 1u << k;
		k++;
	}
	return fresh;
}

static uint32_t
le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * Get the difference between the ICRC of a packet and the correct one. It is the damage to the
 * packet, which must stay.
 */
static uint32_t
icrc_damage(const uint8_t *data, const struct fcn_wire_info *info, enum fcn_icrc_mode mode)
{
	static const enum ref_mode ref[] = {[FCN_ICRC_SKIP] = REF_SKIP,
			[FCN_ICRC_COVER] = REF_COVER,
			[FCN_ICRC_NORM] = REF_NORM};
	uint32_t end = (uint32_t)info->l3_off + info->ip_len;
	const uint8_t *ip = data + info->inner_l3_off;

	return le32(data + end - 4) ^ ref_icrc(ip, (uint32_t)info->l4_off - info->inner_l3_off,
						      end - info->inner_l3_off, ref[mode]);
}

/*
 * Do the same for the sum over the datagram, which is 0xFFFF, or the equivalent 0, without damage.
 */
static uint32_t
checksum_damage(const uint8_t *data, const struct fcn_wire_info *info)
{
	const uint8_t *ip = data + info->inner_l3_off, *udp = data + info->l4_off;

	return ref_udp_sum(ip + 8, data + info->final_dst_off, 16, udp, be16(udp + 4)) % 0xFFFF;
}

static void
check_roce(const uint8_t *was, const struct fcn_wire_info *before, const uint8_t *now,
		const struct fcn_wire_info *after, enum fcn_icrc_mode mode)
{
	const uint8_t *udp = was + before->l4_off, *now_udp = now + after->l4_off;
	uint32_t len = be16(udp + 4);

	assert_memory_equal(now_udp, udp, 6);
	assert_memory_equal(now_udp + 8, udp + 8, len - 12);
	assert_int_equal(icrc_damage(now, after, mode), icrc_damage(was, before, mode));
	if (be16(udp + 6) == 0 || before->flags & FCN_PKT_TUNNEL)
		assert_memory_equal(now_udp + 6, udp + 6, 2);
	if (be16(udp + 6) == 0)
		return;
	assert_int_not_equal(be16(now_udp + 6), 0);
	assert_int_equal(checksum_damage(now, after), checksum_damage(was, before));
}

/*
 * Check the result of fcn_parse() for the new frame. Without a defect before, it is the same. A
 * defect before may have been removed with the options; the headers that were found then are at the
 * same place.
 */
static void
check_info(const uint8_t *now, uint32_t len, const struct fcn_wire_info *before,
		const struct fcn_wire_info *info)
{
	const uint16_t places = FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_INNER_IPV4 |
				FCN_PKT_IOAM_TRACE | FCN_PKT_IOAM_INVALID | FCN_PKT_HBH |
				FCN_PKT_SRH | FCN_PKT_PROXY;
	struct fcn_wire_info again;

	fcn_parse_slow(now, len, len, &fcn_parse_default_codes, &again);
	if (info->error == FCN_WIRE_OK) {
		assert_memory_equal(info, &again, sizeof(again));
		return;
	}
	assert_int_equal(info->l3_off, again.l3_off);
	assert_int_equal(info->ip_len, again.ip_len);
	/* The parser reaches more headers now if it had met its limits before. */
	if (before->l4_off <= before->inner_l3_off || before->l4_off + 60 > FCN_PARSE_MAX_HEADERS)
		return;
	assert_int_equal(info->flags & places, again.flags & places);
	assert_int_equal(info->inner_l3_off, again.inner_l3_off);
	assert_int_equal(info->l4_off, again.l4_off);
	assert_int_equal(info->ioam_off, again.ioam_off);
	assert_int_equal(info->ioam_len, again.ioam_len);
	assert_int_equal(info->proxy_off, again.proxy_off);
	assert_int_equal(info->final_dst_off, again.final_dst_off);
}

static void
check_stripped(const uint8_t *was, const struct fcn_wire_info *before, const uint8_t *now,
		uint32_t now_len, const struct fcn_wire_info *after, enum fcn_icrc_mode mode)
{
	static struct walk old, new;
	uint32_t ip = before->l3_off, rest;

	walk(was, ip, &old, 0);
	walk(now, ip, &new, fresh_headers(&old));
	assert_int_not_equal(old.n_ioam, 0);
	assert_int_equal(new.n_ioam, 0);
	assert_false(fcn_ioam_has_option(now, now_len, after));
	/* Ethernet and IPv6 but for Payload Length and Next Header. */
	assert_int_equal(after->l3_off, ip);
	assert_memory_equal(now, was, ip + 4);
	assert_memory_equal(now + ip + 7, was + ip + 7, 33);
	assert_int_equal(be16(was + ip + 4) - be16(now + ip + 4), old.end - new.end);
	check_headers(was, &old, now, &new);
	check_info(now, now_len, before, after);

	rest = now_len - new.end;
	if (before->flags & FCN_PKT_ROCE)
		check_roce(was, before, now, after, mode);
	else
		assert_memory_equal(now + new.end, was + old.end, rest);
}

enum fcn_ioam_remove_result
ioam_remove_check(const uint8_t *data, uint32_t len, enum fcn_icrc_mode mode, uint8_t *out,
		uint32_t *out_len)
{
	uint8_t *copy = exact_copy(data, len), *icrc = NULL;
	struct fcn_wire_info before, info;
	enum fcn_ioam_remove_result result;
	uint32_t removed = 0xABCD;
	bool has;

	fcn_parse_slow(copy, len, len, &fcn_parse_default_codes, &before);
	info = before;
	if (info.flags & FCN_PKT_ROCE)
		icrc = copy + info.l3_off + info.ip_len - 4;
	has = fcn_ioam_has_option(copy, len, &info);
	assert_memory_equal(&info, &before, sizeof(info));
	result = fcn_ioam_remove(copy, len, &info, mode, icrc, &removed);
	assert_int_equal(result != FCN_IOAM_REMOVE_NONE, has);
	if (result == FCN_IOAM_REMOVE_DONE) {
		assert_true(removed <= len && removed % 8 == 0);
		check_stripped(data, &before, copy + removed, len - removed, &info, mode);
	} else {
		assert_int_equal(removed, 0);
		assert_memory_equal(copy, data, len);
		assert_memory_equal(&info, &before, sizeof(info));
	}
	if (out != NULL) {
		memcpy(out, copy + removed, len - removed);
		*out_len = len - removed;
	}
	free(copy);
	return result;
}

void
ioam_finish(struct frame *f, enum ref_mode mode, bool checksum)
{
	uint8_t *ip = f->data + f->ip[f->n_ip - 1], *udp = f->data + f->udp;
	uint8_t *icrc = f->data + f->len - 4;
	uint32_t value = ref_icrc(
			ip, (uint32_t)(udp - ip), (uint32_t)(f->data + f->len - ip), mode);
	uint16_t sum;

	for (unsigned int i = 0; i < 4; i++)
		icrc[i] = (uint8_t)(value >> 8 * i);
	udp[6] = 0;
	udp[7] = 0;
	if (!checksum)
		return;
	sum = (uint16_t)~ref_udp_sum(ip + 8, ip + 24, 16, udp, be16(udp + 4));
	if (sum == 0)
		sum = 0xFFFF;
	udp[6] = (uint8_t)(sum >> 8);
	udp[7] = (uint8_t)sum;
}
