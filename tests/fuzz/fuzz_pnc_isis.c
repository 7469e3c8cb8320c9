/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * LSPs to the reader of IS-IS. The input is that of pnc_player.h; messages begin with the
 * discriminator. Those with the bit PLAYER_VERSION_3 are whole frames instead.
 */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "pnc_player.h"
#include "fuzz.h"

static void
repair(uint8_t *m, size_t len, uint8_t what)
{
	if (len < 27 || (what & PLAYER_VERSION_3) != 0)
		return;
	m[0] = 0x83;
	m[1] = 27;
	m[2] = 1;
	m[3] = 0;
	m[4] = m[4] & 1 ? 18 : 20;
	m[5] = 1;
	fcn_put_be16(m + 8, (uint16_t)len);
	/* Few systems, no pseudonodes, few fragments. */
	memset(m + 12, 0, 5);
	m[17] &= 3;
	m[18] = 0;
	m[19] &= 3;
	fletcher_write(m + 12, len - 12, 12);
}

static void
read_one(struct fcn_pnc_readers *r, const uint8_t *m, size_t len, uint8_t what, uint64_t now)
{
	if (what & PLAYER_VERSION_3)
		fcn_pnc_frame_input(r, what, m, len, now);
	else
		fcn_pnc_isis_input(r->isis, m, len, now);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pnc_play(data, size, repair, read_one);
	return 0;
}
