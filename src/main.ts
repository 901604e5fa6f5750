import './compile-cache.ts';

const { startServer } = await import('./cli/serve.ts');
await startServer(process);
