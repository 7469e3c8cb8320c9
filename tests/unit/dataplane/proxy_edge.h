/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Frames with the option that names a proxy, at the edges of the domain.
 */

#ifndef PROXY_EDGE_H
#define PROXY_EDGE_H

#include "ioam_remove.h"
#include "testbed.h"

#define OPTION_LEN 24
#define OPTION_AT (14 + 40) /* of its header in a frame without tags */

/** The header with the option as it is expected behind the IPv6 header of a UDP packet. The file
 * that includes this says which it is. */
static const uint8_t header[OPTION_LEN];

/** Make the same packet with the option. */
static inline void
make_with(struct frame *f, const struct frame *without)
{
	*f = *without;
	memmove(f->data + OPTION_AT + OPTION_LEN, f->data + OPTION_AT, f->len - OPTION_AT);
	memcpy(f->data + OPTION_AT, header, OPTION_LEN);
	f->len += OPTION_LEN;
	f->udp += OPTION_LEN;
	f->data[14 + 6] = 60;
	frame_finish(f);
	ioam_finish(f, REF_SKIP, true);
}

/** Check packet i that left by a routed port, but for its Ethernet header and hop limit. */
static inline void
assert_routed(uint16_t port, unsigned int i, const struct frame *want)
{
	const uint8_t *out = bench_out(port, i);

	assert_true(bench.port[port].n_out > i);
	assert_int_equal(bench_out_len(port, i), want->len);
	assert_int_equal(out[14 + 7] + 1, want->data[14 + 7]);
	assert_memory_equal(out + 14, want->data + 14, 7);
	assert_memory_equal(out + 14 + 8, want->data + 14 + 8, want->len - 14 - 8);
}

#endif /* PROXY_EDGE_H */
