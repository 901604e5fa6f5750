import { getStatistics } from '../../audit/statistics/operations.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { barChart } from '../console/chart.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../console/page.ts';
import { pill, table } from '../console/parts.ts';
import { inLocale } from '../console/text.ts';
import { attentionTo, type Notice } from './attention.console.ts';
import { deploymentSections, type Status } from './deployment.console.ts';
import { getStatus } from './operations.ts';

const words = inLocale({
  en: {
    title: 'Overview',
    period: 'Last 24 hours, all applications',
    logins: 'Sign-ins',
    failures: 'Failed sign-ins',
    refused: 'Requests refused',
    p99: 'Slowest 1 % of requests',
    ofAll: (percent: string) => `${percent} of all`,
    mostly: (reason: string) => `mostly ${reason}`,
    milliseconds: (ms: number | null) => (ms === null ? '–' : `${Math.round(ms * 10) / 10} ms`),
    requests: (count: number) => `${count} ${count === 1 ? 'request' : 'requests'}`,
    loginsPerHour: 'Sign-ins per hour',
    failuresPerHour: 'Failed sign-ins per hour',
    time: 'Time',
    count: 'Number',
    asTable: 'As a table',
    attention: 'Needs attention',
    quiet: 'Nothing needs attention.',
    byReason: 'Refusals by reason',
    reasonColumns: ['Reason', 'Number'],
    noRefusals: 'No request was refused.',
    byGrant: 'Tokens by grant',
    grantColumns: ['Grant', 'Answers with tokens'],
    noTokens: 'No tokens were issued.',
    look: 'Look',
    start: 'Register the first application',
  },
  zh: {
    title: '概览',
    period: '最近 24 小时，所有应用',
    logins: '登录',
    failures: '登录失败',
    refused: '被拒绝的请求',
    p99: '最慢的 1% 请求',
    ofAll: (percent: string) => `占全部的 ${percent}`,
    mostly: (reason: string) => `主要是 ${reason}`,
    milliseconds: (ms: number | null) => (ms === null ? '–' : `${Math.round(ms * 10) / 10} 毫秒`),
    requests: (count: number) => `${count} 个请求`,
    loginsPerHour: '每小时登录次数',
    failuresPerHour: '每小时登录失败次数',
    time: '时间',
    count: '数量',
    asTable: '以表格显示',
    attention: '需要注意',
    quiet: '目前没有需要处理的事项。',
    byReason: '按原因统计的拒绝',
    reasonColumns: ['原因', '数量'],
    noRefusals: '没有被拒绝的请求。',
    byGrant: '按授权方式统计的令牌',
    grantColumns: ['授权方式', '签发次数'],
    noTokens: '尚未签发令牌。',
    look: '查看',
    start: '登记第一个应用',
  },
});

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
    const text = words(locale);
    const found = await context.perform<Statistics>(getStatistics, { params: {} });
    if (found.kind !== 'done') return refusalOf(found);
    const { totals, series } = found.value;
    const status = await statusFor(context);
    return {
      title: text.title,
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
  const text = words(locale);
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
  const text = words(locale);
  const label = (time: string) => time.slice(11, 16);
  const columns = [text.time, text.count] as const;
  const points = (read: (numbers: Numbers) => number) =>
    series.map(each => ({ label: label(each.time), value: read(each) }));
  return html`${barChart({ title: text.loginsPerHour, columns, asTable: text.asTable, points: points(each => each.logins) })}
${barChart({ title: text.failuresPerHour, columns, asTable: text.asTable, points: points(each => each.login_failures) })}`;
}

function reasons({ locale }: ConsoleContext, { refusals }: Numbers): Html {
  const text = words(locale);
  const rows = refusals
    .slice(0, 10)
    .map(({ reason, count }) => [
      html`<a href="/console/refusals?reason=${encodeURIComponent(reason)}"><code>${reason}</code></a>`,
      count,
    ]);
  return table(text.reasonColumns, rows, html`<p>${text.noRefusals}</p>`);
}

function notices(locale: OperatorLocale, found: readonly Notice[]): Html {
  const text = words(locale);
  if (found.length === 0) return html`<p>${text.quiet}</p>`;
  const items = found.map(
    ({ kind, mark, sentence, path }) =>
      html`<li>${pill(kind, mark)}<span>${sentence}</span><a href="${path}">${text.look}</a></li>\n`,
  );
  return html`<ul class="attention">${items}</ul>`;
}
