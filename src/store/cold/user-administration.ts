import type { Act } from '../idempotent-answers.ts';
import type { Role } from '../operators.ts';
import { toUser } from '../rows.ts';
import type { User, UserAct, UserAdministration, UserFacts } from '../users.ts';
import { recordAct, unlessAnswered } from './acts.ts';
import { deleteUser } from './delete-user.ts';
import { coldImport } from './import-users.ts';
import { unlessLastOwner } from './last-owner.ts';
import { unlessTaken } from './login-names.ts';
import { FOR_UPDATE, sql } from './sql.ts';
import { type ColdDatabase, rowsOf, type Steps } from './steps.ts';
import { selectPage, selectUser, toListing } from './user-list.ts';
import { writeUsers } from './users.ts';

export function coldUserAdministration(db: ColdDatabase): UserAdministration {
  return {
    ...coldImport(db),
    listUsers: async (page, receivedAt) => toListing(await db.read(selectPage(page), receivedAt), page.limit),
    findUser: async (sub, receivedAt) => (await db.read(selectUser(sub), receivedAt)).map(toUser)[0],
    changeUser: async (sub, decide, receivedAt) => {
      let erase: readonly string[] | undefined;
      const transaction = db.transaction(function* () {
        erase = undefined;
        yield* db.own.lockRegistry();
        const current = yield* lockUser(db, sub);
        const { result, write } = decide(yield* userFacts(sub, current));
        if (!write) return result;
        if (write.value.kind === 'delete') {
          erase = (yield* deleteUser(db.own, sub, write.value.now)) ? [sub] : [];
        } else yield* writeAct(db, sub, write.value);
        yield* recordAct(write.act);
        return result;
      }, receivedAt);
      const outcome = await unlessLastOwner(unlessTaken(unlessAnswered(transaction)));
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
  if (write.kind === 'change') {
    const { kind: _, profile = {}, ...changes } = write;
    yield* writeUsers(own, [{ kind: 'user', sub, profile, ...changes }]);
  }
}

/** A transaction that ends something of a user, and records it unless it found nothing to end. */
export function endOfUser(
  db: ColdDatabase,
  sub: string,
  act: Act,
  work: () => Steps<boolean>,
  receivedAt: number | undefined,
) {
  return unlessAnswered(
    db.transaction(function* () {
      yield* lockUser(db, sub);
      const ended = yield* work();
      if (ended) yield* recordAct(act);
      return ended;
    }, receivedAt),
  );
}
