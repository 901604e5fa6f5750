import { type Block, type Content, contentOf, paragraph } from '../../notify/mail/content.ts';
import { siteOf } from '../../notify/mail/messages.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';

/**
 * The mails about an e-mail address. Those to an address that is not confirmed name no user: whoever typed the address could choose
 * the name, and with it what a stranger reads.
 */
interface Sent {
  readonly locale: Locale;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
  /** The name of the application; undefined: the person was on a page of this server. */
  readonly application?: string | undefined;
}

type Purpose = 'sign-up' | 'verify' | 'change';

const words = {
  en: {
    hello: 'Hello,',
    helloTo: (name: string) => `Hello ${name},`,
    confirm: {
      subject: (place: string) => `Confirm your e-mail address for ${place}`,
      intro: {
        'sign-up': (place: string) => `Somebody, probably you, is creating an account for ${place} with this address.`,
        verify: (place: string) => `Somebody, probably you, is signing in to ${place} with this address.`,
        change: (place: string) => `Somebody, probably you, wants to use this address for an account at ${place}.`,
      },
      code: 'Type this code on the page that asked for it:',
      link: 'Or open this link:',
      label: 'Confirm the address',
      limits: 'Code and link work once, for 30 minutes. A newer mail of this kind replaces them.',
      otherwise: 'If it was not you, you need not do anything. Do not give the code to anybody.',
    },
    exists: {
      subject: (place: string) => `You have an account for ${place}`,
      intro: (place: string) =>
        `Somebody, probably you, has tried to create an account for ${place} with this address. There is one already: go back and sign in with it.`,
      forgot: 'If you do not know the password, you can set a new one:',
      label: 'Set a new password',
      otherwise: 'If it was not you, you need not do anything: nothing was changed.',
    },
    tried: {
      subject: (place: string) => `Somebody wanted to use your address at ${place}`,
      intro: (place: string) =>
        `Somebody has tried to use this address for another account at ${place}. It belongs to your account, so nothing was changed.`,
      otherwise: 'You need not do anything.',
    },
    changed: {
      subject: (site: string) => `Your e-mail address for ${site} was changed`,
      intro: (site: string) =>
        `The e-mail address of your account at ${site} was changed. Mails go to the new one now.`,
      otherwise:
        'If it was not you, undo it. You get this address back, everybody is signed out, and you can set a new password:',
      label: 'Undo the change',
      limits:
        'The link works once, for 7 days. It stops working when the password, a second factor or the address of the account is changed again.',
      withoutLink: 'If it was not you, sign in and change your password, or ask the operator of this site for help.',
    },
  },
  zh: {
    hello: '您好：',
    helloTo: (name: string) => `${name}，您好：`,
    confirm: {
      subject: (place: string) => `确认您在 ${place} 的电子邮箱`,
      intro: {
        'sign-up': (place: string) => `有人（可能是您本人）正在使用此邮箱创建 ${place} 的账户。`,
        verify: (place: string) => `有人（可能是您本人）正在使用此邮箱登录 ${place}。`,
        change: (place: string) => `有人（可能是您本人）希望将此邮箱用于 ${place} 的账户。`,
      },
      code: '请在提示输入验证码的页面上输入：',
      link: '或者打开此链接：',
      label: '确认邮箱',
      limits: '验证码和链接只能使用一次，30 分钟内有效。之后收到的同类邮件会取代它们。',
      otherwise: '如果不是您本人，则无需任何操作。请勿将验证码告诉他人。',
    },
    exists: {
      subject: (place: string) => `您已有 ${place} 的账户`,
      intro: (place: string) =>
        `有人（可能是您本人）尝试使用此邮箱创建 ${place} 的账户。该邮箱已有账户：请返回并登录。`,
      forgot: '如果您不知道密码，可以设置新密码：',
      label: '设置新密码',
      otherwise: '如果不是您本人，则无需任何操作，账户没有任何变化。',
    },
    tried: {
      subject: (place: string) => `有人希望在 ${place} 使用您的邮箱`,
      intro: (place: string) => `有人尝试将此邮箱用于 ${place} 的另一个账户。该邮箱属于您的账户，因此没有任何变化。`,
      otherwise: '您无需任何操作。',
    },
    changed: {
      subject: (site: string) => `您在 ${site} 的电子邮箱已更改`,
      intro: (site: string) => `您在 ${site} 的账户邮箱已更改，之后的邮件将发送到新邮箱。`,
      otherwise: '如果不是您本人操作，请撤销。此邮箱将恢复，所有登录会话都会结束，您可以设置新密码：',
      label: '撤销更改',
      limits: '此链接只能使用一次，7 天内有效。如果账户的密码、第二重验证或邮箱再次更改，链接即失效。',
      withoutLink: '如果不是您本人操作，请登录并更改密码，或联系本站管理员。',
    },
  },
} as const;

export function confirmAddressMail(sent: Sent, purpose: Purpose, secrets: { code: string; token: string }): Content {
  const { hello, confirm } = words[sent.locale];
  const place = placeOf(sent);
  return contentOf(sent.locale, confirm.subject(place), [
    paragraph(hello),
    paragraph(confirm.intro[purpose](place)),
    paragraph(confirm.code),
    { kind: 'code', code: secrets.code },
    paragraph(confirm.link),
    { kind: 'link', href: `${sent.baseUrl}/confirm-email?token=${secrets.token}`, label: confirm.label },
    paragraph(confirm.limits),
    paragraph(confirm.otherwise),
  ]);
}

/** To an address that a sign-up, or another user, named and that belongs to a user. */
export function addressTakenMail(sent: Sent, purpose: Purpose): Content {
  const { hello, exists, tried } = words[sent.locale];
  const place = placeOf(sent);
  if (purpose !== 'sign-up') {
    const blocks = [paragraph(hello), paragraph(tried.intro(place)), paragraph(tried.otherwise)];
    return contentOf(sent.locale, tried.subject(place), blocks);
  }
  const link: Block = { kind: 'link', href: `${sent.baseUrl}/forgot-password`, label: exists.label };
  return contentOf(sent.locale, exists.subject(place), [
    paragraph(hello),
    paragraph(exists.intro(place)),
    paragraph(exists.forgot),
    link,
    paragraph(exists.otherwise),
  ]);
}

/** To the former address. Without a token: the change cannot be undone by this mail. */
export function addressChangedMail(sent: Sent, username: string, undoToken?: string): Content {
  const { helloTo, changed } = words[sent.locale];
  const site = siteOf(sent.baseUrl);
  const begin = [paragraph(helloTo(username)), paragraph(changed.intro(site))];
  if (undoToken === undefined) {
    return contentOf(sent.locale, changed.subject(site), [...begin, paragraph(changed.withoutLink)]);
  }
  return contentOf(sent.locale, changed.subject(site), [
    ...begin,
    paragraph(changed.otherwise),
    { kind: 'link', href: `${sent.baseUrl}/undo-email?token=${undoToken}`, label: changed.label },
    paragraph(changed.limits),
  ]);
}

function placeOf({ application, baseUrl }: Sent): string {
  return application ?? siteOf(baseUrl);
}
