import './platform/compile-cache.ts';

const { startServer } = await import('./assembly/serve.ts');
await startServer(process);
