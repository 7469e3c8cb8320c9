/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The EAL and a CRC for targets that read RoCEv2 without a worker.
 */

#ifndef FUZZ_CRC_H
#define FUZZ_CRC_H

#include <rte_common.h>
#include <rte_eal.h>

#include "fcn_compat.h"
#include "fuzz.h"

/** Start the EAL, where a CRC's context, hashes and pools come from, unless it runs. */
static inline void
fuzz_eal(void)
{
	char *argv[] = {"fuzz", "--no-pci", "--no-huge", "--no-shconf", "-m", "64",
			"--no-telemetry", "--log-level=error", "-l", "0", NULL};
	static bool runs;

	require(runs || rte_eal_init(RTE_DIM(argv) - 1, argv) >= 0);
	runs = true;
}

/** Get a CRC. */
static inline const struct fcn_crc32 *
fuzz_crc(void)
{
	static struct fcn_crc32 crc;
	static bool ready;

	fuzz_eal();
	require(ready || fcn_crc32_init(&crc) == 0);
	ready = true;
	return &crc;
}

#endif /* FUZZ_CRC_H */
