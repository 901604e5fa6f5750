import { authorizationCode } from '../authorization-code/grant.ts';
import { clientCredentials } from '../client-credentials/grant.ts';
import { deviceCode } from '../device/grant.ts';
import { password } from '../password-grant/grant.ts';
import { refreshToken } from '../refresh/grant.ts';
import { tokenExchange } from '../token-exchange/grant.ts';
import type { GrantHandler } from './grant.ts';

/**
 * The grants of the token endpoint. A further grant is a file and an entry here. The type forgets which callers each of them
 * takes: endpoint.ts gives a grant only callers of the kinds that it declares.
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
