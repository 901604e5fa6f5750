import { Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { presetsText } from './new.console.text.ts';
import { type Preset, presets } from './presets.fields.ts';
import type { ClientEntry } from './rules.ts';

/** What a new client of each kind is asked for: what no default can know. */
export const ASKED: Readonly<Record<Preset, readonly (keyof ClientEntry)[]>> = {
  web: ['client_name', 'redirect_uris'],
  spa: ['client_name', 'redirect_uris'],
  native: ['client_name', 'redirect_uris'],
  machine: ['client_name', 'scope'],
  device: ['client_name', 'scope'],
  legacy: ['client_name', 'redirect_uris'],
};

const DRAWINGS: Readonly<Record<Exclude<Preset, 'legacy'>, string>> = {
  web: '<rect x="2" y="3" width="16" height="13" rx="2"/><path d="M2 7.500h16M5 5.300h.01M7.500 5.300h.01"/>',
  spa: '<path d="m7 6-4 4 4 4m6-8 4 4-4 4m-1.500-9-3 10"/>',
  native: '<rect x="6" y="2" width="8" height="16" rx="2"/><path d="M9 15.500h2"/>',
  machine:
    '<circle cx="10" cy="10" r="3"/><path d="M10 2v3m0 10v3M2 10h3m10 0h3M4.300 4.300l2.100 2.100m7.200 7.200 2.100 2.100m0-11.400-2.100 2.100m-7.200 7.200-2.100 2.100"/>',
  device: '<rect x="2" y="4" width="16" height="10" rx="1.500"/><path d="M7 17h6"/>',
};

/** The kinds of clients as cards. Each is an address of its own: it shows the form with the values of its preset. */
export function presetCards(locale: OperatorLocale, chosen: Preset): Html {
  const text = presetsText[locale];
  const isCurrent = (preset: Preset) => preset === chosen && html` aria-current="true"`;
  const cards = presets.map(preset => {
    if (preset === 'legacy') return false;
    const [name, meaning] = text.kinds[preset];
    return html`<a class="kind" href="?preset=${preset}"${isCurrent(preset)}><svg viewBox="0 0 20 20" aria-hidden="true">${new Html(DRAWINGS[preset])}</svg><b>${name}</b><span>${meaning}</span></a>\n`;
  });
  const [name, meaning] = text.kinds.legacy;
  return html`<nav class="kinds" aria-label="${text.legend}">
${cards}<p class="hint"><a href="?preset=legacy"${isCurrent('legacy')}>${name}</a> ${meaning}</p></nav>`;
}
