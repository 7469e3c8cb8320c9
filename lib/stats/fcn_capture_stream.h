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

#include <stdio.h>

/**
 * Read a capture as if it had been captured without FCS.
 *
 * @param in stream that was opened for reading and of which nothing was read yet; the result owns
 *           it, and closes it when it is closed itself. It need not be a regular file
 * @return a stream of the same format, in which no frame has the FCS that the capture says it has;
 *         whatever else is in the file, also what is no capture at all, is read unchanged. NULL
 *         when there is no memory: `in` is as it was
 */
FILE *fcn_capture_stream(FILE *in);

#endif /* FCN_CAPTURE_STREAM_H */
