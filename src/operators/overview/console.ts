import { refusalTitle } from '../../audit/explain/failure-text.console.ts';
import { getStatistics } from '../../audit/statistics/operations.ts';
import { updateUser } from '../../directory/users/operations.ts';
import { redirect } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { barChart } from '../console-frame/chart.ts';
import { withNotice } from '../console-frame/notices.ts';
import { type ConsoleContext, type ConsolePage, refusalOf } from '../console-frame/page.ts';
import { actionButton, table } from '../console-frame/parts.ts';
import { attentionTo } from './attention.console.ts';
import { MAX_OPERATORS, REQUIRE_FACTORS } from './attention-deployment.console.ts';
import { overviewPlace, overviewText } from './console.text.ts';
import type { Status } from './deployment.console.ts';
import { firstSteps, firstStepsSection } from './first-steps.console.ts';
import type { Notice } from './notice.console.ts';
import { getStatus } from './operations.ts';
import { type Numbers, type Statistics, tiles } from './tiles.console.ts';

/** /console: what happened in the last 24 hours, and what to look at first. */
export const overview: ConsolePage = {
  place: 'overview',
  dangerous: 'all',
  show: async context => {
    const { locale, services } = context;
    const text = overviewText[locale];
    const found = await context.perform<Statistics>(getStatistics, { params: {} });
    if (found.kind !== 'done') return refusalOf(found);
    const notices = await attentionTo(context, await statusFor(context));
    const steps = await firstSteps(context, notices);
    const { totals } = found.value;
    const before = await numbersOfDayBefore(context, services.clock.now());
    return {
      title: overviewPlace[locale],
      about: html`${text.period(context.operator.applications)}`,
      body: html`${steps && firstStepsSection(context, steps)}
${(!steps || hasTraffic(totals)) && tiles(context, found.value, before)}
${attention(locale, steps ? notices.filter(({ isFirstStep }) => !isFirstStep) : notices, !steps)}
${(!steps || hasTraffic(totals)) && details(context, found.value)}
${limits(context)}`,
    };
  },
  submit: async (context, form) => {
    if (form.get('action') === REQUIRE_FACTORS) {
      const found = await context.services.store.operatorsWithSingleFactor(MAX_OPERATORS);
      for (const { sub } of found) {
        const changed = await context.perform(updateUser, { params: { sub }, body: { require_mfa: true } });
        if (changed.kind === 'refused') return changed.refusal;
      }
    }
    return redirect(`${context.services.config.baseUrl}${withNotice('/console', 'factorRequired')}`, 303);
  },
};

/** A deployment that nobody uses yet has no numbers worth a tile. */
function hasTraffic({ logins, login_failures: failed, refusals, tokens }: Numbers): boolean {
  return logins + failed + refusals.length + tokens.length > 0;
}

function details(context: ConsoleContext, { totals, series }: Statistics): Html {
  const { locale } = context;
  const text = overviewText[locale];
  return html`<div class="columns even"><section><h2>${text.byReason}</h2>${reasons(context, totals)}</section>
<section><h2>${text.byGrant}</h2>${grants(locale, totals)}</section></div>
${hourByHour(locale, series)}`;
}

/** Of the whole deployment: not for a role that is limited to applications. */
async function statusFor({ perform }: ConsoleContext): Promise<Status | undefined> {
  const found = await perform<Status>(getStatus, { params: {} });
  return found.kind === 'done' ? found.value : undefined;
}

const DAY_SECONDS = 86_400;

/** What the numbers of today are compared with. */
async function numbersOfDayBefore({ perform }: ConsoleContext, now: number): Promise<Numbers | undefined> {
  const iso = (time: number) => new Date(time * 1000).toISOString();
  const query = { from: iso(now - 2 * DAY_SECONDS), to: iso(now - DAY_SECONDS) };
  const found = await perform<Statistics>(getStatistics, { params: {}, query });
  return found.kind === 'done' ? found.value.totals : undefined;
}

function attention(locale: OperatorLocale, notices: readonly Notice[], saysQuiet: boolean): Html | false {
  const text = overviewText[locale];
  if (notices.length === 0 && !saysQuiet) return false;
  const items = notices.map(
    ({ kind, title, detail, act }) =>
      html`<li><span class="dot ${kind}" aria-hidden="true"></span><div><strong>${title}</strong>${detail !== undefined && html`<p class="muted">${detail}</p>`}</div>${button(act)}</li>\n`,
  );
  const list = notices.length === 0 ? html`<p>${text.quiet}</p>` : html`<ul class="attention">${items}</ul>`;
  return html`<section><h2>${text.attention}</h2>${list}</section>`;
}

function button(act: Notice['act']): Html {
  return 'path' in act ? html`<a class="button quiet small" href="${act.path}">${act.label}</a>` : actionButton(act);
}

function reasons(context: ConsoleContext, { refusals }: Numbers): Html {
  const { locale } = context;
  const text = overviewText[locale];
  const rows = refusals
    .slice(0, 10)
    .map(({ reason, count }) => [
      html`<a href="/console/refusals?reason=${encodeURIComponent(reason)}">${refusalTitle(context, reason)}</a>`,
      count.toLocaleString(locale),
    ]);
  return table(text.reasonColumns, rows, html`<p>${text.noRefusals}</p>`);
}

function grants(locale: OperatorLocale, { tokens }: Numbers): Html {
  const text = overviewText[locale];
  const rows = tokens.map(({ grant_type, count }) => [html`<code>${grant_type}</code>`, count.toLocaleString(locale)]);
  return table(text.grantColumns, rows, html`<p>${text.noTokens}</p>`);
}

/** The lines of the tiles, large and with their numbers. */
function hourByHour(locale: OperatorLocale, series: Statistics['series']): Html | false {
  const text = overviewText[locale];
  if (series.every(({ logins, login_failures: failed }) => logins + failed === 0)) return false;
  const points = (read: (numbers: Numbers) => number) =>
    series.map(each => ({ label: each.time.slice(11, 16), value: read(each) }));
  const shared = {
    columns: [text.time, text.count] as const,
    asTable: text.asTable,
    ends: [text.dayAgo, text.now] as const,
  };
  return html`<details class="hours"><summary>${text.hourByHour}</summary><div class="columns even">
<section>${barChart({ ...shared, title: text.loginsPerHour, points: points(each => each.logins) })}</section>
<section>${barChart({ ...shared, title: text.failuresPerHour, points: points(each => each.login_failures) })}</section></div></details>`;
}

/** Why an operator does not see everything. */
function limits({ locale, operator, may }: ConsoleContext): Html | false {
  const text = overviewText[locale];
  const { applications } = operator;
  const sentences = [
    applications !== undefined && text.limitedTo(applications),
    !may('operator') && text.readsOnly,
    may('operator') && !may('owner') && text.notOwner,
  ].filter(each => each !== false);
  return sentences.length > 0 && html`<p class="muted">${sentences.join(' ')} ${text.askOwner}</p>`;
}
