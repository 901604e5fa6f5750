import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of encrypted answers. */
export const encryptionFailures = {
  encryptionKeyMissing: {
    error: 'invalid_client_metadata',
    status: 400,
    description: 'The client has no key to encrypt the answer to.',
    cause:
      'The client has asked for encrypted answers, and its jwks_uri cannot be read or has no key for the algorithm.',
    fix: 'Publish a key with use enc that fits the algorithm at jwks_uri. The answer is never sent in clear instead.',
    title: { en: 'There is no key to encrypt the answer to', zh: '没有可用于加密响应的密钥' },
    rule: {
      en: 'A client that asks for encrypted answers publishes a key for them.',
      zh: '要求加密响应的客户端须发布相应的密钥。',
      reference: 'OpenID Connect Core section 10.2',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
