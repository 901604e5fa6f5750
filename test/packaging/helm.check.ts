import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Job } from 'kubernetes-types/batch/v1.d.ts';
import type { Container, EnvVar } from 'kubernetes-types/core/v1.d.ts';
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/platform/config/config.ts';
import { run } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { compile } from './kubernetes-api.ts';
import { OUTSIDE, ROOT } from './outside.ts';

/** By `npm run test:helm`. */
const HELM = process.env.TEST_HELM ?? 'helm';
const CHART = join(ROOT, 'packaging/helm');
const REQUIRED = ['baseUrl=https://id.example.com', 'image.repository=registry.example.com/gatehouse'];
const SECRET: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://gatehouse:password@db.example/gatehouse',
  GATEHOUSE_SECRET: '0123456789abcdef'.repeat(4),
  MAIL_URL: 'smtps://user:password@smtp.example.com',
  LISTEN: 'postgres://gatehouse:password@direct.example/gatehouse',
};

const helm = (command: string, settings: readonly string[]) => {
  const options = [...REQUIRED, ...settings].flatMap(setting => ['--set', setting]);
  const args =
    command === 'lint' ? [command, '--strict', CHART] : [command, 'gatehouse', CHART, '--kube-version', '1.30.0'];
  return run(HELM, [...args, ...options], OUTSIDE);
};

/** The settings of a container, with what the Secret has. */
function settingsOf({ env = [] }: Container): Record<string, string> {
  const valueIn = ({ value, valueFrom }: EnvVar) =>
    value ?? SECRET[valueFrom?.secretKeyRef?.key ?? ''] ?? assert.fail();
  return Object.fromEntries(env.map(variable => [variable.name, valueIn(variable)]));
}

describe('the Helm chart, as helm template renders it', () => {
  const folder = suitePart(temporaryFolder);

  async function render(...settings: string[]): Promise<Map<string, unknown>> {
    const { code, out, err } = await helm('template', settings);
    assert.equal(code, 0, err);
    const objects = parseAllDocuments(out, { strict: true }).flatMap(document => {
      assert.deepEqual(document.errors, []);
      return document.toJS() ?? [];
    });
    const literals = objects.map(object => JSON.stringify(object));
    assert.equal(await compile(folder, literals), '');
    return new Map(objects.map((object: { kind: string }) => [object.kind, object]));
  }

  it('passes helm lint, and has the version of the release', async () => {
    const { code, out } = await helm('lint', []);
    assert.equal(code, 0, out);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8');
    assert.match(chart, new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'));
  });

  it('migrates in a Job before the installation and each upgrade, with the settings of the server', async () => {
    const objects = await render();
    assert.deepEqual([...objects.keys()].sort(), ['Deployment', 'Job', 'PodDisruptionBudget', 'Service']);
    const job = objects.get('Job') as Job;
    assert.equal(job.metadata?.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
    const migrate = job.spec?.template.spec?.containers[0] ?? assert.fail();
    const deployment = objects.get('Deployment') as Deployment;
    const [server = assert.fail()] = deployment.spec?.template.spec?.containers ?? [];
    assert.deepEqual([migrate.args, server.args], [['migrate'], ['serve']]);
    assert.deepEqual(migrate.env, server.env);
    assert.equal(deployment.spec?.template.spec?.initContainers, undefined);
    const result = readConfig(settingsOf(server));
    assert(result.kind === 'valid', JSON.stringify(result));
    assert.equal(result.config.baseUrl, 'https://id.example.com');
    assert.equal(result.config.database.kind, 'postgres');
    const text = JSON.stringify([...objects.values()]);
    for (const secret of Object.values(SECRET)) assert(!text.includes(secret));
  });

  it('is the manifest of packaging/kubernetes.yaml without the Job', async () => {
    const objects = await render('migration.job=false');
    const own = parseAllDocuments(readFileSync(join(ROOT, 'packaging/kubernetes.yaml'), 'utf8'));
    const manifest: Deployment = own[0]?.toJS();
    const rendered = (objects.get('Deployment') as Deployment).spec;
    const podOf = (spec: Deployment['spec']) => {
      const { containers = [], initContainers = [], topologySpreadConstraints, ...pod } = spec?.template.spec ?? {};
      const without = [...initContainers, ...containers].map(({ env, image, ...container }) => container);
      return { pod, containers: without, constraints: topologySpreadConstraints?.length };
    };
    assert.deepEqual(podOf(rendered), podOf(manifest.spec));
    assert.deepEqual(rendered?.strategy, manifest.spec?.strategy);
    assert(!objects.has('Job'));
  });

  it('has an Ingress with TLS for the name of baseUrl, if it is asked for', async () => {
    const objects = await render('ingress.enabled=true', 'ingress.className=nginx', 'ingress.tlsSecret=id-tls');
    const { spec } = objects.get('Ingress') as Ingress;
    assert.deepEqual(spec?.tls, [{ hosts: ['id.example.com'], secretName: 'id-tls' }]);
    assert.equal(spec?.rules?.[0]?.host, 'id.example.com');
    const backend = spec?.rules?.[0]?.http?.paths[0]?.backend.service;
    assert.deepEqual(backend, { name: 'gatehouse', port: { name: 'http' } });
  });

  it('takes every further setting', async () => {
    const settings = ['mail.enabled=false', 'workers=3', 'env.LOG_LEVEL=debug', 'databaseListenUrlKey=LISTEN'];
    const objects = await render(...settings, 'podDisruptionBudget.enabled=false', 'image.tag=1.2.3');
    const [server = assert.fail()] = (objects.get('Deployment') as Deployment).spec?.template.spec?.containers ?? [];
    const { MAIL_URL, GATEHOUSE_WORKERS, LOG_LEVEL, DATABASE_LISTEN_URL } = settingsOf(server);
    assert.deepEqual([MAIL_URL, GATEHOUSE_WORKERS, LOG_LEVEL], ['none', '3', 'debug']);
    assert.equal(DATABASE_LISTEN_URL, SECRET.LISTEN);
    assert.equal(readConfig(settingsOf(server)).kind, 'valid');
    assert.equal(server.image, 'registry.example.com/gatehouse:1.2.3');
    assert(!objects.has('PodDisruptionBudget'));
  });

  it('refuses misspelt values, and an installation without a name of its own', async () => {
    for (const setting of ['replica=3', 'baseUrl=', 'image.repository=', 'baseUrl=https://id.example.com/']) {
      const { code, err } = await helm('template', [setting]);
      assert.notEqual(code, 0, setting);
      assert.match(err, /values don't meet the specifications of the schema/, setting);
    }
  });
});
