import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Without what `npm test` adds: the folder it runs in, its packages on the path, the pinned Node.js among them, and its compile cache. */
const ADDED = /^(npm_(package|lifecycle|config_local_prefix)|NODE_COMPILE_CACHE)/;

export const OUTSIDE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(process.env).flatMap(name => (ADDED.test(name) ? [[name, '']] : []))),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .join(delimiter),
};
