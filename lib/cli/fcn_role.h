/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The roles of sessions. Each command says in its declaration which role it needs. One that says
 * nothing needs `full`.
 *
 * Any thread may call these functions.
 */

#ifndef FCN_ROLE_H
#define FCN_ROLE_H

#include <stdbool.h>

/* X(symbol, word, what a session of this role may do) */
#define FCN_ROLES(X)                                                                      \
	X(FULL, "full", "everything")                                                     \
	X(OPERATE, "operate",                                                             \
			"everything but what names files or devices: no `load`, `save`, " \
			"`commit`, `rollback`, `capture` and file of the event log, no "  \
			"ports of devices, no interfaces and "                            \
			"namespaces of the kernel")                                       \
	X(LEARNED, "learned",                                                             \
			"report what a program has learned from routing protocols or "    \
			"hosts, by `proxy learned`, `srv6 endcon learned` and `proxy qp " \
			"learned`, and see nothing")                                      \
	X(READ, "read", "every `show`, and change nothing")

/** The role of a session, and the one that a command needs. */
enum fcn_role {
#define FCN_ROLE_ITEM(sym, word, text) FCN_ROLE_##sym,
	FCN_ROLES(FCN_ROLE_ITEM)
#undef FCN_ROLE_ITEM
	FCN_ROLE_COUNT,
	FCN_ROLE_ANY = FCN_ROLE_COUNT, /**< of a command: each role will do */
};

/** Get the word for a role, such as "read". */
const char *fcn_role_name(enum fcn_role role);

/** Get what a session of a role may do. */
const char *fcn_role_text(enum fcn_role role);

/** Find a role by its word. @return false: there is none */
bool fcn_role_find(const char *word, enum fcn_role *role);

/**
 * Tell whether a session of a role may do what needs another one. `full` includes all, `operate`
 * all but `full`; `learned` and `read` include only themselves.
 */
bool fcn_role_includes(enum fcn_role role, enum fcn_role needed);

#endif /* FCN_ROLE_H */
