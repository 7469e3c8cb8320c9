/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A capture that comes as a stream, as fastcn-pnc reads it. The first byte says how long the pieces
 * are in which it comes; the others are the capture. Whatever the pieces are, the frames are those
 * of the whole.
 */

#include <errno.h>

#include "pcap_stream.h"
#include "fuzz.h"

/* What was read of a capture. */
struct outcome {
	uint64_t frames, bytes, sum;
	int end; /* what the last call returned */
};

/* Read the frames that are there. */
static void
read_frames(struct pcap_stream *s, struct outcome *o)
{
	const uint8_t *frame;
	uint32_t interface;
	size_t len;

	while ((o->end = pcap_stream_next(s, &frame, &len, &interface)) == 1) {
		require(frame >= s->buffer && len <= s->used && frame + len <= s->buffer + s->used);
		require(s->taken <= s->used && s->used <= sizeof(s->buffer));
		o->frames++;
		o->bytes += len;
		o->sum = o->sum * 31 + interface;
		for (size_t i = 0; i < len; i++)
			o->sum = o->sum * 31 + frame[i];
	}
	require(o->end == 0 || o->end == -EBADMSG || o->end == -ENOTSUP);
}

static struct outcome
read_in_pieces(struct pcap_stream *s, const uint8_t *data, size_t size, size_t piece)
{
	struct outcome o = {0};

	pcap_stream_init(s);
	while (size != 0 && o.end == 0) {
		size_t room, n = piece < size ? piece : size;
		uint8_t *to = pcap_stream_room(s, &room);

		require(room != 0); /* a reader that takes nothing more and says nothing is stuck */
		n = n < room ? n : room;
		memcpy(to, data, n);
		pcap_stream_filled(s, n);
		data += n;
		size -= n;
		read_frames(s, &o);
	}
	return o;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pcap_stream *whole, *pieces;
	struct outcome a, b;

	if (whole == NULL) {
		whole = malloc(sizeof(*whole));
		pieces = malloc(sizeof(*pieces));
		require(whole != NULL && pieces != NULL);
	}
	if (size == 0)
		return 0;
	a = read_in_pieces(whole, data + 1, size - 1, SIZE_MAX);
	b = read_in_pieces(pieces, data + 1, size - 1, 1u + data[0]);
	require(a.frames == b.frames && a.bytes == b.bytes && a.sum == b.sum && a.end == b.end);
	return 0;
}
