import { optional, type Row } from '../../platform/store/row.ts';
import type { CodeFacts } from './rules.ts';

export function toCodeFacts(row: Row): CodeFacts {
  return {
    clientId: row.client_id as string,
    redirectUri: row.redirect_uri as string,
    codeChallenge: optional(row.code_challenge),
    clientAuthenticationRequired: Boolean(row.client_authentication_required),
    expiresAt: row.expires_at as number,
    redeemed: row.grant_id !== null,
  };
}
