import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of e-mail addresses and of the mails that confirm them. */
export const emailFailures = {
  mailLinkInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'This link or code of a mail does not work any more.',
    cause:
      'It was used, a newer mail replaced it, or it is too old: 30 minutes for one that confirms an address, 7 days for one that undoes a change. A link that undoes a change ends also when the password, a factor or the address is changed, and when the user is signed out everywhere or disabled. The address may also belong to another user meanwhile.',
    fix: 'Start again, and use the newest e-mail. If somebody else has changed your address, ask an operator for help.',
    title: { en: 'The link or code of a mail no longer works', zh: '邮件中的链接或验证码已失效' },
    rule: {
      en: 'The link and the code of a mail work once, for their time, and only those of the newest mail.',
      zh: '邮件中的链接和验证码只能使用一次，只有最新的邮件有效。',
      reference: 'docs/accounts.md#account-pages',
    },
  },
  emailNotVerifiable: {
    error: 'access_denied',
    status: 403,
    description: 'The e-mail address has to be verified, and this server sends no mail.',
    cause: 'The application has require_verified_email: true, and the server has no MAIL_URL.',
    fix: 'Set MAIL_URL, or verify the address of the user as an operator.',
    title: { en: 'The e-mail address must be verified, but no mail can be sent', zh: '需要验证邮箱，但无法发送邮件' },
    rule: {
      en: 'A verified address is demanded only where the server sends mail.',
      zh: '要求已验证邮箱的应用需要能发送邮件的服务器。',
      reference: 'docs/accounts.md#signing-in',
    },
  },
  tooManyMailRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many mails were asked for from this network address, or for this user. Try again later.',
    cause:
      'Each network address can ask for 20 mails at once, and for one more every 30 seconds. A user who is signed in can cause 20 mails at once, and one more every 6 minutes.',
    fix: 'Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many requests for mails', zh: '邮件请求过多' },
    rule: {
      en: 'Requests for mails are limited per network address and per user.',
      zh: '同一地址、同一用户请求邮件的次数受限。',
      reference: 'RFC 6585 section 4',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
