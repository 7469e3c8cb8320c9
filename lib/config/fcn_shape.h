/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the JSON value of a `show` consists of: the shape of the value, of its members and of the
 * elements of its lists. The schema of the shows is made from shapes (fcn_show_schema.h), and a
 * test compares them with what the shows say.
 *
 * A shape is a table. Members that come from a declaration, as those of settings, of things of a
 * list and of counters do, are not listed again: a line of the table names the declaration.
 *
 *     static const struct fcn_shape row[] = {
 *             SHAPE_STRING("port", "Name of the port"),
 *             SHAPE_SETTINGS(fcn_mtu_scope, "port"),
 *             SHAPE_COUNTERS(FCN_PORT_TRAFFIC_COUNTERS), SHAPE_END};
 *
 * Thread safe: shapes are constant.
 */

#ifndef FCN_SHAPE_H
#define FCN_SHAPE_H

#include <stdbool.h>

#include "fcn_setting.h"

/* Types of JSON values; a value of a shape has one of several. None: any value. */
#define FCN_SHAPE_NULL 1u
#define FCN_SHAPE_BOOLEAN 2u
#define FCN_SHAPE_INTEGER 4u
#define FCN_SHAPE_NUMBER 8u
#define FCN_SHAPE_STRING 16u
#define FCN_SHAPE_OBJECT 32u

/** A value, or a group of members that a declaration has. */
struct fcn_shape {
	const char *name;   /**< of the member; NULL: the value is no member */
	const char *text;   /**< meaning, a phrase without a full stop; NULL: its name says it */
	unsigned int types; /**< of the value or, of a list, of its elements; NULL is of the list */
	bool is_list;
	bool optional;  /**< the member, or each of the group, may be missing */
	bool is_any;    /**< the names of the object's members are not fixed; `of` is one of them */
	bool is_prefix; /**< of the names of any number of members: they begin with `name` */
	/** OBJECT: members, up to SHAPE_END. Without a name and a type: group, the members of it */
	const struct fcn_shape *of;
	/** group: the settings of a scope that are in a part of `show`, as fcn_setting_show() */
	const struct fcn_setting_scope *scope;
	const char *part;
	/** group: the members of a list's things, by its words, as fcn_list_show() */
	const char *things;
	/** group: the arrays of lists that are in a part of `show`, as fcn_list_show_all() */
	const char *lists;
};

#define SHAPE_OF(n, t, ...)                                      \
	{                                                        \
		.name = (n), .text = (t), .types = (__VA_ARGS__) \
	}
#define SHAPE_STRING(n, t) SHAPE_OF(n, t, FCN_SHAPE_STRING)
#define SHAPE_INTEGER(n, t) SHAPE_OF(n, t, FCN_SHAPE_INTEGER)
#define SHAPE_BOOLEAN(n, t) SHAPE_OF(n, t, FCN_SHAPE_BOOLEAN)
#define SHAPE_NUMBER(n, t) SHAPE_OF(n, t, FCN_SHAPE_NUMBER)
/* The same, or null. */
#define SHAPE_STRING_NULL(n, t) SHAPE_OF(n, t, FCN_SHAPE_STRING | FCN_SHAPE_NULL)
#define SHAPE_INTEGER_NULL(n, t) SHAPE_OF(n, t, FCN_SHAPE_INTEGER | FCN_SHAPE_NULL)
#define SHAPE_NUMBER_NULL(n, t) SHAPE_OF(n, t, FCN_SHAPE_NUMBER | FCN_SHAPE_NULL)
/* Members that may be missing. */
#define SHAPE_MAYBE(n, t, ...)                                                     \
	{                                                                          \
		.name = (n), .text = (t), .types = (__VA_ARGS__), .optional = true \
	}
#define SHAPE_MAYBE_STRING(n, t) SHAPE_MAYBE(n, t, FCN_SHAPE_STRING)
#define SHAPE_MAYBE_INTEGER(n, t) SHAPE_MAYBE(n, t, FCN_SHAPE_INTEGER)
#define SHAPE_MAYBE_BOOLEAN(n, t) SHAPE_MAYBE(n, t, FCN_SHAPE_BOOLEAN)
/** An object, given by the table of its members. */
#define SHAPE_OBJECT(n, t, members)                                                  \
	{                                                                            \
		.name = (n), .text = (t), .types = FCN_SHAPE_OBJECT, .of = (members) \
	}
/** A list of objects, and lists of other values. */
#define SHAPE_LIST(n, t, members)                                                     \
	{                                                                             \
		.name = (n), .text = (t), .types = FCN_SHAPE_OBJECT, .is_list = true, \
		.of = (members)                                                       \
	}
#define SHAPE_LIST_OF(n, t, ...)                                                  \
	{                                                                         \
		.name = (n), .text = (t), .types = (__VA_ARGS__), .is_list = true \
	}
/** Members whose names are not fixed, as names of reasons; `member` is the shape of each. */
#define SHAPE_BY_NAME(n, t, member)                                                  \
	{                                                                            \
		.name = (n), .text = (t), .types = FCN_SHAPE_OBJECT, .of = (member), \
		.is_any = true                                                       \
	}
/** Members that may be beside the others, whose names begin with a prefix. */
#define SHAPE_PREFIX(n, t, ...)                                                     \
	{                                                                           \
		.name = (n), .text = (t), .types = (__VA_ARGS__), .is_prefix = true \
	}
/** Groups of members. The forms with MAYBE are for members that only some objects have. */
#define SHAPE_SETTINGS(from, of_show)               \
	{                                           \
		.scope = &(from), .part = (of_show) \
	}
#define SHAPE_MAYBE_SETTINGS(from, of_show)                           \
	{                                                             \
		.scope = &(from), .part = (of_show), .optional = true \
	}
#define SHAPE_THINGS(words)       \
	{                         \
		.things = (words) \
	}
#define SHAPE_LISTS(of_show)       \
	{                          \
		.lists = (of_show) \
	}
/** The members of another table, or of what a list of counters makes: LIST is one as fcn_counter.h
 * describes them, or, for SHAPE_NAMED(), one whose lines have only a member, its name and its
 * meaning. */
#define SHAPE_GROUP(...)                         \
	{                                        \
		.of = (const struct fcn_shape[]) \
		{                                \
			__VA_ARGS__ SHAPE_END    \
		}                                \
	}
#define SHAPE_COUNTERS(LIST) SHAPE_GROUP(LIST(SHAPE_COUNTER))
#define SHAPE_MAYBE_COUNTERS(LIST) SHAPE_GROUP(LIST(SHAPE_MAYBE_COUNTER))
#define SHAPE_NAMED(LIST) SHAPE_GROUP(LIST(SHAPE_NAMED_COUNTER))
#define SHAPE_COUNTER(member, n, type, metric, t) SHAPE_INTEGER(n, t),
#define SHAPE_MAYBE_COUNTER(member, n, type, metric, t) SHAPE_MAYBE_INTEGER(n, t),
#define SHAPE_NAMED_COUNTER(member, n, t) SHAPE_INTEGER(n, t),
/** The end of a table. */
#define SHAPE_END \
	{         \
		0 \
	}

/** Tell whether a line of a table is its end. */
static inline bool
fcn_shape_is_end(const struct fcn_shape *shape)
{
	return shape->name == NULL && shape->scope == NULL && shape->things == NULL &&
	       shape->lists == NULL && shape->of == NULL && shape->types == 0 && !shape->is_list;
}

/**
 * Function that is called for a member.
 *
 * @param member a member with a name, and with no group. It is valid during the call
 */
typedef void (*fcn_shape_visit)(void *arg, const struct fcn_shape *member);

/** Call visit for each member of a table, and for those of its groups. Of several with the same
 * name, the first one counts. */
void fcn_shape_each(const struct fcn_shape *members, fcn_shape_visit visit, void *arg);

#endif /* FCN_SHAPE_H */
