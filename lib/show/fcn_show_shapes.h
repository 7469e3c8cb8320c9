/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The shapes of the JSON values that lib/show makes, see fcn_shape.h. Each is called fcn_shape_,
 * followed by the function of its `show` in FCN_SHOWS, which declares it, and is beside those of
 * the same concern in a file shape_*.c. A `show` and its shape change together: a test of every
 * show fails if they differ.
 */

#ifndef FCN_SHOW_SHAPES_H
#define FCN_SHOW_SHAPES_H

#include "fcn_shape.h"

/** Sums of one kind of notice, as `show notify` and `show srv6 endcon` have them. */
extern const struct fcn_shape fcn_shape_notice_kind[];

/* What several shapes have in common. */
#define SHAPE_PORT SHAPE_STRING("port", "Name of the port")
#define SHAPE_CLASS SHAPE_INTEGER("class", "Class, 0 to 7")
#define SHAPE_REFUSALS                                                                      \
	SHAPE_LIST("refusals", "Messages that were refused, by reason",                     \
			((const struct fcn_shape[]){SHAPE_STRING("reason", "Drop reason"),  \
					SHAPE_INTEGER("packets", "Packets dropped for it"), \
					SHAPE_STRING("reason_text", "The reason in words"), \
					SHAPE_END}))
/** The flow of a notice, or none: SHAPE_DESCRIPTOR(STRING), SHAPE_DESCRIPTOR(MAYBE_STRING). */
#define SHAPE_DESCRIPTOR(MAYBE)                                                      \
	SHAPE_##MAYBE##STRING("source", "Source address of the flow"),               \
			SHAPE_##MAYBE##STRING("destination", "Destination address"), \
			SHAPE_##MAYBE##INTEGER("protocol", "IP protocol"),           \
			SHAPE_##MAYBE##INTEGER("source_port", "UDP source port"),    \
			SHAPE_##MAYBE##INTEGER("destination_port", "UDP destination port")

#endif /* FCN_SHOW_SHAPES_H */
