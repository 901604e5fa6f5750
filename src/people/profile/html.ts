import { attributeText } from '../../directory/user-attributes/text.ts';
import { attributeInputs, type TypedAttributes } from '../../directory/user-attributes/values.html.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import type { Reply } from '../../platform/http/message.ts';
import { passkeyScript } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { sharedText } from '../../platform/ui/text.ts';
import { accountPage, faultLine, invalid } from '../account/frame.ts';
import { profileText } from './text.ts';
import type { ProfileFault, ProfileField } from './typed-profile.ts';

interface ProfileView {
  readonly locale: Locale;
  readonly user: Profile;
  /** The server sends mail, so that another address can be confirmed. */
  readonly canChangeEmail: boolean;
  readonly passkeyOffer: Html;
  /** By their labels. */
  readonly attributes: readonly (readonly [label: string, value: string | undefined])[];
}

export function profilePage({ locale, user, canChangeEmail, passkeyOffer, attributes }: ProfileView): Reply {
  const text = profileText[locale];
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
)}${term(text.phone, shown(user.phoneNumber, user.phoneNumberVerified))}${attributes.map(([label, value]) => term(label, shown(value)))}</dl>
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
  readonly attributes: TypedAttributes;
}

export function editProfilePage({ locale, values, fault, tooManySeconds, attributes }: EditView): Reply {
  const text = profileText[locale];
  const message = (fault && text.faults[fault.kind]) ?? attributesFault(locale, attributes);
  const tooMany = tooManySeconds === undefined ? undefined : sharedText[locale].tooManyAttempts(tooManySeconds);
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
    content: html`${tooMany !== undefined && html`<p class="alert" role="alert">${tooMany}</p>\n`}${attributes.faulty.includes('') && html`<p class="alert" role="alert">${message}</p>\n`}<form method="post" action="/account/profile" class="narrow" data-once>
${field('username', text.username, html`type="text" autocomplete="username" autocapitalize="none" spellcheck="false" required`)}${field(
  'nickname',
  text.nickname,
  html`type="text" autocomplete="nickname"`,
)}${field('picture', text.picture, html`type="url" autocomplete="photo"`, text.pictureHint)}${field(
  'phone_number',
  text.phone,
  html`type="tel" autocomplete="tel"`,
  text.phoneHint,
)}${attributeInputs(locale, attributes)}<button type="submit">${text.save}</button>
</form>
<p><a href="/account">${sharedText[locale].cancel}</a></p>`,
  });
}

/** In the title and above the form: the first field that has one, or that there is too much of all. */
function attributesFault(locale: Locale, { defined, faulty }: TypedAttributes): string | undefined {
  const [name] = faulty;
  if (name === undefined) return undefined;
  const text = attributeText[locale];
  const attribute = defined.find(one => one.name === name);
  return attribute === undefined ? text.tooMuch : `${attribute.label}: ${text.faults[attribute.type]}`;
}
