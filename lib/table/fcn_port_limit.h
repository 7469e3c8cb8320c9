/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Maximum number of ports of a switch; arrays indexed by port have this length.
 */

#ifndef FCN_PORT_LIMIT_H
#define FCN_PORT_LIMIT_H

#define FCN_MAX_PORTS 64

#endif /* FCN_PORT_LIMIT_H */
