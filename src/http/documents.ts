import { DEMO } from '../applications/demo-client.ts';
import { GUARDED, param } from '../message.ts';
import { assets } from '../pages/assets.ts';
import { demoCallbackPage } from '../pages/demo-callback-page.ts';
import { errorIndexPage, errorPage, isErrorCode } from '../pages/error-reference-page.ts';
import { issuerOf } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import { parseParams } from '../protocol/params.ts';
import type { Page } from '../services.ts';

const NOT_FOUND = { failure: failure('notFound') };

export const asset: Page = async (_services, request) => {
  const file = assets.get(`/assets/${param(request, 'file')}`);
  if (!file) return NOT_FOUND;
  const headers = { ...GUARDED, 'content-type': file.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return { status: 200, headers, body: file.body };
};

export const errorIndex: Page = async () => errorIndexPage();

export const errorReference: Page = async (_services, request) => {
  const code = param(request, 'error');
  return isErrorCode(code) ? errorPage(code) : NOT_FOUND;
};

/** Only where the demo application is. */
export const demoCallback: Page = async ({ config, registry }, request) => {
  const client = await registry.client(DEMO.app, DEMO.clientId, request.receivedAt);
  if (!client) return NOT_FOUND;
  const callback = config.baseUrl + DEMO.callbackPath;
  return demoCallbackPage(issuerOf(config.baseUrl, DEMO.app), callback, parseParams(request.query));
};
