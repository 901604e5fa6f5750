import { DEVICE_PATH } from '../../people/sign-in/progress.ts';
import type { Reply } from '../../platform/http/message.ts';
import type { Brand } from '../../platform/ui/brand.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { timeText } from '../../platform/ui/time-text.ts';

/** The pages of /device (RFC 8628 sections 3.3 and 5.4): the code, the question, and what was decided. */
const words = {
  en: {
    title: 'Connect a device',
    intro: 'Enter the code that your device shows.',
    check: 'Is this the code that your device shows? Go on only if it is, and if you have the device in front of you.',
    code: 'Code',
    hint: '8 letters. Capital or small letters and the dash do not matter.',
    missing: 'Enter the code that your device shows.',
    wrong: 'No device waits with this code. Check the letters. If the code is old, start again on the device.',
    connect: (client: string) => `Connect ${client}?`,
    asks: (client: string, application: string) =>
      `A device with ${client} asks for access to your account at ${application}.`,
    compare: 'Allow it only if your device shows this code:',
    warning:
      'Did somebody send you this code or a link to this page? Then choose “Do not allow”: it would give them your account.',
    from: 'Network address of the device',
    at: 'Asked at',
    account: 'Your account',
    asksFor: 'It asks for:',
    connected: 'Your device is connected',
    goBack: (client: string) => `Go back to your device. ${client} goes on there by itself. You can close this page.`,
    manage: 'You can end its access at any time in',
    yourAccount: 'your account',
    denied: 'The device was not connected',
    deniedText: 'It has no access to your account. You can close this page.',
    cancelled: 'You have not signed in, so nothing was connected. You can close this page, or enter the code again.',
    again: 'Enter a code',
    decided: 'Your device is connected already',
    decidedText: 'It was allowed before. You can end its access in',
  },
  zh: {
    title: '连接设备',
    intro: '请输入您的设备上显示的代码。',
    check: '您的设备上显示的是这个代码吗？仅当代码一致且设备就在您面前时，才继续。',
    code: '代码',
    hint: '8 个字母，不区分大小写，连字符可省略。',
    missing: '请输入您的设备上显示的代码。',
    wrong: '没有设备在等待此代码。请检查字母；如果代码已过期，请在设备上重新开始。',
    connect: (client: string) => `连接 ${client}？`,
    asks: (client: string, application: string) => `一台使用 ${client} 的设备请求访问您在 ${application} 的账户。`,
    compare: '仅当您的设备显示以下代码时才同意：',
    warning: '如果是别人把此代码或此页面的链接发给了您，请选择“不同意”：否则对方将获得您的账户。',
    from: '设备的网络地址',
    at: '请求时间',
    account: '您的账户',
    asksFor: '它请求：',
    connected: '您的设备已连接',
    goBack: (client: string) => `请回到您的设备，${client} 会自动继续。您可以关闭此页面。`,
    manage: '您可以随时结束其访问权限：',
    yourAccount: '您的账户',
    denied: '设备未连接',
    deniedText: '它无权访问您的账户。您可以关闭此页面。',
    cancelled: '您没有登录，因此没有连接任何设备。您可以关闭此页面，或重新输入代码。',
    again: '输入代码',
    decided: '您的设备已经连接',
    decidedText: '之前已经同意。您可以结束其访问权限：',
  },
} as const;

export type CodeFault =
  | { readonly kind: 'missing' | 'wrong' }
  | { readonly kind: 'throttled'; readonly retryAfter: number };

interface EnterView {
  readonly locale: Locale;
  /** From the address, or what was typed. */
  readonly code: string;
  readonly fault?: CodeFault | undefined;
}

const SERVER: Brand = { name: 'Gatehouse' };

export function enterCodePage({ locale, code, fault }: EnterView): Reply {
  const text = words[locale];
  const message = fault && faultText(locale, fault);
  const isFilled = code !== '' && !fault;
  const described = html` aria-describedby="${fault ? 'error hint' : 'hint'}"${fault && html` aria-invalid="true"`}`;
  return page({
    locale,
    brand: SERVER,
    title: message === undefined ? text.title : `${message} · ${text.title}`,
    status: fault ? STATUS[fault.kind] : 200,
    retryAfter: fault && 'retryAfter' in fault ? fault.retryAfter : undefined,
    body: html`
<h1>${text.title}</h1>
<p>${isFilled ? text.check : text.intro}</p>
${message !== undefined && html`<p class="alert" role="alert" id="error">${message}</p>`}
<form method="post" action="${DEVICE_PATH}" data-once>
<label for="user_code">${text.code}</label>
<div class="field">
<input id="user_code" name="user_code" type="text" class="typed-code" value="${code}" autocomplete="off" autocapitalize="characters" spellcheck="false" required${!isFilled && html` autofocus`}${described}>
<p class="muted" id="hint">${text.hint}</p>
</div>
<button type="submit"${isFilled && html` autofocus`}>${textFor(locale).continue}</button>
</form>`,
  });
}

const STATUS = { missing: 400, wrong: 400, throttled: 429 } as const;

function faultText(locale: Locale, fault: CodeFault): string {
  return fault.kind === 'throttled' ? textFor(locale).tooManyAttempts(fault.retryAfter) : words[locale][fault.kind];
}

export interface DecisionView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
  /** As the device shows it. */
  readonly userCode: string;
  readonly address: string;
  readonly requestedAt: number;
  /** What each scope gives, in words. */
  readonly scope: readonly string[];
  /** The same scopes, by which the answer says what was shown. */
  readonly shown: string;
  readonly user: { readonly sub: string; readonly username: string };
  readonly pending: string;
  /** Of a client that nobody has vouched for. */
  readonly clientWarning?: Html | undefined;
  /** The client's logo and links. */
  readonly about?: Html | undefined;
}

export function decisionPage(view: DecisionView): Reply {
  const { locale, client, brand, user } = view;
  const text = words[locale];
  const { allow, deny, useAnother } = textFor(locale);
  const requested = new Date(view.requestedAt * 1000);
  return page({
    locale,
    brand,
    title: text.connect(client),
    body: html`
<h1>${text.connect(client)}</h1>
<p>${text.asks(client, brand.name)}</p>
${view.clientWarning}
${view.about}
<p>${text.compare}</p>
<p class="user-code">${view.userCode}</p>
<p>${text.warning}</p>
<dl>
<dt>${text.from}</dt><dd>${view.address}</dd>
<dt>${text.at}</dt><dd><time datetime="${requested.toISOString()}">${timeText(locale, requested)}</time></dd>
<dt>${text.account}</dt><dd>${user.username}</dd>
</dl>
${view.scope.length > 0 && html`<p>${text.asksFor}</p>\n<ul>\n${view.scope.map(scope => html`<li>${scope}</li>\n`)}</ul>\n`}${decisionForm(view, 'allow', html`<button type="submit" name="action" value="allow">${allow}</button>`)}
${decisionForm(view, 'deny', html`<button type="submit" name="action" value="deny" class="quiet">${deny}</button>`)}
${decisionForm(view, 'another', html`<button type="submit" name="action" value="another" class="quiet">${useAnother}</button>`)}`,
  });
}

function decisionForm(
  { pending, user, shown }: DecisionView,
  action: 'allow' | 'deny' | 'another',
  button: Html,
): Html {
  const look = action === 'allow' ? html` data-once` : html` class="secondary"`;
  return html`<form method="post" action="${DEVICE_PATH}"${look}>
<input type="hidden" name="pending" value="${pending}">
<input type="hidden" name="sub" value="${user.sub}">
<input type="hidden" name="scope" value="${shown}">
${button}
</form>`;
}

interface OutcomeView {
  readonly locale: Locale;
  readonly brand: Brand;
  readonly client: string;
}

export type DeviceOutcome = 'connected' | 'denied' | 'decided' | 'cancelled';

export function outcomePage({ locale, brand, client }: OutcomeView, outcome: DeviceOutcome): Reply {
  const text = words[locale];
  const account = html`<a href="/account/access">${text.yourAccount}</a>${locale === 'en' ? '.' : '。'}`;
  const [heading, content] = {
    connected: [text.connected, html`<p>${text.goBack(client)}</p>\n<p>${text.manage} ${account}</p>`],
    denied: [text.denied, html`<p>${text.deniedText}</p>`],
    decided: [text.decided, html`<p>${text.decidedText} ${account}</p>`],
    cancelled: [text.denied, html`<p>${text.cancelled}</p>\n<p><a href="${DEVICE_PATH}">${text.again}</a></p>`],
  }[outcome] as [string, Html];
  return page({ locale, brand, title: heading, body: html`\n<h1>${heading}</h1>\n${content}` });
}
