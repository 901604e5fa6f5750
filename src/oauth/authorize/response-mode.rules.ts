import { encodeParams } from '../../platform/http/params.rules.ts';

export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

export function isResponseMode(text: string): text is ResponseMode {
  return (responseModes as readonly string[]).includes(text);
}

export type ResponseFields = readonly (readonly [string, string | undefined])[];

/** OAuth 2.0 Multiple Response Types section 2.1: the redirect URI with the response parameters. */
export function responseLocation(redirectUri: string, mode: 'query' | 'fragment', fields: ResponseFields): string {
  const encoded = encodeParams(fields);
  if (encoded === '') return redirectUri;
  if (mode === 'fragment') return `${redirectUri}#${encoded}`;
  if (!redirectUri.includes('?')) return `${redirectUri}?${encoded}`;
  return /[?&]$/.test(redirectUri) ? redirectUri + encoded : `${redirectUri}&${encoded}`;
}
