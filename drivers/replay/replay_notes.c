/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The interface and the direction of a packet are known when its block is read, and libpcap hands
 * the packet out later. Notes wait in a ring, which is as long as libpcap reads ahead.
 */

#include <stdlib.h>
#include <string.h>

#include "replay_impl.h"

#define FIRST_ROOM 256
#define INTERFACES 4096 /* of a file; what is behind them is not noted */

/* Copy a name, which anybody may have written: what is not printable ASCII becomes '?'. */
static void
copy_name(char *to, size_t room, const char *name, size_t len)
{
	size_t i = 0;

	for (; i < len && i < room - 1 && name[i] != '\0'; i++)
		to[i] = name[i] > ' ' && name[i] < 0x7F ? name[i] : '?';
	to[i] = '\0';
}

static void
note_interface(void *arg, const char *name, size_t len, uint64_t bps)
{
	struct replay_notes *notes = arg;
	struct fcn_replay_interface *found;

	if (notes->n_interfaces == INTERFACES)
		notes->lost = true;
	if (notes->lost)
		return;
	found = calloc(1, sizeof(*found));
	if (notes->n_interfaces == notes->interface_room) {
		const size_t room = 2 * notes->interface_room + 8;
		struct fcn_replay_interface **more = realloc(
				notes->interface, room * sizeof(struct fcn_replay_interface *));

		if (more == NULL) {
			notes->lost = true;
			free(found);
			return;
		}
		notes->interface = more;
		notes->interface_room = room;
	}
	if (found == NULL) {
		notes->lost = true;
		return;
	}
	found->number = notes->n_interfaces;
	found->bps = bps;
	copy_name(found->name, sizeof(found->name), name, len);
	notes->interface[notes->n_interfaces++] = found;
}

/* Double the room of the ring, which is full. */
static bool
grow(struct replay_notes *notes)
{
	const size_t room = notes->room != 0 ? 2 * notes->room : FIRST_ROOM;
	struct replay_note *ring = malloc(room * sizeof(*ring));

	if (ring == NULL)
		return false;
	for (size_t i = 0; i < notes->n; i++)
		ring[i] = notes->ring[(notes->first + i) % notes->room];
	free(notes->ring);
	notes->ring = ring;
	notes->room = room;
	notes->first = 0;
	return true;
}

static void
note_packet(void *arg, uint32_t interface, uint32_t direction)
{
	struct replay_notes *notes = arg;

	if (notes->lost || (notes->n == notes->room && !grow(notes))) {
		notes->lost = true;
		return;
	}
	notes->ring[(notes->first + notes->n++) % notes->room] = (struct replay_note){
			interface, direction};
}

struct fcn_capture_watch
replay_notes_watch(struct replay_notes *notes)
{
	return (struct fcn_capture_watch){notes, note_interface, note_packet};
}

const struct fcn_replay_interface *
replay_notes_next(struct replay_notes *notes, uint32_t *direction)
{
	struct replay_note note;

	*direction = FCN_CAPTURE_NO_DIRECTION;
	if (notes->lost || notes->n == 0)
		return NULL;
	note = notes->ring[notes->first];
	notes->first = (notes->first + 1) % notes->room;
	notes->n--;
	*direction = note.direction;
	return note.interface < notes->n_interfaces ? notes->interface[note.interface] : NULL;
}

void
replay_notes_free(struct replay_notes *notes)
{
	for (size_t i = 0; i < notes->n_interfaces; i++)
		free(notes->interface[i]);
	free(notes->interface);
	free(notes->ring);
}
