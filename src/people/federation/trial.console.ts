import { type ProviderRow, providerFrame, providerPath } from '../../directory/providers/frame.console.ts';
import { groupMapOf, type Provider, providerName } from '../../directory/providers/rules.ts';
import type { AttributeChanges } from '../../directory/user-attributes/rules.ts';
import type { Account } from '../../directory/users/store.ts';
import type { ConsoleContext, View } from '../../operators/console-frame/page.ts';
import { factTable, pill, table } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { validFields } from './account.ts';
import { adviceOn } from './advice.rules.ts';
import { claimNames, classOf } from './person.rules.ts';
import { HINDRANCES, reasonsOf, type ShownClaim, shownClaims, shownValue } from './trial.rules.ts';
import type { FinishedTrial, TrialFault } from './trial.ts';
import { tryText } from './try.console.text.ts';

/** What came of a trial. Nothing here is a token or a secret: those never leave the connector. */

type Identified = Extract<FinishedTrial, { kind: 'identified' }>;

export function failedView(context: ConsoleContext, provider: ProviderRow, fault: TrialFault): View {
  const { locale } = context;
  const text = tryText[locale];
  const { meaning, fix } = adviceOn(fault);
  const facts = factTable([
    [text.said, html`${text.kinds[fault.kind]} <code class="long" lang="en">${fault.reason}</code>`],
    [text.means, meaning[locale]],
    [text.todo, html`<strong>${fix[locale]}</strong>`],
  ]);
  const settings = html`<p class="actions"><a class="button" href="${providerPath(provider.id, 'try')}">${text.tryAgain}</a></p>`;
  return providerFrame(context, provider, 'try', {
    status: 400,
    body: html`<section><h2>${text.failed(providerName(provider))}</h2>${facts}${settings}</section>`,
  });
}

export function identifiedView(
  context: ConsoleContext,
  registered: Provider,
  provider: ProviderRow,
  finished: Identified,
): View {
  const { locale } = context;
  const text = tryText[locale];
  const { identity } = finished;
  const names = claimNames(registered);
  const claims = shownClaims(identity.claims, names);
  const ofPerson = claims.filter(({ isOfProtocol }) => !isOfProtocol);
  const ofProtocol = claims.filter(({ isOfProtocol }) => isOfProtocol);
  return providerFrame(context, provider, 'try', {
    body: html`<p class="notice" role="status">${text.nothingMade}</p>
<section><h2>${text.outcome}</h2>${outcome(locale, finished)}${reasons(locale, registered, finished)}${identityFacts(locale, registered, finished)}</section>
<section><h2>${text.became}</h2>${became(locale, registered, finished, names)}<p class="muted">${text.profile[registered.update_profile]}</p></section>
<section><h2>${text.claims}</h2>${claimTable(locale, ofPerson)}<details><summary>${text.protocol}</summary>${claimTable(locale, ofProtocol)}</details></section>`,
    actions: html`<a class="button quiet" href="${providerPath(provider.id, 'try')}">${text.tryAgain}</a>`,
  });
}

function outcome(locale: OperatorLocale, { judged, username }: Identified): Html {
  const text = tryText[locale];
  const { verdict, linked, owner } = judged;
  const account = linked ?? owner;
  if (verdict.kind === 'refused') return html`<p>${pill('bad', text.refused)}</p>`;
  if (verdict.kind === 'create')
    return html`<p><strong>${username === undefined ? text.createdRandom : text.created(username)}</strong></p>`;
  const [before, shown, behind] = text.outcomes[verdict.kind](account && accountLink(account)) as [
    string,
    Html,
    string,
  ];
  return html`<p><strong>${text.person} ${before} ${shown} ${behind}</strong></p>`;
}

function accountLink({ sub, username }: Account): Html {
  return html`<a href="/console/users/${encodeURIComponent(sub)}">${username}</a>`;
}

function reasons(locale: OperatorLocale, registered: Provider, { judged, isWaited }: Identified): Html {
  const text = tryText[locale];
  const { known, verdict, person } = judged;
  const all = isWaited
    ? (['newHere', 'waits'] as const)
    : reasonsOf(registered, known, verdict, person.email !== undefined);
  const lines = all.map(
    reason => html`<li class="${HINDRANCES.includes(reason) ? 'failed' : 'passed'}">${text.reasons[reason]}</li>\n`,
  );
  return html`<h3>${text.why}</h3><ol class="steps">
${lines}</ol>`;
}

function identityFacts(locale: OperatorLocale, registered: Provider, { identity }: Identified): Html {
  const text = tryText[locale];
  const level = classOf(registered, identity.acr);
  return factTable([
    [text.subject, html`<code class="long">${identity.subject}</code><span class="sub">${text.subjectAbout}</span>`],
    [
      text.level,
      html`${text.levelOf(identity.acr, level)}<span class="sub">${level === '1' ? text.factor : text.noFactor}</span>`,
    ],
  ]);
}

/** Each field of a user that the provider said something for. */
function became(
  locale: OperatorLocale,
  registered: Provider,
  { judged, identity }: Identified,
  names: Readonly<Record<string, string>>,
): Html {
  const text = tryText[locale];
  const { said, person } = judged;
  const valid = { ...validFields(said), ...attributesOf(person.changes.attributes) };
  const rows = Object.keys(said)
    .filter(name => name !== 'email_verified')
    .map(name => {
      const value = valid[name];
      const shown =
        value === undefined ? pill('bad', text.unusable) : shownField(locale, name, value, person.hasVerifiedEmail);
      const dropped = name === 'groups' && droppedGroups(registered, identity.claims[names.groups ?? '']);
      return [
        html`<code>${name}</code>`,
        html`${shown}${dropped && dropped.length > 0 && html`<span class="sub">${text.dropped(dropped.join(', '))}</span>`}`,
        html`<code>${names[name]}</code>`,
      ];
    });
  return table(text.becameColumns, rows, html`<p>${text.nothingBecame}</p>`);
}

/** By the names that `claims` has for them. */
function attributesOf(values: AttributeChanges | null | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [`attributes.${name}`, value]));
}

function shownField(locale: OperatorLocale, name: string, value: unknown, isVerified: boolean): Html {
  const text = tryText[locale];
  const shown = shownValue(name, Array.isArray(value) ? value.join(', ') : value);
  const mark =
    name === 'email' && html` ${pill(isVerified ? 'ok' : 'plain', isVerified ? text.verified : text.unverified)}`;
  return html`<span class="long">${shown === '' ? '–' : shown}</span>${mark}`;
}

const MAX_DROPPED_SHOWN = 20;

/** Groups of the provider that are none here. */
function droppedGroups({ type, groups }: Provider, theirs: unknown): readonly string[] {
  const map = groupMapOf({ type, groups }) ?? {};
  const all = Array.isArray(theirs) ? theirs : [theirs];
  return all
    .filter((name): name is string => typeof name === 'string' && !Object.hasOwn(map, name))
    .slice(0, MAX_DROPPED_SHOWN);
}

function claimTable(locale: OperatorLocale, claims: readonly ShownClaim[]): Html {
  const text = tryText[locale];
  const rows = claims.map(({ name, value, fields, isOfProtocol }) => [
    html`<code>${name}</code>`,
    html`<span class="mono long">${value}</span>`,
    fields.length > 0 ? fields.join(', ') : isOfProtocol ? '' : html`<span class="muted">${text.unused}</span>`,
  ]);
  return table(text.claimColumns, rows, html`<p>${text.noClaims}</p>`);
}
