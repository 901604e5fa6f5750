import type { NewSession } from '../../../src/people/sessions/store.ts';
import type { Store } from '../../../src/store.ts';
import { credentialKey, DAY, type Fixture, NOW, unique } from './given.ts';

export function session(sub: string, over: Partial<NewSession> = {}): NewSession {
  return {
    idHash: credentialKey(NOW + DAY),
    sid: unique('sid'),
    sub,
    authTime: NOW,
    amr: ['pwd'],
    openedByRequest: unique('pending'),
    passwordHash: undefined,
    idleExpiresAt: NOW + 3600,
    expiresAt: NOW + DAY,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0',
    address: '192.0.2.7',
    replaces: undefined,
    ...over,
  };
}

/** A session that is open, and what its user would grant a client in it. */
export async function aSession(store: Store, { user, grant }: Fixture, over: Partial<NewSession> = {}) {
  const put = session(user.sub, over);
  await store.openSession(put, NOW);
  return { ...put, grant: { ...grant, sid: put.sid } };
}
