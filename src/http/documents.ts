import { DEMO } from '../applications/demo-client.ts';
import { GUARDED } from '../message.ts';
import { assets } from '../pages/assets.ts';
import { demoCallbackPage } from '../pages/demo-callback-page.ts';
import { errorIndexPage, errorPage, isErrorCode } from '../pages/error-reference-page.ts';
import { issuerOf } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page } from '../services.ts';

const NOT_FOUND = { failure: failure('notFound') };

export const asset =
  (path: string): Page =>
  async () => {
    const found = assets.get(path);
    if (!found) return NOT_FOUND;
    const headers = { ...GUARDED, 'content-type': found.type, 'cache-control': 'public, max-age=31536000, immutable' };
    return { status: 200, headers, body: found.body };
  };

/** /docs/errors and /docs/errors/<error> */
export const errorReference =
  (path: string): Page =>
  async () => {
    const code = /^\/docs\/errors(?:\/([^/]*))?$/.exec(path)?.[1];
    if (path === '/docs/errors' || code === '') return errorIndexPage();
    return code !== undefined && isErrorCode(code) ? errorPage(code) : NOT_FOUND;
  };

/** Only where the demo application is. */
export const demoCallback: Page = async ({ config, registry }, request) => {
  const client = await registry.client(DEMO.app, DEMO.clientId, request.receivedAt);
  if (!client) return NOT_FOUND;
  const callback = config.baseUrl + DEMO.callbackPath;
  return demoCallbackPage(issuerOf(config.baseUrl, DEMO.app), callback, parseParams(request.query));
};
