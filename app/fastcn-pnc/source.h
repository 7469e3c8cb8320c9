/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Where frames of link-state protocols come from: interfaces of the kernel, by packet sockets that
 * only listen, and captures, also while they are written.
 */

#ifndef PNC_SOURCE_H
#define PNC_SOURCE_H

#include <poll.h>

#include "fcn_pnc_frame.h"
#include "options.h"
#include "pcap_stream.h"

#define SOURCE_MAX (PNC_MAX_INTERFACES + PNC_MAX_CAPTURES)

struct source {
	const char *name;
	int fd;                     /**< -1: not open, or at its end */
	unsigned int ifindex;       /**< of an interface */
	struct pcap_stream *stream; /**< of a capture; NULL: it is an interface */
	bool is_fifo, has_ended;
	bool has_more; /**< bytes were read that are not processed yet */
	int error;     /**< why it is not open, as it was reported */
	uint64_t frames, too_long;
};

struct sources {
	const struct pnc_options *opt;
	struct fcn_pnc_readers readers;
	unsigned int n;
	struct source source[SOURCE_MAX];
};

/** Create the readers and open everything. Errors are written to stderr. @return 0 or -1 */
int sources_open(struct sources *s, const struct pnc_options *opt, const struct fcn_pnc_sink *sink,
		uint64_t secret);
void sources_close(struct sources *s);

/** Write what poll() is to wait for. @param fds SOURCE_MAX of them @return their number */
unsigned int sources_poll(const struct sources *s, struct pollfd *fds);

/**
 * Read a bounded number of frames from each source that has some.
 *
 * @param fds what poll() has found
 * @return 0; -1 if a capture cannot be read, which was written to stderr
 */
int sources_run(struct sources *s, const struct pollfd *fds, uint64_t now_ns);

/** Check whether a source has frames without waiting for poll(). */
bool sources_have_more(const struct sources *s);

/** Once a second: interfaces that have come or gone, and times that are over. */
void sources_tick(struct sources *s, uint64_t now_ns);

/** Check whether all captures were read to their ends. */
bool sources_have_ended(const struct sources *s);

#endif /* PNC_SOURCE_H */
