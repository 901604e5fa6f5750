import { enableCompileCache } from 'node:module';

// Before anything else is loaded: the second start finds the types stripped and the code compiled.
enableCompileCache();
const { startServer } = await import('./cli/serve.ts');
await startServer(process.env);
