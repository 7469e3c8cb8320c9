/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: conversations with the kernel about its routes, as netlink_player.h describes
 * them: changes, answers, what is lost, errors of the socket, and time. What was kept of them is
 * listed whole and by its changes, and both are to be the same.
 */

#include <stdint.h>

#include "netlink_player.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct netlink_player player;

	netlink_player_open(&player);
	netlink_player_play(&player, data, size);
	netlink_player_take(&player);
	netlink_player_close(&player);
	return 0;
}
