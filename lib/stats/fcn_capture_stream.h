/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Capture files without frame check sequences. Some captures hold the FCS of each frame and say so:
 * pcap in the word of the link type (draft-ietf-opsawg-pcap section 4), pcapng by the option
 * if_fcslen of an interface or by the flags of a packet (draft-ietf-opsawg-pcapng sections 4.2 and
 * 4.3.1). libpcap hands it out as the last octets of the frame, which it is not for a switch.
 */

#ifndef FCN_CAPTURE_STREAM_H
#define FCN_CAPTURE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Where a frame was captured, as the flags of a packet in pcapng say. */
enum fcn_capture_direction {
	FCN_CAPTURE_NO_DIRECTION, /**< the file does not say it */
	FCN_CAPTURE_INBOUND,      /**< the interface received it */
	FCN_CAPTURE_OUTBOUND,     /**< the interface sent it */
};

/**
 * What libpcap does not tell about a pcapng file. The functions are called while the stream is
 * read, which is ahead of what the reader has got so far: the calls of packet() are one for each
 * packet, in the order of the packets. Either function may be NULL.
 */
struct fcn_capture_watch {
	void *arg; /**< first argument of both */
	/**
	 * An interface; the first one of the file has number 0, also in files of several sections.
	 *
	 * @param name option if_name, of len bytes and without NUL
	 * @param bps  option if_speed in bits per second; 0: the file does not say it
	 */
	void (*interface)(void *arg, const char *name, size_t len, uint64_t bps);
	/** A packet. @param direction enum fcn_capture_direction, or 3, which is not defined */
	void (*packet)(void *arg, uint32_t interface, uint32_t direction);
};

/**
 * Read a capture as if it had been captured without FCS. The limits of the interfaces of a pcapng
 * file for the length of what they capture are left out, too.
 *
 * @param in    stream that was opened for reading, without a buffer (setvbuf()), and of which
 *              nothing was read yet, or one octet that was put back; the result owns it, and closes
 * it when it is closed itself. It need not be a regular file
 * @param watch copied; NULL: none
 * @return a stream of the same format, in which no frame has the FCS that the capture says it has;
 *         whatever else is in the file, also what is no capture at all, is read unchanged. NULL
 *         when there is no memory: `in` is as it was
 */
FILE *fcn_capture_stream(FILE *in, const struct fcn_capture_watch *watch);

#endif /* FCN_CAPTURE_STREAM_H */
