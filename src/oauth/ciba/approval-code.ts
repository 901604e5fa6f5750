import { timingSafeEqual } from 'node:crypto';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { MAX_NORMALIZED_LENGTH } from '../../directory/users/login-name.rules.ts';
import { failure } from '../../failures.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { countTypedCode } from '../../platform/throttle/all-nodes.ts';
import type { Services } from '../../services.ts';

/**
 * The code that a person has set against requests of strangers (section 7.1, `user_code`). Only requests that bring it reach the person, of
 * whatever client. It is short, so the store has an HMAC of it under a key of the server, and guesses are counted on all nodes together.
 */
export function approvalCodeHashes(
  ring: Pick<KeyRing, 'userCodeHashes'>,
  sub: string,
  code: string,
): [string, ...string[]] {
  return ring.userCodeHashes(JSON.stringify(['approval code', sub, code.normalize('NFKC')]));
}

/** Undefined: the request may reach the person. */
export async function refuseWithoutCode(
  services: Services,
  { sub }: Profile,
  sent: string | undefined,
): Promise<Refusal | undefined> {
  const { store, ring } = services;
  const set = await store.approvalCodeOf(sub);
  if (!set) return undefined;
  if (sent === undefined) return { failure: failure('approvalCodeMissing') };
  const counted = await countTypedCode(services, { kind: 'approvalCode', account: sub }, limits => [
    { key: `${sub} approval codes`, ...limits.approvalCode, isCommon: true },
  ]);
  if (counted.kind === 'refused') return { failure: failure('tooManyApprovalCodes'), retryAfter: counted.wait };
  const expected = Buffer.from(set.hash);
  const written = sent.length > MAX_NORMALIZED_LENGTH ? '' : sent;
  const isRight = approvalCodeHashes(ring, sub, written)
    .map(hash => Buffer.from(hash))
    .some(hash => hash.length === expected.length && timingSafeEqual(hash, expected));
  if (!isRight) return { failure: failure('approvalCodeWrong') };
  await counted.succeeded();
  return undefined;
}
