/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_role.h"

#include <string.h>

#include "fcn_names.h"

FCN_NAME_FUNCTION(fcn_role_name, enum fcn_role, FCN_ROLES(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_role_text, enum fcn_role, FCN_ROLES(FCN_ITEM_TEXT))

bool
fcn_role_find(const char *word, enum fcn_role *role)
{
	for (*role = 0; *role < FCN_ROLE_COUNT; (*role)++) {
		if (strcmp(fcn_role_name(*role), word) == 0)
			return true;
	}
	return false;
}

bool
fcn_role_includes(enum fcn_role role, enum fcn_role needed)
{
	return role == FCN_ROLE_FULL || role == needed || needed == FCN_ROLE_ANY ||
	       (role == FCN_ROLE_OPERATE && needed != FCN_ROLE_FULL);
}
