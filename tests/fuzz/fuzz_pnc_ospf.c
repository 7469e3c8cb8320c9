/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Link State Updates to the readers of OSPFv2 and OSPFv3. The input is that of pnc_player.h;
 * messages begin with the OSPF header.
 */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "ospf.h"
#include "pnc_player.h"
#include "fuzz.h"

static const uint8_t ip6[40] = {0x60, [6] = 89, [7] = 1, [8] = 0xFE, [9] = 0x80, [23] = 1,
		[24] = 0xFF, [25] = 2, [39] = 5};

static void
repair_lsas(uint8_t *m, size_t at, size_t len)
{
	while (len - at >= OSPF_LSA_HEADER) {
		size_t n = fcn_get_be16(m + at + 18);

		if (n < OSPF_LSA_HEADER || n > len - at) {
			n = len - at;
			fcn_put_be16(m + at + 18, (uint16_t)n);
		}
		/* Few routers. */
		memset(m + at + 8, 0, 3);
		m[at + 11] &= 3;
		fletcher_write(m + at + 2, n - 2, 14);
		at += n;
	}
}

static void
repair(uint8_t *m, size_t len, uint8_t what)
{
	const bool is_v3 = (what & PLAYER_VERSION_3) != 0;
	const size_t header = is_v3 ? OSPF3_HEADER : OSPF2_HEADER;
	uint8_t pseudo[40] = {0};
	uint32_t sum;

	if (len < header + 4)
		return;
	m[0] = is_v3 ? 3 : 2;
	m[1] = OSPF_TYPE_UPDATE;
	fcn_put_be16(m + 2, (uint16_t)len);
	repair_lsas(m, header + 4, len);
	fcn_put_be16(m + 12, 0);
	if (is_v3) {
		memcpy(pseudo, ip6 + 8, 32);
		fcn_put_be32(pseudo + 32, (uint32_t)len);
		pseudo[39] = 89;
		sum = (uint16_t)~ospf_checksum(0, pseudo, sizeof(pseudo));
		fcn_put_be16(m + 12, ospf_checksum(sum, m, len));
		return;
	}
	sum = (uint16_t)~ospf_checksum(0, m, 16);
	fcn_put_be16(m + 12, ospf_checksum(sum, m + OSPF2_HEADER, len - OSPF2_HEADER));
}

static void
read_one(struct fcn_pnc_readers *r, const uint8_t *m, size_t len, uint8_t what, uint64_t now)
{
	if (what & PLAYER_VERSION_3)
		fcn_pnc_ospf3_input(r->ospf3, what & 4, ip6, m, len, now);
	else
		fcn_pnc_ospf_input(r->ospf, what & 4, m, len, now);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pnc_play(data, size, repair, read_one);
	return 0;
}
