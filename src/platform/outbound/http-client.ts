/** The client of node:http; not by `import`, for the reason that platform/http/http-server.ts tells. */
export const { Agent, request } = process.getBuiltinModule('node:http');
