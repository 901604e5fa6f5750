/**
 * `npm ci` ends with this: is the Node.js that the scripts will run on the one whose hash is in the lock file? npm leaves out an optional package
 * whose hash is wrong, and says nothing; `node` would then be whatever the machine has. The Node.js of npm itself executes this, not
 * the one in question, and it may be too old for TypeScript.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readJson = path => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { optionalDependencies } = readJson('package.json');
const { packages } = readJson('package-lock.json');

const fault = Object.entries(optionalDependencies)
  .map(([name, version]) => faultOf(name, version, packages[`node_modules/${name}`]))
  .find(found => found !== undefined);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

function faultOf(name, version, locked) {
  if (locked?.version !== version || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(locked.integrity ?? '')) {
    return `package-lock.json has no hash of ${name} ${version}: npm would install whatever it is given.`;
  }
  const isForThisMachine = [locked.os].flat().includes(process.platform) && [locked.cpu].flat().includes(process.arch);
  return !isForThisMachine || isInstalled(name, version)
    ? undefined
    : `${name} ${version} is not installed: npm could not fetch it, its content has another hash than package-lock.json, or npm was told to omit optional packages.`;
}

function isInstalled(name, version) {
  const link = join(root, 'node_modules/.bin/node');
  const folder = join('node_modules', name);
  if (!existsSync(link) || !existsSync(join(root, folder, 'package.json'))) return false;
  return (
    realpathSync(link).startsWith(join(realpathSync(root), folder)) &&
    readJson(join(folder, 'package.json')).version === version
  );
}
