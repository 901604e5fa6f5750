/** The application of the operators: its access tokens are for the admin API. No apply file names, exports or prunes it. */
export const BUILT_IN_APPLICATION = 'gatehouse';

export const MCP_PATH = '/mcp';
/** Of access tokens for assistants (operators/mcp): reading, and proposing acts that an operator approves in the console. */
export const MCP_READ = 'mcp:read';
export const MCP_PROPOSE = 'mcp:propose';

export const ADMIN_PATH = '/api/v1/admin';

/**
 * Whether a value of `resource` is the admin API, as its metadata names it (RFC 9728). Its tokens are those of the built-in application that
 * are for no API: the other one that the application has tells the base address.
 */
export function isAdminApi(
  application: { readonly code?: string; readonly apis?: Identified },
  resource: string,
): boolean {
  if (application.code !== BUILT_IN_APPLICATION || !resource.endsWith(ADMIN_PATH)) return false;
  const base = resource.slice(0, -ADMIN_PATH.length);
  return application.apis?.some(({ identifier }) => identifier === base + MCP_PATH) === true;
}
type Identified = readonly { readonly identifier: string }[] | undefined;

/** The API of the built-in application: the audience of tokens for assistants, so that none of them is good at the admin API itself. */
export function assistantApi(baseUrl: string) {
  return {
    identifier: `${baseUrl}${MCP_PATH}`,
    name: 'Gatehouse for assistants',
    scopes: {
      [MCP_READ]: 'Read what your role may read at the admin API',
      [MCP_PROPOSE]: 'Propose changes, which you approve in the console',
    },
    require_dpop: false,
  };
}
