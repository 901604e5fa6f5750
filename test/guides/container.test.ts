import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { suitePart } from '../build/suite-part.ts';
import { command, operatorPath } from './operator.ts';
import { openGuide } from './run-guide.ts';

const NO_RUNTIME = 'needs a container runtime; test/packaging walks the stages of the image';
const NO_CLUSTER = 'needs a cluster; test/packaging/kubernetes.test.ts checks the manifest';
const NOT_RUN = {
  'docker build': NO_RUNTIME,
  'docker run': NO_RUNTIME,
  'docker logs': NO_RUNTIME,
  'docker cp': NO_RUNTIME,
  'docker compose up': NO_RUNTIME,
  'docker compose logs': NO_RUNTIME,
  'docker compose exec -T postgres': NO_RUNTIME,
  '--volume ': 'continues docker run',
  '--env ': 'continues docker run',
  'kubectl create': NO_CLUSTER,
  '--from-literal=': 'continues kubectl create',
  'kubectl apply': NO_CLUSTER,
  'kubectl rollout': NO_CLUSTER,
  'kubectl logs': NO_CLUSTER,
};
/** In a container these are the same program and the same store, which here are beside the test. */
const IN_A_CONTAINER = [
  'docker exec gatehouse gatehouse',
  'docker exec --interactive gatehouse gatehouse',
  'docker compose exec -T gatehouse gatehouse',
  'kubectl exec --stdin deploy/gatehouse -- gatehouse',
];
const NAME = 'login.your-company.example';

describe('docs/guides/container.md', () => {
  const at = (name: string) => join(guide.folder, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const guide = suitePart(async () => {
    const replace: Record<string, string> = Object.fromEntries(IN_A_CONTAINER.map(each => [each, 'gatehouse']));
    replace['docker exec gatehouse node'] = 'node';
    const env = { PATH: operatorPath(), DATABASE_URL: 'sqlite:data/gatehouse.db' };
    const opened = await openGuide('container', { ports: [3000], replace, notRun: NOT_RUN, env });
    replace["'/data/"] = `'${opened.folder}/data/`;
    replace['backup /data/'] = `backup ${opened.folder}/data/`;
    return opened;
  });
  before(() => {
    mkdirSync(at('data'), { mode: 0o700 });
    writeFileSync(at('shop.yaml'), 'applications: [{ code: shop, name: Shop }]\n');
    writeFileSync(at('password.txt'), 'a long passphrase of alice\n');
  });

  it('the commands in the container are commands of Gatehouse', async () => {
    await guide.section('Gatehouse in containers');
    const printed = await guide.section('Commands');
    assert.match(printed, /^None\.\napplication shop: created\nsub .*\nusername +alice$/m);
    assert.match(printed, /^role +owner$/m);
  });

  it('the backup of a volume is a complete database', async () => {
    let copies = 0;
    await guide.section('One container', async () => {
      if (!existsSync(at('data/backup.db'))) return;
      copies++;
      const copy = new DatabaseSync(at('data/backup.db'), { readOnly: true });
      assert.equal(copy.prepare('SELECT count(*) AS users FROM users').get()?.users, 1);
      copy.close();
    });
    assert.equal(copies, 1);
    assert(!existsSync(at('data/backup.db')));
  });

  it('the files of Compose have the secrets, the certificate and your own name', async () => {
    await guide.section('Compose');
    const { POSTGRES_PASSWORD = '', GATEHOUSE_SECRET = '' } = parseEnv(read('.env'));
    for (const secret of [POSTGRES_PASSWORD, GATEHOUSE_SECRET]) assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal(statSync(at('.env')).mode & 0o777, 0o600);
    assert.equal(parse(read('compose.yaml')).services.gatehouse.environment.BASE_URL, `https://${NAME}`);
    assert.match(read('packaging/nginx.conf'), new RegExp(`server_name ${NAME};`));
    assert.doesNotMatch(read('packaging/nginx.conf') + read('compose.yaml').replace(/^#.*$/gm, ''), /id\.example\.com/);
    const certificate = new X509Certificate(read('certs/certificate.pem'));
    assert.equal(certificate.checkHost(NAME), NAME);
  });

  it('the manifest of Kubernetes is there and has what the text tells to change', async () => {
    await guide.section('Kubernetes');
    for (const document of parseAllDocuments(read('packaging/kubernetes.yaml'))) assert.deepEqual(document.errors, []);
    for (const word of ['image:', 'https://id.example.com', 'TRUSTED_PROXIES', 'enableServiceLinks: false']) {
      assert(read('packaging/kubernetes.yaml').includes(word), word);
    }
  });

  it('quotes what a wrong setting prints', async () => {
    const text = read('docs/guides/container.md');
    const env = { DATABASE_URL: 'postgres://gatehouse@127.0.0.1/gatehouse', GATEHOUSE_PORT: 'tcp://10.0.0.1:80' };
    const { code, err } = await command(guide.folder, ['check-config'], env);
    assert.equal(code, 78);
    const quoted = [...text.matchAll(/^\| `(GATEHOUSE_[^`…]+)/gm)].map(([, message = '']) => message);
    assert.equal(quoted.length, 2);
    for (const message of quoted) assert(err.includes(message), `${message}\n${err}`);
  });

  it('has no command that is not run, or named with the reason', () => assert.deepEqual(guide.left(), []));
});
