import { capability, from, step } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { passkeyRule } from './step.rules.ts';

/** Passkeys (WebAuthn level 3): as the first or the second factor, and /account/security/passkeys. */
export const passkey = capability('people/passkey', {
  routes: [pageOf('/account/security/passkeys', () => import('./page.ts'), 'showPasskeys', 'submitPasskeys')],
  steps: {
    passkey: step(passkeyRule, () => import('./step.ts'), 'passkey'),
  },
  fields: from(() => import('./fields.ts'), 'passkeyFields'),
});
