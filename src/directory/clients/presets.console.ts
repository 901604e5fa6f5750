import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { presetsText } from './console.text.ts';
import { type Preset, presets } from './presets.fields.ts';

/** The kinds of clients. To choose one shows the form of a new client again, with its values. */
export function presetChoice(locale: OperatorLocale, chosen: Preset | undefined): Html {
  const text = presetsText[locale];
  const options = presets.map(preset => {
    const id = `preset.${preset}`;
    const [name, meaning] = text.kinds[preset];
    return html`<div class="check"><input type="radio" id="${id}" name="preset" value="${preset}" required aria-describedby="${id}-hint"${
      preset === chosen && html` checked`
    }><label for="${id}">${name}</label><p class="hint" id="${id}-hint">${meaning}</p></div>\n`;
  });
  return html`<form method="get"><fieldset class="field choices" aria-describedby="preset-hint"><legend>${text.legend}</legend>
<p class="hint" id="preset-hint">${text.hint}</p>
${options}</fieldset><button type="submit" class="quiet">${text.use}</button></form>`;
}
