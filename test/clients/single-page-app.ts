import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openSite, type Site } from './site.ts';

const SCRIPTS: Readonly<Record<string, string>> = {
  '/oidc-client-ts.js': fileURLToPath(
    new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')),
  ),
  '/app.js': fileURLToPath(new URL('single-page-app.js', import.meta.url)),
};

export interface SinglePageApp extends Site {
  /** The same server under a name that browsers hold for another site than 127.0.0.1. */
  readonly otherSite: string;
  /** For the library; `authority` and `client_id` at least. Read whenever a page is loaded. */
  settings: Readonly<Record<string, unknown>>;
}

/** Static files and nothing else, as such an application is: it has no server side to keep a secret in. */
export async function openSinglePageApp(): Promise<SinglePageApp> {
  const site = await openSite((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://app');
    const script = SCRIPTS[pathname];
    outgoing.setHeader('content-type', `text/${script === undefined ? 'html' : 'javascript'}; charset=utf-8`);
    outgoing.end(script === undefined ? page(app.settings) : readFileSync(script));
  });
  const app: SinglePageApp = { ...site, otherSite: site.origin.replace('127.0.0.1', 'localhost'), settings: {} };
  return app;
}

function page(settings: SinglePageApp['settings']): string {
  return `<!doctype html>
<html lang="en">
<title>Single-page application</title>
<link rel="icon" href="data:,">
<script type="application/json" id="settings">${JSON.stringify(settings)}</script>
<script src="/oidc-client-ts.js"></script>
<script src="/app.js"></script>
</html>`;
}
