/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: netlink conversations with the kernel about its routes, as described in
 * netlink_player.h: notifications, answers, losses, errors of the socket, and time. The resulting
 * paths are computed as a whole and by their changes, and both must be equal.
 */

#include "netlink_player.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct netlink_player player;

	netlink_player_open(&player);
	netlink_player_play(&player, data, size);
	netlink_player_apply(&player);
	netlink_player_close(&player);
	return 0;
}
