/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Frames of a capture that comes as a stream of bytes, in the formats pcap and pcapng, of either
 * byte order. Only frames of Ethernet are taken. A reader of files from start to end would wait for
 * the rest of what a pipe brings in pieces; this one does not.
 */

#ifndef PNC_PCAP_STREAM_H
#define PNC_PCAP_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCAP_STREAM_SIZE 524288   /**< twice the maximum length of a record or block, in bytes */
#define PCAP_STREAM_INTERFACES 64 /**< interfaces of a pcapng section that are read */

enum pcap_stream_format {
	PCAP_STREAM_UNKNOWN,
	PCAP_STREAM_PCAP,
	PCAP_STREAM_PCAPNG,
};

struct pcap_stream {
	enum pcap_stream_format format;
	bool is_swapped; /**< numbers have the other byte order */
	uint32_t n_interfaces;
	bool is_ethernet[PCAP_STREAM_INTERFACES];
	size_t used, taken; /**< of the buffer: filled, and processed */
	uint8_t buffer[PCAP_STREAM_SIZE];
};

/** Begin. */
void pcap_stream_init(struct pcap_stream *s);

/** Get the room for further bytes. @param room is set to its size @return where they go */
uint8_t *pcap_stream_room(struct pcap_stream *s, size_t *room);

/** Note that bytes were written into the room. */
void pcap_stream_filled(struct pcap_stream *s, size_t len);

/**
 * Take the next frame.
 *
 * @param frame is set; valid until the next call
 * @param interface number of its interface in a pcapng section, else 0
 * @return 1; 0: more bytes are needed; -EBADMSG: this is no capture, or it is damaged; -ENOTSUP: it
 *         is one of another link type than Ethernet
 */
int pcap_stream_next(
		struct pcap_stream *s, const uint8_t **frame, size_t *len, uint32_t *interface);

#endif /* PNC_PCAP_STREAM_H */
