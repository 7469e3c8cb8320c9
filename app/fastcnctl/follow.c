/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `show events follow`: the switch is asked again and again for the events since its last answer,
 * whose last line has the number to go on with. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

#define INTERVAL_MS 250

#define BLANKS " \t\r\n"

/* Tell whether a line begins with a word, or with an abbreviation of it of `least` characters or
 * more. @return what follows it; NULL: it does not */
static const char *
skip_word(const char *line, const char *word, size_t least)
{
	size_t len;

	line += strspn(line, BLANKS);
	len = strcspn(line, BLANKS);
	return len >= least && strncmp(line, word, len) == 0 && len <= strlen(word) ? line + len
										    : NULL;
}

bool
ctl_is_follow(const char *line, bool *json)
{
	const char *rest = skip_word(line, "show", 2), *end;

	*json = false;
	if (rest != NULL)
		rest = skip_word(rest, "events", 2);
	if (rest != NULL)
		rest = skip_word(rest, "follow", 1);
	end = rest != NULL ? skip_word(rest, "json", 4) : NULL;
	*json = end != NULL;
	if (end != NULL)
		rest = end;
	return rest != NULL && rest[strspn(rest, BLANKS)] == '\0';
}

/* Write an answer but its last line. @return the number that this has; NULL: it has none. To be
 * freed */
static char *
take(const struct ctl_answer *answer)
{
	size_t len = answer->len, digits;
	const char *last;

	while (len > 0 && answer->text[len - 1] == '\n')
		len--;
	last = memrchr(answer->text, '\n', len);
	last = last != NULL ? last + 1 : answer->text;
	fwrite(answer->text, 1, (size_t)(last - answer->text), stdout);
	fflush(stdout);
	last += strcspn(last, "0123456789");
	digits = strspn(last, "0123456789");
	return digits > 0 ? strndup(last, digits) : NULL;
}

/* Ask once. @param next number to go on with; NULL at first @return 0; a negative errno; 1: the
 * switch has refused it, which was written */
static int
ask(struct ctl *ctl, bool json, char **next)
{
	struct ctl_answer answer;
	char line[80];
	int rc;

	snprintf(line, sizeof(line), "show events follow%s%s%s", *next != NULL ? " after " : "",
			*next != NULL ? *next : "", json ? " json" : "");
	rc = ctl_ask(ctl, line, &answer);
	if (rc != 0)
		return rc;
	if (!answer.ok) {
		fputs(answer.text, stderr);
		return 1;
	}
	free(*next);
	*next = take(&answer);
	return *next != NULL ? 0 : -EBADMSG;
}

int
ctl_follow(struct ctl *ctl, bool json)
{
	struct pollfd fd;
	char *next = NULL;
	int rc = ctl_take_signals(ctl) != 0 ? -ENOMEM : 0;

	fd = (struct pollfd){.fd = ctl->signals, .events = POLLIN};
	while (rc == 0) {
		rc = ask(ctl, json || ctl->json, &next);
		if (rc == 0 && (poll(&fd, 1, INTERVAL_MS) > 0 || ferror(stdout)))
			rc = -EINTR;
	}
	free(next);
	if (rc == -EINTR) {
		ctl_signal(ctl);
		return CTL_OK;
	}
	return rc == 1 ? CTL_FAILED : ctl_lost(ctl, rc);
}
