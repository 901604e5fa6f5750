import { issuerOf } from '../../directory/applications/rules.ts';
import { failure } from '../../failures.ts';
import type { Handler } from '../../services.ts';
import { demoCallbackPage } from './callback.html.ts';
import { DEMO } from './demo.ts';

/** /demo/callback, the redirect address of the demo client. Not found where there is no demo application. */
export const demoCallback: Handler = async ({ config, registry }, request) => {
  const client = await registry.client(DEMO.app, DEMO.clientId);
  if (!client) return { failure: failure('notFound') };
  const callback = config.baseUrl + DEMO.callbackPath;
  return demoCallbackPage(issuerOf(config.baseUrl, DEMO.app), callback, request.queryParams);
};
