/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_tx_backlog.h"

int
fcn_tx_backlog_find(fcn_tx_probe probe, void *arg, uint16_t size)
{
	int first = probe(arg, 0), last = probe(arg, size - 1);
	/*
	 * The descriptor at `low` has the status of the first one, and the descriptor at `high`
	 * that of the last one.
	 */
	uint16_t low = 0, high = size - 1;

	if (first < 0 || last < 0)
		return first < 0 ? first : last;
	if (first == last)
		return first != 0 ? size : 0;
	while (high - low > 1) {
		uint16_t middle = low + (high - low) / 2;
		int waits = probe(arg, middle);

		if (waits < 0)
			return waits;
		if ((waits != 0) == (first != 0))
			low = middle;
		else
			high = middle;
	}
	return first != 0 ? high : size - high;
}
