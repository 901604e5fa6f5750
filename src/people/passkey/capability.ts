import { capability, from, step } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { passkeyRule } from './step.rules.ts';
import type { Passkeys } from './store.ts';

/** Passkeys (WebAuthn level 3): as the first or the second factor, and /account/security/passkeys. */
export const passkey = capability('people/passkey', {
  routes: [pageOf('/account/security/passkeys', () => import('./page.ts'), 'showPasskeys', 'submitPasskeys')],
  steps: {
    passkey: step(passkeyRule, () => import('./step.ts'), 'passkey'),
  },
  fields: from(() => import('./fields.ts'), 'passkeyFields'),
  store: [
    storePart<Passkeys>(
      {
        passkeysOf: true,
        passkeysOfUsers: true,
        findPasskey: true,
        usePasskey: true,
        addPasskey: true,
        renamePasskey: true,
        removePasskey: true,
      },
      async () => (await import('./queries.ts')).coldPasskeys,
    ),
  ],
});
