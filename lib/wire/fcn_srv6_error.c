/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_names.h"
#include "fcn_srv6_error.h"

static const struct {
	uint8_t icmp_type;
	uint8_t icmp_code;
} errors[] = {
#define FCN_SRV6_ERROR_ROW(sym, name, text, type, code) [FCN_SRV6_##sym] = {type, code},
		FCN_SRV6_ERRORS(FCN_SRV6_ERROR_ROW)
#undef FCN_SRV6_ERROR_ROW
};

FCN_NAME_FUNCTION(fcn_srv6_error_name, enum fcn_srv6_error, FCN_SRV6_ERRORS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_srv6_error_text, enum fcn_srv6_error, FCN_SRV6_ERRORS(FCN_ITEM_TEXT))

bool
fcn_srv6_icmp_error(enum fcn_srv6_error e, uint32_t pointer, struct fcn_icmp6_error *out)
{
	if ((unsigned int)e >= FCN_SRV6_ERROR_COUNT || errors[e].icmp_type == 0)
		return false;
	*out = (struct fcn_icmp6_error){
			.type = errors[e].icmp_type,
			.code = errors[e].icmp_code,
			.param = errors[e].icmp_type == FCN_ICMP6_PARAM_PROBLEM ? pointer : 0,
	};
	return true;
}
