/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: the parser of frames, with a complete frame and with the first segment of a
 * longer one, followed by the parsers of CNPs and Fast CNPs.
 */

#include <rte_common.h>

#include "fcn_cnp.h"
#include "fcn_fastcnp.h"
#include "fcn_icrc.h"
#include "fcn_parse.h"
#include "fuzz_crc.h"

static void
check_info(const struct fcn_wire_info *info, uint32_t seg_len, uint32_t pkt_len)
{
	require(info->error < FCN_WIRE_ERROR_COUNT);
	require(!fcn_wire_error_is_fatal(info->error) || info->l3_off == 0);
	require(info->l3_off <= info->inner_l3_off);
	if (info->l3_off != 0)
		require((uint32_t)info->l3_off + info->ip_len <= pkt_len);
	if (info->flags & FCN_PKT_TRIMMED)
		require(!(info->flags & (FCN_PKT_ROCE | FCN_PKT_UDP | FCN_PKT_FRAGMENT)) &&
				info->flags & FCN_PKT_ROCE_PORT && info->l4_off != 0);
	if (info->flags & FCN_PKT_ROCE) {
		require((info->flags & (FCN_PKT_UDP | FCN_PKT_ROCE_PORT)) ==
				(FCN_PKT_UDP | FCN_PKT_ROCE_PORT));
		require(!(info->flags & FCN_PKT_FRAGMENT));
		require(info->l4_off + 20u <= seg_len &&
				info->l4_off + 20u <= FCN_PARSE_MAX_HEADERS);
		require(info->l4_off + 24u <= (uint32_t)info->l3_off + info->ip_len);
	}
	if (info->flags & FCN_PKT_IOAM_TRACE)
		require(info->ioam_off + 2u + info->ioam_len <= seg_len && info->ioam_len >= 10);
	if (info->flags & FCN_PKT_PROXY)
		require(info->proxy_off + 16u <= seg_len);
	require(info->final_dst_off == 0 || info->final_dst_off + 16u <= seg_len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fcn_crc32 *crc = fuzz_crc();
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	uint32_t len = (uint32_t)size;
	struct fcn_wire_info info, fast;
	struct fcn_fastcnp fcnp;
	struct fcn_cnp cnp;

	fcn_parse_slow(data, len, len + 300, codes, &info);
	check_info(&info, len, len + 300);
	fcn_parse(data, len, len + 300, codes, &fast);
	require(memcmp(&info, &fast, sizeof(info)) == 0);

	fcn_parse_slow(data, len, len, codes, &info);
	check_info(&info, len, len);
	fcn_parse(data, len, len, codes, &fast);
	require(memcmp(&info, &fast, sizeof(info)) == 0);

	fcn_cnp_parse(crc, data, &info, &cnp);
	for (int mode = FCN_ICRC_SKIP; mode <= FCN_ICRC_ANY; mode++) {
		enum fcn_wire_error e = fcn_fastcnp_parse(
				crc, mode, data, len, &info, codes, &fcnp);

		if (e == FCN_WIRE_OK && fcnp.option == 2)
			require(fcnp.trace >= data && fcnp.trace + fcnp.trace_len <= data + len);
	}
	return 0;
}
