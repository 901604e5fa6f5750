import { type ActSteps, actOnce } from '../../audit/acts/queries.ts';
import type { Act, Change } from '../../audit/acts/store.ts';
import { coldImport } from '../../operators/import/queries.ts';
import { unlessLastOwner } from '../../operators/roles/last-owner.queries.ts';
import type { Role } from '../../operators/roles/store.ts';
import { unlessLinkRefused } from '../../people/linking/records.queries.ts';
import { unlessPasskeyTaken } from '../../people/passkey/records.queries.ts';
import { writeInvitation } from '../../people/password/resets.queries.ts';
import { among, FOR_UPDATE, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { writeUsers } from './changes.queries.ts';
import { deleteUser } from './delete.queries.ts';
import { selectPage, selectUser, selectUsers, toListing } from './list.queries.ts';
import { unlessTaken } from './login-names.queries.ts';
import { toUser } from './rows.store.ts';
import { searchUsers } from './search.queries.ts';
import type { User, UserAct, UserAdministration, UserFacts } from './store.ts';

export function coldUserAdministration(db: ColdDatabase): UserAdministration {
  return {
    ...coldImport(db),
    listUsers: async page =>
      page.search === undefined
        ? toListing(await db.read(selectPage(page)), page.limit)
        : searchUsers(db, page.search, page),
    findUsers: async subs => (await db.read(selectUsers(sql`u.sub ${among(subs)}`))).map(toUser),
    findUser: async sub => (await db.read(selectUser(sub))).map(toUser)[0],
    changeUser: async <R>(sub: string, decide: (facts: UserFacts) => Change<UserAct, R>) => {
      let erase: readonly string[] | undefined;
      const steps: ActSteps<User | undefined, R> = {
        *lock() {
          yield* db.own.lockRegistry();
          return yield* lockUser(db, sub);
        },
        *work(current) {
          erase = undefined;
          const { result, write } = decide(yield* userFacts(sub, current));
          if (write?.value.kind === 'delete') {
            erase = (yield* deleteUser(db.own, sub, write.value.now)) ? [sub] : [];
          } else if (write) yield* writeAct(db, sub, write.value);
          return { result, act: write?.act };
        },
      };
      const outcome = await unlessLastOwner(unlessLinkRefused(unlessPasskeyTaken(unlessTaken(actOnce(db, steps)))));
      if (erase) await db.eraseUsers(erase);
      return outcome;
    },
  };
}

/** No login, and no other change of the user, until the end of the transaction. */
function* lockUser({ own }: ColdDatabase, sub: string): Steps<User | undefined> {
  yield* own.lockUsers([sub]);
  yield* rowsOf(sql`SELECT sub FROM users WHERE sub = ${sub} ${FOR_UPDATE}`);
  return (yield* rowsOf(selectUser(sub))).map(toUser)[0];
}

function* userFacts(sub: string, current: User | undefined): Steps<UserFacts> {
  const [operator] = yield* rowsOf(sql`SELECT role FROM operators WHERE sub = ${sub}`);
  return { current, role: operator?.role as Role | undefined };
}

function* writeAct({ own }: ColdDatabase, sub: string, write: Exclude<UserAct, { kind: 'delete' }>): Steps<void> {
  if (write.kind === 'create') yield* writeUsers(own, [{ kind: 'newUser', account: write.account }]);
  if (write.kind !== 'change' && write.invitation) yield* runAll(writeInvitation(sub, write.invitation));
  if (write.kind === 'change') {
    const { kind: _, profile = {}, ...changes } = write;
    yield* writeUsers(own, [{ kind: 'user', sub, profile, ...changes }]);
  }
}

/** Ends something of a user, and records it unless it found nothing to end. */
export function endOfUser(db: ColdDatabase, sub: string, act: Act, work: () => Steps<boolean>) {
  return actOnce(db, {
    lock: () => lockUser(db, sub),
    *work() {
      const ended = yield* work();
      return { result: ended, act: ended ? act : undefined };
    },
  });
}
