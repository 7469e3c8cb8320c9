/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The transmit backlog of rings that are asked about single descriptors. */

#include <errno.h>

#include "fcn_test.h"
#include "fcn_tx_backlog.h"

/* A ring of which so many descriptors wait. */
struct ring {
	uint16_t size, waiting;
	bool from_oldest; /* offsets count from the oldest that waits, as some drivers do */
	int bad;          /* offset that cannot be asked about, or -1 */
	unsigned int asked;
};

static int
probe(void *arg, uint16_t offset)
{
	struct ring *r = arg;

	assert_in_range(offset, 0, r->size - 1);
	r->asked++;
	if (offset == r->bad)
		return -ENOTSUP;
	return r->from_oldest ? offset < r->waiting : offset >= r->size - r->waiting;
}

/* Every backlog of rings of every small size, and of some large ones; few questions. */
TEST(all)
{
	static const uint16_t sizes[] = {128, 129, 512, 4096, 65535};
	struct ring r = {.bad = -1};

	for (r.size = 1; r.size <= 40; r.size++) {
		for (r.waiting = 0; r.waiting <= r.size; r.waiting++) {
			for (unsigned int k = 0; k < 2; k++) {
				r.from_oldest = k == 1;
				assert_int_equal(fcn_tx_backlog_find(probe, &r, r.size), r.waiting);
			}
		}
	}
	for (size_t i = 0; i < RTE_DIM(sizes); i++) {
		r.size = sizes[i];
		for (uint32_t n = 0; n <= r.size; n += 1 + r.size / 97) {
			r.waiting = n;
			r.asked = 0;
			assert_int_equal(fcn_tx_backlog_find(probe, &r, r.size), n);
			assert_in_range(r.asked, 2, 2 + 16);
			if (r.size == 128)
				assert_in_range(r.asked, 2, 2 + 7);
		}
	}
}

/* Who cannot tell says so, wherever it is asked. */
TEST(cannot_tell)
{
	struct ring r = {.size = 128, .waiting = 70};

	r.bad = 0;
	assert_int_equal(fcn_tx_backlog_find(probe, &r, r.size), -ENOTSUP);
	r.bad = 127;
	assert_int_equal(fcn_tx_backlog_find(probe, &r, r.size), -ENOTSUP);
	r.bad = 63; /* the middle */
	assert_int_equal(fcn_tx_backlog_find(probe, &r, r.size), -ENOTSUP);
}
