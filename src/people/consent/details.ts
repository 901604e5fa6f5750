import { hash } from 'node:crypto';
import type { Application } from '../../directory/applications/rules.ts';
import { restOf, type SentencePart, sentenceParts, typeOf } from '../../oauth/authorization-details/rules.ts';
import type { RequestedClaims } from '../../oauth/authorize/claims-request.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';

/** What a client wants to do this time (RFC 9396), on the pages on which a person agrees to it. */
export interface ShownDetail {
  readonly api: string;
  readonly sentence: readonly SentencePart[];
  /** Members that the sentence does not name. */
  readonly rest: readonly (readonly [name: string, value: string])[];
}

/** Their sentences. Such a consent is never remembered (RFC 9396 section 11.1). */
export function shownDetails(
  { authorization_details: details = [] }: RequestedClaims,
  application: Pick<Application, 'apis'>,
): ShownDetail[] {
  return details.flatMap(detail => {
    const found = typeOf(application, detail.type);
    const sentence = found && sentenceParts(found.definition, detail);
    return sentence ? [{ api: found.api.name, sentence, rest: restOf(found.definition, detail) }] : [];
  });
}

/** By which the answer says what was on the page: an operator may have changed the sentence since. */
export function shownAs(scope: readonly string[], details: readonly ShownDetail[]): string {
  const words = scope.join(' ');
  return details.length === 0 ? words : `${words} ${hash('sha256', JSON.stringify(details), 'base64url')}`;
}

/** For the event of the consent. */
export function agreedDetails(
  scope: readonly string[],
  { authorization_details: details = [] }: RequestedClaims,
): { readonly scope: string; readonly authorization_details?: string } {
  const types = details.map(({ type }) => type).join(' ');
  return { scope: scope.join(' '), ...(types !== '' && { authorization_details: types }) };
}

/** `intro`: who wants it. Nothing where there is nothing to agree to. */
export function detailsList(intro: string, details: readonly ShownDetail[]): Html | false {
  return (
    details.length > 0 &&
    html`<p>${intro}</p>
<ul>
${details.map(item)}</ul>
`
  );
}

function item({ api, sentence, rest }: ShownDetail): Html {
  const words = sentence.map(({ kind, text }) => (kind === 'value' ? html`<strong>${text}</strong>` : html`${text}`));
  return html`<li>${words}<br><span class="muted">${api}${rest.map(([name, value]) => html` · ${name}: ${value}`)}</span></li>
`;
}
