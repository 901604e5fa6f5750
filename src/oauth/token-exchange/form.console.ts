import type { ApplicationValues } from '../../directory/branding/form.console.ts';
import type { Faults } from '../../operators/console/page.ts';
import { faultsInside, field } from '../../operators/console/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { exchangeText } from './console.text.ts';
import type { ExchangePolicy } from './rules.ts';

/** Which tokens of an application may be exchanged for others (RFC 8693). A policy is a line of the form. */
const SHOWN = 'token_exchange.shown';

/** Policies lead to APIs: where there are none, the form has no such field. */
export function exchangeFields(
  locale: OperatorLocale,
  { token_exchange: policies }: ApplicationValues,
  faults: Faults,
  stored: ApplicationValues | undefined,
): Html | false {
  const { apis } = stored ?? {};
  if (!Array.isArray(apis) || apis.length === 0) return false;
  const text = exchangeText[locale];
  const [label, hint] = text.token_exchange;
  const value = (Array.isArray(policies) ? (policies as ExchangePolicy[]) : []).map(lineOf).join('\n');
  // An empty field is sent like none: the hidden one says that the form has it.
  return html`<fieldset><legend>${text.legend}</legend><input type="hidden" name="${SHOWN}" value="true">${field({ name: 'token_exchange', label, hint, value, kind: 'lines' }, faultsInside('token_exchange', faults))}</fieldset>`;
}

function lineOf({ from, to, scopes }: ExchangePolicy): string {
  return [from, to, ...scopes].filter(word => word !== undefined && word !== '').join(' ');
}

/** Nothing where the form has no such field: the setting stays as it is. */
export function exchangeBody(form: Params): { readonly token_exchange?: unknown } {
  if (form.get(SHOWN) !== 'true') return {};
  const lines = (form.get('token_exchange') ?? '').split('\n').map(line => line.trim().split(/\s+/));
  const policies = lines
    .filter(([from]) => from !== '')
    .map(([from = '', to = '', ...scopes]) => ({ from, to, scopes }));
  return { token_exchange: policies };
}
