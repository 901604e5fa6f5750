import { hash } from 'node:crypto';
import { GUARDED, header, type Reply, type Request } from '../message.ts';

/** A public document: cacheable, with an ETag; http/cors.ts lets every origin read it. */
export interface Published {
  readonly body: Buffer;
  readonly etag: string;
  readonly maxAge: number;
}

export function publish(document: unknown, maxAge: number): Published {
  const body = Buffer.from(JSON.stringify(document));
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`, maxAge };
}

/** RFC 9110 section 13.1.2. */
export function answerPublished(request: Request, { body, etag, maxAge }: Published): Reply {
  const headers = {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${maxAge}`,
    etag,
    ...GUARDED,
  };
  const known = header(request, 'if-none-match');
  if (known?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*')) {
    return { status: 304, headers, body: '' };
  }
  return { status: 200, headers, body };
}
