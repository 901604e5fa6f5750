/**
 * A bill of materials in CycloneDX 1.5, of what the package holds and installs. `npm sbom --omit dev` leaves out packages that packages of
 * development want too (jose, pg, zod), so this is made of the bundle itself.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** `packages`: folders of those in the bundle. `outside`: what is installed beside it. */
export function billOfMaterials(root: string, packages: readonly string[], outside: RegExp): string {
  const { name, version, license, description } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const locked: Record<string, Locked> = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  const bundled = new Set(packages.map(folder => relative(root, folder)));
  const shipped = Object.entries(locked).filter(([path, { dev }]) => bundled.has(path) || (!dev && outside.test(path)));
  const reference = `pkg:npm/${name}@${version}`;
  const components = shipped.map(([path, entry]) => component(path.replace(/^.*node_modules\//, ''), entry));
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
    metadata: {
      component: {
        ...{ 'bom-ref': reference, type: 'application', name, version, description, purl: reference },
        licenses: [{ license: { id: license } }],
      },
    },
    components,
    dependencies: [{ ref: reference, dependsOn: [...new Set(components.map(part => part['bom-ref']))] }],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function component(name: string, { version, integrity, license }: Locked) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return {
    ...{ 'bom-ref': purl, type: 'library', name, version, purl },
    hashes: [{ alg: 'SHA-512', content }],
    // A choice of licences is an expression of SPDX.
    licenses: /[ ()]/.test(license ?? '') ? [{ expression: license }] : [{ license: { id: license } }],
  };
}
