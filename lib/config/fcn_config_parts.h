/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Types that several parts of a configuration use.
 */

#ifndef FCN_CONFIG_PARTS_H
#define FCN_CONFIG_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define FCN_NAME_LEN 32 /**< size of the name of a port, bridge or table, with terminator */

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
