import { type Html, html } from '../../platform/ui/html.ts';

/** The line of a day in a tile: no axes but its two ends. The numbers are in a table elsewhere on the page. */
export interface Sparkline {
  /** What it shows, for readers who do not see it. */
  readonly label: string;
  readonly values: readonly number[];
  readonly from: string;
  readonly to: string;
}

const WIDTH = 120;
const HEIGHT = 36;
const TOP = 3;

/** Nothing where nothing happened: an empty axis says less than the number above it. */
export function sparkline({ label, values, from, to }: Sparkline): Html | false {
  const max = Math.max(0, ...values);
  if (max === 0 || values.length < 2) return false;
  const step = WIDTH / (values.length - 1);
  const points = values.map((value, at) => {
    const y = HEIGHT - 1 - (value / max) * (HEIGHT - 1 - TOP);
    return `${(at * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = `M${points.join('L')}`;
  return html`<svg class="sparkline" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="area" d="${line}V${HEIGHT}H0Z"/><path class="line" d="${line}"/></svg>
<span class="ends muted" aria-hidden="true"><span>${from}</span><span>${to}</span></span>`;
}
