import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Container, EnvVar, PodSpec, Service } from 'kubernetes-types/core/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { parseAllDocuments } from 'yaml';
import { loadCommands } from '../../src/assembly/commands.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { suitePart } from '../build/suite-part.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { lastOf, parseDockerfile } from './dockerfile.ts';
import { compile } from './kubernetes-api.ts';
import { ROOT } from './outside.ts';

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const objects: unknown[] = parseAllDocuments(read('packaging/kubernetes.yaml'), { strict: true }).map(document => {
  assert.deepEqual(document.errors, []);
  return document.toJS();
});
const [deployment, service, budget] = objects as [Deployment, Service, PodDisruptionBudget];
describe('the Kubernetes manifest (issue 13, point 3)', () => {
  const pod: PodSpec = deployment.spec?.template.spec ?? assert.fail('there are no pods');
  const [migrate, ...moreInit] = pod.initContainers ?? [];
  const [server, ...more] = pod.containers;
  const containers = [migrate, server].map(container => container ?? assert.fail('a container is missing'));
  const folder = suitePart(temporaryFolder);

  it('has the fields and types of the API of Kubernetes', async () => {
    const literals = objects.map(object => JSON.stringify(object));
    assert.equal(await compile(folder, literals), '');
    for (const [right, wrong] of [
      ['"readinessProbe"', '"readinesProbe"'],
      ['"replicas":2', '"replicas":"2"'],
    ] as const) {
      const [first = '', ...others] = literals;
      assert(first.includes(right));
      assert.match(await compile(folder, [first.replace(right, wrong), ...others]), /error TS/, wrong);
    }
  });

  it('is two nodes behind a Service, of which a disruption leaves one', () => {
    assert.equal(objects.length, 3);
    assert.equal(deployment.spec?.replicas, 2);
    assert.equal(budget.spec?.minAvailable, 1);
    assert.deepEqual(deployment.spec?.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    const labels = deployment.spec?.template.metadata?.labels;
    assert.deepEqual(deployment.spec?.selector.matchLabels, labels);
    assert.deepEqual(service.spec?.selector, labels);
    assert.deepEqual(budget.spec?.selector?.matchLabels, labels);
    const [port] = server?.ports ?? [];
    assert.equal(service.spec?.ports?.[0]?.targetPort, port?.name);
    assert.deepEqual([...moreInit, ...more], []);
  });

  it('migrates before it serves, by commands of the same image', async () => {
    const commands = await loadCommands();
    const verbs = containers.map(({ args }) => args);
    assert.deepEqual(verbs, [['migrate'], ['serve']]);
    for (const { args = [] } of containers) assert(commands.has(args[0] ?? ''));
    assert.equal(migrate?.image, server?.image);
    assert(server?.image?.endsWith(`:${JSON.parse(read('package.json')).version}`));
    // Without `command`, the entry point of the image is what runs.
    assert(containers.every(({ command }) => command === undefined));
  });

  it('gives both valid settings, with their secrets from the Secret', () => {
    const fromSecret: Record<string, string> = {
      DATABASE_URL: 'postgres://gatehouse:password@db.example/gatehouse',
      MAIL_URL: 'smtps://user:password@smtp.example.com',
      GATEHOUSE_SECRET: '0123456789abcdef'.repeat(4),
    };
    const valueIn = ({ name, value, valueFrom }: EnvVar) => {
      if (value !== undefined) return value;
      assert.equal(valueFrom?.secretKeyRef?.name, 'gatehouse');
      return fromSecret[valueFrom?.secretKeyRef?.key ?? ''] ?? assert.fail(name);
    };
    for (const { env = [] } of containers) {
      const result = readConfig(Object.fromEntries(env.map(variable => [variable.name, valueIn(variable)])));
      assert.equal(result.kind, 'valid', JSON.stringify(result));
    }
  });

  it('takes no variables from the names of Services, which the server would refuse', () => {
    assert.equal(pod.enableServiceLinks, false);
    // What Kubernetes would make of the Service.
    assert.equal(readConfig({ GATEHOUSE_PORT: 'tcp://10.0.0.1:80' }).kind, 'faulty');
  });

  it('runs as the user of the image, on a read-only root, without rights, within limits', () => {
    const stage = parseDockerfile(read('Dockerfile')).at(-1) ?? assert.fail();
    const { uid, gid } = lastOf(stage, 'user');
    assert.equal(pod.securityContext?.runAsNonRoot, true);
    assert.deepEqual([pod.securityContext.runAsUser, pod.securityContext.runAsGroup], [uid, gid]);
    assert.equal(pod.securityContext.seccompProfile?.type, 'RuntimeDefault');
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.volumes, undefined);
    for (const { securityContext, resources } of containers) {
      assert.equal(securityContext?.readOnlyRootFilesystem, true);
      assert.equal(securityContext.allowPrivilegeEscalation, false);
      assert.deepEqual(securityContext.capabilities, { drop: ['ALL'] });
      assert(resources?.limits?.memory && resources.limits.cpu && resources.requests?.memory && resources.requests.cpu);
    }
    assert.equal(server?.ports?.[0]?.containerPort, lastOf(stage, 'expose').port);
  });

  it('restarts by /healthz, sends requests by /readyz, and leaves the time to drain', () => {
    const path = (probe: keyof Pick<Container, 'startupProbe' | 'livenessProbe' | 'readinessProbe'>) =>
      server?.[probe]?.httpGet?.path;
    assert.equal(path('startupProbe'), '/healthz');
    assert.equal(path('livenessProbe'), '/healthz');
    assert.equal(path('readinessProbe'), '/readyz');
    // A start waits up to 30 s for the database, and /readyz up to 2 s.
    assert((server?.startupProbe?.failureThreshold ?? 0) * (server?.startupProbe?.periodSeconds ?? 0) > 30);
    assert((server?.readinessProbe?.timeoutSeconds ?? 0) > 2);
    const pause = server?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    assert(pause > 0 && (pod.terminationGracePeriodSeconds ?? 0) > pause + 10);
  });
});
