import type { Locale } from '../../platform/ui/locale.rules.ts';
import { type Content, contentOf, paragraph } from './content.ts';

/** The mails, in the language of the request that caused them. */
export interface Recipient {
  readonly locale: Locale;
  readonly username: string;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
}

const words = {
  en: {
    hello: (name: string) => `Hello ${name},`,
    reset: {
      subject: (site: string) => `Set a new password for ${site}`,
      intro: (site: string) => `Somebody, probably you, has asked for a new password for your account at ${site}.`,
      label: 'Set a new password',
      limits: 'The link works once, for 30 minutes. A newer mail of this kind replaces it.',
      otherwise: 'If it was not you, you need not do anything: your password stays as it is.',
    },
    changed: {
      subject: (site: string) => `Your password for ${site} was changed`,
      intro: (site: string) =>
        `The password of your account at ${site} was changed. Every session that was open before has ended.`,
      otherwise: 'If it was not you, set a new password at once:',
      label: 'Set a new password',
    },
  },
  zh: {
    hello: (name: string) => `${name}，您好：`,
    reset: {
      subject: (site: string) => `重新设置 ${site} 的密码`,
      intro: (site: string) => `有人（可能是您本人）请求为您在 ${site} 的账户设置新密码。`,
      label: '设置新密码',
      limits: '此链接只能使用一次，30 分钟内有效。之后收到的同类邮件会取代它。',
      otherwise: '如果不是您本人，则无需任何操作，您的密码保持不变。',
    },
    changed: {
      subject: (site: string) => `您在 ${site} 的密码已更改`,
      intro: (site: string) => `您在 ${site} 的账户密码已更改，此前的所有登录会话均已结束。`,
      otherwise: '如果不是您本人操作，请立即设置新密码：',
      label: '设置新密码',
    },
  },
} as const;

export function resetPasswordMail({ locale, username, baseUrl }: Recipient, token: string): Content {
  const { hello, reset } = words[locale];
  const site = siteOf(baseUrl);
  return contentOf(locale, reset.subject(site), [
    paragraph(hello(username)),
    paragraph(reset.intro(site)),
    { kind: 'link', href: `${baseUrl}/reset-password?token=${token}`, label: reset.label },
    paragraph(reset.limits),
    paragraph(reset.otherwise),
  ]);
}

export function passwordChangedMail({ locale, username, baseUrl }: Recipient): Content {
  const { hello, changed } = words[locale];
  const site = siteOf(baseUrl);
  return contentOf(locale, changed.subject(site), [
    paragraph(hello(username)),
    paragraph(changed.intro(site)),
    paragraph(changed.otherwise),
    { kind: 'link', href: `${baseUrl}/forgot-password`, label: changed.label },
  ]);
}

export function siteOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}
