import { getStatistics } from '../../audit/statistics/operations.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { barChart } from '../console/chart.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../console/page.ts';
import { pill, table } from '../console/parts.ts';
import { attentionTo, type Notice } from './attention.console.ts';
import { overviewPlace, overviewText } from './console.text.ts';
import { deploymentSections, type Status } from './deployment.console.ts';
import { getStatus } from './operations.ts';

interface Numbers {
  readonly logins: number;
  readonly login_failures: number;
  readonly refusals: readonly { readonly reason: string; readonly count: number }[];
  readonly tokens: readonly { readonly grant_type: string; readonly count: number }[];
  readonly latency: { readonly count: number; readonly p99_ms: number | null };
}

interface Statistics {
  readonly totals: Numbers;
  readonly series: readonly (Numbers & { readonly time: string })[];
}

/** /console: what happened in the last 24 hours, and what to look at first. */
export const overview: ConsolePage = {
  place: 'overview',
  show: async context => {
    const { locale } = context;
    const text = overviewText[locale];
    const found = await context.perform<Statistics>(getStatistics, { params: {} });
    if (found.kind !== 'done') return refusalOf(found);
    const { totals, series } = found.value;
    const status = await statusFor(context);
    return {
      title: overviewPlace[locale],
      about: html`${text.period}`,
      body: html`${tiles(locale, totals)}
<div class="columns"><section>${chart(locale, series)}</section>
<section><h2>${text.attention}</h2>${notices(locale, await attentionTo(context, status))}</section></div>
<div class="columns"><section><h2>${text.byReason}</h2>${reasons(context, totals)}</section>
<section><h2>${text.byGrant}</h2>${table(
        text.grantColumns,
        totals.tokens.map(({ grant_type, count }) => [html`<code>${grant_type}</code>`, count]),
        html`<p>${text.noTokens}</p>`,
      )}</section></div>
${status && deploymentSections(locale, status)}`,
    };
  },
};

/** Of the whole deployment: not for a role that is limited to applications. */
async function statusFor({ perform }: ConsoleContext): Promise<Status | undefined> {
  const found = await perform<Status>(getStatus, { params: {} });
  return found.kind === 'done' ? found.value : undefined;
}

function tiles(locale: OperatorLocale, { logins, login_failures: failed, refusals, latency }: Numbers): Html {
  const text = overviewText[locale];
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const share = logins + failed === 0 ? undefined : text.ofAll(`${Math.round((failed / (logins + failed)) * 100)} %`);
  const [first] = refusals;
  const tile = (name: string, value: string | number, note: string | undefined) =>
    html`<div class="tile"><span class="muted">${name}</span><b>${value}</b><span class="muted">${note}</span></div>`;
  return html`<div class="tiles">${tile(text.logins, logins, undefined)}${tile(text.failures, failed, share)}${tile(
    text.refused,
    refused,
    first && text.mostly(first.reason),
  )}${tile(text.p99, text.milliseconds(latency.p99_ms), text.requests(latency.count))}</div>`;
}

function chart(locale: OperatorLocale, series: Statistics['series']): Html {
  const text = overviewText[locale];
  const label = (time: string) => time.slice(11, 16);
  const columns = [text.time, text.count] as const;
  const points = (read: (numbers: Numbers) => number) =>
    series.map(each => ({ label: label(each.time), value: read(each) }));
  return html`${barChart({ title: text.loginsPerHour, columns, asTable: text.asTable, points: points(each => each.logins) })}
${barChart({ title: text.failuresPerHour, columns, asTable: text.asTable, points: points(each => each.login_failures) })}`;
}

function reasons({ locale }: ConsoleContext, { refusals }: Numbers): Html {
  const text = overviewText[locale];
  const rows = refusals
    .slice(0, 10)
    .map(({ reason, count }) => [
      html`<a href="/console/refusals?reason=${encodeURIComponent(reason)}"><code>${reason}</code></a>`,
      count,
    ]);
  return table(text.reasonColumns, rows, html`<p>${text.noRefusals}</p>`);
}

function notices(locale: OperatorLocale, found: readonly Notice[]): Html {
  const text = overviewText[locale];
  if (found.length === 0) return html`<p>${text.quiet}</p>`;
  const items = found.map(
    ({ kind, mark, sentence, path }) =>
      html`<li>${pill(kind, mark)}<span>${sentence}</span><a href="${path}">${text.look}</a></li>\n`,
  );
  return html`<ul class="attention">${items}</ul>`;
}
