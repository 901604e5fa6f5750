import { namesIn } from '../../directory/access/membership-form.console.ts';
import type { FieldControl } from '../../directory/fields/form.console.ts';
import { faultsInside, jsonOrText, field as labelled } from '../../operators/console-frame/parts.ts';
import { isObject } from '../../platform/crypto/jwt-part.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { registrationText } from './console.text.ts';

const SETTING = 'software_statements';
const ISSUERS = `${SETTING}.issuers`;
const REQUIRED = `${SETTING}.required`;
const SHOWN = `${SETTING}.shown`;

/** Whose software statements count at /register (RFC 7591 section 2.3). An issuer is a line of the form. */
export const softwareStatementsControl: FieldControl = {
  show(locale, { text }, { values: { [SETTING]: given }, faults }) {
    const { issuers, required } = isObject(given) ? given : {};
    const [label, hint] = text[locale];
    const value = (Array.isArray(issuers) ? issuers : []).map(lineOf).join('\n');
    const [requiredLabel, requiredHint] = registrationText[locale].required;
    const check = { name: REQUIRED, label: requiredLabel, hint: requiredHint, kind: 'check' } as const;
    // An empty field is sent like none: the hidden one says that the form has it.
    return html`<input type="hidden" name="${SHOWN}" value="true">${labelled(
      { name: ISSUERS, label, hint, value, kind: 'lines' },
      faultsInside(ISSUERS, faults),
    )}${labelled({ ...check, value: String(required ?? false) }, faults)}`;
  },
  read(form) {
    if (form.get(SHOWN) !== 'true') return {};
    const issuers = namesIn(form.get(ISSUERS)).map(issuerIn);
    const required = form.get(REQUIRED) === 'true';
    // Required without an issuer is a fault that the operation tells.
    return { [SETTING]: issuers.length === 0 && !required ? null : { required, issuers } };
  },
};

/** As it was typed, also where it has a fault. */
interface TypedIssuer {
  readonly issuer: string;
  readonly jwks_uri?: string;
  readonly jwks?: unknown;
}

function lineOf({ issuer, jwks_uri: uri, jwks }: TypedIssuer): string {
  const keys = uri ?? (jwks === undefined || typeof jwks === 'string' ? jwks : JSON.stringify(jwks));
  return keys === undefined ? issuer : `${issuer} ${keys}`;
}

/** The iss may have spaces itself: a key set begins like an object of JSON, and an address is the last word. */
function issuerIn(line: string): TypedIssuer {
  const set = line.search(/\s\{\s?"/);
  if (set >= 0) return { issuer: line.slice(0, set).trim(), jwks: jsonOrText(line.slice(set)) };
  const end = line.search(/\s\S*$/);
  return end < 0 ? { issuer: line } : { issuer: line.slice(0, end).trim(), jwks_uri: line.slice(end + 1) };
}
