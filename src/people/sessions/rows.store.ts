import { optional, type Row, words } from '../../platform/store/row.ts';
import type { ListedSession, LiveSession } from './store.ts';

/** Of a session: which credentials its user has, by their kinds. */
export function toHeldKinds(
  value: Row[string] | undefined,
): Pick<LiveSession, 'hasTotp' | 'hasPasskey' | 'hasPassword'> {
  const kinds = value == null ? [] : words(value);
  return {
    hasTotp: kinds.includes('totp'),
    hasPasskey: kinds.includes('passkey'),
    hasPassword: kinds.includes('password'),
  };
}

export function toListedSession(row: Row): ListedSession {
  return {
    sid: row.sid as string,
    authTime: row.auth_time as number,
    idleExpiresAt: row.idle_expires_at as number,
    expiresAt: row.expires_at as number,
    userAgent: optional(row.user_agent),
    address: optional(row.address),
    startedAt: row.started_at as number,
  };
}

/** What a session keeps of the one that it replaces. */
export interface Kept {
  readonly sid: string;
  readonly startedAt: number;
}

export function toKept(row: Row): Kept {
  return { sid: row.sid as string, startedAt: Number(row.started_at) };
}
