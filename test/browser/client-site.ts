import { listen } from '../build/listen.ts';

/** What a browser brought to a client's address. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  /** The fields of the query and of the form together. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A web site of a client, on its own origin. */
export interface ClientSite {
  readonly origin: string;
  readonly arrivals: Arrival[];
  close(): Promise<void>;
}

/**
 * /onward redirects to where `onwardTo` says, as a client does that keeps its callback and its pages on two hosts;
 * /frame shows the address in `src` in a frame; /never does not answer; everything else is a plain page.
 */
export async function openClientSite(onwardTo = '/'): Promise<ClientSite> {
  const arrivals: Arrival[] = [];
  const { origin, close } = await listen(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://client');
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const fields = Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)]);
    arrivals.push({ method: incoming.method ?? '', path: url.pathname, fields });
    if (url.pathname === '/onward') {
      outgoing.writeHead(302, { location: onwardTo }).end();
      return;
    }
    if (url.pathname === '/never') return;
    outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const frame =
      url.pathname === '/frame' ? `<iframe src="${(fields.src ?? '').replaceAll('&', '&amp;')}"></iframe>` : '';
    outgoing.end(`<!doctype html><title>Client</title><link rel="icon" href="data:,"><h1>At the client</h1>${frame}`);
  });
  return { origin, arrivals, close };
}
