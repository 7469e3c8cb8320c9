/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "thread_group.h"

#include <stdio.h>

/* @return the number of the process; 0: there is no such thread */
static uint32_t
process_of(uint32_t thread)
{
	char path[40], line[128];
	uint32_t id = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", thread);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	while (id == 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Tgid: %u", &id) != 1)
			id = 0;
	fclose(f);
	return id;
}

bool
thread_group_is_same(uint32_t a, uint32_t b)
{
	const uint32_t process = process_of(a);

	return process != 0 && process == process_of(b);
}
