import assert from 'node:assert/strict';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { appliedLines } from '../../../src/operators/apply/difference.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { fixedClock } from '../../build/clock.ts';
import { fields } from '../../build/fields.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { type Provisioned, suiteServer } from '../../build/test-server.ts';

/** For all tests of the suite: an empty store, and the two steps of `gatehouse apply`. */
export function usePlan() {
  const clock = fixedClock();
  const server = suiteServer({ clock, applications: [], users: [] });

  const plan = (file: Provisioned, resetPasswords = false, prune = false) => {
    const read = readApplyFiles(fields, [{ name: 'test', text: JSON.stringify(file) }]);
    assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
    return planChanges(server.services, read.file, { resetPasswords, prune });
  };
  const apply = async (file: Provisioned, resetPasswords = false) => {
    const { changes, differences } = await plan(file, resetPasswords);
    assert.deepEqual(await server.services.store.provision(changes), { kind: 'done' });
    return differences.flatMap(appliedLines);
  };

  const file = (): Provisioned => ({
    applications: [anApplication({ clients: [aClient(), aPublicClient(), {}] })],
    users: [aUser({ disabled: false })],
  });
  return { server, clock, plan, apply, file };
}
