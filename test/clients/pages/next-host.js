/**
 * What Next.js does for an API route, and nothing else of it: query, cookies and body are parsed, and the default export of a
 * CommonJS package is what `import` gives. Next.js itself weighs 300 MB.
 */
import { createRequire, registerHooks } from 'node:module';
import { parseCookie } from 'cookie';
import express from 'express';

const packages = JSON.stringify(createRequire(import.meta.url).resolve('next-auth'));
const asNext = `import { createRequire } from 'node:module'; export default createRequire(${packages})(${packages}).default;`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'next-auth' && context.parentURL?.endsWith('/route.mjs')
      ? { url: `data:text/javascript,${encodeURIComponent(asNext)}`, shortCircuit: true }
      : next(specifier, context),
});
const { default: handler } = await import('./route.mjs');

express()
  .use(express.urlencoded())
  .all('/api/auth/*nextauth', ({ headers, method, body, query, params }, response) =>
    handler(
      { headers, method, body, query: { ...query, ...params }, cookies: parseCookie(headers.cookie ?? '') },
      response,
    ),
  )
  .get('/', (_request, response) => response.redirect('/api/auth/session'))
  .listen(process.env.PORT);
