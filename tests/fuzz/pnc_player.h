/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Plays messages of link-state protocols to readers with few places, and checks what their sink is
 * told. An input is: an octet that selects keys and limits; then messages, each of an octet with
 * what to do, two octets with its length, and its octets. Checksums and lengths of most messages
 * are set right, as otherwise hardly any would be read.
 */

#ifndef PNC_PLAYER_H
#define PNC_PLAYER_H

#include <stddef.h>
#include <stdint.h>

#include "fcn_pnc_frame.h"

#define PLAYER_MAX_MESSAGE 2000

/* What to do with a message. */
#define PLAYER_AS_IT_IS 0x01 /* do not set anything right */
#define PLAYER_VERSION_3 0x02
#define PLAYER_WAIT 0xF0 /* time before it: steps of 100 s */

/**
 * Play an input.
 *
 * @param repair sets checksums and lengths of a message right
 * @param read   reads it
 */
void pnc_play(const uint8_t *data, size_t size,
		void (*repair)(uint8_t *message, size_t len, uint8_t what),
		void (*read)(struct fcn_pnc_readers *readers, const uint8_t *message, size_t len,
				uint8_t what, uint64_t now));

#endif /* PNC_PLAYER_H */
