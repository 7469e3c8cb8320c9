// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// Sections in which all words of the query stand, those with most of them in the title first.
"use strict";

const query = new URLSearchParams(location.search).get("q") || "";
const words = query.toLowerCase().split(/\s+/).filter((word) => word);

function rank(section)
{
	const title = section.title.toLowerCase();
	const text = section.text.toLowerCase();
	let sum = 0;
	for (const word of words) {
		if (title.includes(word))
			sum += 100;
		else if (!text.includes(word))
			return 0;
		sum += Math.min(text.split(word).length, 20);
	}
	return sum;
}

function excerpt(text)
{
	const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 80);
	return (at > 0 ? "... " : "") + text.slice(at, at + 240).trim() + " ...";
}

const ranked = words.length === 0 ? [] : sections.map((section) => [rank(section), section])
	.filter(([sum]) => sum > 0).sort((a, b) => b[0] - a[0]);
document.querySelector("input[name=q]").value = query;
document.getElementById("found").textContent = ranked.length + " sections with " + query;
for (const [, section] of ranked.slice(0, 50)) {
	const item = document.createElement("li");
	const link = document.createElement("a");
	const text = document.createElement("p");
	link.href = section.location;
	link.textContent = section.title + " (" + section.location.split(".")[0] + ")";
	text.textContent = excerpt(section.text);
	item.append(link, text);
	document.getElementById("results").append(item);
}
