/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Maximum number of ports of a switch; arrays indexed by port have this length. The number of a
 * port fits into 8 bits, without a value for "none".
 */

#ifndef FCN_PORT_LIMIT_H
#define FCN_PORT_LIMIT_H

#define FCN_MAX_PORTS 256

#endif /* FCN_PORT_LIMIT_H */
