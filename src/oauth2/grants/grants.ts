import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { deviceCode } from './device-code.ts';
import type { GrantHandler } from './grant.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';
import { tokenExchange } from './token-exchange.ts';

/**
 * The grants of the token endpoint. A further grant is a file and an entry here. The type forgets which callers each of them
 * takes: token.ts gives a grant only callers of the kinds that it declares.
 */
const table = [
  authorizationCode,
  refreshToken,
  clientCredentials,
  tokenExchange,
  password,
  deviceCode,
] as readonly GrantHandler[];

export const grants: ReadonlyMap<string, GrantHandler> = new Map(table.map(grant => [grant.grantType, grant]));

/** The form parameters that the grants read, each once. */
export const grantParameters: readonly string[] = [
  ...new Set(['grant_type', ...table.flatMap(({ required, optional }) => [...required, ...optional])]),
];
