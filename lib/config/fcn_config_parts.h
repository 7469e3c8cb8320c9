/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Types and values that several parts of a configuration use.
 */

#ifndef FCN_CONFIG_PARTS_H
#define FCN_CONFIG_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define FCN_NAME_LEN 32 /**< size of the name of a port, bridge or table, with terminator */

/** The value was not set: it is computed from other values when a snapshot is built. */
#define FCN_AUTO UINT32_MAX
#define FCN_AUTO64 UINT64_MAX

/** The ratio 1: ratios are stored in billionths. */
#define FCN_RATIO_ONE UINT64_C(1000000000)

/* A list that grows. It is changed by functions of lib/config; its elements may be shared with
 * other configurations, see config_list.h. */
#define FCN_CONFIG_LIST(type)      \
	struct {                   \
		struct type *item; \
		size_t n;          \
		size_t room;       \
	}

/** A token bucket. */
struct fcn_config_bucket {
	uint64_t rate;  /**< tokens per second; 0: no limit */
	uint32_t burst; /**< tokens that it holds */
};

#endif /* FCN_CONFIG_PARTS_H */
