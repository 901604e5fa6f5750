/**
 * Bundles the sources and the packages they load into ESM chunks. What a server has loaded at its first answer is one file; the rest keeps
 * the seams of its dynamic imports, so that a page still comes with its first visitor (docs/decisions/packaging.md).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
/** Native code stays outside. pg looks for the other two, which Gatehouse does not install. */
export const EXTERNAL = ['@node-rs/bcrypt', 'pg-native', 'pg-cloudflare'];
/** These decide what to load, so they are apart from it. */
const ENTRIES = /\/src\/(main|gatehouse|platform\/compile-cache)\.ts$/;
/** Of the two stores only the one in use is loaded. */
const OF_ONE_STORE = /[./](sqlite|postgres|citus)[./]|\/node_modules\/pg/;

/** Resolves with the folders of the packages that are in it. */
export async function bundle(target: string): Promise<string[]> {
  const loaded = modulesAtStart();
  const build = await rolldown({
    cwd: ROOT,
    input: { main: 'src/main.ts', gatehouse: 'src/gatehouse.ts' },
    platform: 'node',
    external: EXTERNAL,
    plugins: [ownPlaces],
    onLog: (level, log) => {
      // A module of the start that something else would have loaded later.
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: target,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    // Names stay as they are written: a stack trace is readable even where the maps were left out.
    minify: { codegen: { removeWhitespace: true }, compress: false, mangle: false },
    sourcemap: true,
    sourcemapExcludeSources: true,
    // As in a clone, wherever the package is installed.
    sourcemapPathTransform: source => source.replace(/^(\.\.\/)+/, '../'),
    codeSplitting: {
      groups: [{ name: 'server', test: id => loaded.has(id) && !ENTRIES.test(id) && !OF_ONE_STORE.test(id) }],
    },
  });
  await build.close();
  copyAssets(target);
  const modules = output.flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const packages = modules.map(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(packages.filter(found => found !== undefined))].sort();
}

/** What their licences ask for: the text of each, beside the code. */
export function noticesOf(packages: readonly string[]): string {
  const notices = packages.map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter(file => /^(licen[cs]e|notice)/i.test(file));
    const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim());
    if (texts.length === 0) texts.push(licenceInReadme(readFileSync(join(folder, 'README.md'), 'utf8')));
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  return `Packages in this bundle, and their licences.\n\n${notices.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`;
}

function licenceInReadme(text: string): string {
  return /^#+ *licen[cs]e\b[\s\S]*/im.exec(text)?.[0].trim() ?? '';
}

/** In a process of its own: what this one has loaded is no part of a server. */
function modulesAtStart(): ReadonlySet<string> {
  const program = fileURLToPath(new URL('modules-at-start.ts', import.meta.url));
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return new Set<string>(JSON.parse(output).loaded);
}

/** Files beside a module are found from its place in the tree, which a chunk does not have: assets keep that place below `target`. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes('import.meta.')) return null;
    const path = relative(SOURCES, id).replace(/\.ts$/, '.js');
    const folder = dirname(path);
    // On the same line, and the columns of that line matter to nobody.
    const placed = code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${folder}')`)
      .replaceAll('import.meta.url', `new URL('./${posix.normalize(path)}', import.meta.url).href`);
    return { code: placed, map: null };
  },
};

function copyAssets(target: string): void {
  for (const entry of readdirSync(SOURCES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.ts')) continue;
    const source = join(entry.parentPath, entry.name);
    cpSync(source, join(target, relative(SOURCES, source)));
  }
}
