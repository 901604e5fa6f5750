import { refusalTitle } from '../../audit/explain/failure-text.console.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ConsoleContext } from '../console-frame/page.ts';
import { overviewText } from './console.text.ts';
import { sparkline } from './sparkline.console.ts';

export interface Numbers {
  readonly logins: number;
  readonly login_failures: number;
  readonly refusals: readonly { readonly reason: string; readonly count: number }[];
  readonly tokens: readonly { readonly grant_type: string; readonly count: number }[];
  readonly latency: { readonly count: number; readonly p99_ms: number | null };
}

export interface Statistics {
  readonly totals: Numbers;
  readonly series: readonly (Numbers & { readonly time: string })[];
}

/** Fewer have not ten requests above the percentile: it would be the luck of a few. */
const MIN_REQUESTS_FOR_P99 = 1000;

/** The numbers of the day, each with its line. `before`: those of the day before. */
export function tiles(context: ConsoleContext, { totals, series }: Statistics, before: Numbers | undefined): Html {
  const { locale } = context;
  const text = overviewText[locale];
  const { logins, login_failures: failed, refusals, latency } = totals;
  const line = (name: string, read: (numbers: Numbers) => number) =>
    sparkline({ label: text.lineOf(name), values: series.map(read), from: text.dayAgo, to: text.now });
  const [first] = refusals;
  const hasLatency = latency.count >= MIN_REQUESTS_FOR_P99;
  return html`<div class="tiles">${[
    tile(
      text.logins,
      logins.toLocaleString(locale),
      before && text.comparedWith(logins, before.logins),
      line(text.logins, each => each.logins),
    ),
    tile(
      text.failures,
      failed.toLocaleString(locale),
      logins + failed === 0 ? undefined : text.ofAll(percent(locale, failed / (logins + failed))),
      line(text.failures, each => each.login_failures),
    ),
    tile(
      text.refused,
      refusedOf(totals).toLocaleString(locale),
      first && text.mostly(refusalTitle(context, first.reason)),
      line(text.refused, refusedOf),
    ),
    tile(
      text.p99,
      text.milliseconds(hasLatency ? latency.p99_ms : null),
      hasLatency
        ? text.requests(latency.count.toLocaleString(locale))
        : text.tooFew(latency.count.toLocaleString(locale), MIN_REQUESTS_FOR_P99.toLocaleString(locale)),
      hasLatency && line(text.p99, each => each.latency.p99_ms ?? 0),
    ),
  ]}</div>`;
}

function tile(name: string, value: string, note: string | undefined, line: Html | false): Html {
  return html`<div class="tile"><span class="muted">${name}</span><b>${value}</b><span class="muted">${note}</span>${line}</div>`;
}

function refusedOf({ refusals }: Numbers): number {
  return refusals.reduce((sum, { count }) => sum + count, 0);
}

function percent(locale: OperatorLocale, share: number): string {
  return share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 });
}
