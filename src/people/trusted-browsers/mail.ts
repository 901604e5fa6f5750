import { type Content, contentOf, paragraph } from '../../notify/mail/content.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';

/** The mail about a sign-in with a browser that the user had not signed in with before. */
interface NewBrowserMail {
  readonly locale: Locale;
  readonly username: string;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
  /** What the browser says of itself, such as `Firefox · Windows`; undefined: nothing that is known. */
  readonly browser: string | undefined;
  readonly address: string;
  readonly time: number;
}

const words = {
  en: {
    hello: (name: string) => `Hello ${name},`,
    subject: (site: string) => `New sign-in to your account at ${site}`,
    intro: (site: string) => `Somebody, probably you, signed in to your account at ${site} with a new browser.`,
    browser: (name: string) => `Browser: ${name}`,
    unknown: 'unknown',
    address: (address: string) => `Network address: ${address}`,
    time: (time: string) => `Time: ${time}`,
    fine: 'If it was you, you need not do anything.',
    otherwise: 'If it was not you, set a new password at once:',
    label: 'Set a new password',
  },
  zh: {
    hello: (name: string) => `${name}，您好：`,
    subject: (site: string) => `您在 ${site} 的账户有新的登录`,
    intro: (site: string) => `有人（可能是您本人）使用新的浏览器登录了您在 ${site} 的账户。`,
    browser: (name: string) => `浏览器：${name}`,
    unknown: '未知',
    address: (address: string) => `网络地址：${address}`,
    time: (time: string) => `时间：${time}`,
    fine: '如果是您本人，则无需任何操作。',
    otherwise: '如果不是您本人，请立即设置新密码：',
    label: '设置新密码',
  },
} as const;

export function newBrowserMail({ locale, username, baseUrl, browser, address, time }: NewBrowserMail): Content {
  const text = words[locale];
  const site = new URL(baseUrl).host;
  return contentOf(locale, text.subject(site), [
    paragraph(text.hello(username)),
    paragraph(text.intro(site)),
    paragraph(text.browser(browser ?? text.unknown)),
    paragraph(text.address(address)),
    paragraph(text.time(timeText(locale, new Date(time * 1000)))),
    paragraph(text.fine),
    paragraph(text.otherwise),
    { kind: 'link', href: `${baseUrl}/forgot-password`, label: text.label },
  ]);
}
