import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of passwords: wrong, guessed too often, forgotten, or not checked because the server is busy. */
export const passwordFailures = {
  credentialsWrong: {
    error: 'invalid_grant',
    status: 400,
    description: 'The username or password is incorrect.',
    cause: 'Unknown user, wrong password or disabled user. The response does not say which.',
    fix: 'Ask the user to try again.',
    title: { en: 'User name and password do not match', zh: '用户名和密码不匹配' },
    rule: {
      en: 'User name and password must be right, and the user enabled.',
      zh: '用户名和密码必须正确，且用户未停用。',
      reference: 'RFC 6749 section 4.3.2',
    },
  },
  tooManyAttempts: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many failed attempts. Try again later.',
    cause: 'Too many failed sign-ins for this account or from this network address.',
    fix: 'Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many failed logins', zh: '登录失败次数过多' },
    rule: {
      en: 'Failed logins are limited per login name and per address, wrong codes per account.',
      zh: '登录失败次数按登录名和地址受限，错误验证码按账户受限。',
      reference: 'docs/operations.md#guessing',
    },
  },
  hashQueueFull: {
    error: 'temporarily_unavailable',
    status: 503,
    description: 'The server is busy. Try again in a moment.',
    cause: 'The queue of sign-ins that wait for their password check is full.',
    fix: 'Try again after the seconds of the Retry-After header. If it happens often, add processors or nodes.',
    title: { en: 'Too many logins at the same time', zh: '同时登录的请求过多' },
    rule: {
      en: 'Password checks wait in a bounded queue.',
      zh: '密码检查在有限的队列中等待。',
      reference: 'docs/operations.md#limits',
    },
  },
  resetLinkInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'This link to a new password does not work any more.',
    cause:
      'The link was used, a newer one replaced it, it is older than 30 minutes (7 days for an invitation), or it is not complete. It also ends when the password or the e-mail address changes, and when the user is disabled.',
    fix: 'Ask for a new link at /forgot-password, and use the newest mail. An operator can send an invitation again.',
    title: { en: 'The link to set a new password no longer works', zh: '设置新密码的链接已失效' },
    rule: {
      en: 'A link to a new password works once, for 30 minutes (an invitation 7 days), for the newest request.',
      zh: '设置新密码的链接 30 分钟内有效（邀请链接为 7 天），只能使用一次，且只有最新的链接有效。',
      reference: 'docs/accounts.md#passwords',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
