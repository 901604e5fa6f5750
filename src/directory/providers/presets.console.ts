import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { newProviderText, presetText } from './presets.console.text.ts';
import { type ProviderType, providerTypes } from './rules.ts';

/** Services that people know come first, protocols last. A type that is not here comes after them. */
const ORDER = ['google', 'microsoft', 'apple', 'github', 'gitlab', 'gatehouse', 'oidc', 'oauth', 'saml', 'ldap'];

const shown: readonly ProviderType[] = providerTypes.toSorted((one, other) => placeOf(one) - placeOf(other));

function placeOf(type: string): number {
  return ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length;
}

export function typeOf(named: string | undefined): ProviderType {
  return providerTypes.find(each => each === named) ?? (providerTypes.includes('oidc') ? 'oidc' : shown[0]) ?? 'oidc';
}

/** What a new provider of the type is called, unless the operator says otherwise. */
const NAMELESS: readonly string[] = ['oidc', 'oauth', 'saml', 'ldap', 'gatehouse', 'password-check'];

export function proposedName(type: string): string | undefined {
  return NAMELESS.includes(type) ? undefined : presetText.en[type]?.name;
}

/** Free among those that are there. */
export function proposedId(type: string, taken: readonly string[]): string {
  const first = NAMELESS.includes(type) ? 'corp' : type;
  for (let number = 1; ; number++) {
    const id = number === 1 ? first : `${first}-${number}`;
    if (!taken.includes(id)) return id;
  }
}

/** The types as cards. Each is an address of its own. */
export function presetCards(locale: OperatorLocale, chosen: ProviderType): Html {
  const cards = shown.map(type => {
    const { name = type, meaning } = presetText[locale][type] ?? {};
    return html`<a class="kind" href="?type=${type}"${type === chosen && html` aria-current="true"`}><b>${name}</b><span>${meaning}</span></a>\n`;
  });
  return html`<nav class="kinds" aria-label="${newProviderText[locale].legend}">
${cards}</nav>`;
}
