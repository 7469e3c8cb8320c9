/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Completion of names. The switch is asked for those of its configuration. */

#include <string.h>

#include "ctl.h"
#include "fcn_file_names.h"

#define PATIENCE_MS 1000 /* a person who presses TAB does not wait longer */

void
ctl_names(void *arg, const char *key, const char *word, void (*add)(void *list, const char *name),
		void *list)
{
	const int timeout_ms = ((struct ctl *)arg)->timeout_ms;
	struct ctl *ctl = arg;
	struct ctl_answer answer;
	char line[64], name[256];
	size_t len;
	int rc;

	if (strcmp(key, "file") == 0) {
		/* Relative paths are relative to the directory of the switch. */
		if (word[0] == '/')
			fcn_file_names(word, add, list);
		return;
	}
	if (strcmp(key, "parent") == 0)
		key = "port";
	if (ctl->stale > 0)
		return;
	snprintf(line, sizeof(line), "show names %s", key);
	ctl->timeout_ms = PATIENCE_MS;
	rc = ctl_ask(ctl, line, &answer);
	ctl->timeout_ms = timeout_ms;
	if (rc != 0 || !answer.ok) /* It has no names for such an argument. */
		return;
	for (const char *text = answer.text; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len >= sizeof(name))
			continue;
		memcpy(name, text, len);
		name[len] = '\0';
		add(list, name);
	}
}
