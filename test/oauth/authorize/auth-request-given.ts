import assert from 'node:assert/strict';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { readAuthRequest } from '../../../src/oauth/authorize/request.rules.ts';
import { encodeParams, parseParams } from '../../../src/platform/http/params.rules.ts';
import { application, CALLBACK, client } from './given.ts';

export const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };

export type Fields = Record<string, string | undefined>;

/** The request with some parameters changed; `extra` is appended as it stands. */
function read(fields: Fields, extra = '', over: Partial<Client> = {}, strict = false) {
  const base = { client_id: 'web', redirect_uri: CALLBACK, response_type: 'code', state: 'st' };
  const raw = encodeParams(Object.entries({ ...base, ...fields })) + extra;
  const target = { client: client(over), redirectUri: CALLBACK };
  return readAuthRequest(parseParams(raw), target, application({ strict_oidc: strict }));
}

export function valid(...args: Parameters<typeof read>) {
  const result = read(...args);
  assert(result.kind === 'valid', JSON.stringify(result));
  return result.request;
}

export function refused(...args: Parameters<typeof read>) {
  const result = read(...args);
  assert(result.kind === 'refused', 'the request was accepted');
  return { error: result.failure.error, description: result.failure.description, mode: result.mode };
}

/** The error_description that names a parameter (interface 7.2). */
export const parameter = (name: string) => `OAuth 2.0 Parameter: ${name}`;
