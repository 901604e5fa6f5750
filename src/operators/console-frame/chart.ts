import { type Html, html } from '../../platform/ui/html.ts';

/** A bar chart that needs no script, and the same numbers as a table: for screen readers, and for copying. */
export interface Series {
  readonly title: string;
  /** The heads of the table: time, number. */
  readonly columns: readonly [string, string];
  readonly asTable: string;
  readonly points: readonly Point[];
  /** What the two ends of the axis are; undefined: the labels of their points. */
  readonly ends?: readonly [string, string];
}

export interface Point {
  readonly label: string;
  readonly value: number;
}

const WIDTH = 600;
const HEIGHT = 150;
const LEFT = 40;
const LINES = 3;

export function barChart({ title, columns, asTable, points, ends }: Series): Html {
  const top = roundUp(Math.max(1, ...points.map(({ value }) => value)));
  const step = (WIDTH - LEFT) / Math.max(1, points.length);
  const y = (value: number) => HEIGHT - (value / top) * (HEIGHT - 10);
  const grid = Array.from({ length: LINES + 1 }, (_, line) => (top * line) / LINES).map(
    value =>
      html`<path d="M${LEFT} ${y(value).toFixed(1)}H${WIDTH}"/><text x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}">${short(value)}</text>`,
  );
  const bars = points.map(
    ({ label, value }, at) =>
      html`<rect x="${(LEFT + at * step + step * 0.15).toFixed(1)}" y="${y(value).toFixed(1)}" width="${(step * 0.7).toFixed(1)}" height="${(HEIGHT - y(value)).toFixed(1)}"><title>${label}: ${value}</title></rect>`,
  );
  const rows = points.map(({ label, value }) => html`<tr><td>${label}</td><td>${value}</td></tr>`);
  return html`<figure><figcaption><h2>${title}</h2></figcaption>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT + 20}" role="img" aria-label="${title}"><g class="grid">${grid}</g><g class="bars">${bars}</g>
<g class="ends"><text x="${LEFT}" y="${HEIGHT + 16}">${ends?.[0] ?? points[0]?.label}</text><text x="${WIDTH}" y="${HEIGHT + 16}" class="last">${ends?.[1] ?? points.at(-1)?.label}</text></g></svg>
<details><summary>${asTable}</summary><table><thead><tr><th scope="col">${columns[0]}</th><th scope="col">${columns[1]}</th></tr></thead><tbody>${rows}</tbody></table></details></figure>`;
}

/** The smallest number whose parts between the lines are round: 1, 2, 3, 4 or 5 times a power of ten. */
export function roundUp(value: number): number {
  const part = Math.max(1, value / LINES);
  const power = 10 ** Math.floor(Math.log10(part));
  return ([1, 2, 3, 4, 5].find(factor => factor * power >= part) ?? 10) * power * LINES;
}

function short(value: number): string {
  if (value >= 1_000_000) return `${Math.round(value / 100_000) / 10}M`;
  return value >= 10_000 ? `${Math.round(value / 1000)}k` : String(Math.round(value * 10) / 10);
}
