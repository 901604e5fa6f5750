import type { Actor } from '../../audit/events/rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import { header, type Request } from '../../platform/http/message.ts';
import { type Role, type RoleGrant, roles } from '../roles/store.ts';

/** The API key, operator or command that asks for an operation. */
export interface Caller extends RoleGrant {
  readonly actor: Actor;
  /** Of an access token; a key or command has none, and may do all that its role allows. */
  readonly scope?: readonly Scope[] | undefined;
}

/** The command line: its user can read the database anyway. */
export const COMMAND_LINE: Caller = { actor: { kind: 'system' }, role: 'owner', applications: undefined };

/** Where a request came from; the command line has none of it. */
export interface Origin {
  readonly requestId?: string | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

const MAX_USER_AGENT_LENGTH = 500;

export function requestOrigin(request: Pick<Request, 'id' | 'address' | 'headers'>): Origin {
  const { id: requestId, address } = request;
  const userAgent = header(request, 'user-agent')?.slice(0, MAX_USER_AGENT_LENGTH);
  return { requestId, address, userAgent };
}

export function hasRole({ role }: RoleGrant, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export function mayAccess({ applications }: RoleGrant, app: string): boolean {
  return applications === undefined || applications.includes(app);
}
