import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the consent to scopes. */
export const consentFailures = {
  consentRequired: {
    error: 'consent_required',
    status: 400,
    description: 'The user has not agreed to these scopes yet, and prompt=none forbids asking.',
    cause:
      'prompt=none for scopes the user has not agreed to, by a client with require_consent or a native client (no secret, and a loopback or private-scheme address). A client that has registered itself needs consent for every request.',
    fix: 'Send the user through an authorization request without prompt=none.',
    title: { en: 'Consent is missing, and could not be asked for', zh: '缺少授权同意，且不能询问' },
    rule: {
      en: 'With prompt=none, the user cannot be asked for consent.',
      zh: 'prompt=none 不允许请求用户同意。',
      reference: 'OpenID Connect Core section 3.1.2.6',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
