import type { Profile } from '../../directory/users/claims.rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { accountPage, faultLine, invalid } from '../account/frame.ts';
import type { ProfileFault, ProfileField } from './typed-profile.ts';

const words = {
  en: {
    title: 'Your profile',
    edit: 'Edit your profile',
    intro: 'What applications may see of you, if you let them.',
    username: 'User name',
    nickname: 'Nickname',
    picture: 'Picture',
    pictureHint: 'The address of an image on the web, such as https://example.com/me.png.',
    email: 'E-mail address',
    phone: 'Phone number',
    phoneHint: 'With the country code, such as +8613800000000. You can sign in with it once it is verified.',
    none: 'not set',
    confirmed: 'confirmed',
    notConfirmed: 'not confirmed',
    changeEmail: 'Change the e-mail address',
    save: 'Save',
    faults: {
      usernameMissing: 'Enter a user name.',
      usernameInvalid: 'A user name has at most 254 characters, on one line.',
      usernameIsAddress: 'A user name cannot be an e-mail address or a phone number that is not yours.',
      nicknameInvalid: 'A nickname has at most 100 characters, on one line.',
      pictureInvalid: 'Enter an address that begins with https://, with at most 2000 characters.',
      phoneInvalid: 'Enter a phone number with its country code, such as +8613800000000.',
      taken: 'This name is already in use. Choose another one.',
    } satisfies Record<ProfileFault, string>,
  },
  zh: {
    title: '个人资料',
    edit: '编辑个人资料',
    intro: '经您同意后，应用可以看到的信息。',
    username: '用户名',
    nickname: '昵称',
    picture: '头像',
    pictureHint: '网络图片的地址，例如 https://example.com/me.png。',
    email: '邮箱',
    phone: '手机号',
    phoneHint: '请包含国家代码，例如 +8613800000000。验证后您可以用它登录。',
    none: '未设置',
    confirmed: '已验证',
    notConfirmed: '未验证',
    changeEmail: '更改邮箱',
    save: '保存',
    faults: {
      usernameMissing: '请输入用户名。',
      usernameInvalid: '用户名最多 254 个字符，且只能为一行。',
      usernameIsAddress: '用户名不能是不属于您的邮箱或手机号。',
      nicknameInvalid: '昵称最多 100 个字符，且只能为一行。',
      pictureInvalid: '请输入以 https:// 开头、最多 2000 个字符的地址。',
      phoneInvalid: '请输入包含国家代码的手机号，例如 +8613800000000。',
      taken: '该名称已被使用。请换一个。',
    } satisfies Record<ProfileFault, string>,
  },
} as const;

interface ProfileView {
  readonly locale: Locale;
  readonly user: Profile;
  /** The server sends mail, so that another address can be confirmed. */
  readonly canChangeEmail: boolean;
  readonly passkeyOffer: Html;
}

export function profilePage({ locale, user, canChangeEmail, passkeyOffer }: ProfileView): Reply {
  const text = words[locale];
  const state = (isConfirmed: boolean) =>
    html` <span class="muted">· ${isConfirmed ? text.confirmed : text.notConfirmed}</span>`;
  const shown = (value: string | undefined, isConfirmed?: boolean) =>
    value === undefined
      ? html`<span class="muted">${text.none}</span>`
      : html`${value}${isConfirmed !== undefined && state(isConfirmed)}`;
  const emailLink = canChangeEmail && html`<br><a href="/account/email">${text.changeEmail}</a>`;
  return accountPage({
    locale,
    place: 'profile',
    title: text.title,
    secondScript: passkeyScript,
    content: html`${passkeyOffer}<p>${text.intro}</p>
<dl>
${term(text.username, shown(user.username))}${term(text.nickname, shown(user.nickname))}${term(text.picture, shown(user.picture))}${term(
  text.email,
  html`${shown(user.email, user.emailVerified)}${emailLink}`,
)}${term(text.phone, shown(user.phoneNumber, user.phoneNumberVerified))}</dl>
<p><a class="button small" href="/account/profile">${text.edit}</a></p>`,
  });
}

function term(name: string, value: Html): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`;
}

interface EditView {
  readonly locale: Locale;
  readonly values: Readonly<Record<ProfileField, string>>;
  readonly fault?: { readonly field: ProfileField; readonly kind: ProfileFault } | undefined;
  readonly tooManySeconds?: number | undefined;
}

export function editProfilePage({ locale, values, fault, tooManySeconds }: EditView): Reply {
  const text = words[locale];
  const message = fault && text.faults[fault.kind];
  const tooMany = tooManySeconds === undefined ? undefined : textFor(locale).tooManyAttempts(tooManySeconds);
  const field = (name: ProfileField, label: string, attributes: Html, hint?: string) => {
    const isFaulty = fault?.field === name;
    const described = isFaulty ? invalid(name) : hint !== undefined && html` aria-describedby="hint-${name}"`;
    return html`<label for="${name}">${label}</label>
<div class="field">
<input id="${name}" name="${name}" value="${values[name]}" ${attributes}${described}${isFaulty && html` autofocus`}>
${faultLine(name, isFaulty ? message : undefined)}${hint !== undefined && html`<p class="muted" id="hint-${name}">${hint}</p>\n`}</div>
`;
  };
  return accountPage({
    locale,
    place: 'profile',
    title: text.edit,
    fault: tooMany ?? message,
    ...(tooMany === undefined ? {} : { status: 429, retryAfter: tooManySeconds }),
    content: html`${tooMany !== undefined && html`<p class="alert" role="alert">${tooMany}</p>\n`}<form method="post" action="/account/profile" class="narrow" data-once>
${field('username', text.username, html`type="text" autocomplete="username" autocapitalize="none" spellcheck="false" required`)}${field(
  'nickname',
  text.nickname,
  html`type="text" autocomplete="nickname"`,
)}${field('picture', text.picture, html`type="url" autocomplete="photo"`, text.pictureHint)}${field(
  'phone_number',
  text.phone,
  html`type="tel" autocomplete="tel"`,
  text.phoneHint,
)}<button type="submit">${text.save}</button>
</form>
<p><a href="/account">${textFor(locale).cancel}</a></p>`,
  });
}
