import { randomUUID } from 'node:crypto';
import { sendRequest } from '../../platform/outbound/request.ts';
import { createDelays, type Delays } from '../federation/delays.ts';
import type { Checked, PasswordChecker, TypedPassword } from '../federation/password-checker.ts';
import { createDirectory, type Directory } from '../ldap/directory.ts';
import { MAX_PASSWORD_LENGTH } from '../password/password.rules.ts';
import { type CheckAnswer, checkRequest, readCheckAnswer } from './request.rules.ts';

/**
 * Asks the old system. Not about an account that has a password here: it has moved, or is none of the old system's, and a password that was
 * changed since would go on to work there.
 */
export const passwordCheck: PasswordChecker = {
  takesOver: true,
  async check(asked) {
    const { account, provider, services } = asked;
    const password = account?.passwordHash === undefined && isUsable(asked.password) ? asked.password : undefined;
    const { old } = services.providerConnections.of(provider, () => oldSystem(asked));
    return old(asked.username, password, asked.countEntry);
  },
};

function isUsable(password: string | undefined): boolean {
  return password !== undefined && password !== '' && password.length <= MAX_PASSWORD_LENGTH;
}

type Old = Directory['check'];

function oldSystem({ services, provider }: TypedPassword): { readonly old: Old; close(): void } {
  if (!String(provider.url).startsWith('http')) {
    const directory: Directory = createDirectory(services, provider);
    return { old: directory.check, close: directory.close };
  }
  const delays = createDelays(services.random);
  return {
    old: (username, password) => askByHttp({ services, provider }, delays, username, password),
    close: () => {},
  };
}

const MAX_ANSWER_BYTES = 64 * 1024;

async function askByHttp(
  { services, provider }: Pick<TypedPassword, 'services' | 'provider'>,
  delays: Delays,
  username: string,
  password: string | undefined,
): Promise<Checked> {
  if (password === undefined) {
    await delays.waitAsForCheck();
    return { kind: 'refused', reason: 'it was not asked', isKnown: false };
  }
  const { signing_secret: secret } = provider.secrets;
  if (secret === undefined) {
    return { kind: 'failed', fault: { kind: 'refused', reason: 'signing_secret is missing: set it here and there' } };
  }
  const { headers, body } = checkRequest(
    { username, password },
    { secret, id: randomUUID(), now: services.clock.now() },
  );
  const begun = performance.now();
  const request = {
    method: 'POST',
    url: String(provider.url),
    headers,
    body,
    maxBytes: MAX_ANSWER_BYTES,
  };
  const outcome = await sendRequest({ ...request, isDocument: true }, services.config.outbound);
  if (outcome.kind === 'failed') return { kind: 'failed', fault: { kind: 'unavailable', reason: outcome.reason } };
  delays.note(performance.now() - begun);
  return checkedBy(readCheckAnswer(outcome.status, outcome.body.toString()));
}

function checkedBy(answer: CheckAnswer): Checked {
  switch (answer.kind) {
    case 'right':
      return { kind: 'identified', identity: { subject: answer.subject, claims: answer.claims } };
    case 'wrong':
      return { kind: 'refused', reason: answer.reason, isKnown: answer.isKnown };
    case 'failed':
      return { kind: 'failed', fault: { kind: answer.fault, reason: answer.reason } };
  }
}
