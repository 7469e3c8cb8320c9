/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Maximum number of route tables of a switch; arrays indexed by table have this length.
 */

#ifndef FCN_TABLE_LIMIT_H
#define FCN_TABLE_LIMIT_H

#define FCN_MAX_TABLES 16
#define FCN_TABLE_MAIN 0 /**< number of the table that is always there */

#endif /* FCN_TABLE_LIMIT_H */
