/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Readers of routing protocols under test: their sink is a list of prefixes, and frames come from
 * tests/data/pnc-messages.txt or from the builder.
 */

#ifndef PNC_UTIL_H
#define PNC_UTIL_H

#include "fcn_test.h"

#include "pnc_build.h"
#include "fcn_pnc_frame.h"

#define SECOND UINT64_C(1000000000)
#define MINUTE (60 * SECOND)

/** What the sink has been told. */
struct told {
	struct fcn_pnc_prefix *known;
	uint32_t n;
	uint32_t max;
	uint64_t adds;
	uint64_t removes;
};

struct bench {
	struct fcn_pnc_readers readers;
	struct told told;
};

/** The readers of a test, and what they told. */
extern struct bench bench;

/** Create all three readers with these limits (NULL: the default) and keys (NULL: none), instead of
 * those that the test had before. */
void pnc_setup(const struct fcn_pnc_limits *limits, const struct fcn_pnc_auth *auth);

/** Create them with router IDs that are addresses. */
void pnc_setup_ids(void);

/** Create them with other code points. */
void pnc_setup_codes(uint8_t flags_sub_tlv, uint8_t flag_bit);

/** Create them with a code of END.CON and these limits (NULL: the default). */
void pnc_setup_endcon(uint16_t code, const struct fcn_pnc_limits *limits);

/** Free them: then there are none. */
void pnc_teardown(void);

int pnc_teardown_bench(void **state);

/** For TEST_FIXTURE(): behind each test its readers are gone. */
#define PNC_TEST .teardown = pnc_teardown_bench

/** Octets of a frame by its name in tests/data/pnc-messages.txt. */
const uint8_t *pnc_frame_named(const char *name, size_t *len);

/** Number of frames in that file, and the n-th of them. */
unsigned int pnc_n_frames(void);
const uint8_t *pnc_frame_number(unsigned int n, size_t *len, const char **name);

/** Read a frame of that file, or any other one, on link 1. */
enum fcn_pnc_frame pnc_read(const char *name, uint64_t now);
enum fcn_pnc_frame pnc_read_bytes(const void *frame, size_t len, uint64_t now);

/** Build a message and read it. */
void pnc_read_built(const struct pnc_build *message, uint64_t now);

/** Address of the proxy of a prefix as text; "" when the prefix is not known. */
const char *pnc_proxy(const char *prefix);

/** What was told of an END.CON SID; NULL when it is not known. */
const struct fcn_pnc_prefix *pnc_endcon(const char *sid);

/** Seconds from a time to the end of a prefix. */
uint64_t pnc_left(const char *prefix, uint64_t now);

/** A counter of a protocol's reader. */
uint64_t pnc_count(enum fcn_pnc_protocol protocol, enum fcn_pnc_counter counter);

/** State of a protocol's reader. */
struct fcn_pnc_state pnc_state(enum fcn_pnc_protocol protocol);

/** A prefix for the builder, with the capability. */
struct pnc_build_prefix pnc_prefix(const char *prefix);

/** A message for the builder, of system or router 192.0.2.n. */
struct pnc_build pnc_message(enum fcn_pnc_protocol protocol, uint8_t n, uint32_t sequence);

#endif /* PNC_UTIL_H */
