/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What a host sends about its queue pairs: records, one behind the other. Each that is read is
 * written as it was, is not read from less, and nothing behind it matters.
 */

#include "fcn_host_report.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fcn_host_report_record record, again;
	uint8_t out[FCN_HOST_REPORT_SIZE];

	while (size > 0) {
		int n = fcn_host_report_read(data, size, &record);

		if (n <= 0)
			return 0;
		require((size_t)n <= size && (size_t)n <= sizeof(out));
		for (int i = 0; i < n; i++)
			require(fcn_host_report_read(data, (size_t)i, &again) == 0);
		require(fcn_host_report_write(&record, out) == (size_t)n);
		require(fcn_host_report_reason_text(record.reason) != NULL);
		/* Of HELLO, what later versions may add is not kept. */
		if (record.type != FCN_HOST_REPORT_HELLO)
			require(memcmp(out, data, (size_t)n) == 0);
		require(fcn_host_report_read(out, (size_t)n, &again) == n);
		require(memcmp(&record, &again, sizeof(record)) == 0);
		data += n;
		size -= (size_t)n;
	}
	return 0;
}
