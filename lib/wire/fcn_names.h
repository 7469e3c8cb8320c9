/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Words and texts of enumerations. An enumeration is declared as a list, a macro whose items begin
 * with the symbol and the word, mostly followed by a text:
 *
 *     #define FCN_STAGES(X) \
 *         X(RX, "rx", "packets of all ports are gathered") \
 *         ...
 *
 * The functions that get the word and the text of an item are a line each:
 *
 *     FCN_NAME_FUNCTION(fcn_stage_name, enum fcn_stage, FCN_STAGES(FCN_ITEM_WORD))
 *     FCN_NAME_FUNCTION(fcn_stage_text, enum fcn_stage, FCN_STAGES(FCN_ITEM_TEXT))
 */

#ifndef FCN_NAMES_H
#define FCN_NAMES_H

#include <stddef.h>

/** The word of an item. */
#define FCN_ITEM_WORD(sym, word, ...) word,

/** The text of an item, which follows its word. */
#define FCN_ITEM_TEXT(sym, word, text, ...) text,

/**
 * Define fn(), which gets the string of an item; "unknown" for a number that no item has, also
 * between those of others. Safe from any thread.
 *
 * @param type type of the item
 * @param ...  the initializer of an array of strings: those of the items, in their order or by
 *             designators
 */
#define FCN_NAME_FUNCTION(fn, type, ...)                                            \
	const char *fn(type item)                                                   \
	{                                                                           \
		static const char *const strings[] = {__VA_ARGS__};                 \
		const size_t i = (size_t)item;                                      \
                                                                                    \
		if (i < sizeof(strings) / sizeof(strings[0]) && strings[i] != NULL) \
			return strings[i];                                          \
		return "unknown";                                                   \
	}

/** The same for a function of one file. */
#define FCN_STATIC_NAME_FUNCTION(fn, type, ...) static FCN_NAME_FUNCTION(fn, type, __VA_ARGS__)

#endif /* FCN_NAMES_H */
