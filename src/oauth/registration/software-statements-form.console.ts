import { namesIn } from '../../directory/access/membership-form.console.ts';
import type { ApplicationValues } from '../../directory/branding/form.console.ts';
import type { Faults } from '../../operators/console/page.ts';
import { faultsInside, field, jsonOrText } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import { isObject } from '../../platform/crypto/jwt-part.rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** Whose software statements count at /register (RFC 7591 section 2.3). An issuer is a line of the form. */
const words = inLocale({
  en: {
    issuers: [
      'Issuers of software statements',
      'One on each line: its iss, a space, and the https address of its keys or a JWK Set on the same line. What their statements say about a client takes precedence over what it says itself. Empty: no statement counts.',
    ],
    required: [
      'Only with a software statement',
      'Nobody registers a client without a statement of one of these issuers.',
    ],
  },
  zh: {
    issuers: [
      '软件声明的签发者',
      '每行一个：iss、空格，然后是其密钥的 https 地址，或写在同一行的 JWK Set。其声明中关于客户端的内容优先于客户端自己的说明。留空则任何声明都无效。',
    ],
    required: ['必须有软件声明', '没有这些签发者的声明，任何人都不能注册客户端。'],
  },
} as const);

const SETTING = 'software_statements';
const ISSUERS = `${SETTING}.issuers`;
const REQUIRED = `${SETTING}.required`;
const SHOWN = `${SETTING}.shown`;

export function softwareStatementFields(
  locale: OperatorLocale,
  { [SETTING]: given }: ApplicationValues,
  faults: Faults,
): Html {
  const { issuers, required } = isObject(given) ? given : {};
  const [label, hint] = words(locale).issuers;
  const value = (Array.isArray(issuers) ? issuers : []).map(lineOf).join('\n');
  const [requiredLabel, requiredHint] = words(locale).required;
  const check = { name: REQUIRED, label: requiredLabel, hint: requiredHint, kind: 'check' } as const;
  // An empty field is sent like none: the hidden one says that the form has it.
  return html`<input type="hidden" name="${SHOWN}" value="true">${field(
    { name: ISSUERS, label, hint, value, kind: 'lines' },
    faultsInside(ISSUERS, faults),
  )}${field({ ...check, value: String(required ?? false) }, faults)}`;
}

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

/** Nothing where the form has no such fields: the setting stays as it is. */
export function softwareStatementsBody(form: Params): ApplicationValues {
  if (form.get(SHOWN) !== 'true') return {};
  const issuers = namesIn(form.get(ISSUERS)).map(issuerIn);
  const required = form.get(REQUIRED) === 'true';
  // Required without an issuer is a fault that the operation tells.
  return { [SETTING]: issuers.length === 0 && !required ? null : { required, issuers } };
}
