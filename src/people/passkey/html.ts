import type { PasskeyFault } from '../../audit/refusals/facts.rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { dateText } from '../../platform/ui/time-text.ts';
import { accountPage } from '../account/frame.ts';
import { lastFactorText } from '../second-factor/html.ts';
import { passkeyForm } from './form.html.ts';
import { MAX_PASSKEY_NAME_LENGTH, MAX_PASSKEYS } from './rules.ts';
import type { HeldPasskey } from './store.ts';

export interface PasskeysView {
  readonly locale: Locale;
  readonly held: readonly HeldPasskey[];
  /** The sealed enrolment of a new one. */
  readonly sealed: string;
  readonly options: object;
  readonly isFull: boolean;
  /** `required`: the last factor was not removed. */
  readonly fault: PasskeyFault | 'required' | undefined;
}

const words = {
  en: {
    title: 'Passkeys',
    intro:
      'A passkey is kept by your device, password manager or security key. You sign in with your fingerprint, face or PIN.',
    none: 'You have no passkey yet.',
    add: 'Add a passkey',
    name: 'Name of the new passkey',
    nameHint: 'So that you recognise it later, such as the device it is kept on.',
    defaultName: 'Passkey',
    unsupported: 'Adding a passkey needs JavaScript and a browser that supports passkeys.',
    created: 'Added on',
    used: 'last used on',
    unused: 'not used yet',
    synced: 'synced between your devices',
    rename: 'Rename',
    renameOf: (name: string) => `New name of ${name}`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    full: `You have ${MAX_PASSKEYS} passkeys. Remove one before you add another.`,
    taken: 'This passkey is already in use.',
    invalid: 'That passkey could not be added. Try again.',
    back: 'Back to security',
  },
  zh: {
    title: '通行密钥',
    intro: '通行密钥保存在您的设备、密码管理器或安全密钥中。您可以使用指纹、面容或 PIN 登录。',
    none: '您还没有通行密钥。',
    add: '添加通行密钥',
    name: '新通行密钥的名称',
    nameHint: '便于您日后辨认，例如保存它的设备。',
    defaultName: '通行密钥',
    unsupported: '添加通行密钥需要 JavaScript 以及支持通行密钥的浏览器。',
    created: '添加于',
    used: '上次使用于',
    unused: '尚未使用',
    synced: '在您的设备间同步',
    rename: '重命名',
    renameOf: (name: string) => `${name} 的新名称`,
    remove: '移除',
    removeOf: (name: string) => `移除 ${name}`,
    full: `您已有 ${MAX_PASSKEYS} 个通行密钥。请先移除一个再添加。`,
    taken: '此通行密钥已被使用。',
    invalid: '无法添加该通行密钥，请重试。',
    back: '返回安全设置',
  },
} as const;

export function nameOfPasskey(locale: Locale): string {
  return words[locale].defaultName;
}

export function passkeysPage(view: PasskeysView): Reply {
  const { locale, held, fault } = view;
  const text = words[locale];
  const message = fault && messageOf(locale, fault);
  return accountPage({
    locale,
    place: 'security',
    title: text.title,
    fault: message,
    status: fault === 'required' ? 409 : fault ? 400 : 200,
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

function messageOf(locale: Locale, fault: PasskeyFault | 'required'): string {
  if (fault === 'required') return lastFactorText(locale);
  return fault === 'taken' || fault === 'full' ? words[locale][fault] : words[locale].invalid;
}

function row(locale: Locale, { id, name, createdAt, lastUsedAt, isBackedUp }: HeldPasskey): Html {
  const text = words[locale];
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
  const text = words[locale];
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
