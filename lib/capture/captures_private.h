/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Structures that the files of lib/capture share. The control thread starts and stops captures
 * (fcn_capture_control.c) and shows them (captures_show.c). The writer moves packets from the rings
 * of the workers to files (captures_writer.c).
 */

#ifndef CAPTURES_PRIVATE_H
#define CAPTURES_PRIVATE_H

#include <pthread.h>

#include "capture_file.h"
#include "fcn_capture_control.h"

#define FCN_CAPTURES_LINE_LEN 600

enum fcn_captures_state {
	FCN_CAPTURE_FREE,    /* the place is not in use */
	FCN_CAPTURE_TAPPED,  /* workers copy packets for it */
	FCN_CAPTURE_CLOSING, /* workers have stopped copying, and the writer completes the file */
	FCN_CAPTURE_ENDED,   /* the file is complete or has failed */
};

/* One capture. */
struct fcn_captured {
	enum fcn_captures_state state; /* under the lock */
	struct fcn_capture_file *file;
	struct fcn_tap_counts counts; /* from FCN_CAPTURE_CLOSING on */
	/* for the control thread alone */
	uint64_t order; /* increases with each capture */
	char *port, *what, *filter_text;
	uint32_t snaplen;
	struct bpf_program filter;
	bool has_filter;
};

struct fcn_captures {
	struct fcn_control *ctl;
	uint32_t units;
	uint64_t started; /* number of captures ever started */
	bool threaded;
	bool has_thread;
	pthread_t thread;
	struct fcn_capture_reader reader[FCN_MAX_WORKERS]; /* for the writer alone */
	unsigned int n_readers;                            /* 0 until there are rings */
	struct fcn_capture_ports known;                    /* the writer's copy of `ports` */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* the writer has something to do, or has done it */
	bool ending;
	struct fcn_capture_ports ports;
	struct fcn_captured capture[FCN_CAPTURE_MAX];
};

/** Read the state of a capture under the lock. */
enum fcn_captures_state fcn_captures_state(struct fcn_captures *cs, const struct fcn_captured *c);

/** Start the writer thread if the program uses one and it does not run yet. @return 0 or a negative
 * errno */
int fcn_captures_need_thread(struct fcn_captures *cs);
/** Write what is in the rings. The caller holds the lock, which is released while files are
 * written.
 * @return whether there was anything to do */
bool fcn_captures_write_turn(struct fcn_captures *cs);
/**
 * Wait until the writer has completed the file. This is bounded by the time to write what is in the
 * rings, and by the time that the reader of a pipe may take.
 */
void fcn_captures_await_end(struct fcn_captures *cs, const struct fcn_captured *c);

/** Describe how a capture failed. @return whether it did */
bool fcn_captures_failure(const struct fcn_captured *c, char line[FCN_CAPTURES_LINE_LEN]);

#endif /* CAPTURES_PRIVATE_H */
