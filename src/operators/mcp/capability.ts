import { capability, from } from '../../capability.ts';
import { forPrograms, latePage, noBody } from '../../platform/http/route.ts';

/**
 * The admin API for assistants: POST /mcp, the Model Context Protocol over streamable HTTP without sessions. It is a protected resource
 * (RFC 9728) whose access tokens come from the built-in application, with this address as their audience (RFC 8707). Acts are proposed, and
 * approved on a page of the console: /console/proposals/{proposal}.
 */
export const mcp = capability('operators/mcp', {
  routes: [
    forPrograms('/mcp', {
      POST: { body: 'json', handle: latePage(() => import('./endpoint.ts'), 'mcpRequest') },
    }),
    // Assistants in a browser read it from any origin, as all documents of this kind.
    {
      ...forPrograms('/.well-known/oauth-protected-resource/mcp', {
        GET: noBody(latePage(() => import('./endpoint.ts'), 'resourceMetadata')),
      }),
      cors: 'everyOrigin',
    },
  ],
  console: {
    '/console/proposals/{proposal}': from(() => import('./proposal.console.ts'), 'proposedAct'),
  },
});
