/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: IOAM options taken out of a frame, the option with the address of a proxy put
 * in and taken out, a node's data added to a trace, MAC Control frames. The first two octets say
 * how, the others are the bytes.
 */

#include <rte_common.h>

#include "fcn_ioam.h"
#include "fcn_ioam_remove.h"
#include "fcn_parse.h"
#include "fcn_pfc.h"
#include "fcn_proxy_option.h"
#include "fuzz.h"

static void
fuzz_mac_control(const uint8_t *data, uint32_t len)
{
	struct fcn_mac_control mc, again;
	uint8_t buf[FCN_PFC_FRAME_LEN];

	fcn_mac_control_parse(data, len, &mc);
	if (mc.type != FCN_MAC_CONTROL_IS_PFC && mc.type != FCN_MAC_CONTROL_IS_PAUSE) {
		require(mc.priorities == 0);
		return;
	}
	if (mc.type == FCN_MAC_CONTROL_IS_PAUSE) /* the switch does not send these */
		return;
	fcn_pfc_build(buf, &fcn_mac_control_addr, mc.priorities, mc.quanta);
	fcn_mac_control_parse(buf, sizeof(buf), &again);
	require(again.type == mc.type && again.priorities == mc.priorities);
	require(memcmp(again.quanta, mc.quanta, sizeof(mc.quanta)) == 0);
}

static void
fuzz_trace(const uint8_t *data, uint32_t len, uint8_t how)
{
	static const uint8_t schema[4 * FCN_IOAM_MAX_SCHEMA_WORDS];
	struct fcn_ioam_node node = {.schema = schema, .schema_words = how & 63};
	uint8_t *hdr = fuzz_exact(data, len);
	struct fcn_ioam_trace before, after;
	enum fcn_ioam_write result;
	uint16_t delay_off;

	result = fcn_ioam_trace_write(hdr, len, &node, &delay_off);
	require((fcn_ioam_trace_parse(data, len, &before) == FCN_WIRE_OK) ==
			(result != FCN_IOAM_MALFORMED));
	if (result == FCN_IOAM_MALFORMED || result == FCN_IOAM_OVERFLOW_BEFORE) {
		require(len == 0 || memcmp(hdr, data, len) == 0);
	} else {
		require(fcn_ioam_trace_parse(hdr, len, &after) == FCN_WIRE_OK);
		require(after.type == before.type && after.node_len == before.node_len);
		require(after.words == before.words && after.namespace_id == before.namespace_id);
	}
	if (result == FCN_IOAM_WRITTEN) {
		require(after.flags == before.flags);
		require(after.remaining_len < before.remaining_len);
		require(delay_off == 0 || delay_off + 4u <= len);
	} else if (result == FCN_IOAM_OVERFLOW_SET) {
		require(after.flags == (before.flags | FCN_IOAM_FLAG_OVERFLOW));
		require(after.remaining_len == before.remaining_len);
	}
	free(hdr);
}

/* seg_len bytes of the frame at data, the others in segments behind. */
static void
fuzz_edge(const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, enum fcn_icrc_mode mode)
{
	uint8_t icrc[4] = {1, 2, 3, 4}, *end = icrc, *frame = fuzz_exact(data, seg_len);
	struct fcn_wire_info info, before, again;
	enum fcn_ioam_remove_result result;
	uint32_t removed;
	bool has;

	fcn_parse_slow(frame, seg_len, pkt_len, &fcn_parse_default_codes, &info);
	before = info;
	if (info.flags & FCN_PKT_ROCE && (uint32_t)info.l3_off + info.ip_len <= seg_len)
		end = frame + info.l3_off + info.ip_len - 4;
	has = fcn_ioam_has_option(frame, seg_len, &info);
	result = fcn_ioam_remove(frame, seg_len, &info, mode,
			info.flags & FCN_PKT_ROCE ? end : NULL, &removed);
	require(has == (result != FCN_IOAM_REMOVE_NONE));
	if (result == FCN_IOAM_REMOVE_DONE) {
		require(removed % 8 == 0 && removed + info.l3_off + 40u <= seg_len);
		fcn_parse_slow(frame + removed, seg_len - removed, pkt_len - removed,
				&fcn_parse_default_codes, &again);
		require(again.ip_len == info.ip_len && again.l3_off == info.l3_off);
		require(!fcn_ioam_has_option(frame + removed, seg_len - removed, &again));
		/* Ports of TCP that were beyond what the parser reads. */
		if (before.l4_off + 4u > FCN_PARSE_MAX_HEADERS) {
			again.src_port = info.src_port;
			again.dst_port = info.dst_port;
		}
		if (info.error == FCN_WIRE_OK)
			require(memcmp(&again, &info, sizeof(info)) == 0);
	} else {
		require(removed == 0);
		require(seg_len == 0 || memcmp(frame, data, seg_len) == 0);
		require(memcmp(&info, &before, sizeof(info)) == 0);
	}
	free(frame);
}

/*
 * Insert the option with the address of a proxy, and remove it. Where it can be inserted, the
 * packet is one without defects that the parser reads, and so it is afterwards.
 */
static void
fuzz_proxy(const uint8_t *data, uint32_t len, enum fcn_icrc_mode mode)
{
	static const uint8_t proxy[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 3};
	const uint8_t type = fcn_parse_default_codes.proxy_addr;
	struct fcn_wire_info info, before, again;
	struct fcn_proxy_option_place place;
	uint8_t *frame = fuzz_exact(data, len), *icrc = NULL;
	uint32_t removed, from, end;

	fcn_parse_slow(frame, len, len, &fcn_parse_default_codes, &before);
	info = before;
	if (fcn_proxy_option_find_place(frame, len, &info, type, &place) == FCN_PROXY_OPTION_FITS) {
		free(frame);
		frame = malloc(len + place.growth);
		require(frame != NULL && (place.growth == 16 || place.growth == 24));
		memcpy(frame + place.growth, data, len);
		if (info.flags & FCN_PKT_ROCE)
			icrc = frame + place.growth + info.l3_off + info.ip_len - 4;
		fcn_proxy_option_insert(frame, &info, &place, type, proxy, mode, icrc);
		len += place.growth;
		fcn_parse_slow(frame, len, len, &fcn_parse_default_codes, &again);
		require(memcmp(&again, &info, sizeof(info)) == 0 && info.error == FCN_WIRE_OK);
		require(memcmp(frame + info.proxy_off, proxy, sizeof(proxy)) == 0);
		require(fcn_proxy_option_remove(frame, len, &info, type, mode, icrc, &removed));
		/* Padding between other options of the header may become shorter, too. */
		require(removed >= place.growth && info.ip_len + removed == again.ip_len);
		require(!(info.flags & FCN_PKT_PROXY));
		/* The ICRC may cover such padding, and the UDP checksum covers the ICRC. */
		from = info.flags & FCN_PKT_ROCE ? 8 : 0;
		end = info.l3_off + info.ip_len - (info.flags & FCN_PKT_ROCE ? 4 : 0);
		require(memcmp(frame + removed + info.l4_off + from, data + before.l4_off + from,
					end - info.l4_off - from) == 0);
	} else if (fcn_proxy_option_remove(frame, len, &info, type, mode,
				   info.flags & FCN_PKT_ROCE ? frame + info.l3_off + info.ip_len - 4
							     : NULL,
				   &removed)) {
		require(!fcn_proxy_option_is_there(frame + removed, len - removed, &info, type));
	} else {
		require(removed == 0 && memcmp(frame, data, len) == 0);
	}
	free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len = (uint32_t)size;

	if (len < 2)
		return 0;
	len -= 2;
	fuzz_mac_control(data + 2, len);
	fuzz_trace(data + 2, len, data[1]);
	fuzz_proxy(data + 2, len, data[0] % 3);
	fuzz_edge(data + 2, len, len, data[0] % 3);
	fuzz_edge(data + 2, len, len + data[1], data[0] % 3);
	return 0;
}
