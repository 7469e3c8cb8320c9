// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

"use strict";

// What a point of a chart stands for, beside it when the pointer or the focus is there.
const tip = document.getElementById("tip");
const show = event => {
	const point = event.target.closest("g[data-metric]");
	tip.hidden = !point;
	if (!point)
		return;
	tip.replaceChildren(...point.getAttribute("aria-label").split("; ").map(text => {
		const line = document.createElement("div");
		line.textContent = text;
		return line;
	}));
	const at = point.lastElementChild.getBoundingClientRect(), box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, at.right + 8 + box.width < window.innerWidth ? at.right + 8 : at.left - box.width - 8) + "px";
	tip.style.top = Math.max(4, Math.min(at.top - 8, window.innerHeight - box.height - 8)) + "px";
};
for (const chart of document.querySelectorAll(".charts svg")) {
	chart.addEventListener("pointerover", show);
	chart.addEventListener("pointerleave", () => { tip.hidden = true; });
	chart.addEventListener("focusin", show);
	chart.addEventListener("focusout", () => { tip.hidden = true; });
}
window.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
