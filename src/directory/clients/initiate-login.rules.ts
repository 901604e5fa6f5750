import { responseLocation } from '../../oauth/authorize/response-mode.rules.ts';
import type { Client } from './rules.ts';

/**
 * OpenID Connect Core section 4: where a login at the client begins, from a page of this server. Without `login_hint`, which would tell
 * the client a name that it may not see, and without `target_link_uri`: the client knows its first page.
 */
export function initiateLoginUrl({ initiate_login_uri }: Client, issuer: string): string | undefined {
  return initiate_login_uri === undefined
    ? undefined
    : responseLocation(initiate_login_uri, 'query', [['iss', issuer]]);
}
