import type { FieldControl } from '../../directory/fields/form.console.ts';
import { faultsInside, field as labelled } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import type { ExchangePolicy } from './rules.ts';

const SHOWN = 'token_exchange.shown';

/** Which tokens of an application may be exchanged for others (RFC 8693). A policy is a line of the form. */
export const tokenExchangeControl: FieldControl = {
  /** Policies lead to APIs: where there are none, the form has no such field. */
  show(locale, { name, text }, { values: { token_exchange: policies }, faults, stored }) {
    const { apis } = stored ?? {};
    if (!Array.isArray(apis) || apis.length === 0) return false;
    const [label, hint] = text[locale];
    const value = (Array.isArray(policies) ? (policies as ExchangePolicy[]) : []).map(lineOf).join('\n');
    // An empty field is sent like none: the hidden one says that the form has it.
    return html`<input type="hidden" name="${SHOWN}" value="true">${labelled({ name, label, hint, value, kind: 'lines' }, faultsInside(name, faults))}`;
  },
  read(form) {
    if (form.get(SHOWN) !== 'true') return {};
    const lines = (form.get('token_exchange') ?? '').split('\n').map(line => line.trim().split(/\s+/));
    const policies = lines
      .filter(([from]) => from !== '')
      .map(([from = '', to = '', ...scopes]) => ({ from, to, scopes }));
    return { token_exchange: policies };
  },
};

function lineOf({ from, to, scopes }: ExchangePolicy): string {
  return [from, to, ...scopes].filter(word => word !== undefined && word !== '').join(' ');
}
