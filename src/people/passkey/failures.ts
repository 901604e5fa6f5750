import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of passkeys. */
export const passkeyFailures = {
  passkeyRefused: {
    error: 'access_denied',
    status: 400,
    description: 'The passkey was not accepted.',
    cause:
      'The passkey is none of this server or user, the answer belongs to another page, browser or site, the user was not verified although that is needed, or the counter of the authenticator did not rise.',
    fix: 'Try again on the page, or sign in with the password.',
    title: { en: 'The passkey was refused', zh: '通行密钥被拒绝' },
    rule: {
      en: 'A passkey answers the challenge of the page, for this server and this user, once.',
      zh: '通行密钥须针对此服务器和此用户应答该页面的质询，且只能使用一次。',
      reference: 'WebAuthn level 3 section 7.2',
    },
  },
  passkeysOff: {
    error: 'access_denied',
    status: 403,
    description: 'This application takes no passkeys.',
    cause: 'The application has passkeys: false, or BASE_URL has a network address instead of a domain name.',
    fix: 'Sign in with the password. An operator can turn passkeys on for the application.',
    title: { en: 'The application does not accept passkeys', zh: '此应用不接受通行密钥' },
    rule: {
      en: 'Passkeys are taken where the application has passkeys: true.',
      zh: '仅当应用设置为 passkeys: true 时才接受通行密钥。',
      reference: 'WebAuthn level 3 section 5.1.3',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
