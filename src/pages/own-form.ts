import { header, isForm, type Refusal, type Request } from '../message.ts';
import { failure } from '../protocol/errors.ts';

/** What every page checks first when a form is posted to it: that it is a form, and that a page of this server sent it. */
export function refuseForeignForm(baseUrl: string, request: Request): Refusal | undefined {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  return isSentFromOwnPage(baseUrl, request) ? undefined : { failure: failure('formFromElsewhere') };
}

/**
 * Browsers say which page sent a form in headers that no page can forge. Where a browser sends neither header, another site is
 * still stopped by the sealed request and the cookie that it is bound to.
 */
function isSentFromOwnPage(baseUrl: string, request: Request): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header(request, 'origin');
  return origin === undefined || origin === baseUrl;
}
