/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The list of reactions. A reaction is a line here and a file reaction_NAME.c, which defines
 * `const struct fcn_reaction_type reaction_type_NAME`. meson.build reads the names of the files
 * from here, each from a line of its own.
 */

#ifndef FCN_REACTION_LIST_H
#define FCN_REACTION_LIST_H

/* clang-format off */

/* X(symbol, name), in the order of the documentation. */
#define FCN_REACTIONS(X) \
	X(NONE, none)    \
	X(DCQCN, dcqcn)  \
	X(HPCC, hpcc)    \
	X(BETA, beta)    \
	X(LEVEL, level)  \
	X(SWIFT, swift)  \
	X(NSCC, nscc)

/* clang-format on */

#endif /* FCN_REACTION_LIST_H */
