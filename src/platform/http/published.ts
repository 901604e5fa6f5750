import { hash } from 'node:crypto';
import { GUARDED, header, type Reply, type Request } from './message.ts';

/**
 * A public document that does not change while the process runs: built for the first request, cacheable, with an ETag. It is kept as bytes, outside
 * the heap.
 */
export interface Published extends Reply {
  readonly body: Buffer;
  readonly etag: string;
}

export function publish({ status, headers, body: content }: Reply): Published {
  const body = Buffer.from(content);
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  return { status, headers: { ...headers, etag }, body, etag };
}

export function publishJson(document: unknown, maxAgeSeconds: number): Published {
  const headers = {
    'content-type': 'application/json',
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    ...GUARDED,
  };
  return publish({ status: 200, headers, body: JSON.stringify(document) });
}

/** RFC 9110 section 13.1.2. Nothing but this tag has its characters between quotation marks. */
export function answerPublished(request: Pick<Request, 'headers'>, { status, headers, body, etag }: Published): Reply {
  const known = header(request, 'if-none-match');
  const isKnown = known !== undefined && (known.includes(etag) || known.trim() === '*');
  return isKnown ? { status: 304, headers, body: '' } : { status, headers, body };
}

/** Each key has one document, which the first call builds; where that failed, the next one. */
export function publishedOnce<Key extends object, From>(
  build: (key: Key, from: From) => Promise<Published>,
): (key: Key, from: From) => Promise<Published> {
  const built = new WeakMap<Key, Promise<Published>>();
  return (key, from) => {
    const known = built.get(key);
    if (known) return known;
    const document = build(key, from);
    built.set(key, document);
    document.catch(() => built.delete(key));
    return document;
  };
}
