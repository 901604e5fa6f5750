import { type Html, html } from '../../platform/ui/html.ts';
import type { ConsoleContext } from './page.ts';
import { consoleText } from './text.ts';

/**
 * Settings as cards of rows: the name and a line of help on the left, the control on the right. Inside `rows` every `field` is such a
 * row, by the stylesheet alone; `settingRow` is one with anything else on its right.
 */
export interface Card {
  readonly title: string;
  /** Beside the title. */
  readonly about?: string | Html | undefined;
  /** The id of the card, for addresses that lead to it. */
  readonly id?: string | undefined;
  readonly body: Html;
  /** Below: what a change does on the left, buttons on the right. */
  readonly footer?: Html | undefined;
}

export function card({ title, about, id, body, footer }: Card): Html {
  return html`<section class="card"${id !== undefined && html` id="${id}"`}><div class="card-head"><h2>${title}</h2>${about !== undefined && html`<p>${about}</p>`}</div>
${body}${footer && html`<div class="card-foot">${footer}</div>`}</section>\n`;
}

export function rows(...fields: readonly (Html | false)[]): Html {
  return html`<div class="rows">${fields}</div>`;
}

export function settingRow(name: string | Html, help: string | undefined, control: Html): Html {
  return html`<div class="field"><div class="name">${name}</div><div class="control">${control}</div>${help !== undefined && html`<p class="hint">${help}</p>`}</div>\n`;
}

/** The foot of a card whose rows are a form: what saving does, and the button. */
export function saveFoot({ locale }: Pick<ConsoleContext, 'locale'>, effect?: string): Html {
  return html`<span>${effect}</span><button type="submit">${consoleText[locale].save}</button>`;
}
