/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of captures.h share: the control thread starts and stops captures
 * (captures.c) and shows them (captures_show.c); the writer takes packets from the
 * workers' rings to files (captures_writer.c).
 */

#ifndef CAPTURES_PRIVATE_H
#define CAPTURES_PRIVATE_H

#include <pthread.h>

#include "capture_file.h"
#include "fcn_captures.h"

#define FCN_CAPTURES_LINE_LEN 600

enum fcn_captures_state {
	FCN_CAPTURE_FREE,
	FCN_CAPTURE_TAPPED,  /* workers have its tap */
	FCN_CAPTURE_CLOSING, /* they have not, and the writer ends the file */
	FCN_CAPTURE_ENDED,   /* the writer has nothing to do with it any more */
};

struct fcn_captured {
	enum fcn_captures_state state; /* locked */
	struct fcn_capture_file *file;
	struct fcn_tap_counts counts; /* from FCN_CAPTURE_CLOSING on */
	/* control's alone */
	uint64_t order;
	char *port, *what, *filter_text;
	uint32_t snaplen;
	struct bpf_program filter;
	bool has_filter;
};

struct fcn_captures {
	struct fcn_control *ctl;
	uint32_t units;
	uint64_t started; /* captures ever */
	bool threaded;
	bool has_thread;
	pthread_t thread;
	struct fcn_capture_reader reader[FCN_MAX_WORKERS]; /* the writer's */
	unsigned int n_readers;                            /* 0 until there are rings */
	struct fcn_capture_ports known;                    /* the writer's copy of the ports */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* something for the writer to do, or done by it */
	bool ending;
	struct fcn_capture_ports ports;
	struct fcn_captured capture[FCN_CAPTURE_MAX];
};

enum fcn_captures_state fcn_captures_state(struct fcn_captures *cs, const struct fcn_captured *c);

/** There is one from the first capture on, where there are threads. @return 0, negative errno */
int fcn_captures_need_thread(struct fcn_captures *cs);
/** Locked; is not while it writes. @return whether there was anything to do */
bool fcn_captures_write_turn(struct fcn_captures *cs);
/**
 * Until the writer is through with it. Bounded: as long as it takes to write what is in the ring,
 * and a pipe's reader may take.
 */
void fcn_captures_await_end(struct fcn_captures *cs, const struct fcn_captured *c);

/** @return whether it failed, and how */
bool fcn_captures_failure(const struct fcn_captured *c, char line[FCN_CAPTURES_LINE_LEN]);

#endif /* CAPTURES_PRIVATE_H */
