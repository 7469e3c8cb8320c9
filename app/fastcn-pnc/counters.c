/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the counters of the state mean. */

#include "pnc.h"

static void
put(FILE *out, const char *name, const char *text)
{
	fprintf(out, "  %-24s %s\n", name, text);
}

void
pnc_counters_help(FILE *out)
{
	fputs("switch\n", out);
#define PUT(member, text) put(out, #member, text);
	FCN_REMOTE_FEED_COUNTERS(PUT)
	LEARNED_COUNTERS(PUT)
	fputs("\nbmp\n", out);
	STATION_COUNTERS(PUT)
	FCN_PNC_BMP_COUNTERS(PUT)
#undef PUT
	fputs("\nbmp, ends\n", out);
#define PUT(sym, name, text) put(out, name, text);
	FCN_PNC_BMP_ENDS(PUT)
#undef PUT
	fputs("\nframes\n", out);
	for (unsigned int i = 0; i < FCN_PNC_FRAME_COUNT; i++)
		put(out, fcn_pnc_frame_name(i), fcn_pnc_frame_text(i));
	for (unsigned int p = 0; p < FCN_PNC_BGP; p++)
		fprintf(out, "%s%s (%s)", p == 0 ? "\n" : ", ", fcn_pnc_protocol_name(p),
				fcn_pnc_protocol_text(p));
	fputc('\n', out);
	for (unsigned int i = 0; i < FCN_PNC_COUNTER_COUNT; i++)
		put(out, fcn_pnc_counter_name(i), fcn_pnc_counter_text(i));
}
