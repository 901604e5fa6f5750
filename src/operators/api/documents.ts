import { failure } from '../../failures.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import { sessionForPage } from '../../people/sign-in/progress.ts';
import type { Answer, Reply, Request } from '../../platform/http/message.ts';
import type { Handler, Services } from '../../services.ts';

/**
 * /docs/api and /api/v1/admin/openapi.json: for everybody, for operators, or for nobody (GATEHOUSE_API_DOCS). They hold nothing about this
 * deployment. What documents are made of is loaded with the first request: most nodes never serve one.
 */
const documents = () => import('./endpoint.ts');

const NOT_FOUND = { failure: failure('notFound') };

export const apiReference: Handler = async (services, request) => {
  const { apiDocs } = services.config;
  if (apiDocs === 'off') return NOT_FOUND;
  const refused = apiDocs === 'operators' ? await refuseVisitor(services, request) : undefined;
  return refused ?? answer(services, await (await documents()).apiReference(services, request));
};

/** For programs, which bring an API key or an access token. */
export const openApi: Handler = async (services, request) => {
  const { apiDocs } = services.config;
  if (apiDocs === 'off') return NOT_FOUND;
  const { openApi: document, authenticate } = await documents();
  if (apiDocs === 'operators') {
    const caller = await authenticate(services, request);
    if ('failure' in caller) return caller;
  }
  return answer(services, await document(services, request));
};

async function refuseVisitor(services: Services, request: Request): Promise<Answer | undefined> {
  const session = sessionForPage(services, request, await currentSession(services, request), { path: '/docs/api' });
  if ('status' in session) return session;
  const operator = await services.store.findOperator(session.user.sub);
  if (operator && !operator.disabled) return undefined;
  return { failure: failure('operatorNeeded'), sub: session.user.sub, signedInAs: session.user.username };
}

/** What not everybody may read must not stay in a cache that all share. */
function answer({ config }: Services, reply: Reply): Reply {
  return config.apiDocs === 'public' ? reply : { ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } };
}
