import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import { type Block, type Content, contentOf, paragraph } from './content.ts';
import { type Recipient, siteOf } from './messages.ts';

/** The mails that tell a person what was changed in the account, and what to do if it was somebody else. */

/** By the kind of the credential (people/password/store.ts). */
const NAMED = ['password', 'totp', 'recovery', 'passkey'] as const;
export type NamedFactor = (typeof NAMED)[number];

const words = {
  en: {
    hello: (name: string) => `Hello ${name},`,
    factors: {
      password: 'a password',
      totp: 'an authenticator app',
      recovery: 'new recovery codes',
      passkey: 'a passkey',
    } satisfies Record<NamedFactor, string>,
    added: {
      subject: (site: string) => `A new way to sign in to ${site}`,
      intro: (site: string, factor: string) =>
        `Your account at ${site} has a new way to prove that it is you: ${factor}.`,
    },
    removed: {
      subject: (site: string) => `A way to sign in to ${site} was removed`,
      intro: (site: string, factor: string) => `From your account at ${site} this was removed: ${factor}.`,
    },
    notYou: 'If it was not you, change your password and look at your sessions at once:',
    security: 'Sign-in and security',
    scheduled: {
      subject: (site: string) => `Your account at ${site} will be deleted`,
      intro: (site: string, day: string) => `As you asked, your account at ${site} will be deleted on ${day}.`,
      until: 'Until then nobody can use it, and you are signed out everywhere. After that, it cannot be brought back.',
      undo: 'If you want to keep it, or if it was not you who asked, sign in before that day:',
      label: 'Sign in and keep the account',
    },
    kept: {
      subject: (site: string) => `Your account at ${site} is kept`,
      intro: (site: string) => `Your account at ${site} will not be deleted: you signed in and chose to keep it.`,
    },
  },
  zh: {
    hello: (name: string) => `${name}，您好：`,
    factors: { password: '密码', totp: '身份验证器应用', recovery: '新的恢复码', passkey: '通行密钥' } satisfies Record<
      NamedFactor,
      string
    >,
    added: {
      subject: (site: string) => `${site} 新增了登录验证方式`,
      intro: (site: string, factor: string) => `您在 ${site} 的账户新增了验证方式：${factor}。`,
    },
    removed: {
      subject: (site: string) => `${site} 移除了登录验证方式`,
      intro: (site: string, factor: string) => `您在 ${site} 的账户移除了验证方式：${factor}。`,
    },
    notYou: '如果不是您本人操作，请立即更改密码并检查您的登录会话：',
    security: '登录与安全',
    scheduled: {
      subject: (site: string) => `您在 ${site} 的账户将被删除`,
      intro: (site: string, day: string) => `根据您的请求，您在 ${site} 的账户将于 ${day} 删除。`,
      until: '在此之前，任何人都无法使用该账户，所有登录会话均已结束。删除后无法恢复。',
      undo: '如果您想保留账户，或者请求并非您本人提出，请在该日期之前登录：',
      label: '登录并保留账户',
    },
    kept: {
      subject: (site: string) => `您在 ${site} 的账户已保留`,
      intro: (site: string) => `您在 ${site} 的账户不会被删除：您已登录并选择保留账户。`,
    },
  },
} as const;

/** Undefined for a kind that no mail has a name for. */
export function toNamedFactor(kind: string): NamedFactor | undefined {
  return NAMED.find(each => each === kind);
}

export function factorMail(recipient: Recipient, change: 'added' | 'removed', factor: NamedFactor): Content {
  const { hello, factors, notYou, security, ...text } = words[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, text[change].subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(text[change].intro(site, factors[factor])),
    paragraph(notYou),
    securityLink(recipient, security),
  ]);
}

export function deletionMail(recipient: Recipient, dueAt: number): Content {
  const { hello, scheduled } = words[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, scheduled.subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(scheduled.intro(site, dayText(recipient.locale, dueAt))),
    paragraph(scheduled.until),
    paragraph(scheduled.undo),
    { kind: 'link', href: `${recipient.baseUrl}/account`, label: scheduled.label },
  ]);
}

export function keptMail(recipient: Recipient): Content {
  const { hello, kept, notYou, security } = words[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, kept.subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(kept.intro(site)),
    paragraph(notYou),
    securityLink(recipient, security),
  ]);
}

function securityLink({ baseUrl }: Recipient, label: string): Block {
  return { kind: 'link', href: `${baseUrl}/account/security`, label };
}

function dayText(locale: Locale, seconds: number): string {
  return timeText(locale, new Date(seconds * 1000));
}
