import type { PasskeyFault } from '../../audit/refusals/facts.rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { dateText } from '../../platform/ui/time-text.ts';
import { accountPage, browserText } from '../account/frame.ts';
import { browserName } from '../known-browsers/browser-name.rules.ts';
import { lastFactorText } from '../second-factor/html.ts';
import { passkeyForm } from './form.html.ts';
import { MAX_PASSKEY_NAME_LENGTH } from './rules.ts';
import type { HeldPasskey } from './store.ts';
import { passkeysText } from './text.ts';

export interface PasskeysView {
  readonly locale: Locale;
  readonly held: readonly HeldPasskey[];
  /** The sealed enrolment of a new one. */
  readonly sealed: string;
  readonly options: object;
  readonly isFull: boolean;
  /** `required`: the last factor was not removed; `lastWay`: nothing else would let the user in. */
  readonly fault: PasskeyFault | 'required' | 'lastWay' | undefined;
}

/** Of one that its user did not name: the browser and system it was made with. A security key is not known by them, but the user is. */
export function nameOfPasskey(locale: Locale, userAgent: string | undefined): string {
  const { browser, system } = browserName(userAgent);
  return browser === undefined && system === undefined
    ? passkeysText[locale].defaultName
    : browserText(locale, userAgent);
}

export function passkeysPage(view: PasskeysView): Reply {
  const { locale, held, fault } = view;
  const text = passkeysText[locale];
  const message = fault && messageOf(locale, fault);
  return accountPage({
    locale,
    place: 'security',
    title: text.title,
    fault: message,
    status: fault === 'required' || fault === 'lastWay' ? 409 : fault ? 400 : 200,
    secondScript: passkeyScript,
    content: html`<p>${text.intro}</p>
${message !== undefined && html`<p class="alert" role="alert">${message}</p>\n`}${
  held.length === 0
    ? html`<p>${text.none}</p>`
    : html`<ul class="rows passkeys">\n${held.map(passkey => row(locale, passkey))}</ul>`
}
${view.isFull ? html`<p>${text.full}</p>` : addForm(view)}
<p><a href="/account/security">${text.back}</a></p>`,
  });
}

function messageOf(locale: Locale, fault: PasskeyFault | 'required' | 'lastWay'): string {
  if (fault === 'required') return lastFactorText(locale);
  return fault === 'taken' || fault === 'full' || fault === 'lastWay'
    ? passkeysText[locale][fault]
    : passkeysText[locale].invalid;
}

function row(locale: Locale, { id, name, createdAt, lastUsedAt, isBackedUp }: HeldPasskey): Html {
  const text = passkeysText[locale];
  const used = lastUsedAt === undefined ? html`${text.unused}` : html`${text.used} ${day(locale, lastUsedAt)}`;
  return html`<li><span><strong>${name}</strong><br><span class="muted">${text.created} ${day(locale, createdAt)} · ${used}${isBackedUp && html` · ${text.synced}`}</span>
<details><summary>${text.rename}</summary>
<form method="post" action="/account/security/passkeys" class="inline"><input type="hidden" name="id" value="${id}">
<input name="name" type="text" value="${name}" maxlength="${MAX_PASSKEY_NAME_LENGTH}" required aria-label="${text.renameOf(name)}">
<button type="submit" name="action" value="rename" class="small">${text.rename}</button></form>
</details></span>
<form method="post" action="/account/security/passkeys"><input type="hidden" name="id" value="${id}"><button type="submit" name="action" value="remove" class="small" aria-label="${text.removeOf(name)}">${text.remove}</button></form></li>
`;
}

function addForm({ locale, sealed, options }: PasskeysView): Html {
  const text = passkeysText[locale];
  const more = html`<label for="name">${text.name}</label>
<p class="muted" id="name-hint">${text.nameHint}</p>
<div class="field"><input id="name" name="name" type="text" maxlength="${MAX_PASSKEY_NAME_LENGTH}" autocomplete="off" aria-describedby="name-hint"></div>
`;
  const fields = { enrolment: sealed, action: 'add' };
  const form = {
    locale,
    action: '/account/security/passkeys',
    kind: 'create',
    options,
    fields,
    label: text.add,
    more,
  } as const;
  return html`<p data-without-passkeys>${text.unsupported}</p>
${passkeyForm(form)}`;
}

function day(locale: Locale, seconds: number): Html {
  const time = new Date(seconds * 1000);
  return html`<time datetime="${time.toISOString()}">${dateText(locale, time)}</time>`;
}
