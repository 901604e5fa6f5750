import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Keeps stripped and compiled sources beside the dependencies (`npm ci` fills it), so that a start neither waits for the
 * TypeScript parser nor holds its 25 MB. Must run before anything else is loaded; where it cannot write, all works as well.
 */
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/gatehouse'));
