/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * How many ports a switch has at the most; tables by port are this long.
 */

#ifndef FCN_PORT_LIMIT_H
#define FCN_PORT_LIMIT_H

#define FCN_MAX_PORTS 64

#endif /* FCN_PORT_LIMIT_H */
