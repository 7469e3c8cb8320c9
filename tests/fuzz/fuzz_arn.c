/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: Adaptive Routing Notifications, as a packet from the IPv6 header on, and the
 * octets behind its UDP header as a message, whatever lengths and checksum say.
 */

#include "fcn_arn.h"
#include "fuzz.h"

#define HEADERS_LEN 48 /* IPv6, UDP */

/* A message that was read, written again, is read as the same. */
static void
check(const struct fcn_arn *arn)
{
	static const uint8_t src[16] = {0x20, 1}, dst[16] = {0x20, 2};
	uint8_t buf[FCN_ARN_MAX_PACKET_LEN];
	struct fcn_arn again;
	uint32_t len;

	if (fcn_arn_check_parameters(arn) == FCN_ARN_OK && !fcn_arn_is_end(arn))
		require(fcn_arn_time_ns(arn) > 0);
	len = fcn_arn_build(arn, src, dst, 1022, buf, sizeof(buf));
	require(len >= HEADERS_LEN + FCN_ARN_HEADER_LEN && len <= sizeof(buf));
	require(fcn_arn_parse(buf, 40, len, &again) == FCN_ARN_OK);
	require(memcmp(&again, arn, sizeof(again)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len = (uint32_t)size;
	struct fcn_arn arn;
	uint8_t *p;

	if (len < 40)
		return 0;
	if (fcn_arn_parse(data, 40, len, &arn) == FCN_ARN_OK)
		check(&arn);
	fcn_arn_parse(data, 40 + data[39], len, &arn);
	if (len < HEADERS_LEN)
		return 0;
	p = fuzz_exact(data + HEADERS_LEN, len - HEADERS_LEN);
	if (fcn_arn_read(p, len - HEADERS_LEN, &arn) == FCN_ARN_OK)
		check(&arn);
	free(p);
	return 0;
}
