import type { Random } from '../../platform/deps.ts';
import type { Deps } from '../../services.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../recovery-codes/codes.ts';
import type { NewTotp } from '../second-factor/store.ts';
import { sealTotpKey, type TotpSealing } from './key.ts';
import { decodeBase32, encodeBase32, KEY_BYTES, matchingStep } from './rules.ts';

/**
 * Setting up an authenticator app, on the account page and inside the sign-in: a new key travels sealed through the browser, and
 * counts only when a first code has shown that the app has it.
 */

/** In base32. */
export function newTotpKey(random: Random): string {
  return encodeBase32(random.bytes(KEY_BYTES));
}

export interface ConfirmedTotp {
  readonly totp: NewTotp;
  /** Shown once: the store has only their hashes. */
  readonly recoveryCodes: readonly string[];
}

/** Undefined: the code is wrong. */
export function confirmTotpKey(
  { random, ring, clock }: Pick<Deps, 'random' | 'clock'> & { readonly ring: TotpSealing },
  { sub, key: text }: { readonly sub: string; readonly key: string },
  code: string,
): ConfirmedTotp | undefined {
  const key = decodeBase32(text);
  const step = key && matchingStep(key, code, clock.now(), undefined);
  if (!key || step === undefined) return undefined;
  const recoveryCodes = newRecoveryCodes(random);
  const recoveryHashes = recoveryCodes.map(each => hashRecoveryCode(sub, each));
  return { totp: { sealedKey: sealTotpKey(ring, sub, key), step, recoveryHashes }, recoveryCodes };
}
