import { failure } from '../../failures.ts';
import { header, isForm, type Refusal, type Request } from '../http/message.ts';

/** The first check of every POST to a page: the body is a form, and a page of this server sent it. */
export function refuseForeignForm(baseUrl: string, request: Request): Refusal | undefined {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  return isSentFromOwnPage(baseUrl, request) ? undefined : { failure: failure('formFromElsewhere') };
}

/**
 * A browser names the page that sent a form in headers that no page can forge. If it sends neither header, the sealed request and
 * the cookie that it is bound to still stop another site.
 */
function isSentFromOwnPage(baseUrl: string, request: Request): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header(request, 'origin');
  return origin === undefined || origin === baseUrl;
}
