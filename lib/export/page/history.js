// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// The last five minutes of a value, a second each, as this browser has seen them.

export const SECONDS = 300;
const WIDTH = 300, HEIGHT = 40;
const SVG = "http://www.w3.org/2000/svg";

export class History {
	constructor()
	{
		this.values = [];
	}

	// value: null where nothing was asked
	push(value)
	{
		this.values.push(value);
		if (this.values.length > SECONDS)
			this.values.shift();
	}

	gap(seconds)
	{
		for (let i = 0; i < Math.min(seconds, SECONDS); i++)
			this.push(null);
	}

	highest()
	{
		return this.values.reduce((a, b) => Math.max(a, b), 0);
	}

	// The parts between gaps, each as a list of [second, value].
	parts()
	{
		const from = SECONDS - this.values.length;
		const parts = [[]];
		this.values.forEach((value, i) => {
			if (value !== null)
				parts[parts.length - 1].push([from + i, value]);
			else if (parts[parts.length - 1].length > 0)
				parts.push([]);
		});
		return parts.filter((part) => part.length > 1);
	}
}

function shape(name)
{
	return document.createElementNS(SVG, name);
}

// A line of a history. The text beside it says the same, so it is not read out.
export class Line {
	constructor()
	{
		this.svg = shape("svg");
		this.area = shape("path");
		this.path = shape("path");
		this.mark = shape("path");
		this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
		this.svg.setAttribute("preserveAspectRatio", "none");
		this.svg.setAttribute("aria-hidden", "true");
		this.svg.setAttribute("class", "line");
		this.area.setAttribute("class", "area");
		this.path.setAttribute("class", "path");
		this.mark.setAttribute("class", "mark");
		this.svg.append(this.area, this.path, this.mark);
	}

	// mark: a value that is drawn as a line across; null: none
	draw(history, mark = null)
	{
		const most = Math.max(history.highest(), mark === null ? 0 : mark * 1.05, 1e-9);
		const y = (value) => (HEIGHT - 1 - value / most * (HEIGHT - 2)).toFixed(1);
		const parts = history.parts();
		const points = (part) => part.map(([second, value]) => `${second} ${y(value)}`).join("L");
		this.path.setAttribute("d", parts.map((part) => "M" + points(part)).join(""));
		this.area.setAttribute("d", parts.map((part) =>
			`M${part[0][0]} ${HEIGHT}L${points(part)}L${part[part.length - 1][0]} ${HEIGHT}Z`).join(""));
		this.mark.setAttribute("d", mark === null ? "" : `M0 ${y(mark)}H${WIDTH}`);
	}
}
