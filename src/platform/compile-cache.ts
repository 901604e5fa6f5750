import { enableCompileCache, setSourceMapsSupport } from 'node:module';
import { join } from 'node:path';

/**
 * Caches the compiled sources in node_modules/.cache (`npm ci` fills it), so that a start neither waits for the TypeScript parser
 * nor holds its 25 MB of memory. It must run before any other module is loaded. A folder that cannot be written is read (a container
 * with a read-only root); without one the server starts without the cache. `portable`: the cache is still good when the folder of
 * the installation has moved.
 * `npm start` and bin/gatehouse turn it on before this file is read (NODE_COMPILE_CACHE), or the parser would be loaded for this one.
 */
enableCompileCache({ directory: join(import.meta.dirname, '../../node_modules/.cache/gatehouse'), portable: true });

/** Stack traces of the bundle name the lines of the sources. A map is read with the first trace through its file. */
setSourceMapsSupport(true, { nodeModules: true });
