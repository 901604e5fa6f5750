import { ADMIN_PATH, BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import { json, type Refusal } from '../../platform/http/message.ts';
import { ISSUER } from '../../platform/http/route.ts';
import type { Handler } from '../../services.ts';

/** A resource of this server whose access tokens the built-in application issues: the admin API, and the one for assistants. */
export interface ProtectedResource {
  /** Below the base address. */
  readonly path: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

export const ADMIN_RESOURCE: ProtectedResource = {
  path: ADMIN_PATH,
  name: 'Gatehouse admin API',
  scopes: ['admin:read', 'admin:write'],
};

/** RFC 9728 section 3.1: between the host and the path of the resource. */
export function metadataPath({ path }: ProtectedResource): string {
  return `/.well-known/oauth-protected-resource${path}`;
}

/** RFC 9728 section 2. Where no operator was made yet, there is no application that could issue a token. */
export function metadataOf({ path, name, scopes }: ProtectedResource): Handler {
  return async ({ config: { baseUrl } }) =>
    json({
      resource: baseUrl + path,
      authorization_servers: [baseUrl + ISSUER.replace('{app}', BUILT_IN_APPLICATION)],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      resource_name: name,
    });
}

export const adminMetadata = metadataOf(ADMIN_RESOURCE);

/** RFC 9728 section 5.1: the challenge leads the client to the metadata, and so to the authorization server. */
export function challenged(baseUrl: string, resource: ProtectedResource, refusal: Refusal, scope?: string): Refusal {
  const { status } = refusal.failure;
  if (status !== 401 && status !== 403) return refusal;
  const { scheme = 'Bearer', parameters } = refusal.challenge ?? {};
  const own = [
    ...(parameters === undefined ? [] : [parameters]),
    `resource_metadata="${baseUrl}${metadataPath(resource)}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ];
  return { ...refusal, challenge: { scheme, parameters: own.join(', ') } };
}
