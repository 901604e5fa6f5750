/** The application of the operators: its access tokens are for the admin API. No apply file names, exports or prunes it. */
export const BUILT_IN_APPLICATION = 'gatehouse';

export const MCP_PATH = '/mcp';
/** Of access tokens for assistants (operators/mcp): reading, and proposing acts that an operator approves in the console. */
export const MCP_READ = 'mcp:read';
export const MCP_PROPOSE = 'mcp:propose';

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
