import type { ApplicationValues } from '../../directory/branding/form.console.ts';
import type { Faults } from '../../operators/console/page.ts';
import { faultsInside, field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ExchangePolicy } from './rules.ts';

/** Which tokens of an application may be exchanged for others (RFC 8693). A policy is a line of the form. */
const words = inLocale({
  en: {
    legend: 'Token exchange',
    token_exchange: [
      'Policies',
      'One per line, separated by spaces: the API that the token is for, or the client that exchanges it; the API that the new token is for; the scopes that it may have. Clients need the grant of token exchange too.',
    ],
  },
  zh: {
    legend: '令牌交换',
    token_exchange: [
      '策略',
      '每行一条，以空格分隔：原令牌所用于的 API，或进行交换的客户端；新令牌所用于的 API；新令牌可以拥有的范围。客户端还需要令牌交换的授权方式。',
    ],
  },
} as const);

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
  const text = words(locale);
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
