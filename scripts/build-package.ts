/**
 * `npm run package` begins with this: writes to dist/ the folder that is published and that the image holds. It has the bundle, a
 * package.json of its own that names only what the bundle does not contain, and the files that its pages and commands read.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeAdminClient } from './admin-client.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { bundle, EXTERNAL, noticesOf } from './bundle.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'dist');
const named = process.argv.slice(2);
/** Of the root, where the builder has them: the image is built without the documents. */
const FILES = ['bin', 'docs/clients', 'CHANGELOG.md', 'LICENSE', 'README.md'];
/** Installed beside the bundle: native code, and Node.js. */
const OUTSIDE = /^node_modules\/(@node-rs\/bcrypt|node-(bin-)?(linux|darwin)-)/;

rmSync(TARGET, { recursive: true, force: true });
const packages = await bundle(join(TARGET, 'dist'));
writeFileSync(join(TARGET, 'THIRD-PARTY.txt'), noticesOf(packages));
writeFileSync(join(TARGET, 'sbom.cdx.json'), billOfMaterials(ROOT, packages, OUTSIDE));
// The image has no use for the client of its own API.
if (!named.length) await writeAdminClient(join(TARGET, 'dist/admin'));
for (const name of named.length ? named : FILES) {
  mkdirSync(dirname(join(TARGET, name)), { recursive: true });
  cpSync(join(ROOT, name), join(TARGET, name), { recursive: true });
}
writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`);

function manifest(): Record<string, unknown> {
  const {
    name,
    version,
    description,
    license,
    type,
    bin,
    exports,
    engines,
    scripts,
    dependencies,
    optionalDependencies,
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const outside = Object.entries(dependencies).filter(([name]) => EXTERNAL.includes(name));
  return {
    ...{ name, version, description, license, type, bin, exports, engines },
    scripts: { start: scripts.start.replace('src/main.ts', 'dist/main.js') },
    dependencies: Object.fromEntries(outside),
    optionalDependencies,
  };
}
